// SPDX-License-Identifier: Apache-2.0
// VexRiscv's two Wishbone buses, word by word: each request is answered in the same clock.
#ifndef JM_GATES
#include "Vcore_VexRiscv.h"
#endif

#define JM_CLOCK clk

static void jm_reset_core(Vcore &core, bool reset) {
    core.reset = reset;
    core.externalResetVector = 0;
    core.timerInterrupt = core.softwareInterrupt = 0;
    core.externalInterruptArray = 0;
    core.iBusWishbone_ACK = core.iBusWishbone_ERR = 0;
    core.dBusWishbone_ACK = core.dBusWishbone_ERR = 0;
}

static void jm_answer(Vcore &core, Memory &memory) {
    core.iBusWishbone_ACK = core.iBusWishbone_CYC && core.iBusWishbone_STB;
    if (core.iBusWishbone_ACK) core.iBusWishbone_DAT_MISO = memory.read(core.iBusWishbone_ADR << 2);
    core.dBusWishbone_ACK = core.dBusWishbone_CYC && core.dBusWishbone_STB;
    if (core.dBusWishbone_ACK && core.dBusWishbone_WE)
        memory.write(core.dBusWishbone_ADR << 2, core.dBusWishbone_DAT_MOSI, core.dBusWishbone_SEL);
    else if (core.dBusWishbone_ACK)
        core.dBusWishbone_DAT_MISO = memory.read(core.dBusWishbone_ADR << 2);
    core.eval();
}

#ifndef JM_GATES
static bool jm_completed(Vcore &core) {
    return core.VexRiscv->lastStageIsFiring;
}
#endif
