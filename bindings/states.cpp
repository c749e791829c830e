// SPDX-License-Identifier: Apache-2.0
// Key states and streams that Python holds. Both are wiped when Python deletes them.
#include "binding.h"
#include "common/secret.h"

namespace jm {
namespace {

const jm_mac_functions &mac_of(const Implementation &implementation) {
    if (!implementation.table->mac) throw nb::value_error("only a MAC has a key state");
    return *implementation.table->mac;
}

class KeyState {
  public:
    KeyState(const Implementation &implementation, const nb::bytes &key)
        : KeyState(implementation, data_of(key), key.size()) {}
    /* A caller can overwrite a bytearray afterwards, but not `bytes`. */
    KeyState(const Implementation &implementation, const nb::bytearray &key)
        : KeyState(implementation, static_cast<const uint8_t *>(key.data()), key.size()) {}
    KeyState(const KeyState &from)
        : implementation_(from.implementation_), memory_(from.mac().key_state_bytes) {
        from.require();
        check(mac().copy_key(table(), memory_.bytes, from.memory_.bytes), table());
        usable_ = true;
    }
    ~KeyState() { wipe(); }

    nb::bytes tag(const nb::bytes &message) const {
        require();
        uint8_t output[JM_OUTPUT_BYTES_MAX];
        check(mac().tag(table(), memory_.bytes, data_of(message), message.size(), output), table());
        return nb::bytes(output, table()->output_bytes);
    }
    void set_nonce(const nb::bytes &nonce) {
        require();
        if (!table()->nonce_bytes_max) throw nb::value_error("this algorithm takes no nonce");
        check(mac().set_nonce(table(), memory_.bytes, data_of(nonce), nonce.size()), table());
    }
    void wipe() {
        if (usable_) mac().wipe_key(table(), memory_.bytes);
        usable_ = false;
    }
    void require() const {
        if (!usable_) throw nb::value_error("this key has been wiped");
    }
    const jm_implementation *table() const { return implementation_.table; }
    const jm_mac_functions &mac() const { return *implementation_.table->mac; }
    const void *bytes() const { return memory_.bytes; }

  private:
    KeyState(const Implementation &implementation, const uint8_t *key, size_t key_bytes)
        : implementation_(implementation), memory_(mac_of(implementation).key_state_bytes) {
        check(mac().set_key(table(), memory_.bytes, key, key_bytes), table());
        usable_ = true;
    }

    Implementation implementation_;
    StateMemory memory_;
    bool usable_ = false;
};

/* A stream with a copy of the key, so that the caller may wipe the original meanwhile. */
class Stream {
  public:
    explicit Stream(const KeyState &key) : key_(key), memory_(key.mac().stream_bytes) {
        if (!key_.mac().stream_begin)
            throw nb::value_error("this implementation takes whole messages only");
        check(key_.mac().stream_begin(key_.table(), memory_.bytes, key_.bytes()), key_.table());
        open_ = true;
    }
    ~Stream() {
        if (open_) (void)key_.mac().stream_finish(key_.table(), memory_.bytes, nullptr);
    }
    Stream(const Stream &) = delete;

    void update(const nb::bytes &message) {
        require();
        check(
            key_.mac().stream_update(key_.table(), memory_.bytes, data_of(message), message.size()),
            key_.table());
    }
    nb::bytes finish() {
        require();
        open_ = false;
        uint8_t output[JM_OUTPUT_BYTES_MAX];
        check(key_.mac().stream_finish(key_.table(), memory_.bytes, output), key_.table());
        return nb::bytes(output, key_.table()->output_bytes);
    }

  private:
    void require() const {
        if (!open_) throw nb::value_error("this stream has ended");
    }
    KeyState key_;
    StateMemory memory_;
    bool open_ = false;
};

} // namespace

void bind_states(nb::module_ &module) {
    nb::class_<KeyState>(module, "KeyState")
        .def(nb::init<const Implementation &, const nb::bytes &>(), nb::arg("implementation"),
             nb::arg("key"))
        .def(nb::init<const Implementation &, const nb::bytearray &>(), nb::arg("implementation"),
             nb::arg("key"))
        .def("copy", [](const KeyState &self) { return new KeyState(self); })
        .def("set_nonce", &KeyState::set_nonce, nb::arg("nonce"))
        .def("tag", &KeyState::tag, nb::arg("message"))
        .def("wipe", &KeyState::wipe);
    nb::class_<Stream>(module, "Stream")
        .def(nb::init<const KeyState &>(), nb::arg("key"))
        .def("update", &Stream::update, nb::arg("message"))
        .def("finish", &Stream::finish);
    module.def(
        "equal_constant_time",
        [](const nb::bytes &a, const nb::bytes &b) {
            return a.size() == b.size() && jm_equal_ct(data_of(a), data_of(b), a.size());
        },
        nb::arg("a"), nb::arg("b"));
}

} // namespace jm
