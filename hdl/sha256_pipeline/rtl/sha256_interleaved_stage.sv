// SPDX-License-Identifier: Apache-2.0
//
// One stage of the interleaved pipeline: 64/STAGES rounds of two blocks that take turns. A round
// takes two clocks; while one block is in the first half of its round, the other block is in the
// second, and no path has more than one addition.
//
// With e(t), f(t), g(t), HKW(t) = h(t) + K(t) + W(t) and DHKW(t) = d(t) + HKW(t) in registers:
//   first half    e_part = DHKW(t) + Ch(e, f, g)      t1_part = HKW(t) + Ch(e, f, g)
//                 s1     = Sigma1(e)                  HKW(t+1) = g(t) + K(t+1) + W(t+1)
//                 a(t)   = T1(t-1) + T2(t-1)
//   second half   e(t+1) = e_part + s1                T1(t) = t1_part + s1
//                 DHKW(t+1) = c(t) + HKW(t+1)         T2(t) = Sigma0(a(t)) + Maj(a(t), b(t), c(t))
// So a comes half a round, one clock, behind e, and goes from stage to stage a clock after e.
//
// `load_i` starts a block with the values of `efg_i`, `hkw_i` and `dhkw_i`, and in the next clock
// with `abc_i`. `last_o` is high 2*64/STAGES - 1 clocks after the clock that follows `load_i`: then
// `efgh_o`, `hkw_o` and `dhkw_o` hold the next stage's inputs, and in the next clock `abcd_o` does.
// All registers are cleared by `rst_ni`.
module sha256_interleaved_stage
  import sha256_pkg::*;
