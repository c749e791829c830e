// SPDX-License-Identifier: Apache-2.0
//
// `sha256_engine` with INTERLEAVE=2: 2*STAGES blocks at work, two in each stage, which take turns
// (`sha256_interleaved_stage`). A block takes twice the clocks of the plain engine, and two blocks
// are in progress where the plain engine has one: as many blocks in as many clocks, but each clock
// is about half as long. (C-slow retiming: Leiserson and Saxe, "Retiming synchronous circuitry",
// 1991.)
//
// Clocks: two blocks enter every 128/STAGES clocks, each in clocks of its own parity, and a hash is
// offered 135 clocks after the edge that takes the block.
//
// Nothing holds the pipeline, so that none of its registers needs an enable that comes from afar. A
// block is taken only while there is a place for its result: for up to Depth blocks, chaining
// values are in one memory until they are added, and hashes in another until they are taken. After
// `wipe_i`, all registers are cleared at once, and one word of each memory in each clock.
module sha256_interleaved_engine
  import sha256_pkg::*;
#(
  parameter int unsigned STAGES = 4,  // 1, 2, 4
  parameter int unsigned ID_BITS = 3,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [511:0] block_i,
  input  logic [255:0] state_i,
  input  logic [ID_BITS-1:0] id_i,

  output logic hash_valid_o,
  input  logic hash_ready_i,
  output logic [255:0] hash_o,
  output logic [ID_BITS-1:0] id_o
);

  localparam int unsigned SlotBits = (STAGES > 1) ? $clog2(STAGES) : 1;
  localparam int unsigned Depth = interleaved_depth(STAGES);
  localparam int unsigned PlaceBits = $clog2(Depth);

  // While `wipe` is high it holds all other registers in reset, and zeros go into the memories. It
  // is active high, like the resets of an ECP5's flip-flops, and has copies for parts with many
  // registers.
  localparam int unsigned Parts = 12;  // parts of a block and its state
  localparam int unsigned Feeds = 7;  // parts of the words that wait
  logic [PlaceBits-1:0] enters_place_q, hash_place_q;  // places that are written next
  logic wipe, wipe_n, wipe_next;
  logic [Parts-1:0] offered_wipe, offered_wipe_n;
  logic [2:0] entry_wipe, entry_wipe_n, exit_wipe, exit_wipe_n;
  logic [STAGES-1:0] stage_wipe, stage_wipe_n, schedule_wipe, schedule_wipe_n;
  logic [Feeds-1:0] feed_wipe, feed_wipe_n;
  logic more_q;  // `wipe`, except in its last clock
  assign wipe_next = wipe_i || more_q;
  sha256_register_copies_ecp5 #(
    .COPIES(1 + Parts + 6 + 2*STAGES + Feeds),
    .RESET_VALUE(1'b1),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_wipe (
    .clk_i, .rst_ni, .next_i(wipe_next),
    .copies_o({wipe, offered_wipe, entry_wipe, exit_wipe, stage_wipe, schedule_wipe, feed_wipe})
  );
  assign {wipe_n, offered_wipe_n, entry_wipe_n, exit_wipe_n, stage_wipe_n, schedule_wipe_n,
          feed_wipe_n} =
      ~{wipe, offered_wipe, entry_wipe, exit_wipe, stage_wipe, schedule_wipe, feed_wipe};

  // Places and enables for writing the two memories; zeros are written while `wipe` is high.
  logic accept, exit_q;  // a block is behind the last stage
  logic keep_chain_q, keep_hash_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_places
    if (!rst_ni) begin
      {enters_place_q, hash_place_q} <= '0;
      {keep_chain_q, keep_hash_q, more_q} <= '1;
    end else begin
      enters_place_q <= wipe_i ? '0 : enters_place_q + PlaceBits'(keep_chain_q);
      hash_place_q <= wipe_i ? '0 : hash_place_q + PlaceBits'(keep_hash_q);
      more_q <= wipe_i || (more_q && enters_place_q != PlaceBits'(Depth - 2));
      keep_chain_q <= wipe_next || accept;
      keep_hash_q <= wipe_next || exit_q;
    end
  end

  // Inputs of stage s; at [STAGES] the outputs of the last stage. a to d are a clock behind.
  logic [STAGES:0][127:0] efgh, abcd;
  // Not all bits are used: nothing follows the last stage, and blocks enter only the first.
  // verilator lint_off UNUSEDSIGNAL
  logic [STAGES:0][31:0] hkw, dhkw;
  logic [STAGES:0][SlotBits-1:0] slot;
  logic [STAGES-1:0] ends;
  // verilator lint_on UNUSEDSIGNAL
  logic [STAGES:0] load;
  logic [STAGES-1:0] busy, leaves;
  logic [STAGES-1:0][31:0] words;
  logic [SlotBits-1:0] slot_next;

  logic free, free_next;  // the first stage has room for a block
  logic [STAGES+Feeds-1:0] free_copies;
  logic room_q, leaves_now;
  logic offered;  // a block waits to enter
  assign leaves_now = hash_valid_o && hash_ready_i;
  assign accept = offered && free && room_q;
  assign block_ready_o = wipe_n && !offered;

  // A block waits in registers for its turn, with a copy of `offered` for each part of the block.
  localparam int unsigned PartBits = 768 / Parts;
  logic [Parts-1:0] offered_parts;
  logic [767:0] block_offered, block_q;
  assign block_offered = {state_i, block_i};
  logic [ID_BITS-1:0] id_q;
  sha256_register_copies_ecp5 #(
    .COPIES(Parts + 1),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_offered (
    .clk_i,
    .rst_ni(wipe_n),
    .next_i(offered ? !accept : block_valid_i),
    .copies_o({offered, offered_parts})
  );
  for (genvar p = 0; p < Parts; p++) begin : gen_part
    logic [PartBits-1:0] part_q;
    always_ff @(posedge clk_i or negedge offered_wipe_n[p]) begin : p_block
      if (!offered_wipe_n[p]) begin
        part_q <= '0;
      end else if (!offered_parts[p]) begin
        part_q <= block_offered[PartBits*p +: PartBits];
      end
    end
    assign block_q[PartBits*p +: PartBits] = part_q;
  end
  always_ff @(posedge clk_i or negedge wipe_n) begin : p_id
    if (!wipe_n) begin
      id_q <= '0;
    end else if (!offered) begin
      id_q <= id_i;
    end
  end

  // A block enters through three registers; behind each of them a sum of its first round is made.
  logic entered_q, summed_q, ready_q;  // a block is in the first, second, third register

  // Number of blocks that were taken and whose hashes have not left. Blocks are counted a clock
  // late, and the count acts a clock later; meanwhile three more blocks may come in.
  logic [PlaceBits:0] under_way_q;
  logic left_q;
  always_ff @(posedge clk_i or negedge wipe_n) begin : p_room
    if (!wipe_n) begin
      under_way_q <= '0;
      left_q <= 1'b0;
      room_q <= 1'b0;
    end else begin
      left_q <= leaves_now;
      under_way_q <= under_way_q + (PlaceBits + 1)'(entered_q) - (PlaceBits + 1)'(left_q);
      room_q <= under_way_q <= (PlaceBits + 1)'(Depth - 3);
    end
  end

  logic [255:0] entered_state_q, summed_state_q, ready_state_q;
  word_t entered_word_q, summed_kw_q, ready_hkw_q, first_kw, first_hkw;
  logic [ID_BITS-1:0] entered_id_q;
  logic [SlotBits-1:0] entered_slot_q, summed_slot_q, ready_slot_q;
  logic [95:0] ready_abc_q;

  logic [511:0] block_words;  // earliest word lowest
  for (genvar i = 0; i < 16; i++) begin : gen_block_words
    assign block_words[32*i +: 32] = block_q[32*(15-i) +: 32];
  end
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_first_kw (
    .x_i(entered_word_q), .b_i(round_constant(0)), .c_i('0), .d_i('0), .sum_o(first_kw)
  );
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_first_hkw (
    .x_i(summed_state_q[31:0]), .b_i(summed_kw_q), .c_i('0), .d_i('0), .sum_o(first_hkw)
  );
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_first_dhkw (
    .x_i(ready_state_q[159:128]), .b_i(ready_hkw_q), .c_i('0), .d_i('0), .sum_o(dhkw[0])
  );

  // For the next clock's turn: no block of this turn is before the first stage, and a block of this
  // turn in the stage will have left when a block that comes in then gets there.
  assign free_next = ends[0] && !entered_q && !ready_q;
  sha256_register_copies_ecp5 #(
    .COPIES(1 + STAGES + Feeds),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_free (
    .clk_i, .rst_ni(wipe_n), .next_i(free_next), .copies_o({free, free_copies})
  );

  always_ff @(posedge clk_i or negedge wipe_n) begin : p_control
    if (!wipe_n) begin
      entered_q <= 1'b0;
      summed_q <= 1'b0;
      ready_q <= 1'b0;
    end else begin
      entered_q <= accept;
      summed_q <= entered_q;
      ready_q <= summed_q;
    end
  end

  always_ff @(posedge clk_i or negedge entry_wipe_n[0]) begin : p_entered
    if (!entry_wipe_n[0]) begin
      {entered_state_q, entered_word_q, entered_slot_q, entered_id_q} <= '0;
    end else begin
      entered_state_q <= block_q[767:512];
      entered_word_q <= block_words[31:0];
      entered_slot_q <= slot_next;
      entered_id_q <= id_q;
    end
  end
  always_ff @(posedge clk_i or negedge entry_wipe_n[1]) begin : p_summed
    if (!entry_wipe_n[1]) begin
      {summed_state_q, summed_kw_q, summed_slot_q} <= '0;
    end else begin
      summed_state_q <= entered_state_q;
      summed_kw_q <= first_kw;
      summed_slot_q <= entered_slot_q;
    end
  end
  always_ff @(posedge clk_i or negedge entry_wipe_n[2]) begin : p_enters
    if (!entry_wipe_n[2]) begin
      {ready_state_q, ready_hkw_q, ready_slot_q, ready_abc_q} <= '0;
    end else begin
      ready_state_q <= summed_state_q;
      ready_hkw_q <= first_hkw;
      ready_slot_q <= summed_slot_q;
      ready_abc_q <= ready_state_q[255:160];
    end
  end

  assign load[0] = ready_q;
  assign efgh[0] = ready_state_q[127:0];
  assign hkw[0] = ready_hkw_q;
  assign slot[0] = ready_slot_q;
  assign abcd[0] = {ready_abc_q, 32'b0};

  for (genvar s = 0; s < STAGES; s++) begin : gen_stage
    sha256_interleaved_stage #(
      .STAGE(s),
      .STAGES(STAGES),
      .SLOT_BITS(SlotBits),
      .TECHNOLOGY(TECHNOLOGY)
    ) u_stage (
      .clk_i,
      .rst_ni(stage_wipe_n[s]),
      .load_i(load[s]),
      .efg_i(efgh[s][127:32]),
      .hkw_i(hkw[s]),
      .dhkw_i(dhkw[s]),
      .abc_i(abcd[s][127:32]),
      .slot_i(slot[s]),
      .word_i(words[s]),
      .efgh_o(efgh[s+1]),
      .hkw_o(hkw[s+1]),
      .dhkw_o(dhkw[s+1]),
      .abcd_o(abcd[s+1]),
      .second_ends_o(ends[s]),
      .second_leaves_o(leaves[s]),
      .second_slot_o(slot[s+1]),
      .busy_o(busy[s]),
      .last_o(load[s+1])
    );
  end

  sha256_interleaved_schedules #(
    .STAGES(STAGES),
    .FEEDS(Feeds),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_schedules (
    .clk_i,
    .rst_ni(wipe_n),
    .schedules_rst_ni(schedule_wipe_n),
    .feed_rst_ni(feed_wipe_n),
    .accept_i(accept),
    .select_i(free_copies[STAGES-1:0]),
    .feed_select_i(free_copies[STAGES +: Feeds]),
    .block_i(block_words),
    .slot_o(slot_next),
    .entered_i(entered_q),
    .entered_slot_i(entered_slot_q),
    .enters_i(ready_q),
    .enters_slot_i(ready_slot_q),
    .leaves_i(leaves),
    .slot_i(slot[STAGES:1]),
    .words_o(words)
  );

  // Chaining values and ids go in and come out in the order of the blocks. This memory is not reset
  // but wiped.
  logic [PlaceBits-1:0] exits_place_q;
  logic [255:0] chain_q [Depth];
  logic [ID_BITS-1:0] chain_id_q [Depth];
  always_ff @(posedge clk_i) begin : p_chain
    if (keep_chain_q) begin
      chain_q[enters_place_q] <= entered_state_q;
      chain_id_q[enters_place_q] <= entered_id_q;
    end
  end

  // Behind the last stage e to h wait a clock for a to d; then all are beside the chaining value
  // that is added to them.
  logic [127:0] exit_efgh_q;
  logic [255:0] result_state_q, result_chain_q, hash;
  logic [ID_BITS-1:0] result_id_q;
  always_ff @(posedge clk_i or negedge exit_wipe_n[0]) begin : p_exit
    if (!exit_wipe_n[0]) begin
      {exit_q, exit_efgh_q, exits_place_q} <= '0;
      {result_chain_q, result_id_q} <= '0;
    end else begin
      exit_q <= load[STAGES];
      exit_efgh_q <= efgh[STAGES];
      exits_place_q <= exits_place_q + PlaceBits'(exit_q);
      result_chain_q <= chain_q[exits_place_q];
      result_id_q <= chain_id_q[exits_place_q];
    end
  end
  always_ff @(posedge clk_i or negedge exit_wipe_n[1]) begin : p_result
    if (!exit_wipe_n[1]) begin
      result_state_q <= '0;
    end else begin
      result_state_q <= {abcd[STAGES], exit_efgh_q};
    end
  end
  for (genvar i = 0; i < 8; i++) begin : gen_hash
    assign hash[32*i +: 32] = result_state_q[32*i +: 32] + result_chain_q[32*i +: 32];
  end

  // Hashes that wait to be taken, the oldest in a register.
  logic [PlaceBits-1:0] leaves_place_q;
  logic some_wait;
  logic [255:0] hash_q [Depth];
  logic [ID_BITS-1:0] hash_id_q [Depth];
  assign some_wait = hash_place_q != leaves_place_q;
  always_ff @(posedge clk_i) begin : p_hashes
    if (keep_hash_q) begin
      hash_q[hash_place_q] <= hash;
      hash_id_q[hash_place_q] <= result_id_q;
    end
  end
  always_ff @(posedge clk_i or negedge exit_wipe_n[2]) begin : p_leaves
    if (!exit_wipe_n[2]) begin
      leaves_place_q <= '0;
      {hash_valid_o, hash_o, id_o} <= '0;
    end else begin
      if (hash_valid_o) begin
        hash_valid_o <= !hash_ready_i;
      end else begin
        hash_valid_o <= some_wait;
        hash_o <= hash_q[leaves_place_q];
        id_o <= hash_id_q[leaves_place_q];
        leaves_place_q <= leaves_place_q + PlaceBits'(some_wait);
      end
    end
  end

`ifndef SYNTHESIS
  logic cleared_q, wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assert
    if (!rst_ni) begin
      {cleared_q, wiped_q} <= '0;
    end else begin
      cleared_q <= wipe_i;
      wiped_q <= wipe && !wipe_i;
      assert (!cleared_q || (!hash_valid_o && hash_o == '0 && busy == '0))
          else $error("not cleared");
      if (wiped_q && !wipe) begin
        for (int unsigned n = 0; n < Depth; n++) begin
          assert (chain_q[n] == '0 && hash_q[n] == '0) else $error("a state outlived its wiping");
        end
      end
      assert (!(keep_hash_q && !wipe && PlaceBits'(hash_place_q + 1'b1) == leaves_place_q))
          else $error("a result is lost");
      assert (32'(under_way_q) <= Depth) else $error("more blocks than places");
      assert (!(accept && summed_q)) else $error("a block runs into another");
    end
  end
`endif

endmodule
