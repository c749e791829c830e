// SPDX-License-Identifier: Apache-2.0
// Tags several messages in one call, each under a separate key.
#include <nanobind/stl/vector.h>

#include "binding.h"

namespace jm {
namespace {

/* Key states in one piece of memory; every state that was set up is wiped at the end, also after an
 * exception. */
class KeyStates {
  public:
    KeyStates(const jm_implementation *table, const std::vector<nb::bytes> &keys)
        : table_(table),
          stride_((table->mac->key_state_bytes / JM_STATE_ALIGN + 1) * JM_STATE_ALIGN),
          memory_(stride_ * keys.size()) {
        try {
            for (const nb::bytes &key : keys) {
                check(table->mac->set_key(table, state(count_), data_of(key), key.size()), table);
                count_++;
            }
        } catch (...) {
            wipe();
            throw;
        }
    }
    ~KeyStates() { wipe(); }
    KeyStates(const KeyStates &) = delete;
    KeyStates &operator=(const KeyStates &) = delete;
    void *state(size_t index) const {
        return static_cast<uint8_t *>(memory_.bytes) + index * stride_;
    }

  private:
    void wipe() {
        while (count_) table_->mac->wipe_key(table_, state(--count_));
    }

    const jm_implementation *table_;
    size_t stride_;
    StateMemory memory_;
    size_t count_ = 0;
};

nb::list tag_batch(const Implementation &implementation, const std::vector<nb::bytes> &keys,
                   const std::vector<nb::bytes> &messages) {
    const jm_implementation *table = implementation.table;
    if (!table->mac || !table->mac->tag_batch)
        throw nb::value_error("this implementation takes one message at a time");
    if (keys.size() != messages.size()) throw nb::value_error("one key for each message");
    const KeyStates states(table, keys);
    const size_t output_bytes = table->output_bytes;
    std::unique_ptr<uint8_t[]> tags(new uint8_t[messages.size() * output_bytes + 1]);
    std::vector<jm_mac_message> list;
    for (size_t i = 0; i < messages.size(); i++)
        list.push_back({states.state(i), data_of(messages[i]), messages[i].size(),
                        tags.get() + i * output_bytes});
    check(table->mac->tag_batch(table, list.data(), list.size()), table);
    nb::list made;
    for (size_t i = 0; i < messages.size(); i++)
        made.append(nb::bytes(tags.get() + i * output_bytes, output_bytes));
    return made;
}

} // namespace

void bind_batch(nb::module_ &module) {
    module.def("tag_batch", tag_batch, nb::arg("implementation"), nb::arg("keys"),
               nb::arg("messages"), "Tags of all messages, made by one call.");
}

} // namespace jm
