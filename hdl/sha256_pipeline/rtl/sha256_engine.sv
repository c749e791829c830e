// SPDX-License-Identifier: Apache-2.0
//
// The compression function of SHA-256 (FIPS 180-4, section 6.2.2) as a pipeline of STAGES stages
// that work on independent blocks (michail2005, figures 2 and 5), 64/STAGES rounds a stage. The
// engine takes a padded block and the chaining value that it starts from. With HASH=1 or 512 the
// paper's pipeline computes SHA-1 or SHA-512 (sections 6.1.2 and 6.4.2), whose 80 rounds take the
// place of 64 in all that follows.
//
// INTERLEAVE=1, `sha256_plain_engine`: a block in each stage, ROUNDS rounds merged in a clock.
// INTERLEAVE=2, `sha256_interleaved_engine`: two blocks in each stage take turns, a round takes two
// clocks. The words and sums are then always as at SCHEDULE=1 and PRECOMPUTE=2.
//
// Clocks: blocks enter every 64/(STAGES*ROUNDS) clocks (at INTERLEAVE=2 on the average); a hash is
// offered 64/ROUNDS clocks after the edge that takes the block (135 at INTERLEAVE=2), and stays
// until it is taken. Results come in the order of the blocks. While a result waits, the pipeline
// goes on until the next result is due, and then holds as a whole until the clock after the waiting
// result was taken; at INTERLEAVE=2 it never holds, and takes blocks until there is no place for
// another hash. `block_ready_o` depends on registers alone.
//
// `wipe_i` acts on every edge: all registers, also those with message or state, are cleared after
// it, and blocks in progress are dropped. It sets a register that resets all others, so that wiping
// costs nothing at a flip-flop that has a reset anyway. The engine is not ready in the clock after
// `wipe_i`, at INTERLEAVE=2 in the 8 clocks (STAGES=4: 16) after it, in which memories are cleared.
//
// The engine does NOT resist side channels: power and its glitches depend on the data. Time does
// not.
module sha256_engine #(
  // Hash function: 256, or 1 and 512 at SCHEDULE=0 alone; 1 at STAGES from 4 on, so that all rounds
  // of a stage have one function f.
  parameter int unsigned HASH = 256,
  parameter int unsigned STAGES = 4,  // 1, 2, 4, 8
  parameter int unsigned ROUNDS = 1,  // per clock: 1, 2, 4
  // Sums made one clock ahead: 0 none, 1 H+K+W, 2 also D+H+K+W.
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,  // 1: carry-save adders within a round
  parameter int unsigned ID_BITS = 3,
  parameter int unsigned TECHNOLOGY = 0,  // 0 portable, 1 ECP5 carry cells: at INTERLEAVE=2 alone
  // Message words: 0 move with the block from stage to stage, at ROUNDS up to 2, PRECOMPUTE up to 1
  // and CARRY_SAVE=0; 1 stay in place.
  parameter int unsigned SCHEDULE = 1,
  // Blocks in a stage: 1, or 2 at ROUNDS=1, PRECOMPUTE=2, CARRY_SAVE=0, SCHEDULE=1, STAGES up to 4.
  parameter int unsigned INTERLEAVE = 1,
  localparam int unsigned WordBits = sha_hash_pkg::word_bits(HASH),
  localparam int unsigned StateBits = sha_hash_pkg::state_words(HASH) * WordBits
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [16*WordBits-1:0] block_i,  // word 0 highest
  input  logic [StateBits-1:0] state_i,  // chaining value, H0 highest
  input  logic [ID_BITS-1:0] id_i,

  output logic hash_valid_o,
  input  logic hash_ready_i,
  output logic [StateBits-1:0] hash_o,
  output logic [ID_BITS-1:0] id_o
);

  // The sets of parameters that are tested: SCHEDULE=0 is the paper's cores and cores between them,
  // SCHEDULE=1 the parametric core, INTERLEAVE=2 the fast core. SHA-1 and SHA-512 have the paper's
  // cores alone.
  localparam bit Paper = SCHEDULE == 0 && ROUNDS <= 2 && PRECOMPUTE <= 1 && CARRY_SAVE == 0 &&
                         (HASH != 1 || STAGES >= 4);

  if (INTERLEAVE == 1 && TECHNOLOGY == 0 && ((SCHEDULE == 1 && HASH == 256) || Paper))
  begin : gen_plain
    sha256_plain_engine #(
      .HASH(HASH),
      .STAGES(STAGES),
      .ROUNDS(ROUNDS),
      .PRECOMPUTE(PRECOMPUTE),
      .CARRY_SAVE(CARRY_SAVE),
      .ID_BITS(ID_BITS),
      .SCHEDULE(SCHEDULE)
    ) u_engine (
      .clk_i, .rst_ni, .wipe_i,
      .block_valid_i, .block_ready_o, .block_i, .state_i, .id_i,
      .hash_valid_o, .hash_ready_i, .hash_o, .id_o
    );
  end else if (INTERLEAVE == 2 && ROUNDS == 1 && PRECOMPUTE == 2 && CARRY_SAVE == 0 &&
               SCHEDULE == 1 && STAGES <= 4 && HASH == 256) begin : gen_interleaved
    sha256_interleaved_engine #(
      .STAGES(STAGES),
      .ID_BITS(ID_BITS),
      .TECHNOLOGY(TECHNOLOGY)
    ) u_engine (
      .clk_i, .rst_ni, .wipe_i,
      .block_valid_i, .block_ready_o, .block_i, .state_i, .id_i,
      .hash_valid_o, .hash_ready_i, .hash_o, .id_o
    );
  end else begin : gen_unsupported
    $error("no such engine: see the comments of these parameters");
  end

endmodule
