// SPDX-License-Identifier: Apache-2.0
//
// For proofs: a core gives exactly one result for each message, none lost, none twice, none early.
//
// Counts messages that are whole in the core and have not given their result.
// 1. No result is offered unless such a message is there.
// 2. There are never more than `MESSAGES` such messages.
// 3. While there is such a message, a result is offered at the latest after `CLOCKS` clocks in
//    which none was. With rule 1 this says that no message is lost, and that the core cannot lock
//    with work in it.
// A clock with `wipe_i` clears the counts.
module jm_one_for_one #(
  parameter int unsigned MESSAGES = 2,
  parameter int unsigned CLOCKS = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       wipe_i,
  input  logic       message_i,       // the last word of a message moves into the core
  input  logic       result_valid_i,  // a result is offered
  input  logic       result_i,        // a result moves out of the core
  output logic [7:0] messages_o,
  output logic [7:0] waited_o
);
  logic [7:0] messages_q, waited_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_count
    if (!rst_ni) begin
      messages_q <= '0;
      waited_q <= '0;
    end else if (wipe_i) begin
      messages_q <= '0;
      waited_q <= '0;
    end else begin
      messages_q <= messages_q + {7'd0, message_i} - {7'd0, result_i};
      waited_q <= (result_valid_i || messages_q == '0) ? '0 : waited_q + 8'd1;
    end
  end

  assign messages_o = messages_q;
  assign waited_o = waited_q;

  always_comb begin : p_rules
    if (rst_ni) begin
      if (result_valid_i) assert (messages_q != '0);
      assert (messages_q <= 8'(MESSAGES));
      assert (waited_q <= 8'(CLOCKS));
    end
  end
endmodule
