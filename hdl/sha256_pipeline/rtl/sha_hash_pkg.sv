// SPDX-License-Identifier: Apache-2.0
//
// The hash functions that the pipeline computes, by its parameter HASH: 1 is SHA-1, 256 is SHA-256
// and 512 is SHA-512 (FIPS 180-4). All three take blocks of sixteen words, keep a state of five or
// eight words, and add the state before a block to the state after its rounds. They differ in the
// length of a word, in the number of words and rounds, in constants and in the round itself
// (`sha1_rounds`, `sha256_rounds`).
package sha_hash_pkg;

  function automatic int unsigned word_bits(int unsigned hash);
    return (hash == 512) ? 64 : 32;
  endfunction

  function automatic int unsigned state_words(int unsigned hash);
    return (hash == 1) ? 5 : 8;
  endfunction

  function automatic int unsigned rounds_of(int unsigned hash);
    return (hash == 256) ? 64 : 80;
  endfunction

  // Initial hash value, in the lowest bits; H0 highest.
  function automatic logic [511:0] initial_state(int unsigned hash);
    case (hash)
      1: return {352'b0, sha1_pkg::InitialState};
      512: return sha512_pkg::InitialState;
      default: return {256'b0, sha256_pkg::InitialState};
    endcase
  endfunction

  // Constant of a round, in the lowest bits.
  function automatic logic [63:0] round_constant(int unsigned hash, int unsigned round);
    case (hash)
      1: return {32'b0, sha1_pkg::round_constant(round)};
      512: return sha512_pkg::round_constant(round);
      default: return {32'b0, sha256_pkg::round_constant(round)};
    endcase
  endfunction

endpackage
