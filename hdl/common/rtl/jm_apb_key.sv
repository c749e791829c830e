// SPDX-License-Identifier: Apache-2.0
//
// A key port of 32 bits: APB registers (AMBA APB, ARM IHI 0024, APB4 without PPROT).
//
//   0x00 CONTROL  write: bit 0 LOAD hands the core the key, bit 1 WIPE wipes all, LOAD or not
//   0x04 STATUS   read:  bit 0 KEYED: the core has a key, bit 1 LOADING: a key waits for the core
//   0x08 SIZE     read:  bytes of a key
//   0x40 KEY      write: word i has the key's bytes 4 i to 4 i + 3, the first in bits [7:0]
//
// Key words cannot be read: reads of them, and of addresses that are not listed, give 0. The key's
// registers are zero after a reset, after a wipe, and once the core has the key, so that a shorter
// key that is written next has zeros behind it. There are no wait states. PSLVERR answers an
// address without a register, a write to a register that can only be read, and a write of a key
// word or LOAD while LOADING; these writes have no effect.
//
// A key that waits is offered to the core once no message is between the stream and the core, so
// that a message that has begun keeps its key. If the core has no key, the key is offered at once,
// and messages wait for it. `wipe_o` is high for two clocks, because some cores act on it one clock
// later.
module jm_apb_key #(
  parameter int unsigned KEY_BYTES = 16  // a multiple of 4, at most 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   psel_i,
  input  logic                   penable_i,
  input  logic                   pwrite_i,
  input  logic [7:0]             paddr_i,
  input  logic [31:0]            pwdata_i,
  input  logic [3:0]             pstrb_i,
  output logic                   pready_o,
  output logic [31:0]            prdata_o,
  output logic                   pslverr_o,

  output logic                   wipe_o,
  input  logic                   keyed_i,
  input  logic                   begun_i,      // `begun_o` of jm_axis_pack
  output logic                   key_valid_o,
  input  logic                   key_ready_i,
  output logic [8*KEY_BYTES-1:0] key_o         // first byte in bits [7:0]
);
  localparam int unsigned Words = KEY_BYTES / 4;
  localparam logic [7:0] Control = 8'h00, Status = 8'h04, Size = 8'h08, FirstKey = 8'h40;
  localparam logic [7:0] LastKey = FirstKey + 8'(4 * (Words - 1));

  logic [Words-1:0][3:0][7:0] key_q;
  logic loading_q, offered_q, wipe_q, wiped_q;
  logic access, write, is_control, is_key, is_read, wrong;

  assign access = psel_i && penable_i;
  assign is_control = paddr_i == Control;
  assign is_read = paddr_i == Status || paddr_i == Size;
  assign is_key = paddr_i >= FirstKey && paddr_i <= LastKey && paddr_i[1:0] == 2'b00;
  assign wrong = !(is_control || is_read || is_key) ||
                 (pwrite_i && (is_read || (loading_q && is_key) ||
                               (loading_q && is_control && pstrb_i[0] && pwdata_i[1:0] == 2'b01)));
  assign write = access && pwrite_i && !wrong;

  assign pready_o = 1'b1;
  assign pslverr_o = access && wrong;
  always_comb begin
    prdata_o = '0;
    if (access && !pwrite_i) begin
      if (paddr_i == Status) prdata_o = {30'd0, loading_q, keyed_i};
      if (paddr_i == Size) prdata_o = 32'(KEY_BYTES);
    end
  end

  assign wipe_o = wipe_q || wiped_q;
  assign key_valid_o = offered_q;
  assign key_o = key_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_q <= '0;
      loading_q <= 1'b0;
      offered_q <= 1'b0;
      wipe_q <= 1'b0;
      wiped_q <= 1'b0;
    end else begin
      wipe_q <= write && is_control && pstrb_i[0] && pwdata_i[1];
      wiped_q <= wipe_q;
      if (wipe_o || (key_valid_o && key_ready_i)) begin
        key_q <= '0;
        loading_q <= 1'b0;
        offered_q <= 1'b0;
      end else begin
        offered_q <= offered_q || (loading_q && (!begun_i || !keyed_i));
        if (write && is_control && pstrb_i[0] && pwdata_i[1:0] == 2'b01) loading_q <= 1'b1;
        if (write && is_key) begin
          for (int unsigned i = 0; i < Words; i++) begin
            for (int unsigned b = 0; b < 4; b++) begin
              if (paddr_i == FirstKey + 8'(4 * i) && pstrb_i[b]) key_q[i][b] <= pwdata_i[8*b+:8];
            end
          end
        end
      end
    end
  end

`ifndef SYNTHESIS
  logic taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= 1'b0;
    end else begin
      taken_q <= wipe_o || (key_valid_o && key_ready_i);
      if (taken_q) assert (key_q == '0 && !loading_q && !offered_q) else $error("key not wiped");
      if (penable_i) assert (psel_i) else $error("PENABLE without PSEL");
    end
  end
`endif
endmodule
