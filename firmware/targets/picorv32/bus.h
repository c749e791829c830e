// SPDX-License-Identifier: Apache-2.0
// PicoRV32's native memory interface: each request is answered in the same clock.
#define JM_CLOCK clk

static void jm_reset_core(Vcore &core, bool reset) {
    core.resetn = !reset;
    core.mem_ready = 0;
}

static void jm_answer(Vcore &core, Memory &memory) {
    core.mem_ready = core.mem_valid;
    if (core.mem_valid) {
        if (core.mem_wstrb)
            memory.write(core.mem_addr, core.mem_wdata, core.mem_wstrb);
        else
            core.mem_rdata = memory.read(core.mem_addr);
    }
    core.eval();
}

#ifndef JM_GATES
static bool jm_completed(Vcore &core) {
    return core.rvfi_valid;
}
#endif
