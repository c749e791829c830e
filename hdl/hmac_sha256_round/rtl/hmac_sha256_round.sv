// SPDX-License-Identifier: Apache-2.0
//
// HMAC-SHA-256 (FIPS 198-1, RFC 2104) for sensors: a round in a clock, all storage inside, and
// little energy for a block.
//
// The key comes as a block of 64 bytes, twice: 32 words. The user pads the key with zeros, and
// first hashes a longer key. The core computes the inner chaining value from the first 16 words and
// the outer from the others, and keeps both, so that a message costs its own blocks and one more.
// The key stays until another key or `wipe_i`; before the first key no message is taken.
//
// Clocks for a message of n bytes, b = floor((n + 8) / 64) + 1 blocks: 82 b + 90 between messages
// back to back. A word that comes late costs the clocks that it is late.
//
// Every clock takes one item: a word of a block, or a word of a chaining value, which comes through
// the same registers. An item is added to the variables one clock later, and its round is
// done two clocks later.
//
// Moments: `ready` outputs depend on registers alone. Latches are open while the clock is low, by
// registers alone.
//
// Not guaranteed: the core does not resist power analysis or faults. Its time depends only on the
// length of the message.
module hmac_sha256_round (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        wipe_i,        // wipes all, one clock later; a message in progress is lost
  // Key block, 16 words, twice; first byte in the highest bits.
  input  logic        key_valid_i,
  output logic        key_ready_o,
  input  logic [31:0] key_i,
  // Message: words of four bytes, first byte in the highest bits; the last word has 0 to 4 bytes.
  input  logic        data_valid_i,
  output logic        data_ready_o,
  input  logic [31:0] data_i,
  input  logic [2:0]  data_bytes_i,
  input  logic        data_last_i,
  // Tag: eight words, H0 first; 0 while not valid.
  output logic        digest_valid_o,
  input  logic        digest_ready_i,
  output logic [31:0] digest_o
);
  typedef enum logic [2:0] {
    Idle,
    Load,      // items: the chaining value with which a block begins
    Words,     // the block's 16 words
    Schedule,  // the 48 words that follow from them
    Final,     // the chaining value again
    Drain,     // two clocks until the sum of the last item is kept
    Tag
  } phase_e;

  // Block at work. Bit 1: of a message.
  typedef enum logic [1:0] {
    KeyInner,
    KeyOuter,
    Inner,
    Outer
  } kind_e;

  phase_e     phase_q, phase_d;
  kind_e      kind_q, kind_d;
  logic [5:0] count_q, count_d;
  logic       keyed_q;
  logic       last_q;             // the message's last block
  logic       chained_q;          // not the message's first block
  // Kinds of the items before: one before, two, three.
  logic       add_q, round_q, late_q;  // word of a block
  logic       final_q, keep_q;         // chaining value in the end
  logic       load_q, loads_q;         // chaining value in the beginning
  logic       wipe_q, zero_q, clear_n, clear_state_n;
  logic       step, value, eight_end, outer_digest;
  logic       take_key, take_data;

  logic [31:0] padded, item, stored, prepared, kept, constant;
  logic [2:0]  index, kept_index;
  logic [7:0]  select;
  logic        padded_valid, padded_last;
  logic [2:0]  read, write;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign clear_n = rst_ni & ~wipe_q;
  assign clear_state_n = rst_ni & ~zero_q;

  jm_sha_padding u_padding (
    .clk_i, .rst_ni, .wipe_i, .prefix_i(1'b1), .data_i, .bytes_i(data_bytes_i),
    .last_i(data_last_i), .valid_i(data_valid_i), .ready_o(data_ready_o), .word_o(padded),
    .last_o(padded_last), .valid_o(padded_valid), .ready_i(take_data)
  );

  assign take_key = phase_q == Words && !kind_q[1];
  assign take_data = phase_q == Words && kind_q == Inner;
  assign key_ready_o = take_key;
  assign value = phase_q == Load || phase_q == Final;
  assign eight_end = count_q[2:0] == 3'd7;
  assign step = phase_q != Idle && phase_q != Tag && !(take_key && !key_valid_i) &&
                !(take_data && !padded_valid);

  always_comb begin
    phase_d = phase_q;
    kind_d = kind_q;
    count_d = step ? count_q + 6'd1 : count_q;
    unique case (phase_q)
      Idle: ;
      Load: begin
        if (eight_end) begin
          phase_d = Words;
          count_d = '0;
        end
      end
      Words: if (step && count_q[3:0] == 4'd15) phase_d = Schedule;
      Schedule: if (count_q == 6'd63) phase_d = Final;
      Final: begin
        if (eight_end) begin
          phase_d = Drain;
          count_d = '0;
        end
      end
      Drain: begin
        if (count_q[0]) begin
          count_d = '0;
          phase_d = (kind_q == KeyOuter) ? Idle : (kind_q == Outer) ? Tag : Load;
          if (kind_q != Inner || last_q) kind_d = kind_e'({kind_q[1], 1'b1});
        end
      end
      default: begin
        if (digest_ready_i) count_d = eight_end ? '0 : count_q + 6'd1;
      end
    endcase
    // A key, or else a message, begins from Idle or with the last word of the tag before.
    if (phase_q == Idle || (phase_q == Tag && digest_ready_i && eight_end)) begin
      phase_d = (key_valid_i || (data_valid_i && keyed_q)) ? Load : Idle;
      kind_d = key_valid_i ? KeyInner : Inner;
    end
  end

  always_ff @(posedge clk_i or negedge clear_n) begin
    if (!clear_n) begin
      phase_q <= Idle;
      kind_q <= KeyInner;
      count_q <= '0;
      keyed_q <= 1'b0;
      last_q <= 1'b0;
      chained_q <= 1'b0;
      {add_q, round_q, late_q} <= '0;
      {final_q, keep_q} <= '0;
      {load_q, loads_q} <= '0;
    end else begin
      phase_q <= phase_d;
      kind_q <= kind_d;
      count_q <= count_d;
      if (phase_q == Drain && kind_q == KeyOuter) keyed_q <= 1'b1;
      if (take_data && step) last_q <= padded_last;
      if (phase_q == Drain) chained_q <= kind_q == Inner && !last_q;
      if (step) begin
        add_q <= phase_q == Words || phase_q == Schedule;
        round_q <= add_q;
        late_q <= round_q;
        final_q <= phase_q == Final;
        keep_q <= final_q;
        load_q <= phase_q == Load;
        loads_q <= load_q;
      end
    end
  end

  // The variables are zero before a chaining value is loaded, and while the core is idle.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) zero_q <= 1'b0;
    else zero_q <= wipe_i || (phase_q == Drain && count_q[0]);
  end

  // Chaining values are added from H7 to H0; as words of the outer block, and as a tag, H0 is
  // first.
  assign outer_digest = phase_q == Words && kind_q == Outer && !count_q[3];
  assign read[0] = value && kind_q == Inner && !chained_q;
  assign read[1] = value && kind_q == Outer;
  assign read[2] = (value && chained_q) || outer_digest || digest_valid_o;
  // Load begins with H6 and ends with H7. What is summed or loaded was read two steps before.
  assign index = (phase_q == Load) ? ~(count_q[2:0] + 3'd1) : count_q[2:0] ^ {3{value}};
  assign kept_index = {2'd0, keep_q} - count_q[2:0];
  assign write[0] = keep_q && kind_q == KeyInner;
  assign write[1] = keep_q && kind_q == KeyOuter;
  assign write[2] = keep_q && kind_q[1];
  hmac_sha256_round_store u_store (
    .clk_i, .rst_ni(clear_n), .write_i(write), .write_index_i(kept_index), .word_i(kept),
    .read_i(read), .initial_i(value && !kind_q[1]), .read_index_i(index), .word_o(stored)
  );

  always_comb begin
    item = stored & {32{!digest_valid_o}};
    if (take_key) item |= key_i ^ (kind_q[0] ? 32'h5C5C5C5C : 32'h36363636);
    if (take_data) item |= padded;
    // The padding of the outer block: 64 bytes of key and 32 of the inner digest.
    if (phase_q == Words && kind_q == Outer) begin
      if (count_q[3:0] == 4'd8) item[31] = 1'b1;
      if (count_q[3:0] == 4'd15) item[9:8] = 2'b11;
    end
  end

  hmac_sha256_round_schedule u_schedule (
    .clk_i, .rst_ni(clear_n), .step_i(step),
    .short_i(phase_q == Words || phase_q == Schedule),
    .long_i((phase_q == Words && (count_q[3] || &count_q[2:0])) || phase_q == Schedule),
    .compute_i(phase_q == Schedule), .word_i(item), .word_o(prepared)
  );

  // The variable that goes into the sum: h in a block's first round, g in the others. In the end h
  // is summed in the clock of the last round, when it is still g, and the others after it.
  logic [2:0] sum_index;
  assign sum_index = -count_q[2:0];
  always_comb begin
    select = '0;
    select[7] = add_q && phase_q == Words && count_q[3:0] == 4'd1;
    select[6] = add_q && !select[7];
    for (int unsigned i = 0; i < 8; i++) begin
      if (final_q && sum_index == 3'(i)) select[i == 7 ? 6 : i] = 1'b1;
    end
  end

  // One bit of a Gray code changes in a clock, so that the table of constants toggles less.
  logic [5:0] gray_q;
  always_ff @(posedge clk_i or negedge clear_n) begin
    if (!clear_n) gray_q <= '0;
    else gray_q <= count_d ^ (count_d >> 1);
  end
  hmac_sha256_round_constant u_constant (.index_i(gray_q), .constant_o(constant));
  hmac_sha256_round_state u_state (
    .clk_i, .rst_ni(clear_state_n), .step_i(step),
    .first_i(phase_q == Words && count_q[3:0] == 4'd2), .round_i(round_q), .late_i(late_q),
    .load_e_i(loads_q && kept_index[2] && kept_index != 3'd7),
    .load_a_i(loads_q && !kept_index[2]), .select_i(select), .constant_i(constant & {32{add_q}}),
    .word_i(prepared), .keep_i(keep_q), .kept_o(kept)
  );

  assign digest_valid_o = phase_q == Tag;
  assign digest_o = stored & {32{digest_valid_o}};
endmodule
