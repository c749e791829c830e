// SPDX-License-Identifier: Apache-2.0
//
// One of HMAC's two engines, with its midstate: the key's padded block goes through the engine
// once, and the state that it leaves (the midstate) is kept. Keys go in through the same port as
// messages.
//
// The choice between a key and a message goes to 768 places, so this module has copies of its
// register.
module hmac_sha256_keyed_engine #(
  // Parameters of the engine; sha256_engine.sv explains them.
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 2,
  parameter int unsigned PRECOMPUTE = 2,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned ID_BITS = 3,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned INTERLEAVE = 1,
  parameter logic [511:0] PAD = '0  // ipad or opad
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // From `hmac_sha256_control`.
  input  logic               hold_next_i,
  input  logic               key_next_i,
  input  logic               key_moves_i,
  input  logic               setup_next_i,

  input  logic [511:0]       key_i,
  output logic [255:0]       midstate_o,  // as secret as the key; zero without a key

  input  logic               block_valid_i,
  output logic               block_ready_o,
  input  logic [511:0]       block_i,
  input  logic [255:0]       state_i,
  input  logic [ID_BITS-1:0] id_i,

  output logic               hash_valid_o,  // also for the key's block
  input  logic               hash_ready_i,
  output logic [255:0]       hash_o,
  output logic [ID_BITS-1:0] id_o
);
  import sha256_pkg::InitialState;

  logic hold_engine, hold_key;
  sha256_register_copies_ecp5 #(
    .COPIES      (2),
    .RESET_VALUE (1'b1),
    .TECHNOLOGY  (TECHNOLOGY)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .next_i   (hold_next_i),
    .copies_o ({hold_engine, hold_key})
  );

  // Each copy chooses one word of the engine's input.
  logic [15:0]  takes_key;
  logic [7:0]   starts;
  logic [511:0] block;
  logic [255:0] state;
  sha256_register_copies_ecp5 #(
    .COPIES     (24),
    .TECHNOLOGY (TECHNOLOGY)
  ) u_key_ready (
    .clk_i,
    .rst_ni   (~hold_key),
    .next_i   (key_next_i),
    .copies_o ({takes_key, starts})
  );
  for (genvar i = 0; i < 16; i++) begin : gen_block
    assign block[32*i +: 32] = takes_key[i] ? key_i[32*i +: 32] ^ PAD[32*i +: 32]
                                            : block_i[32*i +: 32];
  end
  for (genvar i = 0; i < 8; i++) begin : gen_state
    assign state[32*i +: 32] = starts[i] ? InitialState[32*i +: 32] : state_i[32*i +: 32];
  end

  sha256_engine #(
    .STAGES     (STAGES),
    .ROUNDS     (ROUNDS),
    .PRECOMPUTE (PRECOMPUTE),
    .CARRY_SAVE (CARRY_SAVE),
    .SCHEDULE   (SCHEDULE),
    .ID_BITS    (ID_BITS),
    .TECHNOLOGY (TECHNOLOGY),
    .INTERLEAVE (INTERLEAVE)
  ) u_engine (
    .clk_i,
    .rst_ni        (~hold_engine),
    .wipe_i       (1'b0),
    .block_valid_i (block_valid_i | key_moves_i),
    .block_ready_o,
    .block_i       (block),
    .state_i       (state),
    .id_i,
    .hash_valid_o,
    .hash_ready_i,
    .hash_o,
    .id_o
  );

  // Loads `hash_o` in every clock while the engine works on the key's block; the last value is the
  // midstate.
  logic [1:0] keeps;
  sha256_register_copies_ecp5 #(
    .COPIES     (2),
    .TECHNOLOGY (TECHNOLOGY)
  ) u_setup (
    .clk_i,
    .rst_ni   (~hold_key),
    .next_i   (setup_next_i),
    .copies_o (keeps)
  );
  for (genvar i = 0; i < 2; i++) begin : gen_midstate
    logic [127:0] half_q;
    always_ff @(posedge clk_i or posedge hold_key) begin : keep
      if (hold_key)      half_q <= '0;
      else if (keeps[i]) half_q <= hash_o[128*i +: 128];
    end
    assign midstate_o[128*i +: 128] = half_q;
  end
endmodule
