// SPDX-License-Identifier: Apache-2.0
//
// One stage of the pipeline: its share of a block's rounds (for SHA-256 64/STAGES), ROUNDS of them
// in a clock. The registers take the next block's state on the edge that ends this block's rounds.
//
// `load_i` with `state_i`/`sums_i` starts a block; Count clocks with `advance_i` later
// `state_o`/`sums_o` hold the inputs of the next stage (or of the result register), in the clock in
// which `last_o` is high. Nothing moves in a clock without `advance_i`. All registers are cleared
// by `rst_ni`.
module sha256_stage
  import sha_hash_pkg::*;
#(
  parameter int unsigned HASH = 256,  // 1, 256, 512
  parameter int unsigned STAGE = 0,
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned TAG_BITS = 3,
  localparam int unsigned WordBits = word_bits(HASH),
  localparam int unsigned StateBits = state_words(HASH) * WordBits,
  localparam int unsigned SumBits = 2 * WordBits * ROUNDS,
  localparam int unsigned StageRounds = rounds_of(HASH) / STAGES,
  localparam int unsigned Count = StageRounds / ROUNDS,
  localparam int unsigned CountBits = (Count > 1) ? $clog2(Count) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic advance_i,

  input  logic load_i,
  input  logic select_i,  // high with load_i, and otherwise only while the stage is idle
  input  logic [StateBits-1:0] state_i,
  input  logic [SumBits-1:0] sums_i,
  input  logic [StateBits-1:0] chain_i,  // chaining value, which waits for the final addition
  input  logic [TAG_BITS-1:0] tag_i,

  // Words of these rounds at PRECOMPUTE=0, otherwise of the next rounds; first round's lowest.
  input  logic [WordBits*ROUNDS-1:0] words_i,

  output logic [StateBits-1:0] state_o,
  output logic [SumBits-1:0] sums_o,
  output logic [StateBits-1:0] chain_o,
  output logic [TAG_BITS-1:0] tag_o,
  output logic [CountBits-1:0] count_o,
  output logic busy_o,
  output logic last_o,
  output logic last_next_o  // last_o in the next clock
);

  // An idle stage counts as if it were in the last clock of a block, so that the constant looked up
  // for the next clock is right for a new block.
  localparam logic [CountBits-1:0] End = CountBits'(Count - 1);

  logic busy_q, last_q;
  logic [CountBits-1:0] count_q;
  logic [TAG_BITS-1:0] tag_q;
  logic [StateBits-1:0] chain_q, state_q, state_next;
  // Not all bits are used: at PRECOMPUTE=0 there are no sums.
  // verilator lint_off UNUSEDSIGNAL
  logic [SumBits-1:0] sums_q, sums_next;
  // verilator lint_on UNUSEDSIGNAL
  logic last_next;

  assign busy_o = busy_q;
  assign count_o = count_q;
  assign last_o = last_q;
  assign last_next = busy_q && (count_q == CountBits'(Count - 2));
  assign last_next_o = advance_i ? last_next : last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_control
    if (!rst_ni) begin
      busy_q <= 1'b0;
      last_q <= 1'b0;
      count_q <= End;
    end else if (advance_i) begin
      busy_q <= load_i || (busy_q && !last_q);
      last_q <= last_next;
      if (load_i) begin
        count_q <= '0;
      end else if (count_q != End) begin
        count_q <= count_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_waiting
    if (!rst_ni) begin
      chain_q <= '0;
      tag_q <= '0;
    end else if (advance_i && load_i) begin
      chain_q <= chain_i;
      tag_q <= tag_i;
    end
  end

  // K + W of the rounds whose words arrive. After the last round of a stage the first constant is
  // looked up again, for the next block.
  localparam int unsigned First = STAGE * StageRounds + ((PRECOMPUTE > 0) ? ROUNDS : 0);
  logic [WordBits*ROUNDS-1:0] kw;
  for (genvar i = 0; i < ROUNDS; i++) begin : gen_kw
    logic [WordBits-1:0] constants [Count];
    logic [WordBits-1:0] constant_q;
    for (genvar c = 0; c < Count; c++) begin : gen_constant
      assign constants[c] =
          WordBits'(round_constant(HASH, First + ((c + 1) % Count)*ROUNDS + i));
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_constant
      if (!rst_ni) begin
        constant_q <= '0;
      end else if (advance_i) begin
        constant_q <= constants[count_q];
      end
    end
    assign kw[WordBits*i +: WordBits] = words_i[WordBits*i +: WordBits] + constant_q;
  end

  if (HASH == 1) begin : gen_sha1
    sha1_rounds #(
      .ROUNDS(ROUNDS),
      .PRECOMPUTE(PRECOMPUTE),
      .PHASE(STAGE * StageRounds / 20)
    ) u_rounds (
      .state_i(state_q),
      .sums_i(sums_q),
      .kw_i(kw),
      .state_o(state_next),
      .sums_o(sums_next)
    );
  end else begin : gen_sha2
    sha256_rounds #(
      .HASH(HASH),
      .ROUNDS(ROUNDS),
      .PRECOMPUTE(PRECOMPUTE),
      .CARRY_SAVE(CARRY_SAVE)
    ) u_rounds (
      .state_i(state_q),
      .sums_i(sums_q),
      .kw_i(kw),
      .state_o(state_next),
      .sums_o(sums_next)
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q <= '0;
      sums_q <= '0;
    end else if (advance_i && (load_i || busy_q)) begin
      state_q <= select_i ? state_i : state_next;
      sums_q <= select_i ? sums_i : sums_next;
    end
  end

  assign state_o = state_next;
  assign sums_o = sums_next;
  assign chain_o = chain_q;
  assign tag_o = tag_q;

endmodule
