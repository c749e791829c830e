// SPDX-License-Identifier: Apache-2.0
//
// SERV as a cell library gets it: serv_rf_top of its sources with a register file of 32-bit words
// whose RAM is outside. SERV reads in every clock; here the two clocks after a request, in which it
// needs the two source registers, have a read enable, so that a RAM is idle in all others. Register
// x0 reads as 0, as in serv_rf_ram.
`default_nettype none
module serv_rf_outside (
  input  wire        clk,
  input  wire        i_rst,
  input  wire        i_timer_irq,
  output wire [31:0] o_ibus_adr,
  output wire        o_ibus_cyc,
  input  wire [31:0] i_ibus_rdt,
  input  wire        i_ibus_ack,
  output wire [31:0] o_dbus_adr,
  output wire [31:0] o_dbus_dat,
  output wire [3:0]  o_dbus_sel,
  output wire        o_dbus_we,
  output wire        o_dbus_cyc,
  input  wire [31:0] i_dbus_rdt,
  input  wire        i_dbus_ack,
  output wire [31:0] o_ext_rs1,
  output wire [31:0] o_ext_rs2,
  output wire [2:0]  o_ext_funct3,
  input  wire [31:0] i_ext_rd,
  input  wire        i_ext_ready,
  output wire        o_mdu_valid,
  // The register file: what is written and read at the rising edge.
  output wire [5:0]  o_rf_waddr,
  output wire [31:0] o_rf_wdata,
  output wire        o_rf_wen,
  output wire [5:0]  o_rf_raddr,
  output wire        o_rf_ren,
  input  wire [31:0] i_rf_rdata
);
  wire rf_wreq, rf_rreq, rf_ready, wen0, wen1, wdata0, wdata1, rdata0, rdata1;
  wire [5:0] wreg0, wreg1, rreg0, rreg1;
  reg first, second, zero;

  assign o_rf_ren = first | second;

  always @(posedge clk) begin
    first  <= rf_rreq;
    second <= first;
    if (o_rf_ren) zero <= o_rf_raddr == 6'd0;
  end

  serv_rf_ram_if #(.width(32), .reset_strategy("MINI"), .csr_regs(4)) rf_ram_if (
    .i_clk(clk), .i_rst(i_rst), .i_wreq(rf_wreq), .i_rreq(rf_rreq), .o_ready(rf_ready),
    .i_wreg0(wreg0), .i_wreg1(wreg1), .i_wen0(wen0), .i_wen1(wen1),
    .i_wdata0(wdata0), .i_wdata1(wdata1), .i_rreg0(rreg0), .i_rreg1(rreg1),
    .o_rdata0(rdata0), .o_rdata1(rdata1), .o_waddr(o_rf_waddr), .o_wdata(o_rf_wdata),
    .o_wen(o_rf_wen), .o_raddr(o_rf_raddr), .i_rdata(i_rf_rdata & {32{~zero}})
  );

  serv_top #(.RESET_PC(32'd0), .RESET_STRATEGY("MINI"), .WITH_CSR(1)) cpu (
    .clk(clk), .i_rst(i_rst), .i_timer_irq(i_timer_irq),
    .o_rf_rreq(rf_rreq), .o_rf_wreq(rf_wreq), .i_rf_ready(rf_ready),
    .o_wreg0(wreg0), .o_wreg1(wreg1), .o_wen0(wen0), .o_wen1(wen1),
    .o_wdata0(wdata0), .o_wdata1(wdata1), .o_rreg0(rreg0), .o_rreg1(rreg1),
    .i_rdata0(rdata0), .i_rdata1(rdata1),
    .o_ibus_adr(o_ibus_adr), .o_ibus_cyc(o_ibus_cyc), .i_ibus_rdt(i_ibus_rdt),
    .i_ibus_ack(i_ibus_ack), .o_dbus_adr(o_dbus_adr), .o_dbus_dat(o_dbus_dat),
    .o_dbus_sel(o_dbus_sel), .o_dbus_we(o_dbus_we), .o_dbus_cyc(o_dbus_cyc),
    .i_dbus_rdt(i_dbus_rdt), .i_dbus_ack(i_dbus_ack),
    .o_ext_funct3(o_ext_funct3), .i_ext_ready(i_ext_ready), .i_ext_rd(i_ext_rd),
    .o_ext_rs1(o_ext_rs1), .o_ext_rs2(o_ext_rs2), .o_mdu_valid(o_mdu_valid)
  );
endmodule
`default_nettype wire
