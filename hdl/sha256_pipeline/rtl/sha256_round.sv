// SPDX-License-Identifier: Apache-2.0
//
// The two new words of one round of SHA-256 or, at HASH=512, of SHA-512 (FIPS 180-4, sections 6.2.2
// and 6.4.2, step 3). Combinational.
//   T1 = (H + K + W) + Sigma1(e) + Ch(e, f, g);  e' = d + T1;  a' = T1 + Sigma0(a) + Maj(a, b, c)
module sha256_round #(
  parameter int unsigned HASH = 256,  // 256, 512
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,  // 1 at HASH=256 alone
  localparam int unsigned WordBits = sha_hash_pkg::word_bits(HASH)
) (
  input  logic [WordBits-1:0] a_i, b_i, c_i,
  input  logic [WordBits-1:0] e_i, f_i, g_i,
  input  logic [WordBits-1:0] hkw_i,
  // Not all bits are used: d_i is unused at PRECOMPUTE=2, dhkw_i below 2.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [WordBits-1:0] d_i,
  input  logic [WordBits-1:0] dhkw_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic [WordBits-1:0] a_o,
  output logic [WordBits-1:0] e_o
);

  logic [WordBits-1:0] sigma0, sigma1, ch, maj;
  if (HASH == 512) begin : gen_sha512
    assign sigma0 = sha512_pkg::big_sigma0(a_i);
    assign sigma1 = sha512_pkg::big_sigma1(e_i);
    assign ch = sha512_pkg::choose(e_i, f_i, g_i);
    assign maj = sha512_pkg::majority(a_i, b_i, c_i);
  end else begin : gen_sha256
    assign sigma0 = sha256_pkg::big_sigma0(a_i);
    assign sigma1 = sha256_pkg::big_sigma1(e_i);
    assign ch = sha256_pkg::choose(e_i, f_i, g_i);
    assign maj = sha256_pkg::majority(a_i, b_i, c_i);
  end

  if (CARRY_SAVE == 0) begin : gen_carry_propagate
    logic [WordBits-1:0] t1, t2;
    assign t1 = (hkw_i + ch) + sigma1;
    assign t2 = sigma0 + maj;
    assign a_o = t1 + t2;
    assign e_o = (PRECOMPUTE < 2) ? d_i + t1 : (dhkw_i + ch) + sigma1;
  end else begin : gen_carry_save
    // Each pair is {carry word already shifted, sum word}.
    logic [63:0] t1, e_pair, a_first, a_pair;
    assign t1 = sha256_pkg::carry_save(hkw_i, sigma1, ch);
    assign a_first = sha256_pkg::carry_save(sigma0, maj, t1[31:0]);
    assign a_pair = sha256_pkg::carry_save(a_first[31:0], a_first[63:32], t1[63:32]);
    assign a_o = a_pair[31:0] + a_pair[63:32];
    if (PRECOMPUTE < 2) begin : gen_e_from_d
      assign e_pair = sha256_pkg::carry_save(d_i, t1[31:0], t1[63:32]);
    end else begin : gen_e_from_dhkw
      assign e_pair = sha256_pkg::carry_save(dhkw_i, sigma1, ch);
    end
    assign e_o = e_pair[31:0] + e_pair[63:32];
  end

endmodule
