// SPDX-License-Identifier: Apache-2.0
//
// `sha256_engine` with INTERLEAVE=2: 2*STAGES blocks at work, two in each stage, which take turns
// (`sha256_interleaved_stage`). A block takes twice the clocks of the plain engine, and two are
// under way where it has one: as many blocks in as many clocks, of which each is about half as
// long. (C-slow retiming: Leiserson and Saxe, "Retiming synchronous circuitry", 1991.)
//
// Clocks: two blocks enter every 128/STAGES clocks, each in clocks of its own parity, and a hash is
// offered 131 clocks after the edge that takes the block. Of two that enter in clocks next to each
// other the second holds the pipeline for one clock, since the place of a result is free only after
// two; with a clock or more between them none does. Control is as in `sha256_engine`.
module sha256_interleaved_engine
  import sha256_pkg::*;
#(
  parameter int unsigned STAGES = 4,  // 1, 2, 4
  parameter int unsigned ID_BITS = 3,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

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

  localparam int unsigned SLOT_BITS = (STAGES > 1) ? $clog2(STAGES) : 1;
  localparam int unsigned TAG_BITS = ID_BITS + SLOT_BITS;

  // Everything but this register is reset by it; active high, as the flip-flops of an ECP5 are.
  logic wipe_q, wipe_nq;
  assign wipe_nq = !wipe_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wipe
    if (!rst_ni) begin
      wipe_q <= 1'b1;
    end else begin
      wipe_q <= clear_i;
    end
  end

  // What goes into stage s, and out of the last one at [STAGES]; a to d are a clock behind.
  logic [STAGES:0][127:0] efgh, abcd;
  // Not all used: nothing follows the last stage, and blocks enter the first only.
  // verilator lint_off UNUSEDSIGNAL
  logic [STAGES:0][31:0] hkw, dhkw;
  logic [STAGES:0][TAG_BITS-1:0] tag;
  logic [STAGES-1:0] first_ends;
  // verilator lint_on UNUSEDSIGNAL
  logic [STAGES:0] load;
  logic [STAGES-1:0] busy, leaves;
  logic [STAGES-1:0][SLOT_BITS-1:0] slot;
  logic [STAGES-1:0][31:0] words;
  logic [SLOT_BITS-1:0] slot_next;

  logic phase_q;  // whose turn it is
  logic stall_q, advance, free_q, accept;
  logic held_q, held_next, exit_valid_q, exit_valid_next, result_taken;

  assign advance = !stall_q;
  assign block_ready_o = wipe_nq && advance && free_q;
  assign accept = block_valid_i && block_ready_o;

  // A block enters by two registers, in which the sums of its first round are made.
  logic entered_q, ready_q;  // a block is in the first, in the second
  logic [255:0] entered_state_q, ready_state_q;
  word_t entered_kw_q, ready_hkw_q, first_kw, first_hkw;
  logic [TAG_BITS-1:0] entered_tag_q, ready_tag_q;
  logic [95:0] ready_abc_q;

  logic [511:0] block_words;  // earliest lowest
  for (genvar i = 0; i < 16; i++) begin : gen_block_words
    assign block_words[32*i +: 32] = block_i[32*(15-i) +: 32];
  end
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_first_kw (
    .x_i(block_words[31:0]), .b_i(round_constant(0)), .c_i('0), .d_i('0), .sum_o(first_kw)
  );
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_first_hkw (
    .x_i(entered_state_q[31:0]), .b_i(entered_kw_q), .c_i('0), .d_i('0), .sum_o(first_hkw)
  );
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_first_dhkw (
    .x_i(ready_state_q[159:128]), .b_i(ready_hkw_q), .c_i('0), .d_i('0), .sum_o(dhkw[0])
  );

  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_control
    if (!wipe_nq) begin
      phase_q <= 1'b0;
      free_q <= 1'b1;
      entered_q <= 1'b0;
      ready_q <= 1'b0;
    end else if (advance) begin
      phase_q <= !phase_q;
      // Of the next clock's turn: its block in the first stage will have left when one that comes
      // in now gets there.
      free_q <= first_ends[0] && !entered_q;
      entered_q <= accept;
      ready_q <= entered_q;
    end
  end

  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_entry
    if (!wipe_nq) begin
      {entered_state_q, entered_kw_q, entered_tag_q} <= '0;
      {ready_state_q, ready_hkw_q, ready_tag_q, ready_abc_q} <= '0;
    end else if (advance) begin
      entered_state_q <= state_i;
      entered_kw_q <= first_kw;
      entered_tag_q <= {slot_next, id_i};
      ready_state_q <= entered_state_q;
      ready_hkw_q <= first_hkw;
      ready_tag_q <= entered_tag_q;
      ready_abc_q <= ready_state_q[255:160];
    end
  end

  assign load[0] = ready_q;
  assign efgh[0] = ready_state_q[127:0];
  assign hkw[0] = ready_hkw_q;
  assign tag[0] = ready_tag_q;
  assign abcd[0] = {ready_abc_q, 32'b0};

  for (genvar s = 0; s < STAGES; s++) begin : gen_stage
    sha256_interleaved_stage #(
      .STAGE(s),
      .STAGES(STAGES),
      .TAG_BITS(TAG_BITS),
      .TECHNOLOGY(TECHNOLOGY)
    ) u_stage (
      .clk_i,
      .rst_ni(wipe_nq),
      .advance_i(advance),
      .load_i(load[s]),
      .efg_i(efgh[s][127:32]),
      .hkw_i(hkw[s]),
      .dhkw_i(dhkw[s]),
      .abc_i(abcd[s][127:32]),
      .tag_i(tag[s]),
      .word_i(words[s]),
      .efgh_o(efgh[s+1]),
      .hkw_o(hkw[s+1]),
      .dhkw_o(dhkw[s+1]),
      .abcd_o(abcd[s+1]),
      .first_ends_o(first_ends[s]),
      .second_leaves_o(leaves[s]),
      .second_tag_o(tag[s+1]),
      .busy_o(busy[s]),
      .last_o(load[s+1])
    );
    assign slot[s] = tag[s+1][TAG_BITS-1 -: SLOT_BITS];
  end

  sha256_interleaved_schedules #(
    .STAGES(STAGES),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_schedules (
    .clk_i,
    .rst_ni(wipe_nq),
    .advance_i(advance),
    .phase_i(phase_q),
    .accept_i(accept),
    .select_i(free_q),
    .block_i(block_words),
    .slot_o(slot_next),
    .enters_i(ready_q),
    .enters_slot_i(ready_tag_q[TAG_BITS-1 -: SLOT_BITS]),
    .leaves_i(leaves),
    .slot_i(slot),
    .words_o(words)
  );

  // Chaining values go from stage to stage in two rows of registers, one for each turn, since a
  // block moves in clocks of one parity only.
  logic [STAGES-1:0][1:0][255:0] chain_q;
  for (genvar s = 0; s < STAGES; s++) begin : gen_chain
    always_ff @(posedge clk_i or negedge wipe_nq) begin : p_chain
      if (!wipe_nq) begin
        chain_q[s] <= '0;
      end else if (advance && load[s]) begin
        if (s == 0) begin
          chain_q[s][phase_q] <= ready_state_q;
        end else begin
          chain_q[s][phase_q] <= chain_q[(s > 0) ? s - 1 : 0][phase_q];
        end
      end
    end
  end

  // Behind the last stage e to h wait a clock for a to d; then all are beside the chaining value
  // that is added to them.
  logic [127:0] exit_efgh_q;
  logic [255:0] exit_chain_q, result_q, result_chain_q;
  logic [ID_BITS-1:0] exit_id_q, id_q;
  assign result_taken = hash_valid_o && hash_ready_i;
  assign exit_valid_next = advance ? load[STAGES] : exit_valid_q;
  assign held_next = (exit_valid_q && advance) || (held_q && !result_taken);

  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_held
    if (!wipe_nq) begin
      exit_valid_q <= 1'b0;
      held_q <= 1'b0;
      stall_q <= 1'b0;
    end else begin
      exit_valid_q <= exit_valid_next;
      held_q <= held_next;
      stall_q <= exit_valid_next && held_next;
    end
  end

  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_result
    if (!wipe_nq) begin
      {exit_efgh_q, exit_chain_q, exit_id_q} <= '0;
      {result_q, result_chain_q, id_q} <= '0;
    end else if (advance) begin
      if (load[STAGES]) begin
        exit_efgh_q <= efgh[STAGES];
        exit_chain_q <= chain_q[STAGES-1][phase_q];
        exit_id_q <= tag[STAGES][ID_BITS-1:0];
      end
      if (exit_valid_q) begin
        result_q <= {abcd[STAGES], exit_efgh_q};
        result_chain_q <= exit_chain_q;
        id_q <= exit_id_q;
      end
    end
  end

  for (genvar i = 0; i < 8; i++) begin : gen_hash
    assign hash_o[32*i +: 32] = result_q[32*i +: 32] + result_chain_q[32*i +: 32];
  end
  assign hash_valid_o = held_q;
  assign id_o = id_q;

`ifndef SYNTHESIS
  logic cleared_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assert
    if (!rst_ni) begin
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= clear_i;
      assert (!(exit_valid_q && advance && held_q)) else $error("a result is lost");
      assert (!cleared_q || (!hash_valid_o && hash_o == '0 && busy == '0)) else $error("not wiped");
      assert (!(accept && ready_q)) else $error("a block runs into another");
    end
  end
`endif

endmodule
