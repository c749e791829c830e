// SPDX-License-Identifier: Apache-2.0
//
// Sends a core's tags, digests or blocks as packets of AXI-Stream beats, first byte in TDATA[7:0].
//
// A tag comes whole or in parts and leaves when it is whole; the next tag comes when it has left.
// TKEEP is full, except in the last beat of a tag that is no multiple of a beat. `tag_last_i` 1
// ends the packet with this tag. Otherwise the packet goes on with the next tag: tags are then
// blocks of a longer result, and each is a multiple of a beat.
//
// `wipe_i` forgets the tag, except the beat that is offered, since AXI allows no offer to be
// withdrawn. If more beats were to follow, the packet ends with a beat without bytes, with TLAST
// and TUSER; `tag_bad_i` ends it in the same way. TUSER is 0 on all other beats, so a packet that
// ends with TUSER 1 is no whole result.
//
// Moments: all outputs are registers.
module jm_axis_send #(
  parameter int unsigned DATA_BITS = 32,   // bits of TDATA, a multiple of 8
  parameter int unsigned TAG_BYTES = 16,
  parameter int unsigned PART_BYTES = 16,  // divides TAG_BYTES
  parameter int unsigned FIRST_HIGH = 0,   // 1: a part's first byte is in its highest bits
  parameter int unsigned LAST_FIRST = 0,   // 1: parts come last first, without an index
  localparam int unsigned BeatBytes = DATA_BITS / 8,
  localparam int unsigned Beats = (TAG_BYTES + BeatBytes - 1) / BeatBytes,
  localparam int unsigned Parts = TAG_BYTES / PART_BYTES,
  localparam int unsigned IndexBits = (Parts > 1) ? $clog2(Parts) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    wipe_i,

  input  logic                    tag_valid_i,
  output logic                    tag_ready_o,
  input  logic [IndexBits-1:0]    tag_index_i,  // the part's index; any order, each once
  input  logic [8*PART_BYTES-1:0] tag_i,
  input  logic                    tag_last_i,   // with a tag's last part: ends the packet
  input  logic                    tag_bad_i,    // instead of a tag: ends the packet, with TUSER

  output logic                    m_axis_tvalid_o,
  input  logic                    m_axis_tready_i,
  output logic [DATA_BITS-1:0]    m_axis_tdata_o,
  output logic [BeatBytes-1:0]    m_axis_tkeep_o,
  output logic                    m_axis_tlast_o,
  output logic                    m_axis_tuser_o   // with TLAST: the packet was cut short
);
  localparam int unsigned CountBits = $clog2((Beats > Parts ? Beats : Parts) + 1);
  localparam int unsigned RestBytes = TAG_BYTES - (Beats - 1) * BeatBytes;
  localparam logic [BeatBytes-1:0] RestKeep = {BeatBytes{1'b1}} >> (BeatBytes - RestBytes);

  logic [8*Beats*BeatBytes-1:0] data_q;
  logic [8*PART_BYTES-1:0] part;
  logic [CountBits-1:0] count_q;  // parts that came; then beats that left
  logic [IndexBits-1:0] place;
  logic sending_q, last_q, cut_q;
  logic more_q;                   // the packet goes on with another tag
  logic open_q;                   // the packet waits for its next tag; all before have left
  logic beat, left;

  assign beat = m_axis_tvalid_o && m_axis_tready_i;
  assign left = beat && m_axis_tlast_o;
  assign tag_ready_o = !sending_q;
  assign m_axis_tvalid_o = sending_q;
  assign m_axis_tdata_o = data_q[DATA_BITS-1:0];
  assign m_axis_tlast_o = last_q;
  assign m_axis_tkeep_o = cut_q ? '0 : last_q ? RestKeep : '1;
  assign m_axis_tuser_o = cut_q;

  for (genvar b = 0; b < PART_BYTES; b++) begin : gen_byte
    localparam int unsigned Lane = (FIRST_HIGH != 0) ? PART_BYTES - 1 - b : b;
    assign part[8*b+:8] = tag_i[8*Lane+:8];
  end

  if (LAST_FIRST != 0) begin : gen_last_first
    logic unused;
    assign unused = ^tag_index_i;
    assign place = IndexBits'(CountBits'(Parts - 1) - count_q);
  end else begin : gen_index
    assign place = tag_index_i;
  end

  // A wipe lets the offered beat stand: `wiped_q` says that the cut follows this beat.
  logic wiped_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_q <= '0;
      count_q <= '0;
      sending_q <= 1'b0;
      last_q <= 1'b0;
      cut_q <= 1'b0;
      wiped_q <= 1'b0;
      more_q <= 1'b0;
      open_q <= 1'b0;
    end else begin
      if (left) begin
        sending_q <= 1'b0;
        last_q <= 1'b0;
        cut_q <= 1'b0;
        wiped_q <= 1'b0;
        count_q <= '0;
        data_q <= '0;
        open_q <= 1'b0;
      end else if (beat && (wiped_q || wipe_i)) begin
        cut_q <= 1'b1;
        last_q <= 1'b1;
        data_q <= '0;
      end else if (beat && more_q && count_q == CountBits'(Beats - 1)) begin
        sending_q <= 1'b0;
        open_q <= 1'b1;
        count_q <= '0;
        data_q <= '0;
      end else if (beat) begin
        last_q <= !more_q && count_q == CountBits'(Beats - 2);
        count_q <= count_q + CountBits'(1);
        data_q <= data_q >> DATA_BITS;
      end else if (sending_q) begin
        if (wipe_i) begin
          wiped_q <= 1'b1;
          data_q <= {{(8*Beats*BeatBytes-DATA_BITS){1'b0}}, data_q[DATA_BITS-1:0]};
        end
      end else if (wipe_i || (tag_valid_i && tag_bad_i)) begin
        count_q <= '0;
        data_q <= '0;
        sending_q <= open_q || !wipe_i;
        last_q <= open_q || !wipe_i;
        cut_q <= open_q || !wipe_i;
      end else if (tag_valid_i) begin
        for (int unsigned i = 0; i < Parts; i++) begin
          if (place == IndexBits'(i)) data_q[8*PART_BYTES*i+:8*PART_BYTES] <= part;
        end
        if (count_q == CountBits'(Parts - 1)) begin
          count_q <= '0;
          sending_q <= 1'b1;
          last_q <= Beats == 1 && tag_last_i;
          more_q <= !tag_last_i;
        end else begin
          count_q <= count_q + CountBits'(1);
        end
      end
    end
  end

`ifndef SYNTHESIS
  // An offer stays as it is until it is taken, whatever else happens.
  logic offered_q;
  logic [DATA_BITS+BeatBytes+1:0] offer_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offered_q <= 1'b0;
      offer_q <= '0;
    end else begin
      offered_q <= m_axis_tvalid_o && !m_axis_tready_i;
      offer_q <= {m_axis_tdata_o, m_axis_tkeep_o, m_axis_tlast_o, m_axis_tuser_o};
      if (offered_q) begin
        assert (m_axis_tvalid_o &&
                offer_q == {m_axis_tdata_o, m_axis_tkeep_o, m_axis_tlast_o, m_axis_tuser_o})
        else $error("an offered beat changed before it was taken");
      end
      if (!sending_q) assert (!last_q && !cut_q && !wiped_q);
      // No bits of a tag are left after its packet, nor behind the beat that a wipe lets stand.
      if (!sending_q && count_q == '0) assert (data_q == '0) else $error("tag not wiped");
      if (tag_valid_i && tag_ready_o && tag_bad_i) assert (count_q == '0);
      if (wiped_q) assert (data_q >> DATA_BITS == '0) else $error("rest of a tag not wiped");
    end
  end
`endif
endmodule
