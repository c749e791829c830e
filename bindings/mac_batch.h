/* SPDX-License-Identifier: Apache-2.0
 * The inputs of a batch, in each form in which Python callers pass them.
 *
 * Objects that Python code may change (lists and their items) are read with the GIL, block by
 * block: hold() takes references to at most BLOCK items, let_go() releases them. Plain memory is
 * read without the GIL, slice by slice. Both read each length and each offset once and check the
 * value read, since another thread may be writing it. */
#ifndef JM_BINDING_MAC_BATCH_H
#define JM_BINDING_MAC_BATCH_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mac.h"

namespace jm {

/* Most items of a list held at once: the GIL changes hands seldom, and the items stay in L2. */
constexpr size_t BLOCK = 4096;

/* Memory as rows of equal length at equal distances. */
struct Rows {
    const uint8_t *first;
    size_t count;
    size_t row_bytes;
    ptrdiff_t stride;

    /* ValueError that names the argument, unless the bytes of each row are contiguous. */
    Rows(const Py_buffer &buffer, const char *name);
    const uint8_t *row(size_t i) const { return first + static_cast<ptrdiff_t>(i) * stride; }
};

/* The lowest address of a piece of memory and the address after its highest; both 0 if empty. */
struct Extent {
    uintptr_t low = 0, high = 0;

    Extent() = default;
    explicit Extent(Piece piece)
        : low(piece.count ? reinterpret_cast<uintptr_t>(piece.bytes) : 0), high(low + piece.count) {
    }
    explicit Extent(const Rows &rows);
    bool overlaps(Extent other) const { return low < other.high && other.low < high; }
};

/* Items of a list or tuple, which may change whenever the GIL is released. */
class Sequence {
  public:
    Sequence(nb::handle from, const char *name);
    size_t count() const { return fast_count(sequence_.ptr()); }
    /* A borrowed item; ValueError if the sequence has become too short. */
    PyObject *item(size_t i) const {
        if (i >= count()) throw nb::value_error((name_ + " was changed during the call").c_str());
        return fast_item(sequence_.ptr(), i);
    }
    std::string name_of(size_t i) const { return name_ + "[" + std::to_string(i) + "]"; }

  private:
    nb::object sequence_;
    std::string name_;
};

/* n strings of bytes: a sequence of buffers, or one buffer with n + 1 offsets or with n rows. */
class Pieces {
  public:
    Pieces(nb::handle from, nb::handle offsets, const char *name);
    ~Pieces() { let_go(); }
    Pieces(const Pieces &) = delete;
    Pieces &operator=(const Pieces &) = delete;

    size_t count() const { return count_; }
    bool needs_python() const { return sequence_.has_value(); }
    const std::optional<Rows> &rows() const { return rows_; }
    /* ValueError if `output` shares memory with a held item, or with the one buffer. */
    void forbid_overlap(const Rows &output) const;

    void hold(size_t at, size_t count);
    void let_go();
    /* Writes the addresses and lengths of items at to at + count - 1. If needs_python(), they must
     * be held. */
    void locate(size_t at, size_t count, Piece *pieces) const;

  private:
    void hold_one(size_t i);

    const char *name_;
    size_t count_ = 0;
    std::optional<Sequence> sequence_;
    std::optional<View> buffer_, offsets_;
    std::optional<Rows> rows_;

    size_t held_at_ = 0;
    std::vector<Piece> held_;
    std::vector<PyObject *> references_; /* to objects of exactly type bytes: these cannot change */
    std::vector<Py_buffer> exports_;     /* buffers of all other held objects */
};

/* The keys of n messages, all of one algorithm: one key for all, or a sequence of keys, with or
 * without an index. */
class Keys {
  public:
    /* `index` is None, or n 64-bit integers: the place of each message's key in `keys`. */
    Keys(nb::handle keys, nb::handle index);
    ~Keys() { let_go(); }
    Keys(const Keys &) = delete;
    Keys &operator=(const Keys &) = delete;

    /* The algorithm; null if the sequence is empty. */
    const jm_mac *mac() const { return mac_; }
    /* ValueError unless there is one key for all, or a key or index for each of n messages. */
    void require_count(size_t n) const;
    bool needs_python() const { return !one_; }
    void forbid_overlap(const Rows &output) const;
    void hold(size_t at, size_t count);
    void let_go();
    void locate(size_t at, size_t count, const jm_mac_key **keys) const {
        for (size_t i = 0; i < count; i++) keys[i] = one_ ? one_->key : held_[at - held_at_ + i];
    }

  private:
    MacKey &key_at(size_t i) const;
    void prefetch(size_t i) const;

    const jm_mac *mac_ = nullptr;
    PyTypeObject *type_; /* the Python type of MacKey */
    std::optional<KeyUse> one_;
    std::optional<Sequence> sequence_;
    std::optional<View> index_;

    size_t held_at_ = 0;
    std::vector<const jm_mac_key *> held_;
    std::vector<std::pair<PyObject *, MacKey *>> users_;
};

} // namespace jm
#endif
