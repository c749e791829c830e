// SPDX-License-Identifier: Apache-2.0
//
// HMAC-SHA1 (FIPS 198-1, RFC 2104) and plain SHA-1 on sha1_serial, with its memory and padding.
//
// The key comes as a block of 64 bytes, twice: 32 words. The user pads the key with zeros, and
// first hashes a longer key. The core computes the inner chaining value from the first 16 words and
// the outer from the others, and keeps both, so that a message costs its own blocks and one more.
// `mac_i` with a message's words chooses a tag (1) or a plain digest (0). `wipe_i` wipes key,
// chaining values and memory.
//
// Clock: `clk_i`. Clocks per message are in the README. Not guaranteed: resistance to side
// channels; HMAC without a key gives the tag under chaining values of zeros.
module hmac_sha1 (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        wipe_i,
  // Key block, 16 words, twice.
  input  logic [31:0] key_i,
  input  logic        key_valid_i,
  output logic        key_ready_o,
  // Message: words of four bytes, first byte in the highest bits; the last word has 0 to 4 bytes.
  input  logic        mac_i,
  input  logic [31:0] data_i,
  input  logic [2:0]  data_bytes_i,
  input  logic        data_last_i,
  input  logic        data_valid_i,
  output logic        data_ready_o,
  // Tag or digest: H4 first.
  output logic [31:0] digest_o,
  output logic        digest_valid_o,
  input  logic        digest_ready_i
);
  typedef enum logic [3:0] {
    Wipe,
    Idle,
    Key,
    KeyRun,
    LoadInner,
    Message,
    MessageRun,
    Outer,
    LoadOuter,
    OuterRun,
    Result
  } state_e;

  state_e            state_q, state_d;
  // Count of words of the block, or of a chaining value, so far.
  logic [3:0]        count_q, count_d;
  logic              second_q, second_d;
  logic              mac_q, mac_d;
  logic              last_q, last_d;
  logic [4:0][31:0]  inner_q, outer_q;
  logic              inner_shift, outer_shift;

  logic              start_valid, start_ready, start_last, load_valid, load_ready;
  logic [31:0]       load_data;
  logic [3:0]        core_address;
  logic              core_write;
  logic [31:0]       core_data, read_data, core_digest;
  logic              core_digest_valid, core_digest_ready;

  logic              fill_write;
  logic [3:0]        fill_address;
  logic [31:0]       fill_data;

  logic [31:0]       padded;
  logic              padded_last, padded_valid, padded_ready;

  sha1_serial u_core (
    .clk_i,
    .rst_ni,
    .start_valid_i   (start_valid),
    .start_ready_o   (start_ready),
    .last_i          (start_last),
    .feed_forward_i  (1'b1),
    .load_valid_i    (load_valid),
    .load_ready_o    (load_ready),
    .load_data_i     (load_data),
    .wipe_i,
    .memory_address_o(core_address),
    .memory_write_o  (core_write),
    .memory_data_o   (core_data),
    .memory_data_i   (read_data),
    .digest_o        (core_digest),
    .digest_valid_o  (core_digest_valid),
    .digest_ready_i  (core_digest_ready)
  );

  sha1_block_memory u_memory (
    .clk_i,
    .address_i(fill_write ? fill_address : core_address),
    .write_i  (fill_write | core_write),
    .data_i   (fill_write ? fill_data : core_data),
    .data_o   (read_data)
  );

  jm_sha_padding u_padding (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .prefix_i(mac_q),
    .data_i,
    .bytes_i (data_bytes_i),
    .last_i  (data_last_i),
    .valid_i (data_valid_i),
    .ready_o (data_ready_o),
    .word_o  (padded),
    .last_o  (padded_last),
    .valid_o (padded_valid),
    .ready_i (padded_ready)
  );

  assign digest_o = core_digest;

  always_comb begin
    state_d           = state_q;
    count_d           = count_q;
    second_d          = second_q;
    mac_d             = mac_q;
    last_d            = last_q;
    inner_shift       = 1'b0;
    outer_shift       = 1'b0;
    start_valid       = 1'b0;
    start_last        = 1'b1;
    load_valid        = 1'b0;
    load_data         = inner_q[4];
    fill_write        = 1'b0;
    fill_address      = count_q;
    fill_data         = '0;
    key_ready_o       = 1'b0;
    padded_ready      = 1'b0;
    digest_valid_o    = 1'b0;
    core_digest_ready = 1'b0;

    unique case (state_q)
      Wipe: begin
        // Zeros into the memory and both chaining values.
        fill_write  = 1'b1;
        inner_shift = 1'b1;
        outer_shift = 1'b1;
        count_d     = count_q + 4'd1;
        if (count_q == 4'd15) state_d = Idle;
      end
      Idle: begin
        if (key_valid_i) begin
          state_d = Key;
        end else if (data_valid_i) begin
          mac_d   = mac_i;
          state_d = mac_i ? LoadInner : Message;
        end
      end
      Key: begin
        key_ready_o = 1'b1;
        fill_write  = key_valid_i;
        fill_data   = key_i ^ (second_q ? 32'h5C5C5C5C : 32'h36363636);
        if (key_valid_i) count_d = count_q + 4'd1;
        if (key_valid_i && count_q == 4'd15) state_d = KeyRun;
      end
      KeyRun: begin
        // `count_q` is 0 until the block has started, then counts the chaining value's words.
        start_valid       = (count_q == 4'd0) & ~core_digest_valid;
        core_digest_ready = 1'b1;
        inner_shift       = core_digest_valid & ~second_q;
        outer_shift       = core_digest_valid & second_q;
        if (core_digest_valid) count_d = count_q + 4'd1;
        if (core_digest_valid && count_q == 4'd4) begin
          count_d  = '0;
          second_d = ~second_q;
          state_d  = second_q ? Idle : Key;
        end
      end
      LoadInner: begin
        load_valid  = 1'b1;
        inner_shift = load_ready;
        if (load_ready) count_d = count_q + 4'd1;
        if (load_ready && count_q == 4'd4) begin
          count_d = '0;
          state_d = Message;
        end
      end
      Message: begin
        // The core uses the memory until it is done with the block before.
        padded_ready = load_ready;
        fill_write   = padded_valid & load_ready;
        fill_data    = padded;
        if (fill_write) begin
          count_d = count_q + 4'd1;
          if (count_q == 4'd15) begin
            last_d  = padded_last;
            state_d = MessageRun;
          end
        end
      end
      MessageRun: begin
        start_valid = 1'b1;
        start_last  = last_q;
        if (start_ready) state_d = last_q ? (mac_q ? Outer : Result) : Message;
      end
      Outer: begin
        // The inner digest with its padding makes the outer block.
        core_digest_ready = 1'b1;
        fill_write        = core_digest_valid | (count_q > 4'd4);
        if (count_q <= 4'd4) begin
          fill_address = 4'd4 - count_q;
          fill_data    = core_digest;
        end else if (count_q == 4'd5) begin
          fill_data = 32'h80000000;
        end else if (count_q == 4'd15) begin
          fill_data = 32'd672;
        end
        if (fill_write) count_d = count_q + 4'd1;
        if (fill_write && count_q == 4'd15) state_d = LoadOuter;
      end
      LoadOuter: begin
        load_valid  = 1'b1;
        load_data   = outer_q[4];
        outer_shift = load_ready;
        if (load_ready) count_d = count_q + 4'd1;
        if (load_ready && count_q == 4'd4) begin
          count_d = '0;
          state_d = OuterRun;
        end
      end
      OuterRun: begin
        start_valid = 1'b1;
        if (start_ready) state_d = Result;
      end
      default: begin
        digest_valid_o    = core_digest_valid;
        core_digest_ready = digest_ready_i;
        if (core_digest_valid && digest_ready_i) begin
          count_d = count_q + 4'd1;
          if (count_q == 4'd4) begin
            count_d = '0;
            state_d = Idle;
          end
        end
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Wipe;
      count_q  <= '0;
      second_q <= 1'b0;
      mac_q    <= 1'b0;
      last_q   <= 1'b0;
    end else if (wipe_i) begin
      state_q  <= Wipe;
      count_q  <= '0;
      second_q <= 1'b0;
      mac_q    <= 1'b0;
      last_q   <= 1'b0;
    end else begin
      state_q  <= state_d;
      count_q  <= count_d;
      second_q <= second_d;
      mac_q    <= mac_d;
      last_q   <= last_d;
    end
  end

  // Words go in at index 0 and come out at index 4; while they are loaded into the core, they
  // rotate.
  always_ff @(posedge clk_i) begin
    if (inner_shift) begin
      inner_q <= {inner_q[3:0], (state_q == Wipe) ? 32'd0
                  : (state_q == KeyRun) ? core_digest : inner_q[4]};
    end
    if (outer_shift) begin
      outer_q <= {outer_q[3:0], (state_q == Wipe) ? 32'd0
                  : (state_q == KeyRun) ? core_digest : outer_q[4]};
    end
  end

`ifndef SYNTHESIS
  logic wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wiped_q <= 1'b0;
    end else begin
      wiped_q <= (state_q == Wipe) & (state_d == Idle) & ~wipe_i;
      assert (!wiped_q || (inner_q == '0 && outer_q == '0))
      else $error("chaining values not wiped");
    end
  end
`endif
endmodule
