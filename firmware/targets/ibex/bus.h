// SPDX-License-Identifier: Apache-2.0
// Ibex's two memory interfaces: each request is granted at once and answered in the next clock.
#define JM_CLOCK clk_i

struct Answer {
    bool due = false;
    uint32_t data = 0;
};
static Answer instructions, data;

static void jm_reset_core(Vcore &core, bool reset) {
    core.rst_ni = !reset;
    core.test_en_i = 0;
    core.hart_id_i = 0, core.boot_addr_i = 0; // the core begins at boot_addr_i + 0x80
    core.fetch_enable_i = 5;                  // ibex_pkg::IbexMuBiOn
    core.irq_software_i = core.irq_timer_i = core.irq_external_i = core.irq_nm_i = 0;
    core.irq_fast_i = 0, core.debug_req_i = 0;
    core.instr_err_i = core.data_err_i = 0;
    core.instr_gnt_i = core.data_gnt_i = 0;
    core.instr_rvalid_i = core.data_rvalid_i = 0;
#ifndef JM_GATES
    core.scan_rst_ni = 1, core.scramble_key_valid_i = 0;
#endif
}

static void jm_answer(Vcore &core, Memory &memory) {
    core.instr_rvalid_i = instructions.due;
    core.instr_rdata_i = instructions.data;
    core.data_rvalid_i = data.due;
    core.data_rdata_i = data.data;
    core.eval();
    core.instr_gnt_i = instructions.due = core.instr_req_o;
    if (instructions.due) instructions.data = memory.read(core.instr_addr_o);
    core.data_gnt_i = data.due = core.data_req_o;
    if (data.due) {
        if (core.data_we_o)
            memory.write(core.data_addr_o, core.data_wdata_o, core.data_be_o);
        else
            data.data = memory.read(core.data_addr_o);
    }
    core.eval();
}

#ifndef JM_GATES
static bool jm_completed(Vcore &core) {
    return core.rvfi_valid;
}
#endif
