// SPDX-License-Identifier: Apache-2.0
//
// Ibex as a cell library gets it, in its default configuration: the core, its register file of
// flip-flops and the clock gate, joined as ibex_top joins them, without the inputs and outputs of
// what this configuration lacks (scrambled cache, lock step, integrity bits, alerts). ibex_top has
// a variable whose first value is a sum of nets, which slang in Yosys does not read. In SystemVerilog,
// as the sources are.
module ibex_plain import ibex_pkg::*; (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        test_en_i,
  input  logic [31:0] hart_id_i,
  input  logic [31:0] boot_addr_i,
  output logic        instr_req_o,
  input  logic        instr_gnt_i,
  input  logic        instr_rvalid_i,
  output logic [31:0] instr_addr_o,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,
  output logic        data_req_o,
  input  logic        data_gnt_i,
  input  logic        data_rvalid_i,
  output logic        data_we_o,
  output logic [3:0]  data_be_o,
  output logic [31:0] data_addr_o,
  output logic [31:0] data_wdata_o,
  input  logic [31:0] data_rdata_i,
  input  logic        data_err_i,
  input  logic        irq_software_i,
  input  logic        irq_timer_i,
  input  logic        irq_external_i,
  input  logic [14:0] irq_fast_i,
  input  logic        irq_nm_i,
  input  logic        debug_req_i,
  input  logic [3:0]  fetch_enable_i,
  output logic        core_sleep_o
);
  logic clk, clock_en, irq_pending, busy_q;
  ibex_mubi_t busy_d;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= busy_d[0];

  assign clock_en = busy_q | debug_req_i | irq_pending | irq_nm_i;
  assign core_sleep_o = ~clock_en;

  prim_clock_gating core_clock_gate_i (
    .clk_i(clk_i), .en_i(clock_en), .test_en_i(test_en_i), .clk_o(clk)
  );

  logic        rf_we;
  logic [4:0]  rf_raddr_a, rf_raddr_b, rf_waddr;
  logic [31:0] rf_rdata_a, rf_rdata_b, rf_wdata;
  logic [IC_TAG_SIZE-1:0]  ic_tag_rdata  [IC_NUM_WAYS];
  logic [IC_LINE_SIZE-1:0] ic_data_rdata [IC_NUM_WAYS];

  assign ic_tag_rdata  = '{default: '0};
  assign ic_data_rdata = '{default: '0};

  ibex_core u_ibex_core (
    .clk_i(clk), .rst_ni, .hart_id_i, .boot_addr_i,
    .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i, .instr_err_i,
    .data_req_o, .data_gnt_i, .data_rvalid_i, .data_we_o, .data_be_o, .data_addr_o,
    .data_wdata_o, .data_rdata_i, .data_err_i,
    .dummy_instr_id_o(), .dummy_instr_wb_o(),
    .rf_raddr_a_o(rf_raddr_a), .rf_raddr_b_o(rf_raddr_b), .rf_waddr_wb_o(rf_waddr),
    .rf_we_wb_o(rf_we), .rf_wdata_wb_ecc_o(rf_wdata),
    .rf_rdata_a_ecc_i(rf_rdata_a), .rf_rdata_b_ecc_i(rf_rdata_b),
    .ic_tag_req_o(), .ic_tag_write_o(), .ic_tag_addr_o(), .ic_tag_wdata_o(),
    .ic_tag_rdata_i(ic_tag_rdata), .ic_data_req_o(), .ic_data_write_o(), .ic_data_addr_o(),
    .ic_data_wdata_o(), .ic_data_rdata_i(ic_data_rdata), .ic_scr_key_valid_i(1'b1),
    .ic_scr_key_req_o(),
    .irq_software_i, .irq_timer_i, .irq_external_i, .irq_fast_i, .irq_nm_i,
    .irq_pending_o(irq_pending), .debug_req_i, .crash_dump_o(), .double_fault_seen_o(),
    .fetch_enable_i, .alert_minor_o(), .alert_major_internal_o(), .alert_major_bus_o(),
    .core_busy_o(busy_d)
  );

  ibex_register_file_ff register_file_i (
    .clk_i(clk), .rst_ni, .test_en_i, .dummy_instr_id_i(1'b0), .dummy_instr_wb_i(1'b0),
    .raddr_a_i(rf_raddr_a), .rdata_a_o(rf_rdata_a), .raddr_b_i(rf_raddr_b),
    .rdata_b_o(rf_rdata_b), .waddr_a_i(rf_waddr), .wdata_a_i(rf_wdata), .we_a_i(rf_we), .err_o()
  );
endmodule
