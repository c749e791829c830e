// SPDX-License-Identifier: Apache-2.0
//
// The state of SipHash, its start, and one SipRound.
//
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), section 2, figure 2.1.
package siphash_pkg;
  // Words v0 to v3, v0 in element 0.
  typedef logic [3:0][63:0] state_t;

  // The key's bytes in their order, the first in bits [7:0]: k0 is the low half, k1 the high half.
  // The four constants spell "somepseudorandomlygeneratedbytes".
  function automatic state_t start(input logic [127:0] key);
    start[0] = key[63:0] ^ 64'h736f6d6570736575;
    start[1] = key[127:64] ^ 64'h646f72616e646f6d;
    start[2] = key[63:0] ^ 64'h6c7967656e657261;
    start[3] = key[127:64] ^ 64'h7465646279746573;
  endfunction

  function automatic state_t sip_round(input state_t v);
    logic [63:0] sum0, sum2, half1, half3, sum02, sum21;
    sum0 = v[0] + v[1];
    sum2 = v[2] + v[3];
    half1 = {v[1][50:0], v[1][63:51]} ^ sum0;
    half3 = {v[3][47:0], v[3][63:48]} ^ sum2;
    sum02 = {sum0[31:0], sum0[63:32]} + half3;
    sum21 = sum2 + half1;
    sip_round[0] = sum02;
    sip_round[1] = {half1[46:0], half1[63:47]} ^ sum21;
    sip_round[2] = {sum21[31:0], sum21[63:32]};
    sip_round[3] = {half3[42:0], half3[63:43]} ^ sum02;
  endfunction
endpackage
