// SPDX-License-Identifier: Apache-2.0
//
// The message schedule of one stage of the conventional pipeline (FIPS 180-4, section 6.2.2, step
// 1): sixteen words that move in parallel into the next stage's schedule when the block does. Each
// stage computes the words that the next stage needs.
module sha256_schedule_moving
  import sha256_pkg::*;
#(
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,
  input  logic load_i,
  input  logic [511:0] window_i,  // W of the first round lowest
  output logic [511:0] window_o,  // `window_i` of the next stage
  // Words of these rounds at PRECOMPUTE=0, otherwise of the next rounds; earliest word lowest.
  output logic [32*ROUNDS-1:0] words_o
);

  word_t all [16+ROUNDS]  /* verilator split_var */;
  logic [511:0] window_q;

  for (genvar i = 0; i < 16; i++) begin : gen_window
    assign all[i] = window_q[32*i +: 32];
    assign window_o[32*i +: 32] = all[i+ROUNDS];
  end
  for (genvar i = 0; i < ROUNDS; i++) begin : gen_word
    assign all[16+i] = small_sigma1(all[14+i]) + all[9+i] + small_sigma0(all[1+i]) + all[i];
    assign words_o[32*i +: 32] = all[((PRECOMPUTE > 0) ? ROUNDS : 0) + i];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_window
    if (!rst_ni) begin
      window_q <= '0;
    end else if (enable_i) begin
      window_q <= load_i ? window_i : window_o;
    end
  end

endmodule
