// SPDX-License-Identifier: Apache-2.0
//
// Constants of SHA-256, and its functions of one word (FIPS 180-4, sections 4.1.2, 4.2.2, 5.3.3).
// Nothing here holds state.
package jm_sha256_pkg;

  typedef logic [31:0] word_t;

  // Many cores compile this package with the rest of the folder and use nothing of it.
  // verilator lint_off UNUSEDPARAM

  // Initial hash value, H0 in the highest bits.
  localparam logic [255:0] InitialState = {
    32'h6a09e667, 32'hbb67ae85, 32'h3c6ef372, 32'ha54ff53a,
    32'h510e527f, 32'h9b05688c, 32'h1f83d9ab, 32'h5be0cd19
  };

  // Round constants, K0 in the highest bits.
  localparam logic [2047:0] RoundConstants = {
    256'h428a2f98_71374491_b5c0fbcf_e9b5dba5_3956c25b_59f111f1_923f82a4_ab1c5ed5,
    256'hd807aa98_12835b01_243185be_550c7dc3_72be5d74_80deb1fe_9bdc06a7_c19bf174,
    256'he49b69c1_efbe4786_0fc19dc6_240ca1cc_2de92c6f_4a7484aa_5cb0a9dc_76f988da,
    256'h983e5152_a831c66d_b00327c8_bf597fc7_c6e00bf3_d5a79147_06ca6351_14292967,
    256'h27b70a85_2e1b2138_4d2c6dfc_53380d13_650a7354_766a0abb_81c2c92e_92722c85,
    256'ha2bfe8a1_a81a664b_c24b8b70_c76c51a3_d192e819_d6990624_f40e3585_106aa070,
    256'h19a4c116_1e376c08_2748774c_34b0bcb5_391c0cb3_4ed8aa4a_5b9cca4f_682e6ff3,
    256'h748f82ee_78a5636f_84c87814_8cc70208_90befffa_a4506ceb_bef9a3f7_c67178f2
  };

  // verilator lint_on UNUSEDPARAM

  function automatic word_t rotate_right(word_t x, int unsigned n);
    return (x >> n) | (x << (32 - n));
  endfunction

  function automatic word_t big_sigma0(word_t x);
    return rotate_right(x, 2) ^ rotate_right(x, 13) ^ rotate_right(x, 22);
  endfunction

  function automatic word_t big_sigma1(word_t x);
    return rotate_right(x, 6) ^ rotate_right(x, 11) ^ rotate_right(x, 25);
  endfunction

  function automatic word_t small_sigma0(word_t x);
    return rotate_right(x, 7) ^ rotate_right(x, 18) ^ (x >> 3);
  endfunction

  function automatic word_t small_sigma1(word_t x);
    return rotate_right(x, 17) ^ rotate_right(x, 19) ^ (x >> 10);
  endfunction

endpackage
