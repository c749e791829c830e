// SPDX-License-Identifier: Apache-2.0
//
// Runs one program of firmware/bench on the sources of a RISC-V core that Verilator compiled, and
// writes the log that simavr.c's header describes:
//
//     rv32 IMAGE LARGEST_CORE_CYCLES
//
// IMAGE is the flash, from address 0. The target's bus.h answers the core's bus and says when an
// instruction completes:
//
//     void jm_reset_core(Vcore &core, bool reset)      inputs that never change, and the reset
//     void jm_answer(Vcore &core, Memory &memory)      called with the clock just set low: sets the
//                                                      memory's answers in this clock and evaluates
//                                                      the core with them
//     bool jm_completed(Vcore &core)                   called before the rising edge: whether an
//                                                      instruction completes at that edge
//
// Verilator locks and unlocks in each evaluation, which took 40 % of SERV's time with four
// evaluations in a clock (Verilator 5, g++ -O2, Nov 2026): so no clock has more evaluations than
// its bus needs.
#include "Vcore.h"
#include "verilated.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Flash at 0, RAM at 0x20000000, and the port of ports/memory_mapped.h, which programs only write.
class Memory {
  public:
    Memory(std::vector<uint8_t> flash, size_t ram_bytes)
        : flash_(std::move(flash)), ram_(ram_bytes) {}

    uint32_t read(uint32_t address) const {
        uint32_t word = 0;
        for (uint32_t i = 0; i < 4; i++) word |= uint32_t{byte((address & ~3u) + i)} << (8 * i);
        return word;
    }

    void write(uint32_t address, uint32_t word, uint32_t lanes) {
        address &= ~3u;
        if (address >= PORT && address < PORT + 12) {
            on_port((address - PORT) / 4, word);
            return;
        }
        for (uint32_t i = 0; i < 4; i++)
            if (lanes >> i & 1 && address - RAM + i < ram_.size())
                ram_[address - RAM + i] = uint8_t(word >> (8 * i));
    }

    uint64_t clocks = 0, instructions = 0;
    bool ended = false;

  private:
    static constexpr uint32_t RAM = 0x20000000, PORT = 0x40000000;
    std::vector<uint8_t> flash_, ram_;

    uint8_t byte(uint32_t address) const {
        if (address < flash_.size()) return flash_[address];
        return address - RAM < ram_.size() ? ram_[address - RAM] : 0;
    }

    void on_port(uint32_t which, uint32_t value) {
        if (which == 0)
            std::printf("mark %u %" PRIu64 " %" PRIu64 "\n", value & 0xff, clocks, instructions);
        else if (which == 1)
            std::printf("byte %u\n", value & 0xff);
        else
            ended = true;
    }
};

#include "bus.h"

// Verilator needs this function to link; no code here uses the time.
double sc_time_stamp() {
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: rv32 IMAGE LARGEST_CORE_CYCLES\n");
        return 2;
    }
    std::vector<uint8_t> flash;
    if (std::FILE *file = std::fopen(argv[1], "rb")) {
        for (int c; (c = std::fgetc(file)) != EOF;) flash.push_back(uint8_t(c));
        std::fclose(file);
    }
    const uint64_t most = std::strtoull(argv[2], nullptr, 10);
    Memory memory(std::move(flash), JM_RAM_BYTES);
    VerilatedContext context;
    Vcore core(&context);
    for (int i = 0; i < 16; i++) {
        jm_reset_core(core, true);
        core.JM_CLOCK = 0, core.eval();
        core.JM_CLOCK = 1, core.eval();
    }
    jm_reset_core(core, false);
    while (!memory.ended && memory.clocks < most) {
        core.JM_CLOCK = 0;
        jm_answer(core, memory);
        memory.instructions += jm_completed(core);
        memory.clocks++;
        core.JM_CLOCK = 1, core.eval();
    }
    if (memory.ended)
        std::printf("end\n");
    else
        std::printf("crash no end within %" PRIu64 " core cycles\n", most);
    return memory.ended ? 0 : 1;
}
