// SPDX-License-Identifier: Apache-2.0
//
// Adds up the joules of every toggle of a netlist, and its leakage, while Verilator simulates it.
//
// joulemark.hardware.gate.sink writes the tables; the sums are those of
// joulemark.hardware.gate.power, whose rules hold here: a net's energy by toggle, a pin's by the
// state of its cell and the input that changed last. At one moment the nets of the clock network
// change first and all others JM_LATER_PS later, as in the gate-level runs of joulemark.hardware.
#ifndef JM_SINK_H
#define JM_SINK_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { JM_LATER_PS = 1 };

class Sink {
  public:
    // Reads the tables from a file; ends the program if there is none.
    explicit Sink(const char *path) {
        std::FILE *file = std::fopen(path, "rb");
        if (!file) std::fprintf(stderr, "%s cannot be read\n", path), std::exit(2);
        const std::vector<int32_t> sizes = read<int32_t>(file);
        joules.assign(size_t(sizes[0]), 0.0);
        trees_ = size_t(sizes[0]) - 1;
        net_j_ = read<double>(file), tree_j_ = read<double>(file);
        net_category_ = read<int32_t>(file);
        clocks_ = read<uint64_t>(file);
        first_pin_ = read<int32_t>(file), pin_cell_ = read<int32_t>(file);
        pin_number_ = read<int32_t>(file);
        for (int32_t i = 0; i < sizes[1]; i++) kinds_.push_back(read_kind(file));
        const std::vector<int32_t> kind = read<int32_t>(file), from = read<int32_t>(file);
        energy_j_ = read<double>(file);
        std::fclose(file);
        size_t causes = 0;
        for (size_t i = 0; i < kind.size(); i++) {
            cells_.push_back({&kinds_[size_t(kind[i])], size_t(from[i]), causes, 0, 0, 0});
            causes += kinds_[size_t(kind[i])].pins();
        }
        causes_.assign(causes, 0);
    }

    std::vector<double> joules; // since begin, by category
    double leakage_j = 0;       // since begin

    // A window begins, in which the nets have these values: bit i of the words is net i.
    void begin(const uint64_t *words, int64_t time_ps) {
        before_.assign(words, words + clocks_.size());
        joules.assign(joules.size(), 0.0);
        leakage_j = 0;
        for (Cell &cell : cells_) {
            cell.state = cell.changed = 0, cell.since_ps = time_ps;
            for (size_t pin = 0; pin < cell.kind->pins(); pin++)
                causes_[cell.causes + pin] = cell.kind->first_related[pin];
        }
        for (size_t net = 0; net + 1 < first_pin_.size(); net++)
            if (words[net / 64] >> (net % 64) & 1)
                for (size_t at = from(net); at < from(net + 1); at++)
                    cells_[size_t(pin_cell_[at])].state |= 1u << pin_number_[at];
    }

    // The nets now have these values.
    void sample(const uint64_t *words, int64_t time_ps) {
        pass<true>(words, time_ps);
        pass<false>(words, time_ps + JM_LATER_PS);
        before_.assign(words, words + clocks_.size());
    }

    void end(int64_t time_ps) {
        for (Cell &cell : cells_) leak(cell, time_ps);
    }

  private:
    struct Kind {
        std::vector<int32_t> order, is_output, category, input_slot, output_slot, feeds;
        std::vector<int32_t> first_related;
        std::vector<double> leakage_w;

        size_t pins() const { return order.size(); }
    };

    struct Cell {
        const Kind *kind;
        size_t energies, causes;
        int64_t since_ps;
        uint32_t state, changed;
    };

    std::vector<double> net_j_, tree_j_, energy_j_;
    std::vector<int32_t> net_category_, first_pin_, pin_cell_, pin_number_, causes_;
    std::vector<uint64_t> clocks_, before_;
    std::vector<Kind> kinds_;
    std::vector<Cell> cells_;
    std::vector<int32_t> touched_;
    size_t trees_;

    template <class T> static std::vector<T> read(std::FILE *file) {
        uint64_t count = 0;
        if (std::fread(&count, sizeof count, 1, file) != 1) std::exit(2);
        std::vector<T> values(count);
        if (count && std::fread(values.data(), sizeof(T), count, file) != count) std::exit(2);
        return values;
    }

    static Kind read_kind(std::FILE *file) {
        Kind kind;
        for (auto *field : {&kind.order, &kind.is_output, &kind.category, &kind.input_slot,
                            &kind.output_slot, &kind.feeds, &kind.first_related})
            *field = read<int32_t>(file);
        kind.leakage_w = read<double>(file);
        return kind;
    }

    size_t from(size_t net) const { return size_t(first_pin_[net]); }

    void leak(Cell &cell, int64_t time_ps) {
        leakage_j += cell.kind->leakage_w[cell.state] * double(time_ps - cell.since_ps) * 1e-12;
        cell.since_ps = time_ps;
    }

    // Takes the changes of the clock network, or those of all other nets.
    template <bool Clocks> void pass(const uint64_t *words, int64_t time_ps) {
        touched_.clear();
        for (size_t word = 0; word < clocks_.size(); word++) {
            uint64_t changed = words[word] ^ before_[word];
            changed &= Clocks ? clocks_[word] : ~clocks_[word];
            for (; changed; changed &= changed - 1)
                toggle(word * 64 + size_t(__builtin_ctzll(changed)));
        }
        for (int32_t index : touched_) settle(cells_[size_t(index)], time_ps);
    }

    void toggle(size_t net) {
        joules[size_t(net_category_[net])] += net_j_[net];
        joules[trees_] += tree_j_[net];
        for (size_t at = from(net); at < from(net + 1); at++) {
            Cell &cell = cells_[size_t(pin_cell_[at])];
            if (!cell.changed) touched_.push_back(pin_cell_[at]);
            cell.changed |= 1u << pin_number_[at];
        }
    }

    // The pins of a cell change one after another, in the order of their ranks.
    void settle(Cell &cell, int64_t time_ps) {
        const Kind &kind = *cell.kind;
        const size_t pins = kind.pins(), states = size_t{1} << pins;
        leak(cell, time_ps);
        for (int32_t number : kind.order) {
            if (!(cell.changed >> number & 1)) continue;
            const size_t pin = size_t(number);
            cell.state ^= 1u << pin;
            for (uint32_t fed = uint32_t(kind.feeds[pin]); fed; fed &= fed - 1)
                causes_[cell.causes + size_t(__builtin_ctz(fed))] = number;
            const size_t cause = size_t(causes_[cell.causes + pin]);
            const int32_t slot = kind.is_output[pin]
                                     ? kind.output_slot[(pin * pins + cause) * states + cell.state]
                                     : kind.input_slot[pin * states + cell.state];
            const size_t edge = cell.state >> pin & 1;
            joules[size_t(kind.category[pin])] +=
                energy_j_[cell.energies + size_t(slot) * 2 + edge];
        }
        cell.changed = 0;
    }
};

#endif
