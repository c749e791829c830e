// SPDX-License-Identifier: Apache-2.0
// SERV's two Wishbone buses: each request is acknowledged in the next clock, as by the memory of
// SERV's reference platform.
#define JM_CLOCK clk

struct Bus {
    bool acknowledged = false;
    uint32_t data = 0;
};
static Bus instructions, data;

// The register file of the netlist, which serv_rf_outside.v leaves to a RAM of 32-bit words.
#ifdef JM_GATES
static uint32_t registers[64], read_register;

static void answer_register_file(Vcore &core, Memory &memory) {
    if (core.o_rf_ren) {
        read_register = registers[core.o_rf_raddr];
        memory.accesses.register_reads++;
    }
    if (!core.o_rf_wen) return;
    registers[core.o_rf_waddr] = core.o_rf_wdata;
    memory.accesses.register_writes++;
}
#endif

static void jm_reset_core(Vcore &core, bool reset) {
    core.i_rst = reset;
    core.i_timer_irq = 0;
    core.i_ext_ready = 0;
    core.i_ibus_ack = core.i_dbus_ack = 0;
}

static void jm_answer(Vcore &core, Memory &memory) {
    core.i_ibus_ack = instructions.acknowledged;
    core.i_ibus_rdt = instructions.data;
    core.i_dbus_ack = data.acknowledged;
    core.i_dbus_rdt = data.data;
#ifdef JM_GATES
    core.i_rf_rdata = read_register;
    core.eval();
    answer_register_file(core, memory);
#else
    core.eval();
#endif
    instructions.acknowledged = core.o_ibus_cyc && !instructions.acknowledged;
    if (instructions.acknowledged) instructions.data = memory.read(core.o_ibus_adr);
    data.acknowledged = core.o_dbus_cyc && !data.acknowledged;
    if (!data.acknowledged) return;
    if (core.o_dbus_we)
        memory.write(core.o_dbus_adr, core.o_dbus_dat, core.o_dbus_sel);
    else
        data.data = memory.read(core.o_dbus_adr);
}

#ifndef JM_GATES
static bool jm_completed(Vcore &core) {
    return core.rvfi_valid;
}
#endif
