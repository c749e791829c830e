/* SPDX-License-Identifier: Apache-2.0
 * The inputs of a batch, in the forms that Python has them in.
 *
 * What is Python's to change (lists and the objects in them) is looked at with the GIL, block by
 * block: hold() takes BLOCK items at most into our own care, let_go() gives them back. What is
 * plain memory is looked at without the GIL, slice by slice. Both read each length and each offset
 * once, and check what they read: another thread may be writing to it. */
#ifndef JM_BINDING_MAC_BATCH_H
#define JM_BINDING_MAC_BATCH_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mac.h"

namespace jm {

/* Items of a list that are held at once: few handings over of the GIL, and still in a core's L2. */
constexpr size_t BLOCK = 4096;

/* Some memory, as rows of equal length at equal distances. */
struct Rows {
    const uint8_t *first;
    size_t count;
    size_t row_bytes;
    ptrdiff_t stride;

    /* Refused with a ValueError that names the argument, unless bytes lie together in each row. */
    Rows(const Py_buffer &buffer, const char *name);
    const uint8_t *row(size_t i) const { return first + static_cast<ptrdiff_t>(i) * stride; }
};

/* The lowest address of some memory and the one after its highest; both null for none. */
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

/* n strings of bytes: a sequence of buffers, or one buffer with n + 1 offsets, or one of n rows. */
class Pieces {
  public:
    Pieces(nb::handle from, nb::handle offsets, const char *name);
    ~Pieces() { let_go(); }
    Pieces(const Pieces &) = delete;
    Pieces &operator=(const Pieces &) = delete;

    size_t count() const { return count_; }
    bool needs_python() const { return sequence_.has_value(); }
    const std::optional<Rows> &rows() const { return rows_; }
    /* ValueError if `output` shares memory with what is held, or with the one buffer. */
    void forbid_overlap(const Rows &output) const;

    void hold(size_t at, size_t count);
    void let_go();
    /* Writes where items at..at + count - 1 are; within what is held, if it needs Python. */
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
    std::vector<PyObject *> references_; /* of exact bytes, which cannot change */
    std::vector<Py_buffer> exports_;     /* of all others */
};

/* The keys of n messages, all of one algorithm: one key, or a sequence, by an index or not. */
class Keys {
  public:
    /* `index` is None, or n 64-bit integers. */
    Keys(nb::handle keys, nb::handle index);
    ~Keys() { let_go(); }
    Keys(const Keys &) = delete;
    Keys &operator=(const Keys &) = delete;

    /* Null where there is no key at all. */
    const jm_mac *mac() const { return mac_; }
    /* ValueError unless these are keys for n messages. */
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
    PyTypeObject *type_; /* of MacKey */
    std::optional<KeyUse> one_;
    std::optional<Sequence> sequence_;
    std::optional<View> index_;

    size_t held_at_ = 0;
    std::vector<const jm_mac_key *> held_;
    std::vector<std::pair<PyObject *, MacKey *>> users_;
};

} // namespace jm
#endif
