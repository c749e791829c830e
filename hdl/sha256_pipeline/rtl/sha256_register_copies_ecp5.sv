// SPDX-License-Identifier: Apache-2.0
//
// A one-bit register in COPIES equal copies, for a signal that goes to so many places that one
// flip-flop cannot lie near them all. TECHNOLOGY=1: flip-flops of the Lattice ECP5 by name, as
// synthesis would merge equal registers. Otherwise, and for simulation, one register.
module sha256_register_copies_ecp5 #(
  parameter int unsigned COPIES = 2,
  parameter logic RESET_VALUE = 1'b0,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic next_i,
  output logic [COPIES-1:0] copies_o
);

`ifdef SYNTHESIS
  localparam bit Cells = (TECHNOLOGY == 1);
`else
  localparam bit Cells = (TECHNOLOGY > 1);
`endif

  if (Cells) begin : gen_cells
    for (genvar n = 0; n < COPIES; n++) begin : gen_copy
      TRELLIS_FF #(
        .GSR("AUTO"),
        .CEMUX("1"),
        .CLKMUX("CLK"),
        .LSRMUX("LSR"),
        .REGSET(RESET_VALUE ? "SET" : "RESET"),
        .SRMODE("ASYNC")
      ) u_copy (
        .CLK(clk_i), .LSR(!rst_ni), .DI(next_i), .Q(copies_o[n])
      );
    end
  end else begin : gen_register
    logic register_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_register
      if (!rst_ni) begin
        register_q <= RESET_VALUE;
      end else begin
        register_q <= next_i;
      end
    end
    assign copies_o = {COPIES{register_q}};
  end

endmodule

`ifdef SYNTHESIS
// An empty declaration of the vendor's cell; a tool for the ECP5 has the cell itself.
(* blackbox *)
module TRELLIS_FF #(
  parameter GSR = "ENABLED",
  parameter CEMUX = "CE",
  parameter CLKMUX = "CLK",
  parameter LSRMUX = "LSR",
  parameter SRMODE = "LSR_OVER_CE",
  parameter REGSET = "RESET"
) (
  input CLK, LSR, CE, DI, M,
  output Q
);
endmodule
`endif