#(
  parameter int unsigned STAGE = 0,
  parameter int unsigned STAGES = 4,
  parameter int unsigned SLOT_BITS = 2,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic load_i,
  input  logic [95:0] efg_i,
  input  word_t hkw_i,
  input  word_t dhkw_i,
  input  logic [95:0] abc_i,
  input  logic [SLOT_BITS-1:0] slot_i,  // the block's schedule

  input  word_t word_i,  // W(t+1), in the clock before the first half of round t

  output logic [127:0] efgh_o,
  output word_t hkw_o,
  output word_t dhkw_o,
  output logic [127:0] abcd_o,

  output logic second_ends_o,  // no block is between its halves, or it has two more rounds at most
  output logic second_leaves_o,  // the block between its halves has one more round at most
  output logic [SLOT_BITS-1:0] second_slot_o,
  output logic busy_o,
  output logic last_o
);

  localparam int unsigned Count = 64 / STAGES;
  localparam int unsigned CountBits = $clog2(Count);
  // The count where no block is: the last round's, so that the constant looked up for the next
  // round is right for a new block.
  localparam logic [CountBits-1:0] End = CountBits'(Count - 1);

  // The block before its first half, and the block between its halves.
  logic first_busy_q, second_busy_q, second_last_q, second_leaves_q;
  logic [CountBits-1:0] first_count_q, second_count_q;
  logic [SLOT_BITS-1:0] first_slot_q, second_slot_q;
  logic load_abc_q, first_leaves;

  assign first_leaves = first_count_q >= End - 1'b1;
  assign second_ends_o = !second_busy_q || second_count_q >= End - CountBits'(2);
  assign second_leaves_o = second_leaves_q;
  assign second_slot_o = second_slot_q;
  assign busy_o = first_busy_q || second_busy_q;
  assign last_o = second_last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_control
    if (!rst_ni) begin
      first_busy_q <= 1'b0;
      first_count_q <= End;
      first_slot_q <= '0;
      second_busy_q <= 1'b0;
      second_count_q <= End;
      second_slot_q <= '0;
      second_last_q <= 1'b0;
      second_leaves_q <= 1'b0;
      load_abc_q <= 1'b0;
    end else begin
      second_busy_q <= first_busy_q;
      second_count_q <= first_count_q;
      second_slot_q <= first_slot_q;
      second_last_q <= first_busy_q && (first_count_q == End);
      second_leaves_q <= first_busy_q && first_leaves;
      first_busy_q <= load_i || (second_busy_q && !second_last_q);
      first_slot_q <= load_i ? slot_i : second_slot_q;
      if (load_i) begin
        first_count_q <= '0;
      end else begin
        first_count_q <= (second_count_q == End) ? End : second_count_q + 1'b1;
      end
      load_abc_q <= load_i;
    end
  end

  // K(t+1) + W(t+1), in two clocks. At the end of a stage the next block's first constant is looked
  // up.
  word_t constants [Count];
  word_t constant_q, kw, kw_q;
  for (genvar c = 0; c < Count; c++) begin : gen_constant
    assign constants[c] = round_constant(STAGE*Count + 1 + (c + 1) % Count);
  end
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_kw (.x_i(word_i), .b_i(constant_q), .c_i('0), .d_i('0), .sum_o(kw));

  // Registers before the first half of round t: e(t) to e(t-2), a(t-1) to a(t-3); the last of each
  // is used in the last stage only, as h and d of the hash.
  word_t e_q [3];
  word_t hkw_q, dhkw_q, t1_q, t2_q;
  word_t a_q [3];
  // Registers between the halves: e(t) to e(t-2), a(t) to a(t-2).
  word_t e_part_q, t1_part_q, s1_q, hkw_next_q;
  word_t f_q [3];
  word_t b_q [3];

  word_t e_part, t1_part, hkw_next, a_next, e_next, t1, t2, dhkw_next;
  sha256_adder #(
    .FUNCTION(1), .TECHNOLOGY(TECHNOLOGY)
  ) u_e_part (.x_i(dhkw_q), .b_i(e_q[0]), .c_i(e_q[1]), .d_i(e_q[2]), .sum_o(e_part));
  sha256_adder #(
    .FUNCTION(1), .TECHNOLOGY(TECHNOLOGY)
  ) u_t1_part (.x_i(hkw_q), .b_i(e_q[0]), .c_i(e_q[1]), .d_i(e_q[2]), .sum_o(t1_part));
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_hkw (.x_i(e_q[2]), .b_i(kw_q), .c_i('0), .d_i('0), .sum_o(hkw_next));
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_a (.x_i(t1_q), .b_i(t2_q), .c_i('0), .d_i('0), .sum_o(a_next));

  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_e (.x_i(e_part_q), .b_i(s1_q), .c_i('0), .d_i('0), .sum_o(e_next));
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_t1 (.x_i(t1_part_q), .b_i(s1_q), .c_i('0), .d_i('0), .sum_o(t1));
  sha256_adder #(
    .FUNCTION(2), .TECHNOLOGY(TECHNOLOGY)
  ) u_t2 (.x_i(big_sigma0(b_q[0])), .b_i(b_q[0]), .c_i(b_q[1]), .d_i(b_q[2]), .sum_o(t2));
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_dhkw (.x_i(b_q[2]), .b_i(hkw_next_q), .c_i('0), .d_i('0), .sum_o(dhkw_next));

  assign efgh_o = {e_next, f_q[0], f_q[1], f_q[2]};
  assign hkw_o = hkw_next_q;
  assign dhkw_o = dhkw_next;
  assign abcd_o = {a_next, a_q[0], a_q[1], a_q[2]};

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_round
    if (!rst_ni) begin
      {constant_q, kw_q, hkw_q, dhkw_q, t1_q, t2_q} <= '0;
      {e_part_q, t1_part_q, s1_q, hkw_next_q} <= '0;
      e_q <= '{default: '0};
      a_q <= '{default: '0};
      f_q <= '{default: '0};
      b_q <= '{default: '0};
    end else begin
      constant_q <= constants[first_count_q];
      kw_q <= kw;

      e_part_q <= e_part;
      t1_part_q <= t1_part;
      s1_q <= big_sigma1(e_q[0]);
      hkw_next_q <= hkw_next;
      f_q <= e_q;
      if (load_abc_q) begin
        b_q <= '{abc_i[95:64], abc_i[63:32], abc_i[31:0]};
      end else begin
        b_q <= '{a_next, a_q[0], a_q[1]};
      end

      if (load_i) begin
        e_q <= '{efg_i[95:64], efg_i[63:32], efg_i[31:0]};
        hkw_q <= hkw_i;
        dhkw_q <= dhkw_i;
      end else begin
        e_q <= '{e_next, f_q[0], f_q[1]};
        hkw_q <= hkw_next_q;
        dhkw_q <= dhkw_next;
      end
      t1_q <= t1;
      t2_q <= t2;
      a_q <= b_q;
    end
  end

endmodule
