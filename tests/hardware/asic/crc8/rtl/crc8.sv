// SPDX-License-Identifier: Apache-2.0
//
// CRC-8 of messages of one byte or more: a byte is held in a latch and worked on one clock later.
// For tests only.
module crc8 #(
  parameter int unsigned POLYNOMIAL = 7
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       msg_valid_i,
  output logic       msg_ready_o,
  input  logic [7:0] msg_data_i,
  input  logic       msg_last_i,
  output logic       crc_valid_o,
  input  logic       crc_ready_i,
  output logic [7:0] crc_o
);
  typedef enum logic [1:0] {StTake, StWork, StGive} state_e;
  state_e state_q;
  logic last_q, take, gated_clk;
  logic [7:0] byte_q, held, next;

  assign msg_ready_o = state_q == StTake;
  assign crc_valid_o = state_q == StGive;
  assign take = msg_valid_i && msg_ready_o;

  jm_clock_gate u_gate (.clk_i, .enable_i(take), .scan_enable_i(1'b0), .clk_o(gated_clk));

  always_ff @(posedge gated_clk) begin
    byte_q <= msg_data_i;
    last_q <= msg_last_i;
  end

  // Open while the clock is low: what comes out is stable in the second half of the period.
  always_latch begin
    if (!clk_i) held = byte_q;
  end

  crc8_step #(.POLYNOMIAL(POLYNOMIAL)) u_step (.crc_i(crc_o), .byte_i(held), .crc_o(next));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StTake;
      crc_o   <= '0;
    end else begin
      unique case (state_q)
        StTake: if (take) state_q <= StWork;
        StWork: begin
          crc_o   <= next;
          state_q <= last_q ? StGive : StTake;
        end
        default: if (crc_ready_i) begin
          crc_o   <= '0;
          state_q <= StTake;
        end
      endcase
    end
  end
endmodule
