// SPDX-License-Identifier: Apache-2.0
// SERV's two Wishbone buses: each request is acknowledged in the next clock, as by the memory of
// SERV's reference platform.
#define JM_CLOCK clk

struct Bus {
    bool acknowledged = false;
    uint32_t data = 0;
};
static Bus instructions, data;

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
    core.eval();
    instructions.acknowledged = core.o_ibus_cyc && !instructions.acknowledged;
    if (instructions.acknowledged) instructions.data = memory.read(core.o_ibus_adr);
    data.acknowledged = core.o_dbus_cyc && !data.acknowledged;
    if (!data.acknowledged) return;
    data.data = memory.read(core.o_dbus_adr);
    if (core.o_dbus_we) memory.write(core.o_dbus_adr, core.o_dbus_dat, core.o_dbus_sel);
}

static bool jm_completed(Vcore &core) {
    return core.rvfi_valid;
}
