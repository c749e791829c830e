// SPDX-License-Identifier: Apache-2.0
//
// Where the a half of a block that has left the last stage of `sha256_lagged_round` catches up:
// takes its state, and two clocks later holds a to h. Goes on by itself; the next block may come
// three clocks after.
module sha256_lagged_tail
  import sha256_pkg::*;
#(
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic load_i,
  input  logic [255:0] state_i,  // as `sha256_lagged_round` gives it at t = 64, with e(61) lowest
  output logic done_o,
  output logic [255:0] state_o  // a in the highest bits
);

  logic [1:0] left_q;
  word_t a_q [4];  // newest first
  word_t t1_q, e_q [4];
  word_t a_next, t1_next;

  sha256_lagged_half #(
    .CARRY_SAVE(CARRY_SAVE),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_half (
    .a2_i(a_q[0]), .a3_i(a_q[1]), .a4_i(a_q[2]), .t1_i(t1_q), .e0_i(e_q[0]),
    .t1_o(t1_next), .a_o(a_next)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_tail
    if (!rst_ni) begin
      left_q <= '0;
      a_q <= '{default: '0};
      e_q <= '{default: '0};
      t1_q <= '0;
    end else if (load_i) begin
      left_q <= 2'd2;
      a_q <= '{state_i[255:224], state_i[223:192], state_i[191:160], a_q[3]};
      t1_q <= state_i[159:128];
      e_q <= '{state_i[127:96], state_i[95:64], state_i[63:32], state_i[31:0]};
    end else if (left_q != '0) begin
      left_q <= left_q - 1'b1;
      a_q <= '{a_next, a_q[0], a_q[1], a_q[2]};
      t1_q <= t1_next;
    end
  end

  assign done_o = left_q == '0;
  assign state_o = {a_q[0], a_q[1], a_q[2], a_q[3], e_q[0], e_q[1], e_q[2], e_q[3]};

endmodule
