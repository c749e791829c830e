// SPDX-License-Identifier: Apache-2.0
//
// sha1_serial with its memory: padded words in, digests out (FIPS 180-4, section 6.1).
//
// Sixteen words fill the memory while the core is idle, then the core starts with the block. Blocks
// are chained up to the block whose last word has `word_last_i`. After a reset or `wipe_i`, 16
// clocks put zeros into the memory, and no word is taken in them.
module sha1_serial_blocks (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        wipe_i,
  // Padded words, first byte on top; `word_last_i` with the last of a message.
  input  logic        word_valid_i,
  output logic        word_ready_o,
  input  logic [31:0] word_i,
  input  logic        word_last_i,
  // Digest, five words, H4 first.
  output logic        digest_valid_o,
  input  logic        digest_ready_i,
  output logic [31:0] digest_o
);
  logic        wiping_q;          // zeros go into the memory
  logic        filled_q, last_q;  // the memory has a block; this block is its message's last
  logic [3:0]  count_q, core_address;
  logic        idle, start_ready, fill, core_write;
  logic [31:0] core_data, read_data;

  assign word_ready_o = idle && !wiping_q && !filled_q;
  assign fill = wiping_q || (word_valid_i && word_ready_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wiping_q <= 1'b1;
      filled_q <= 1'b0;
      last_q <= 1'b0;
      count_q <= '0;
    end else if (wipe_i) begin
      wiping_q <= 1'b1;
      filled_q <= 1'b0;
      last_q <= 1'b0;
      count_q <= '0;
    end else begin
      if (fill) begin
        count_q <= count_q + 4'd1;
        wiping_q <= wiping_q && count_q != 4'd15;
        filled_q <= !wiping_q && count_q == 4'd15;
        last_q <= word_last_i;
      end
      if (filled_q && start_ready) filled_q <= 1'b0;
    end
  end

  sha1_block_memory u_memory (
    .clk_i, .address_i(fill ? count_q : core_address), .write_i(fill || core_write),
    .data_i(!fill ? core_data : wiping_q ? '0 : word_i), .data_o(read_data)
  );

  // An idle core offers to take a chaining value (`load_ready_o`), which tells that the memory is
  // free.
  sha1_serial u_core (
    .clk_i, .rst_ni, .start_valid_i(filled_q), .start_ready_o(start_ready), .last_i(last_q),
    .feed_forward_i(1'b1), .load_valid_i(1'b0), .load_ready_o(idle), .load_data_i('0), .wipe_i,
    .memory_address_o(core_address), .memory_write_o(core_write), .memory_data_o(core_data),
    .memory_data_i(read_data), .digest_o, .digest_valid_o, .digest_ready_i
  );
endmodule
