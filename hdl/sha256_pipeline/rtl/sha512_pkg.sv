// SPDX-License-Identifier: Apache-2.0
//
// Constants and functions of SHA-512 (FIPS 180-4, sections 4.1.3, 4.2.3 and 5.3.5). Pure functions
// of their arguments; nothing here holds state.
package sha512_pkg;

  typedef logic [63:0] word_t;

  // Initial hash value, H0 in the highest bits.
  localparam logic [511:0] InitialState = {
    64'h6a09e667f3bcc908, 64'hbb67ae8584caa73b,
    64'h3c6ef372fe94f82b, 64'ha54ff53a5f1d36f1,
    64'h510e527fade682d1, 64'h9b05688c2b3e6c1f,
    64'h1f83d9abfb41bd6b, 64'h5be0cd19137e2179
  };

  // Round constants, K0 in the highest bits.
  localparam logic [5119:0] RoundConstants = {
    256'h428a2f98d728ae22_7137449123ef65cd_b5c0fbcfec4d3b2f_e9b5dba58189dbbc,
    256'h3956c25bf348b538_59f111f1b605d019_923f82a4af194f9b_ab1c5ed5da6d8118,
    256'hd807aa98a3030242_12835b0145706fbe_243185be4ee4b28c_550c7dc3d5ffb4e2,
    256'h72be5d74f27b896f_80deb1fe3b1696b1_9bdc06a725c71235_c19bf174cf692694,
    256'he49b69c19ef14ad2_efbe4786384f25e3_0fc19dc68b8cd5b5_240ca1cc77ac9c65,
    256'h2de92c6f592b0275_4a7484aa6ea6e483_5cb0a9dcbd41fbd4_76f988da831153b5,
    256'h983e5152ee66dfab_a831c66d2db43210_b00327c898fb213f_bf597fc7beef0ee4,
    256'hc6e00bf33da88fc2_d5a79147930aa725_06ca6351e003826f_142929670a0e6e70,
    256'h27b70a8546d22ffc_2e1b21385c26c926_4d2c6dfc5ac42aed_53380d139d95b3df,
    256'h650a73548baf63de_766a0abb3c77b2a8_81c2c92e47edaee6_92722c851482353b,
    256'ha2bfe8a14cf10364_a81a664bbc423001_c24b8b70d0f89791_c76c51a30654be30,
    256'hd192e819d6ef5218_d69906245565a910_f40e35855771202a_106aa07032bbd1b8,
    256'h19a4c116b8d2d0c8_1e376c085141ab53_2748774cdf8eeb99_34b0bcb5e19b48a8,
    256'h391c0cb3c5c95a63_4ed8aa4ae3418acb_5b9cca4f7763e373_682e6ff3d6b2b8a3,
    256'h748f82ee5defb2fc_78a5636f43172f60_84c87814a1f0ab72_8cc702081a6439ec,
    256'h90befffa23631e28_a4506cebde82bde9_bef9a3f7b2c67915_c67178f2e372532b,
    256'hca273eceea26619c_d186b8c721c0c207_eada7dd6cde0eb1e_f57d4f7fee6ed178,
    256'h06f067aa72176fba_0a637dc5a2c898a6_113f9804bef90dae_1b710b35131c471b,
    256'h28db77f523047d84_32caab7b40c72493_3c9ebe0a15c9bebc_431d67c49c100d4c,
    256'h4cc5d4becb3e42b6_597f299cfc657e2a_5fcb6fab3ad6faec_6c44198c4a475817
  };

  // Constant of a round, modulo 80: constants beyond round 79 are looked up but not used.
  function automatic word_t round_constant(int unsigned round);
    return RoundConstants[64 * (79 - (round % 80)) +: 64];
  endfunction

  function automatic word_t rotate_right(word_t x, int unsigned n);
    return (x >> n) | (x << (64 - n));
  endfunction

  function automatic word_t big_sigma0(word_t x);
    return rotate_right(x, 28) ^ rotate_right(x, 34) ^ rotate_right(x, 39);
  endfunction

  function automatic word_t big_sigma1(word_t x);
    return rotate_right(x, 14) ^ rotate_right(x, 18) ^ rotate_right(x, 41);
  endfunction

  function automatic word_t small_sigma0(word_t x);
    return rotate_right(x, 1) ^ rotate_right(x, 8) ^ (x >> 7);
  endfunction

  function automatic word_t small_sigma1(word_t x);
    return rotate_right(x, 19) ^ rotate_right(x, 61) ^ (x >> 6);
  endfunction

  function automatic word_t choose(word_t x, word_t y, word_t z);
    return (x & y) ^ (~x & z);
  endfunction

  function automatic word_t majority(word_t x, word_t y, word_t z);
    return (x & y) ^ (x & z) ^ (y & z);
  endfunction

endpackage
