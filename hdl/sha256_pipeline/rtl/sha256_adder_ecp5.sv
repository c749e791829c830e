// SPDX-License-Identifier: Apache-2.0
//
// `sha256_adder` on the carry cells of the Lattice ECP5. Combinational.
//
// A cell (CCU2C) has for each of two bits a table of four inputs, A to D, that says "propagate",
// while "generate" is the same table at C = D = 0 and counts only where nothing is propagated. With
// x on A, the table A ^ f(B, C, D) therefore adds f, if f is 0 wherever C and D are 0, as in Ch(b,
// c, d) and Maj(b, c, d). For a single word D is tied to 1, and the half of the table at D = 0 is A
// alone.
module sha256_adder_ecp5
  import sha256_pkg::*;
#(
  parameter int unsigned FUNCTION = 0
) (
  input  word_t x_i,
  input  word_t b_i,
  input  word_t c_i,
  input  word_t d_i,
  output word_t sum_o
);

  // Entry n is for {D, C, B, A} = n. The result is a constant: no simulation runs this function.
  // verilator coverage_off
  function automatic logic [15:0] propagate();
    logic [15:0] entries;
    for (int unsigned n = 0; n < 16; n++) begin
      logic a, b, c, d, f;
      {d, c, b, a} = 4'(n);
      case (FUNCTION)
        1: f = b ? c : d;
        2: f = (b & c) | (b & d) | (c & d);
        default: f = d & b;
      endcase
      entries[n] = a ^ f;
    end
    return entries;
  endfunction
  // verilator coverage_on

  localparam bit Single = FUNCTION != 1 && FUNCTION != 2;
  word_t c, d;
  assign c = Single ? '0 : c_i;
  assign d = Single ? '1 : d_i;

  logic [16:0] carry;
  assign carry[0] = 1'b0;
  for (genvar i = 0; i < 16; i++) begin : gen_cell
    sha256_carry_cell_ecp5 #(
      .PROPAGATE(propagate())
    ) u_cell (
      .carry_i(carry[i]),
      .a_i(x_i[2*i +: 2]),
      .b_i(b_i[2*i +: 2]),
      .c_i(c[2*i +: 2]),
      .d_i(d[2*i +: 2]),
      .sum_o(sum_o[2*i +: 2]),
      .carry_o(carry[i+1])
    );
  end

  logic unused;
  assign unused = ^{carry[16], c_i, d_i};

endmodule
