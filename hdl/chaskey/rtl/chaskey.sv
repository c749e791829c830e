// SPDX-License-Identifier: Apache-2.0
//
// Chaskey-12 with a tag of 128 bits, for messages of any length, in few gates.
//
// A message is a stream of words of 4 bytes, its first byte in bits [7:0]. Every word has 4 bytes
// but the last, which has 1 to 4; an empty message is one last word of 0 bytes. The core pads. The
// key stays until another key or `wipe_i`.
//
// Clocks, for a message of n bytes, b = max(1, ceil(n / 16)) blocks: 28 b + 10 between messages
// back to back. A tag is offered 35, 34, 33 or 32 clocks after the edge that takes the last word,
// if that word is the first, second, third or fourth of its block.
//
// The key and both subkeys are added word by word, through the adders of the rounds; the state that
// is ready is the tag. So the core holds 256 bits and a few of control.
//
// Moments: `ready` outputs depend on registers alone. The first word of a message waits one clock;
// a key that moves on the edge that ends this clock is that message's key. `key_ready_o` is low
// from then to the edge that takes the tag, and in the clock after `wipe_i`. With LATCHES
// `key_valid_i` must have settled when the clock falls.
//
// Not guaranteed: the core does not resist power analysis or faults. Its time depends only on the
// length of the message.
//
// Sources: Mouha et al., "Chaskey: An Efficient MAC Algorithm for 32-bit Microcontrollers" (2014),
// section 3; ISO/IEC 29192-6 (12 rounds).
module chaskey #(
  parameter int unsigned LATCHES = 1  // 1: the key in latches, 0: in flip-flops
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         wipe_i,       // wipes key, state and tag; a message in progress is lost

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,        // first byte in bits [7:0]

  input  logic         msg_valid_i,
  output logic         msg_ready_o,
  input  logic [31:0]  msg_data_i,   // first byte in bits [7:0]; beyond msg_bytes_i any value
  input  logic [2:0]   msg_bytes_i,  // 1 to 4, 0 if the message is empty; only with the last word
  input  logic         msg_last_i,

  output logic         tag_valid_o,
  input  logic         tag_ready_i,
  output logic [127:0] tag_o         // first byte in bits [7:0]; 0 while not valid
);
  // Bit 2: the core is at work. Bit 1: with a subkey.
  typedef enum logic [2:0] {
    PhaseIdle = 3'b000,    // the state is 0
    PhaseTag = 3'b001,     // the state is the tag
    PhaseFirst = 3'b100,   // words of a message's first block, to which the key is added
    PhaseBlock = 3'b101,   // words of another block; the rounds of a block that is not the last
    PhaseSubkey = 3'b110,  // the subkey is added to the last block, and the rounds of this block
    PhaseFinal = 3'b111    // the subkey is added again
  } phase_e;

  localparam logic [4:0] FirstWord = 5'd24;  // 24 to 27: words; 0 to 23: halves of rounds

  phase_e     phase_q, phase_d;
  logic [4:0] count_q, count_d;
  logic       keyed_q;
  logic       last_q;  // the message's last word was taken
  logic       part_q;  // the last block is not whole: the subkey is four times the key
  logic       mark_q;  // the next word of the last block begins with the mark of padding
  logic       wipe_q, zero_q, clear_n, clear_state_n;

  logic words, subkey, start, step, words_end, rounds_follow, take_key, take_word, take_tag;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wipe
    if (!rst_ni) begin
      wipe_q <= 1'b0;
      zero_q <= 1'b0;
    end else begin
      wipe_q <= wipe_i;
      zero_q <= wipe_i || take_tag;
    end
  end
  assign clear_n = rst_ni & ~wipe_q;
  assign clear_state_n = rst_ni & ~zero_q;

  assign words = count_q[4] & count_q[3];
  assign subkey = phase_q[1];
  assign key_ready_o = phase_q == PhaseIdle && !wipe_q;
  assign msg_ready_o = phase_q[2] && !subkey && words && !last_q;
  assign tag_valid_o = phase_q == PhaseTag;
  assign take_key = key_valid_i && key_ready_o;
  assign take_word = msg_valid_i && msg_ready_o;
  assign take_tag = tag_valid_o && tag_ready_i;

  assign start = phase_q == PhaseIdle && keyed_q && msg_valid_i;
  assign step = phase_q[2] && !(msg_ready_o && !msg_valid_i);
  assign words_end = words && count_q[1:0] == 2'd3;
  assign rounds_follow = phase_q == PhaseSubkey ||
                         !(phase_q == PhaseFinal || last_q || msg_last_i);

  always_comb begin : p_control
    phase_d = phase_q;
    count_d = count_q;
    if (start) phase_d = PhaseFirst;
    if (take_tag) phase_d = PhaseIdle;
    if (step) begin
      count_d = count_q + 5'd1;
      if (words_end) begin
        count_d = rounds_follow ? 5'd0 : FirstWord;
        unique case (phase_q)
          PhaseFirst, PhaseBlock: phase_d = rounds_follow ? PhaseBlock : PhaseSubkey;
          PhaseFinal: phase_d = PhaseTag;
          default: ;
        endcase
      end
      if (count_q == FirstWord - 5'd1 && phase_q == PhaseSubkey) phase_d = PhaseFinal;
    end
  end

  always_ff @(posedge clk_i or negedge clear_n) begin : p_registers
    if (!clear_n) begin
      phase_q <= PhaseIdle;
      count_q <= FirstWord;
      keyed_q <= 1'b0;
      last_q <= 1'b0;
      part_q <= 1'b0;
      mark_q <= 1'b0;
    end else begin
      phase_q <= phase_d;
      count_q <= count_d;
      if (take_key) keyed_q <= 1'b1;
      if (start) last_q <= 1'b0;
      if (take_word && msg_last_i) begin
        last_q <= 1'b1;
        part_q <= !(words_end && msg_bytes_i[2]);
      end
      if (step) mark_q <= take_word && msg_last_i && msg_bytes_i[2] && !words_end;
    end
  end

  // The word that is added: of the message or of its padding, and of a multiple of the key.
  logic [31:0] word, key_word;
  logic [3:0]  select;
  always_comb begin : p_word
    word = '0;
    for (int unsigned index = 0; index < 4; index++) begin
      if (msg_ready_o && (!msg_last_i || msg_bytes_i > 3'(index))) begin
        word[8*index +: 8] = msg_data_i[8*index +: 8];
      end
      if (msg_ready_o && msg_last_i && msg_bytes_i[1:0] == 2'(index) && !msg_bytes_i[2]) begin
        word[8*index] = 1'b1;
      end
    end
    if (mark_q) word[0] = 1'b1;
    word ^= key_word;
  end

  for (genvar i = 0; i < 4; i++) begin : gen_select
    assign select[i] = words && (subkey || phase_q == PhaseFirst) && count_q[1:0] == 2'(i);
  end
  chaskey_key #(.LATCHES(LATCHES)) u_key (
    .clk_i, .rst_ni(clear_n), .take_i(take_key), .key_i, .select_i(select),
    .twice_i(subkey && !part_q), .four_i(subkey && part_q), .word_o(key_word)
  );

  logic [127:0] state;
  chaskey_state u_state (
    .clk_i, .rst_ni(clear_state_n), .round_i(!words), .second_i(count_q[0]),
    .index_i(count_q[1:0]), .step_i(step), .word_i(word), .state_o(state)
  );
  assign tag_o = state & {128{tag_valid_o}};

`ifndef SYNTHESIS
  logic open_q;  // a message has begun and has not ended
  always_ff @(posedge clk_i or negedge clear_n) begin : p_open
    if (!clear_n) open_q <= 1'b0;
    else if (take_word) open_q <= !msg_last_i;
  end
  always_ff @(posedge clk_i) begin : p_assertions
    if (rst_ni) begin
      a_wipe_clears : assert (!wipe_q || (u_key.key == '0 && state == '0 && !keyed_q));
      a_bytes_in_range : assert (!(take_word && msg_last_i) || msg_bytes_i <= 3'd4);
      a_no_empty_end : assert (!(take_word && msg_last_i && open_q) || msg_bytes_i != 3'd0);
      a_phase : assert (phase_q inside {PhaseIdle, PhaseTag, PhaseFirst, PhaseBlock, PhaseSubkey,
                                        PhaseFinal});
      a_starts_from_zero : assert (phase_q != PhaseIdle || zero_q || state == '0);
    end
  end
`endif
endmodule
