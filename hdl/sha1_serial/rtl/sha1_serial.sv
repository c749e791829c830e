// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 with one 32-bit adder and the message block in an outside memory: 405 clocks a block.
//
// The ultra-low-power SHA-1 of Kaps and Sunar, "Energy Comparison of AES and SHA-1 for Ubiquitous
// Computing" (EUC Workshops 2006), section 3 and figure 1: a round takes five clocks, in which four
// words of the block are read and one is written; the sum grows in register e; a to e and H0 to H4
// are two shift registers, whose sums are the block's result in five more clocks. The README states
// our decisions where the paper is silent.
//
// One block: the user fills the memory with the padded block, then gives a command. `start` chains
// to the value in H0 to H4. In the last five clocks the result leaves H4 first. With `last_i` the
// next chaining value is the standard's initial value again, otherwise the result. With
// `feed_forward_i` low nothing is added to the result, which then is SHACAL-1's ciphertext under
// the block as the key. A `load` command shifts a word into H0 and a, and the other words move on:
// five loads, H4 first, set a chaining value or SHACAL-1's plaintext. `wipe_i` aborts a block in
// progress and sets a to e, H0 to H4 and the scheduler's register to public values in five clocks,
// as a reset does; the owner of the memory must wipe the memory.
//
// Memory: 16 words, one port, one access a clock. A word read appears on `memory_data_i` in the
// clock after its address, as in a synchronous memory.
//
// Not guaranteed: resistance to side channels of any kind.
module sha1_serial
  import sha1_serial_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  // Commands, taken while idle.
  input  logic        start_valid_i,
  output logic        start_ready_o,
  input  logic        last_i,
  input  logic        feed_forward_i,
  input  logic        load_valid_i,
  output logic        load_ready_o,
  input  logic [31:0] load_data_i,
  input  logic        wipe_i,
  // Block memory.
  output logic [3:0]  memory_address_o,
  output logic        memory_write_o,
  output logic [31:0] memory_data_o,
  input  logic [31:0] memory_data_i,
  // Result of a block started with `last_i`, H4 first.
  output logic [31:0] digest_o,
  output logic        digest_valid_o,
  input  logic        digest_ready_i
);
  logic [2:0]  clock_q;
  logic [6:0]  round_q;
  stage_e      stage_q;
  logic        digest_q, wipe_q, last_q, feed_forward_q;
  logic        idle, started, loaded, works, step, stage_ends;

  logic [31:0] a_q, b_q, c_q, d_q, e_q;
  logic [31:0] h_q [5];
  logic [31:0] mix_q;
  logic [31:0] addend, sum, word, shifted_in;

  // The core waits for a command in round 0, clock 0; a start does the work of this clock at once.
  assign idle          = ~digest_q & (clock_q == 3'd0) & (round_q == 7'd0);
  assign load_ready_o  = idle;
  assign start_ready_o = idle & ~load_valid_i;
  assign started       = start_valid_i & start_ready_o;
  assign loaded        = load_valid_i & load_ready_o;
  assign works         = ~idle | started;
  assign step          = works & ~(digest_valid_o & ~digest_ready_i);

  assign digest_valid_o = digest_q & ~wipe_q & last_q;
  assign digest_o       = sum;

  assign stage_ends = (clock_q == 3'd4)
      & ((round_q == 7'd19) | (round_q == 7'd39) | (round_q == 7'd59) | (round_q == 7'd79));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clock_q  <= '0;
      round_q  <= '0;
      stage_q  <= Choose;
      digest_q <= 1'b1;
      wipe_q   <= 1'b1;
    end else if (wipe_i) begin
      clock_q  <= '0;
      round_q  <= '0;
      stage_q  <= Choose;
      digest_q <= 1'b1;
      wipe_q   <= 1'b1;
    end else if (step) begin
      clock_q <= (clock_q == 3'd4) ? 3'd0 : clock_q + 3'd1;
      if (clock_q == 3'd4) begin
        if (digest_q) begin
          digest_q <= 1'b0;
          wipe_q   <= 1'b0;
        end else if (round_q == 7'd79) begin
          round_q  <= '0;
          digest_q <= 1'b1;
        end else begin
          round_q <= round_q + 7'd1;
        end
      end
      if (stage_ends) stage_q <= stage_e'(stage_q + 2'd1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q         <= 1'b0;
      feed_forward_q <= 1'b0;
    end else if (started) begin
      last_q         <= last_i;
      feed_forward_q <= feed_forward_i;
    end
  end

  // Message scheduler: the words of 16, 14, 8 and 3 rounds ago, then the new one in the place of
  // the oldest.
  always_comb begin
    unique case (clock_q)
      3'd1: memory_address_o = round_q[3:0] + 4'd2;
      3'd2: memory_address_o = round_q[3:0] + 4'd8;
      3'd3: memory_address_o = round_q[3:0] + 4'd13;
      default: memory_address_o = round_q[3:0];
    endcase
  end
  assign word           = (round_q < 7'd16) ? mix_q
      : {mix_q[30:0] ^ memory_data_i[30:0], mix_q[31] ^ memory_data_i[31]};
  assign memory_write_o = ~digest_q & (clock_q == 3'd4) & (round_q >= 7'd16);
  assign memory_data_o  = word;

  always_ff @(posedge clk_i) begin
    if (wipe_q) begin
      mix_q <= '0;
    end else if (!digest_q) begin
      if (clock_q == 3'd1) begin
        mix_q <= memory_data_i;
      end else if ((clock_q == 3'd2 || clock_q == 3'd3) && round_q >= 7'd16) begin
        mix_q <= mix_q ^ memory_data_i;
      end
    end
  end

  // The adder's second operand; the first is always e.
  always_comb begin
    if (digest_q) begin
      addend = feed_forward_q ? h_q[4] : '0;
    end else begin
      unique case (clock_q)
        3'd0: addend = round_constant(stage_q);
        3'd1: addend = round_function(stage_q, b_q, c_q, d_q);
        3'd2: addend = {a_q[26:0], a_q[31:27]};
        default: addend = word;
      endcase
    end
  end
  assign sum = e_q + addend;

  assign shifted_in = loaded ? load_data_i
      : (digest_q & (last_q | wipe_q)) ? initial_value(clock_q) : sum;

  always_ff @(posedge clk_i) begin
    if (loaded || (step && (digest_q || clock_q == 3'd4))) begin
      a_q <= shifted_in;
      b_q <= a_q;
      c_q <= (digest_q | loaded) ? b_q : {b_q[1:0], b_q[31:2]};
      d_q <= c_q;
      e_q <= d_q;
    end else if (step && clock_q != 3'd3) begin
      e_q <= sum;
    end
  end

  always_ff @(posedge clk_i) begin
    if (loaded || (step && digest_q)) begin
      h_q[0] <= shifted_in;
      for (int i = 1; i < 5; i++) h_q[i] <= h_q[i-1];
    end
  end

`ifndef SYNTHESIS
  logic wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wiped_q <= 1'b0;
    end else begin
      wiped_q <= wipe_q & (clock_q == 3'd4) & ~wipe_i;
      assert (clock_q <= 3'd4 && round_q <= 7'd79) else $error("no such clock of a block");
      assert (!wiped_q || {a_q, b_q, c_q, d_q, e_q} == {h_q[0], h_q[1], h_q[2], h_q[3], h_q[4]})
      else $error("state not wiped");
      assert (!wiped_q || (mix_q == '0 && h_q[0] == initial_value(3'd4)
                           && h_q[4] == initial_value(3'd0)))
      else $error("chaining value not wiped");
    end
  end
`endif
endmodule
