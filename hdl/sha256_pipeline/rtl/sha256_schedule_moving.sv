// SPDX-License-Identifier: Apache-2.0
//
// The message schedule of one stage of the conventional pipeline (FIPS 180-4, sections 6.1.2, 6.2.2
// and 6.4.2, step 1): sixteen words that move in parallel into the next stage's schedule when the
// block does. Each stage computes the words that the next stage needs.
module sha256_schedule_moving #(
  parameter int unsigned HASH = 256,  // 1, 256, 512
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 0,
  localparam int unsigned WordBits = sha_hash_pkg::word_bits(HASH)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,
  input  logic load_i,
  input  logic [16*WordBits-1:0] window_i,  // W of the first round lowest
  output logic [16*WordBits-1:0] window_o,  // `window_i` of the next stage
  // Words of these rounds at PRECOMPUTE=0, otherwise of the next rounds; earliest word lowest.
  output logic [WordBits*ROUNDS-1:0] words_o
);

  logic [WordBits-1:0] all [16+ROUNDS]  /* verilator split_var */;
  logic [16*WordBits-1:0] window_q;

  for (genvar i = 0; i < 16; i++) begin : gen_window
    assign all[i] = window_q[WordBits*i +: WordBits];
    assign window_o[WordBits*i +: WordBits] = all[i+ROUNDS];
  end
  for (genvar i = 0; i < ROUNDS; i++) begin : gen_word
    if (HASH == 1) begin : gen_sha1
      assign all[16+i] = sha1_pkg::rotate_left(all[13+i] ^ all[8+i] ^ all[2+i] ^ all[i], 1);
    end else if (HASH == 512) begin : gen_sha512
      assign all[16+i] = sha512_pkg::small_sigma1(all[14+i]) + all[9+i] +
                         sha512_pkg::small_sigma0(all[1+i]) + all[i];
    end else begin : gen_sha256
      assign all[16+i] = sha256_pkg::small_sigma1(all[14+i]) + all[9+i] +
                         sha256_pkg::small_sigma0(all[1+i]) + all[i];
    end
    assign words_o[WordBits*i +: WordBits] = all[((PRECOMPUTE > 0) ? ROUNDS : 0) + i];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_window
    if (!rst_ni) begin
      window_q <= '0;
    end else if (enable_i) begin
      window_q <= load_i ? window_i : window_o;
    end
  end

endmodule
