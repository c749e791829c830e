// SPDX-License-Identifier: Apache-2.0
//
// One `hmac_sha256` of given parameters with its test bench, for simulation only. The module gives
// the core the key and the words of the parent's table, takes and compares tags, and counts clocks.
// Stalls on either side come from a shift register with feedback.
//
// Message m of the table is on channel m modulo 2, so that a tag's channel, and the number of tags
// before it on this channel, tell its message.
module hmac_sha256_case #(
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 2,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned SEED = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         wipe_i,

  input  logic         start_i,         // begins with the key and the first word
  input  logic         stall_i,
  input  logic [7:0]   words_i,         // words in the table
  input  logic [7:0]   messages_i,      // messages in the table
  input  logic [511:0] key_i,

  output logic [7:0]   word_o,          // number of the word asked for
  input  logic [511:0] word_i,
  input  logic [6:0]   word_bytes_i,
  input  logic         word_last_i,
  input  logic         word_channel_i,
  output logic [7:0]   message_o,       // number of the message whose tag is compared
  input  logic [255:0] tag_i,

  output logic [7:0]   tags_o,          // tags compared
  output logic [7:0]   wrong_o,
  output logic [15:0]  latency_o,       // clocks from taking the first word to the first tag
  output logic [15:0]  interval_o       // clocks between the last two tags
);
  localparam int unsigned ChannelBits = $clog2((STAGES < 2) ? 2 : STAGES);

  logic                   key_valid_q;
  logic                   key_ready;
  logic                   running_q;
  logic                   fed;
  logic                   word_waits_q;
  logic                   word_valid;
  logic                   word_ready;
  logic                   tag_valid;
  logic                   tag_ready_q;
  logic [255:0]           tag;
  logic [ChannelBits-1:0] tag_channel;
  logic [15:0]            chance_q;
  logic [15:0]            clock_q;
  logic [15:0]            first_q;
  logic [15:0]            last_q;
  logic [6:0]             before_q[2];
  logic                   seen_q;

  assign fed        = ~running_q;
  assign word_valid = ~fed & ~key_valid_q & (word_waits_q | ~stall_i | (chance_q[2:0] == 3'd0));
  assign message_o  = {before_q[tag_channel[0]], tag_channel[0]};

  hmac_sha256 #(
    .STAGES     (STAGES),
    .ROUNDS     (ROUNDS),
    .PRECOMPUTE (PRECOMPUTE),
    .CARRY_SAVE (CARRY_SAVE),
    .SCHEDULE   (SCHEDULE)
  ) u_core (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .keyed_o       (),
    .key_valid_i   (key_valid_q),
    .key_ready_o   (key_ready),
    .key_i,
    .msg_valid_i   (word_valid),
    .msg_ready_o   (word_ready),
    .msg_data_i    (word_i),
    .msg_bytes_i   (word_bytes_i),
    .msg_last_i    (word_last_i),
    .msg_channel_i (ChannelBits'(word_channel_i)),
    .tag_valid_o   (tag_valid),
    .tag_ready_i   (tag_ready_q),
    .tag_o         (tag),
    .tag_channel_o (tag_channel)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : drive_and_compare
    if (!rst_ni) begin
      chance_q <= 16'(SEED);
      {running_q, key_valid_q, word_waits_q, tag_ready_q, seen_q} <= '0;
      {clock_q, first_q, last_q, latency_o, interval_o} <= '0;
      before_q <= '{default: '0};
      word_o   <= '0;
      tags_o   <= '0;
      wrong_o  <= '0;
    end else begin
      chance_q     <= {chance_q[14:0], ^{chance_q[15], chance_q[13], chance_q[12], chance_q[10]}};
      clock_q      <= clock_q + 16'd1;
      tag_ready_q  <= ~stall_i | (chance_q[7:5] == 3'd0);
      word_waits_q <= word_valid & ~word_ready;
      if (key_ready) key_valid_q <= 1'b0;
      if (word_valid && word_ready) begin
        if (word_o == '0) first_q <= clock_q;
        word_o <= word_o + 8'd1;
        // Words that are written into the table afterwards wait for the next start.
        if (word_o + 8'd1 == words_i) running_q <= 1'b0;
      end
      if (tag_valid) seen_q <= ~tag_ready_q;
      if (tag_valid && !seen_q) begin
        // The tag has been offered since the edge before this one.
        if (tags_o == '0) latency_o <= clock_q - 16'd1 - first_q;
        interval_o <= clock_q - last_q;
        last_q     <= clock_q;
      end
      if (tag_valid && tag_ready_q) begin
        tags_o                   <= tags_o + 8'd1;
        before_q[tag_channel[0]] <= before_q[tag_channel[0]] + 7'd1;
        if (tag != tag_i || (tag_channel >> 1) != '0) wrong_o <= wrong_o + 8'd1;
      end
      if (start_i || wipe_i) begin
        key_valid_q  <= start_i;
        running_q    <= start_i;
        word_o       <= '0;
        word_waits_q <= 1'b0;
        tags_o       <= '0;
        wrong_o      <= '0;
        before_q     <= '{default: '0};
        seen_q       <= 1'b0;
      end
      if (tags_o > messages_i) wrong_o <= 8'hff;
    end
  end
endmodule
