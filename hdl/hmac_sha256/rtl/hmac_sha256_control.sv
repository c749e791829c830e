// SPDX-License-Identifier: Apache-2.0
//
// Control of `hmac_sha256`: when to wipe, take a key and let messages begin. It counts the messages
// whose tags have not left, since a key waits for these tags.
//
// A `_next_o` output is the next value of the register of the same name, for modules that need
// copies of that register near their logic (`sha256_register_copies_ecp5`).
module hmac_sha256_control #(
  parameter int unsigned CHANNELS = 4,      // a power of two
  parameter int unsigned MESSAGES_MAX = 14, // bound on begun messages whose tags have not left
  parameter int unsigned REGISTERED = 0,    // 1: `wipe_i` acts a clock later
  parameter int unsigned TECHNOLOGY = 0,
  localparam int unsigned ChannelBits = $clog2(CHANNELS)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   wipe_i,
  input  logic                   key_valid_i,
  output logic                   key_ready_o,

  // State. `hold_o` resets all modules but this one: it rises with `wipe_o` and falls a clock
  // later.
  output logic                   wipe_o,          // memories are being wiped, a channel a clock
  output logic [ChannelBits-1:0] wipe_channel_o,
  output logic                   hold_o,
  output logic                   hold_next_o,
  output logic                   key_moves_o,
  output logic                   key_next_o,      // next value of `key_ready_o`
  output logic                   setup_o,         // both engines work on the key's block
  output logic                   setup_next_o,
  output logic                   keyed_o,
  output logic                   may_begin_o,     // messages may begin

  // Reports of the data path.
  input  logic                   engines_ready_i,
  input  logic                   key_hashed_i,    // in `setup_o`: the midstates are there
  input  logic                   message_begins_i,
  input  logic                   tag_moves_i
);
  localparam int unsigned MessageBits = $clog2(MESSAGES_MAX + 1);

  typedef enum logic [1:0] {
    StWipe,   // registers and memories are being wiped, also after reset
    StEmpty,  // no key
    StSetup,
    StKeyed
  } state_e;
  state_e                 state_q;
  logic [ChannelBits-1:0] wipe_channel_q;
  logic                   wipe_now;

  logic                   key_waits_q;
  logic                   key_soon_q;
  logic                   engines_ready_q;
  logic                   begun_q;
  logic                   left_q;
  logic [MessageBits-1:0] messages_q;

  // At REGISTERED=1 `wipe_i` acts a clock late, like all signals that go far.
  if (REGISTERED == 0) begin : gen_wipe_direct
    assign wipe_now = wipe_i;
  end else begin : gen_wipe_registered
    logic wipe_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin : keep_wipe
      if (!rst_ni) wipe_q <= 1'b0;
      else         wipe_q <= wipe_i;
    end
    assign wipe_now = wipe_q;
  end

  assign wipe_o         = (state_q == StWipe);
  assign wipe_channel_o = wipe_channel_q;
  assign keyed_o        = (state_q == StKeyed);

  always_ff @(posedge clk_i or negedge rst_ni) begin : control
    if (!rst_ni) begin
      state_q        <= StWipe;
      wipe_channel_q <= '0;
    end else if (wipe_now) begin
      state_q        <= StWipe;
      wipe_channel_q <= '0;
    end else begin
      unique case (state_q)
        StWipe: begin
          wipe_channel_q <= wipe_channel_q + 1'b1;
          if (&wipe_channel_q) state_q <= StEmpty;
        end
        StEmpty, StKeyed: if (key_moves_o) state_q <= StSetup;
        StSetup: if (key_hashed_i) state_q <= StKeyed;
        default: state_q <= StWipe;
      endcase
    end
  end

  assign hold_next_o = wipe_o | wipe_now;
  sha256_register_copies_ecp5 #(
    .COPIES      (1),
    .RESET_VALUE (1'b1),
    .TECHNOLOGY  (TECHNOLOGY)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .next_i   (hold_next_o),
    .copies_o (hold_o)
  );

  assign setup_next_o = ~wipe_now & (key_moves_o | (setup_o & ~key_hashed_i));
  sha256_register_copies_ecp5 #(
    .COPIES     (1),
    .TECHNOLOGY (TECHNOLOGY)
  ) u_setup (
    .clk_i,
    .rst_ni   (~hold_o),
    .next_i   (setup_next_o),
    .copies_o (setup_o)
  );

  // `key_ready_o` rises at the earliest three clocks after a key is offered. No message is in the
  // core then and none begins while a key waits, so `key_ready_o` stays right until the key moves.
  // Messages are counted a clock after they begin and after their tags leave.
  assign key_next_o  = key_soon_q & key_waits_q & ~wipe_now;
  assign key_moves_o = key_valid_i & key_ready_o;
  assign may_begin_o = keyed_o & ~key_waits_q;
  sha256_register_copies_ecp5 #(
    .COPIES     (1),
    .TECHNOLOGY (TECHNOLOGY)
  ) u_key_ready (
    .clk_i,
    .rst_ni   (~hold_o),
    .next_i   (key_next_o),
    .copies_o (key_ready_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : count_messages
    if (!rst_ni) begin
      {key_waits_q, key_soon_q, engines_ready_q, begun_q, left_q} <= '0;
      messages_q <= '0;
    end else if (wipe_o) begin
      {key_waits_q, key_soon_q, engines_ready_q, begun_q, left_q} <= '0;
      messages_q <= '0;
    end else begin
      key_waits_q     <= key_valid_i & ~key_moves_o;
      key_soon_q      <= key_waits_q & ~key_soon_q & ~key_ready_o & (messages_q == '0) & ~begun_q &
                         ((state_q == StEmpty) | keyed_o) & engines_ready_q;
      engines_ready_q <= engines_ready_i;
      begun_q         <= message_begins_i;
      left_q          <= tag_moves_i;
      messages_q      <= messages_q + MessageBits'(begun_q) - MessageBits'(left_q);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : check
    if (rst_ni && !wipe_o) begin
      assert (messages_q <= MessageBits'(MESSAGES_MAX)) else $error("messages are miscounted");
      assert (!(left_q && messages_q == '0)) else $error("a tag without a message");
      assert (setup_o == (state_q == StSetup)) else $error("the copy of a state went its own way");
    end
  end
`endif
endmodule
