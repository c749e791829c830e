// SPDX-License-Identifier: Apache-2.0
//
// A toy block cipher: a pulse on `start`, the result with `done` four clocks later. Not secure.
module toy_cipher (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [31:0] key_i,
  input  logic [31:0] block_i,
  input  logic        mode_i,
  output logic        done_o,
  output logic [31:0] result_o
);
  logic [31:0] state_q;
  logic [2:0] left_q;

  assign result_o = state_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= '0;
      left_q <= '0;
      done_o <= 1'b0;
    end else begin
      done_o <= left_q == 3'd1;
      if (start_i) begin
        state_q <= block_i;
        left_q <= 3'd4;
      end else if (left_q != 3'd0) begin
        state_q <= {state_q[24:0], state_q[31:25]} + (mode_i ? key_i : 32'd0);
        left_q <= left_q - 3'd1;
      end
    end
  end
endmodule
