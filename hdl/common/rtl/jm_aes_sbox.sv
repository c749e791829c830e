// SPDX-License-Identifier: Apache-2.0
//
// The AES S-box (forward), combinational, in the form that STYLE chooses.
//
// STYLE 0: tower field, smallest. STYLE 1: decode, permute, encode; about twice the area and a
// fraction of the energy, because few nets change at each look-up. Neither is protected against
// side channels.
module jm_aes_sbox #(
  parameter int unsigned STYLE = 0
) (
  input  logic [7:0] a_i,
  input  logic       open_i,  // high: the result is right; fewest glitches if it rises last
  output logic [7:0] q_o
);
  if (STYLE == 0) begin : gen_tower
    jm_aes_sbox_tower u_sbox (.a_i, .open_i, .q_o);
  end else begin : gen_onehot
    jm_aes_sbox_onehot u_sbox (.a_i, .open_i, .q_o);
  end
endmodule
