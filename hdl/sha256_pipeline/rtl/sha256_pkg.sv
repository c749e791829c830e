// SPDX-License-Identifier: Apache-2.0
//
// Constants and functions of SHA-256 (FIPS 180-4, sections 4.1.2, 4.2.2 and 5.3.3), those of
// `jm_sha256_pkg` too. Pure functions of their arguments; nothing here holds state.
package sha256_pkg;

  import jm_sha256_pkg::word_t;
  import jm_sha256_pkg::InitialState;
  import jm_sha256_pkg::RoundConstants;
  import jm_sha256_pkg::rotate_right;
  import jm_sha256_pkg::big_sigma0;
  import jm_sha256_pkg::big_sigma1;
  import jm_sha256_pkg::small_sigma0;
  import jm_sha256_pkg::small_sigma1;
  export jm_sha256_pkg::word_t;
  export jm_sha256_pkg::InitialState;
  export jm_sha256_pkg::RoundConstants;
  export jm_sha256_pkg::rotate_right;
  export jm_sha256_pkg::big_sigma0;
  export jm_sha256_pkg::big_sigma1;
  export jm_sha256_pkg::small_sigma0;
  export jm_sha256_pkg::small_sigma1;

  // Constant of a round, modulo 64: constants beyond round 63 are looked up but not used.
  function automatic word_t round_constant(int unsigned round);
    return RoundConstants[32 * (63 - (round % 64)) +: 32];
  endfunction

  function automatic word_t choose(word_t x, word_t y, word_t z);
    return (x & y) ^ (~x & z);
  endfunction

  function automatic word_t majority(word_t x, word_t y, word_t z);
    return (x & y) ^ (x & z) ^ (y & z);
  endfunction

  // Three words as two with the same sum: {carries, moved to their weight; sums}.
  function automatic logic [63:0] carry_save(word_t x, word_t y, word_t z);
    return {majority(x, y, z) << 1, x ^ y ^ z};
  endfunction

  // Number of blocks that `sha256_interleaved_engine` takes before the hash of the first has left:
  // the blocks in its stages, and three more that come in before its count shows them. A power of
  // two.
  function automatic int unsigned interleaved_depth(int unsigned stages);
    return (stages == 4) ? 16 : 8;
  endfunction

endpackage
