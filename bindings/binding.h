/* SPDX-License-Identifier: Apache-2.0
 * Shared by the binding's files, each of which registers one group of classes. The binding only
 * translates between Python and C. */
#ifndef JM_BINDING_H
#define JM_BINDING_H

#include <nanobind/nanobind.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "joulemark/kernel.h"
#include "python_objects.h"

namespace jm {

namespace nb = nanobind;

/* An implementation and the owner that keeps its table alive. */
struct Implementation {
    const jm_implementation *table;
    std::shared_ptr<void> owner;
};

/* Memory for a key or stream state: aligned, and at least JM_STATE_ALIGN bytes even for size 0. */
struct StateMemory {
    void *bytes;
    explicit StateMemory(size_t size)
        : bytes(std::aligned_alloc(JM_STATE_ALIGN, (size / JM_STATE_ALIGN + 1) * JM_STATE_ALIGN)) {
        if (!bytes) throw std::bad_alloc();
    }
    ~StateMemory() { std::free(bytes); }
    StateMemory(const StateMemory &) = delete;
    StateMemory &operator=(const StateMemory &) = delete;
};

inline const uint8_t *data_of(const nb::bytes &bytes) {
    return static_cast<const uint8_t *>(bytes.data());
}

/* Separates an implementation that does not take messages of some length from a failing one. */
struct MessageLength : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* Turns a status into ValueError, MemoryError, MessageLengthError or RuntimeError. */
void check(jm_status status, const jm_implementation *table);

/* Key lengths that the implementation takes, in words: "16 bytes". */
std::string key_lengths(const jm_implementation *table);

/* A counter's value, or None where the counter does not exist. */
nb::object counter(uint64_t value);

/* Whether Python code stands behind the implementation. */
bool is_python(const jm_implementation *self);

void bind_implementation(nb::module_ &module);
void bind_states(nb::module_ &module);
void bind_python_implementation(nb::module_ &module);
void bind_batch(nb::module_ &module);
void bind_check(nb::module_ &module);
void bind_loop(nb::module_ &module);
void bind_sessions(nb::module_ &module);
void bind_clocks(nb::module_ &module);
void bind_mac(nb::module_ &module);

} // namespace jm
#endif
