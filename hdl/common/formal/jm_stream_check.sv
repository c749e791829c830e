// SPDX-License-Identifier: Apache-2.0
//
// For proofs: the rules of one valid/ready stream, asserted of an output, assumed of an input.
//
// 1. An offer stays until it is taken: `valid_i` does not fall without `ready_i`.
// 2. Its data stays unchanged until then.
// A clock with `wipe_i` or reset ends the offer, and both rules with it.
module jm_stream_check #(
  parameter int unsigned WIDTH = 1,
  parameter int unsigned ASSUME = 0  // 1: the rules are assumed, for a stream into the core
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             wipe_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [WIDTH-1:0] data_i
);
  logic             waiting_q;
  logic [WIDTH-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_before
    if (!rst_ni) begin
      waiting_q <= 1'b0;
      data_q <= '0;
    end else begin
      waiting_q <= valid_i && !ready_i && !wipe_i;
      data_q <= data_i;
    end
  end

  if (ASSUME == 1) begin : gen_assume
    always_comb begin : p_rules
      if (rst_ni && waiting_q) begin
        assume (valid_i);
        assume (data_i == data_q);
      end
    end
  end else begin : gen_assert
    always_comb begin : p_rules
      if (rst_ni && waiting_q) begin
        assert (valid_i);
        assert (data_i == data_q);
      end
    end
  end
endmodule
