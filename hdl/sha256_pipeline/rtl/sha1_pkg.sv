// SPDX-License-Identifier: Apache-2.0
//
// Constants and functions of SHA-1 (FIPS 180-4, sections 4.1.1, 4.2.1 and 5.3.1). Pure functions of
// their arguments; nothing here holds state.
package sha1_pkg;

  typedef logic [31:0] word_t;

  // Initial hash value, H0 in the highest bits.
  localparam logic [159:0] InitialState = {
    32'h67452301, 32'hefcdab89, 32'h98badcfe, 32'h10325476, 32'hc3d2e1f0
  };

  // Round constants, one for each phase of 20 rounds, that of the first phase in the highest bits.
  localparam logic [127:0] PhaseConstants = {
    32'h5a827999, 32'h6ed9eba1, 32'h8f1bbcdc, 32'hca62c1d6
  };

  // Constant of a round, modulo 80: constants beyond round 79 are looked up but not used.
  function automatic word_t round_constant(int unsigned round);
    return PhaseConstants[32 * (3 - ((round % 80) / 20)) +: 32];
  endfunction

  function automatic word_t rotate_left(word_t x, int unsigned n);
    return (x << n) | (x >> (32 - n));
  endfunction

  // The function f of a phase: Ch, Parity, Maj, Parity.
  function automatic word_t mix(int unsigned phase, word_t x, word_t y, word_t z);
    case (phase)
      0: return (x & y) ^ (~x & z);
      2: return (x & y) ^ (x & z) ^ (y & z);
      default: return x ^ y ^ z;
    endcase
  endfunction

endpackage
