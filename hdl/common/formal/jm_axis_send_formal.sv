// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `jm_axis_send` with 16-bit beats and 6-byte tags: the rules of AXI-Stream hold at
// all times, even during a wipe, and the right packets come out.
//
// Open: when parts come and beats are taken, the data, when a wipe comes, whether a tag ends its
// packet, when a packet ends badly.
module jm_axis_send_formal #(
  parameter int unsigned LAST_FIRST = 0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        wipe_i,
  input logic        tag_valid_i,
  input logic [0:0]  tag_index_i,
  input logic [23:0] tag_i,
  input logic        tag_last_i,
  input logic        tag_bad_i,
  input logic        m_axis_tready_i
);
  // Reset is active in the first clock alone.
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);

  logic        tag_ready, m_axis_tvalid, m_axis_tlast, m_axis_tuser;
  logic [15:0] m_axis_tdata;
  logic [1:0]  m_axis_tkeep;

  // A tag of six bytes in two parts: three beats.
  jm_axis_send #(
    .DATA_BITS(16), .TAG_BYTES(6), .PART_BYTES(3), .LAST_FIRST(LAST_FIRST)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i, .tag_valid_i, .tag_ready_o(tag_ready), .tag_index_i, .tag_i,
    .tag_last_i, .tag_bad_i, .m_axis_tvalid_o(m_axis_tvalid), .m_axis_tready_i,
    .m_axis_tdata_o(m_axis_tdata), .m_axis_tkeep_o(m_axis_tkeep), .m_axis_tlast_o(m_axis_tlast),
    .m_axis_tuser_o(m_axis_tuser)
  );

  // AXI-Stream has no wipe: an offer stays whatever happens.
  jm_stream_check #(.WIDTH(20)) u_out (
    .clk_i, .rst_ni, .wipe_i(1'b0), .valid_i(m_axis_tvalid), .ready_i(m_axis_tready_i),
    .data_i({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser})
  );

  // Of a tag that is not whole: the parts that came, in order. Of a whole tag: its bytes, and
  // whether its packet ends with it. A wipe forgets parts.
  logic        takes, part_q, ends_q;
  logic [23:0] parts_q;
  logic [47:0] bytes_q;
  assign takes = tag_valid_i && tag_ready;
  always_comb begin : p_core
    if (part_q && tag_valid_i) assume (!tag_bad_i);
    if (LAST_FIRST == 0 && tag_valid_i && !tag_bad_i) assume (tag_index_i == part_q);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_parts
    if (!rst_ni) begin
      part_q <= 1'b0;
      ends_q <= 1'b0;
      parts_q <= '0;
      bytes_q <= '0;
    end else if (wipe_i) begin
      part_q <= 1'b0;
    end else if (takes && !tag_bad_i) begin
      part_q <= !part_q;
      parts_q <= tag_i;
      if (part_q) begin
        ends_q <= tag_last_i;
        bytes_q <= (LAST_FIRST != 0) ? {parts_q, tag_i} : {tag_i, parts_q};
      end
    end
  end

  // A tag is three full beats, with its bytes; TLAST stands with the third alone, and only if the
  // packet ends with that tag. A packet that was cut ends with TUSER, after a wipe or a bad end.
  logic [1:0] beats_q;
  logic       leaves, inside_q, bad_q;
  assign leaves = m_axis_tvalid && m_axis_tready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_beats
    if (!rst_ni) begin
      beats_q <= '0;
      inside_q <= 1'b0;
      bad_q <= 1'b0;
    end else begin
      if (leaves) beats_q <= (m_axis_tlast || beats_q == 2'd2) ? '0 : beats_q + 2'd1;
      if (leaves) inside_q <= !m_axis_tlast;
      // A packet is bad if its end came bad, or if a wipe came while it was going out.
      if (leaves && m_axis_tlast) bad_q <= 1'b0;
      else if (takes && tag_bad_i && !wipe_i) bad_q <= 1'b1;
      else if (wipe_i) bad_q <= m_axis_tvalid || inside_q;
    end
  end
  always_comb begin : p_tags
    if (rst_ni && m_axis_tvalid) begin
      if (m_axis_tuser) begin
        assert (m_axis_tlast && m_axis_tkeep == '0 && m_axis_tdata == '0 && bad_q);
      end else begin
        assert (m_axis_tlast == (beats_q == 2'd2 && ends_q) && m_axis_tkeep == '1);
        assert (m_axis_tdata == bytes_q[16*beats_q+:16]);
      end
    end
    // The end of a bad packet is offered at once, or right behind the beat that is offered.
    if (rst_ni && bad_q) assert (m_axis_tvalid);
    if (rst_ni) begin
      assert (beats_q <= 2'd2);
      assert (u_send.sending_q || beats_q == '0);
      assert (inside_q || beats_q == '0);
      if (!u_send.sending_q) assert (u_send.open_q == inside_q);
      if (u_send.open_q) assert (inside_q);
      assert (bad_q == (u_send.wiped_q || u_send.cut_q));
      if (u_send.sending_q) assert (!part_q);
      else assert (u_send.count_q == {1'b0, part_q});
      if (u_send.sending_q && !u_send.cut_q) begin
        assert (u_send.count_q == beats_q && u_send.more_q == !ends_q);
        assert (u_send.last_q == (beats_q == 2'd2 && ends_q));
        if (!u_send.wiped_q) assert (u_send.data_q == bytes_q >> (16 * beats_q));
      end
      if (u_send.cut_q) assert (u_send.sending_q && u_send.last_q && u_send.data_q == '0);
      if (u_send.wiped_q) assert (u_send.sending_q && u_send.data_q[47:16] == '0);
      if (!u_send.sending_q) assert (!u_send.last_q);
      if (part_q) begin
        assert (u_send.data_q == 48'(parts_q) << ((LAST_FIRST != 0) ? 24 : 0));
      end else if (!u_send.sending_q) begin
        assert (u_send.data_q == '0);
      end
    end
  end

  // States that must be reachable: the end of a whole tag; a tag that a wipe cuts; a packet of more
  // than one tag, cut between two tags; and a packet that is nothing but a bad end.
  always_comb begin : p_reached
    cover (rst_ni && m_axis_tvalid && m_axis_tlast && !m_axis_tuser);
    cover (rst_ni && m_axis_tvalid && m_axis_tuser && beats_q == 2'd2);
    cover (rst_ni && m_axis_tvalid && m_axis_tuser && beats_q == '0 && inside_q);
    cover (rst_ni && m_axis_tvalid && m_axis_tuser && !inside_q);
  end
endmodule
