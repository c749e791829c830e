// SPDX-License-Identifier: Apache-2.0
//
// Reads one byte of the word that entered a delay line `LAG` rounds ago, rotated left by `ROTATE`.
//
// `select_i[j]` picks byte j of the rotated word; it is one-hot, or zero for a byte of zeros. Bytes
// are read at their places in clock j + `AHEAD` of the round, see `slot_of` of the package. This
// module is in a loop of latches, which pulses that never overlap cut at every moment; so the
// warning UNOPTFLAT is off here.
/* verilator lint_off UNOPTFLAT */
module sha1_latch_taps
  import sha1_latch_pkg::*;
#(
  parameter int unsigned SLOTS  = 19,
  parameter int unsigned LAG    = 1,
  parameter int unsigned ROTATE = 0,
  parameter int          AHEAD  = 0
) (
  input  logic [SLOTS-1:0][31:0] word_i,
  input  logic [3:0]             select_i,
  output logic [7:0]             byte_o
);
  logic [31:0] rotated;

  for (genvar i = 0; i < 32; i++) begin : gen_bit
    localparam int Place = (i + int'(ROTATE)) % 32;
    assign rotated[Place] = word_i[slot_of(i/8, int'(LAG), Place/8 + AHEAD)-1][i];
  end

  assign byte_o = ({8{select_i[0]}} & rotated[7:0]) | ({8{select_i[1]}} & rotated[15:8])
      | ({8{select_i[2]}} & rotated[23:16]) | ({8{select_i[3]}} & rotated[31:24]);
endmodule
/* verilator lint_on UNOPTFLAT */
