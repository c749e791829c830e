// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of AES that is wires and exclusive-ors, and its S-box as a table worked out while the
// design is elaborated. Blocks are packed with byte 0 of the standard in the lowest bits.
//
// Source: FIPS 197, sections 4 and 5.
package jm_aes_pkg;

  typedef logic [15:0][7:0] block_t;
  typedef logic [3:0][7:0] column_t;

  // x times the byte, in the field of FIPS 197 section 4.2.
  function automatic logic [7:0] times_two(logic [7:0] a);
    return {a[6:0], 1'b0} ^ {3'b000, a[7], a[7], 1'b0, a[7], a[7]};
  endfunction

  // FIPS 197 section 5.1.1: p walks through all powers of 3 while q walks through their inverses.
  function automatic logic [255:0][7:0] sbox_table();
    logic [255:0][7:0] table_words;
    logic [7:0] p, q;
    p = 8'h01;
    q = 8'h01;
    table_words = '0;
    for (int unsigned step = 0; step < 255; step++) begin
      p = p ^ times_two(p);
      q = q ^ {q[6:0], 1'b0};
      q = q ^ {q[5:0], 2'b00};
      q = q ^ {q[3:0], 4'b0000};
      if (q[7]) q = q ^ 8'h09;
      table_words[p] = q ^ {q[6:0], q[7]} ^ {q[5:0], q[7:6]} ^ {q[4:0], q[7:5]} ^
                       {q[3:0], q[7:4]} ^ 8'h63;
    end
    table_words[0] = 8'h63;
    return table_words;
  endfunction

  // Round constant of rounds 1 to 10; undefined for other rounds.
  function automatic logic [7:0] round_constant(logic [3:0] round);
    unique case (round)
      4'd1: return 8'h01;
      4'd2: return 8'h02;
      4'd3: return 8'h04;
      4'd4: return 8'h08;
      4'd5: return 8'h10;
      4'd6: return 8'h20;
      4'd7: return 8'h40;
      4'd8: return 8'h80;
      4'd9: return 8'h1b;
      4'd10: return 8'h36;
      default: return 8'hxx;
    endcase
  endfunction

  // Byte 4c + r of the result comes from byte 4(c + r) + r.
  function automatic block_t shift_rows(block_t a);
    block_t result;
    for (int unsigned i = 0; i < 16; i++) result[i] = a[(5 * i) % 16];
    return result;
  endfunction

  function automatic block_t inverse_shift_rows(block_t a);
    block_t result;
    for (int unsigned i = 0; i < 16; i++) result[(5 * i) % 16] = a[i];
    return result;
  endfunction

endpackage
