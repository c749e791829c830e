/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of joulemark.mac. The GIL guards every count and flag here. */
#ifndef JM_BINDING_MAC_H
#define JM_BINDING_MAC_H

#include <cstdint>
#include <string>
#include <unordered_set>

#include "binding.h"
#include "joulemark/mac.h"

namespace jm {

/* Bytes that another object owns. */
struct Piece {
    const uint8_t *bytes;
    size_t count;
};

/* A Python object's memory, exported to us: it cannot move or be freed while the view lives. */
class View {
  public:
    /* `flags` of PyObject_GetBuffer; `name` is the argument's, for errors. */
    View(nb::handle from, int flags, const char *name);
    ~View() { PyBuffer_Release(&buffer_); }
    View(const View &) = delete;
    View &operator=(const View &) = delete;

    const Py_buffer &buffer() const { return buffer_; }
    Piece piece() const {
        return {static_cast<const uint8_t *>(buffer_.buf), static_cast<size_t>(buffer_.len)};
    }

  private:
    Py_buffer buffer_;
};

/* Turns the error of a failed PyObject_GetBuffer into one sentence about `name`. */
[[noreturn]] void raise_buffer_error(nb::handle from, const std::string &name);

/* A key, read by any number of threads at once. */
class MacKey {
  public:
    MacKey(nb::handle algorithm, nb::handle secret, bool variable_time);
    ~MacKey() { close(); }
    MacKey(const MacKey &) = delete;
    MacKey &operator=(const MacKey &) = delete;

    const jm_mac *mac() const { return mac_; }
    bool closed() const { return closed_; }
    /* Erases the key now, or when the last thread that uses the key has finished. */
    void close() {
        closed_ = true;
        if (!users_) erase();
    }
    /* Between begin_use and end_use the key stays in memory, also while the GIL is released. */
    const jm_mac_key *begin_use() {
        if (closed_) throw nb::value_error("this key has been closed");
        users_++;
        return key_;
    }
    void end_use() {
        if (!--users_ && closed_) erase();
    }

  private:
    void erase() {
        jm_mac_key_free(mac_, key_);
        key_ = nullptr;
    }

    const jm_mac *mac_;
    jm_mac_key *key_ = nullptr;
    size_t users_ = 0;
    bool closed_ = false;

  public:
    /* Nonces that the caller has passed to `tag`. */
    std::unordered_set<std::string> used_nonces;
};

class KeyUse {
  public:
    explicit KeyUse(MacKey &owner) : owner_(owner), key(owner.begin_use()) {}
    ~KeyUse() { owner_.end_use(); }
    KeyUse(const KeyUse &) = delete;
    KeyUse &operator=(const KeyUse &) = delete;

  private:
    MacKey &owner_;

  public:
    const jm_mac_key *const key;
};

/* The length in bytes that tags must have: `asked`, or the length of whole tags for None. TypeError
 * unless `asked` is a whole number, ValueError unless tags of this length are accepted. */
size_t tag_bytes_of(const jm_mac *mac, nb::handle asked);

void bind_mac_batch(nb::module_ &module);

} // namespace jm
#endif
