// SPDX-License-Identifier: Apache-2.0
//
// Padding of one block (FIPS 180-4, section 5.1.1): keeps the bytes of the message, appends the
// mark and, where they fit, the length. Combinational.
//
// A last word of 56 bytes or more leaves no room for the length. It then goes out without it
// (`final_o` low) and wants an extra block, which is made by `extra_i` with the same number of
// bytes, of which only the lowest six bits are looked at.
module hmac_sha256_padding (
  // Word of the message; its first byte is the highest.
  input  logic [511:0] data_i,
  // Bytes of the word that count, 0 to 64; looked at in the last word and in the extra block.
  input  logic [6:0]   bytes_i,
  input  logic         last_i,
  input  logic         extra_i,
  // Full blocks so far, in 64 bytes: the key's and those of the message, this word's included if
  // it is full.
  input  logic [54:0]  blocks_i,

  output logic [511:0] block_o,
  // The block ends the message.
  output logic         final_o
);
  import hmac_sha256_pkg::BlockBytes;

  logic        cut;
  logic        length_fits;
  logic [63:0] keep;
  logic [63:0] mark;
  logic [63:0] length_bits;

  assign cut         = last_i & ~extra_i;
  assign length_fits = ~bytes_i[6] & ~(&bytes_i[5:3]);
  assign final_o     = extra_i | (last_i & length_fits);
  assign length_bits = {blocks_i, bytes_i[5:0], 3'b000};

  for (genvar i = 0; i < BlockBytes; i++) begin : gen_byte
    localparam int unsigned High = 511 - 8 * i;
    localparam int unsigned LengthHigh = 63 - 8 * (i % 8);
    logic [7:0] kept;

    assign keep[i] = ~extra_i & (~last_i | (7'(i) < bytes_i));
    if (i == 0) begin : gen_first
      // The extra block of a full last word begins with the mark.
      assign mark[i] = (cut & (bytes_i == 7'd0)) | (extra_i & (bytes_i[5:0] == 6'd0));
    end else begin : gen_other
      assign mark[i] = cut & (bytes_i == 7'(i));
    end
    assign kept = (data_i[High -: 8] & {8{keep[i]}}) | {mark[i], 7'd0};

    if (i < BlockBytes - 8) begin : gen_data
      assign block_o[High -: 8] = kept;
    end else begin : gen_length
      assign block_o[High -: 8] = final_o ? length_bits[LengthHigh -: 8] : kept;
    end
  end
endmodule
