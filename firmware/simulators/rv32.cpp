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
//                                                      instruction completes at that edge; a
//                                                      netlist has none (JM_GATES)
//
// With JM_GATES the core is a netlist of library cells (joulemark.hardware.gate.sink), the command
// line goes on, and the log has a line after the second mark of each pair:
//
//     rv32 IMAGE LARGEST_CORE_CYCLES TABLES PERIOD_PS [NETS FIRST_CLOCK CLOCKS ...]
//     window NUMBER READS WRITES REGISTER_READS REGISTER_WRITES LEAKAGE_J JOULES...
//
// with the accesses of the memory and of a register file outside the netlist between the two marks,
// and the joules by category. Then bus.h asks the memory only for what the core reads. The file
// NETS gets the words of all nets (nets.h), once for each slice in the low half of its first clock,
// with the inputs of that clock, and once for each of so many clocks after it. Slices lie between
// two marks of a pair, in the order of time; one may begin in the clock in which another ends.
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

#ifdef JM_GATES
#include "nets.h"
#include "sink.h"
#endif

// Flash at 0, RAM at 0x20000000, and the port of ports/memory_mapped.h, which programs only write.
class Memory {
  public:
    Memory(std::vector<uint8_t> flash, size_t ram_bytes)
        : flash_(std::move(flash)), ram_(ram_bytes) {}

    uint32_t read(uint32_t address) {
        uint32_t word = 0;
        accesses.reads++;
        for (uint32_t i = 0; i < 4; i++) word |= uint32_t{byte((address & ~3u) + i)} << (8 * i);
        return word;
    }

    void write(uint32_t address, uint32_t word, uint32_t lanes) {
        address &= ~3u;
        if (address >= PORT && address < PORT + 12) {
            on_port((address - PORT) / 4, word);
            return;
        }
        accesses.writes++;
        for (uint32_t i = 0; i < 4; i++)
            if (lanes >> i & 1 && address - RAM + i < ram_.size())
                ram_[address - RAM + i] = uint8_t(word >> (8 * i));
    }

    struct Accesses {
        uint64_t reads = 0, writes = 0, register_reads = 0, register_writes = 0;
    };

    uint64_t clocks = 0, instructions = 0;
    Accesses accesses;
    uint32_t marked = 0; // the mark of this clock; 0 for none
    bool ended = false;

  private:
    static constexpr uint32_t RAM = 0x20000000, PORT = 0x40000000;
    std::vector<uint8_t> flash_, ram_;

    uint8_t byte(uint32_t address) const {
        if (address < flash_.size()) return flash_[address];
        return address - RAM < ram_.size() ? ram_[address - RAM] : 0;
    }

    void on_port(uint32_t which, uint32_t value) {
        if (which == 0) {
            marked = value & 0xff;
            std::printf("mark %u %" PRIu64 " %" PRIu64 "\n", marked, clocks, instructions);
        } else if (which == 1)
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

#ifdef JM_GATES
// Writes the nets of slices of the run into a file, by the words of the command line, if any.
class Dump {
  public:
    Dump(char **words, int count) {
        if (count == 0) return;
        file_ = std::fopen(words[0], "wb");
        if (!file_) std::fprintf(stderr, "%s cannot be written\n", words[0]), std::exit(2);
        for (int i = 1; i + 1 < count; i += 2) {
            const uint64_t first = std::strtoull(words[i], nullptr, 10);
            slices_.push_back({first, first + std::strtoull(words[i + 1], nullptr, 10)});
        }
    }

    ~Dump() {
        if (file_) std::fclose(file_); // who reads it knows its size
    }

    // To be called in each clock of which the nets are known.
    void low(uint64_t clock, const uint64_t *nets) {
        while (at_ < slices_.size() && slices_[at_].last < clock) at_++;
        for (size_t i = at_; i < slices_.size() && slices_[i].first <= clock; i++)
            std::fwrite(nets, sizeof *nets, JM_NET_WORDS, file_);
    }

  private:
    struct Slice {
        uint64_t first, last;
    };

    std::FILE *file_ = nullptr;
    std::vector<Slice> slices_;
    size_t at_ = 0;
};

// Watches the netlist between the two marks of each pair, from falling edge to falling edge.
class Watch {
  public:
    Watch(const char *tables, const char *period, Dump &dump)
        : sink_(tables), period_ps_(std::strtoll(period, nullptr, 10)), dump_(dump) {}

    // To be called when the clock is low and the core evaluated.
    void low(Vcore &core, Memory &memory) {
        int64_t now_ps = int64_t(memory.clocks) * period_ps_;
        const bool watched = core.jm_watch;
        if (watched) look(core, now_ps);
        if (memory.marked) mark(core, memory, now_ps + JM_LATER_PS);
        if (watched || core.jm_watch) dump_.low(memory.clocks, nets_);
    }

    void high(Vcore &core, const Memory &memory) {
        // The clock that ends with this edge was counted already.
        if (core.jm_watch) look(core, int64_t(memory.clocks - 1) * period_ps_ + period_ps_ / 2);
    }

  private:
    Sink sink_;
    int64_t period_ps_;
    Dump &dump_;
    uint64_t nets_[JM_NET_WORDS];
    Memory::Accesses before_;

    void mark(Vcore &core, Memory &memory, int64_t now_ps) {
        core.jm_watch = memory.marked & 1;
        if (core.jm_watch) {
            core.eval();
            jm_nets(core, nets_);
            sink_.begin(nets_, now_ps);
            before_ = memory.accesses;
        } else {
            sink_.end(now_ps);
            tell(memory);
        }
        memory.marked = 0;
    }

    void look(Vcore &core, int64_t now_ps) {
        jm_nets(core, nets_);
        sink_.sample(nets_, now_ps);
    }

    void tell(const Memory &memory) const {
        const Memory::Accesses &now = memory.accesses;
        std::printf("window %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g",
                    memory.marked - 1, now.reads - before_.reads, now.writes - before_.writes,
                    now.register_reads - before_.register_reads,
                    now.register_writes - before_.register_writes, sink_.leakage_j);
        for (double joules : sink_.joules) std::printf(" %.17g", joules);
        std::printf("\n");
    }
};
#endif

int main(int argc, char **argv) {
#ifdef JM_GATES
    const char *const usage =
        "IMAGE LARGEST_CORE_CYCLES TABLES PERIOD_PS [NETS FIRST_CLOCK CLOCKS ...]";
    const int words = 5;
    const bool right = argc == words || (argc > words && argc % 2 == 0);
#else
    const char *const usage = "IMAGE LARGEST_CORE_CYCLES";
    const bool right = argc == 3;
#endif
    if (!right) {
        std::fprintf(stderr, "usage: rv32 %s\n", usage);
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
#ifdef JM_GATES
    Dump dump(argv + words, argc - words);
    Watch watch(argv[3], argv[4], dump);
#endif
    while (!memory.ended && memory.clocks < most) {
        core.JM_CLOCK = 0;
        jm_answer(core, memory);
#ifdef JM_GATES
        watch.low(core, memory);
#else
        memory.instructions += jm_completed(core);
#endif
        memory.clocks++;
        core.JM_CLOCK = 1, core.eval();
#ifdef JM_GATES
        watch.high(core, memory);
#endif
    }
    if (memory.ended)
        std::printf("end\n");
    else
        std::printf("crash no end within %" PRIu64 " core cycles\n", most);
    return memory.ended ? 0 : 1;
}
