// SPDX-License-Identifier: Apache-2.0
//
// Packs AXI-Stream beats into a core's wide words, each with a count of bytes (from TKEEP) and a
// mark on the packet's last word (from TLAST).
//
// A beat's first byte is TDATA[7:0]. TKEEP marks bytes from there on without gaps. Beats before the
// last are full, or null (TKEEP 0) and passed over. The last beat has any number of bytes, 0
// included: an empty message is one beat with TKEEP 0 and TLAST. A packet may also end with a beat
// without bytes.
//
// Clocks: a word is offered one clock after its last beat. HOLD 0: the next beat is taken in the
// clock that hands over the word. HOLD 1: a full word waits until a beat with bytes behind it, or
// TLAST, shows whether it is the last word, two clocks later.
//
// Moments: `s_axis_tready_o` depends on registers and `word_ready_i`, not on the stream. `wipe_i`
// forgets the bytes that were taken; the beats that are left of their packet are taken and dropped.
// `begun_o` depends on registers alone. It is high from the clock after a packet's first beat to
// the clock that hands over its last word, and low while a packet is dropped.
//
// Not guaranteed: a partial beat before the last beat breaks the rule above and counts as full.
module jm_axis_pack #(
  parameter int unsigned DATA_BITS = 32,   // bits of TDATA, a multiple of 8
  parameter int unsigned WORD_BYTES = 8,   // a multiple of a beat's bytes
  parameter int unsigned FIRST_HIGH = 0,   // 1: a word's first byte is in its highest bits
  parameter int unsigned HOLD = 0,         // 1: a full word waits, see Clocks
  localparam int unsigned BeatBytes = DATA_BITS / 8,
  localparam int unsigned Beats = WORD_BYTES / BeatBytes,
  localparam int unsigned BytesBits = $clog2(WORD_BYTES + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    wipe_i,

  input  logic                    s_axis_tvalid_i,
  output logic                    s_axis_tready_o,
  input  logic [DATA_BITS-1:0]    s_axis_tdata_i,
  input  logic [BeatBytes-1:0]    s_axis_tkeep_i,
  input  logic                    s_axis_tlast_i,

  output logic                    word_valid_o,
  input  logic                    word_ready_i,
  output logic [8*WORD_BYTES-1:0] word_o,        // bytes beyond the count are undefined
  output logic [BytesBits-1:0]    word_bytes_o,  // WORD_BYTES, fewer only in the last word
  output logic                    word_last_o,

  output logic                    begun_o        // a packet has begun; some of it is still to leave
);
  localparam int unsigned CountBits = (Beats > 1) ? $clog2(Beats) : 1;

  logic [Beats-1:0][DATA_BITS-1:0] data_q;
  logic [CountBits-1:0] count_q, place;  // full beats of the word
  logic [BytesBits-1:0] bytes_q, bytes_d, keep_bytes;
  logic full_q, last_q;                  // the word is whole; the word is the packet's last
  logic known_q;                         // HOLD: the word is not the packet's last
  logic null_q;                          // HOLD: the next beat has no bytes and is passed over
  logic open_q, drop_q;                  // a packet is coming in; its rest is dropped
  logic beat, useful, moved, waits;

  assign beat = s_axis_tvalid_i && s_axis_tready_o;
  assign useful = beat && !drop_q && !null_q && (s_axis_tkeep_i[0] || s_axis_tlast_i);
  assign moved = word_valid_o && word_ready_i;
  assign waits = HOLD != 0 && full_q && !last_q && !known_q;

  always_comb begin
    keep_bytes = '0;
    for (int unsigned i = 0; i < BeatBytes; i++) keep_bytes += BytesBits'(s_axis_tkeep_i[i]);
  end

  if (HOLD != 0) begin : gen_hold
    assign s_axis_tready_o = !full_q || null_q || drop_q;
    assign word_valid_o = full_q && (last_q || known_q);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        known_q <= 1'b0;
        null_q <= 1'b0;
      end else if (wipe_i) begin
        known_q <= 1'b0;
        null_q <= 1'b0;
      end else begin
        known_q <= (known_q || (waits && s_axis_tvalid_i && s_axis_tkeep_i[0])) && !moved;
        null_q <= waits && s_axis_tvalid_i && !s_axis_tkeep_i[0] && !null_q;
      end
    end
  end else begin : gen_pass
    assign s_axis_tready_o = !full_q || word_ready_i || drop_q;
    assign word_valid_o = full_q;
    assign known_q = 1'b0;
    assign null_q = 1'b0;
    logic unused;
    assign unused = waits;
  end

  // The beat's place in the word: behind the beats that are there, or first in the next word.
  assign place = full_q ? '0 : count_q;
  assign bytes_d = BytesBits'(place) * BytesBits'(BeatBytes) +
                   (s_axis_tlast_i ? keep_bytes : BytesBits'(BeatBytes));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_q <= '0;
      count_q <= '0;
      bytes_q <= '0;
      full_q <= 1'b0;
      last_q <= 1'b0;
    end else if (wipe_i) begin
      data_q <= '0;
      count_q <= '0;
      bytes_q <= '0;
      full_q <= 1'b0;
      last_q <= 1'b0;
    end else begin
      if (moved) begin
        full_q <= 1'b0;
        last_q <= 1'b0;
        count_q <= '0;
      end
      if (beat && null_q) last_q <= s_axis_tlast_i;
      if (useful) begin
        data_q[place] <= s_axis_tdata_i;
        bytes_q <= bytes_d;
        count_q <= place + CountBits'(1);
        full_q <= s_axis_tlast_i || place == CountBits'(Beats - 1);
        last_q <= s_axis_tlast_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      drop_q <= 1'b0;
    end else begin
      if (beat) open_q <= !s_axis_tlast_i;
      if (beat && s_axis_tlast_i) drop_q <= 1'b0;
      else if (wipe_i) drop_q <= open_q || beat;
    end
  end

  for (genvar i = 0; i < Beats; i++) begin : gen_beat
    for (genvar b = 0; b < BeatBytes; b++) begin : gen_byte
      localparam int unsigned Place = i * BeatBytes + b;
      localparam int unsigned Lane = (FIRST_HIGH != 0) ? WORD_BYTES - 1 - Place : Place;
      assign word_o[8*Lane+:8] = data_q[i][8*b+:8];
    end
  end
  assign word_bytes_o = bytes_q;
  assign word_last_o = last_q;
  assign begun_o = full_q || (open_q && !drop_q);

`ifndef SYNTHESIS
  // The sender's duties: an offer stays as it is, TKEEP has no gaps, only last beats are partial.
  logic offered_q;
  logic [DATA_BITS+BeatBytes:0] offer_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offered_q <= 1'b0;
      offer_q <= '0;
    end else begin
      offered_q <= s_axis_tvalid_i && !s_axis_tready_o;
      offer_q <= {s_axis_tdata_i, s_axis_tkeep_i, s_axis_tlast_i};
      if (offered_q) begin
        assert (s_axis_tvalid_i && offer_q == {s_axis_tdata_i, s_axis_tkeep_i, s_axis_tlast_i})
        else $error("an offered beat changed before it was taken");
      end
      if (s_axis_tvalid_i) begin
        assert ((s_axis_tkeep_i & (s_axis_tkeep_i + BeatBytes'(1))) == '0)
        else $error("TKEEP has a gap");
        assert (s_axis_tlast_i || s_axis_tkeep_i == '0 || s_axis_tkeep_i == '1)
        else $error("a beat before the last is not full");
      end
    end
  end

  // Duties of this module to the core: an offered word stays as it is, only last words are partial.
  logic word_waits_q;
  logic [8*WORD_BYTES+BytesBits:0] word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_waits_q <= 1'b0;
      word_q <= '0;
    end else begin
      word_waits_q <= word_valid_o && !word_ready_i && !wipe_i;
      word_q <= {data_q, bytes_q, last_q};
      if (word_waits_q) assert (word_valid_o && word_q == {data_q, bytes_q, last_q});
      if (word_valid_o) assert (word_last_o || word_bytes_o == BytesBits'(WORD_BYTES));
    end
  end
`endif
endmodule
