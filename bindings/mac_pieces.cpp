// SPDX-License-Identifier: Apache-2.0
// The inputs of a batch: messages, tags and keys. See mac_batch.h.
#include "mac_batch.h"

#include <algorithm>

namespace jm {
namespace {

/* A 64-bit integer that another thread may be writing. */
uint64_t word(const View &words, size_t i) {
    return __atomic_load_n(static_cast<const uint64_t *>(words.buffer().buf) + i, __ATOMIC_RELAXED);
}

size_t words_of(const View &words, const char *name) {
    if (words.buffer().ndim != 1 || words.buffer().itemsize != sizeof(uint64_t) ||
        reinterpret_cast<uintptr_t>(words.buffer().buf) % sizeof(uint64_t))
        throw nb::type_error((std::string(name) + " must be 64-bit integers").c_str());
    return words.piece().count / sizeof(uint64_t);
}

/* The word as the caller wrote it: a negative number if its highest bit is set. */
std::string shown(uint64_t word) {
    return std::to_string(static_cast<int64_t>(word));
}

/* Number of keys that are prefetched from memory at once. */
constexpr size_t AHEAD = 12;

[[noreturn]] void refuse_overlap(const std::string &name) {
    throw nb::value_error(("out overlaps " + name).c_str());
}

/* Whether the rows interleave without overlap: tags beside their messages in the same records. */
bool apart_in_records(const Rows &rows, const Rows &output) {
    if (rows.stride != output.stride || rows.stride <= 0) return false;
    const size_t record = static_cast<size_t>(rows.stride);
    const ptrdiff_t between = output.first - rows.first;
    const size_t from = static_cast<size_t>((between % rows.stride + rows.stride) % rows.stride);
    return from >= rows.row_bytes && from + output.row_bytes <= record;
}

} // namespace

Rows::Rows(const Py_buffer &buffer, const char *name) {
    if (buffer.ndim != 2 || buffer.itemsize != 1)
        throw nb::value_error(
            (std::string(name) + " must be two-dimensional, of single bytes").c_str());
    first = static_cast<const uint8_t *>(buffer.buf);
    count = static_cast<size_t>(buffer.shape[0]);
    row_bytes = static_cast<size_t>(buffer.shape[1]);
    stride = buffer.strides[0];
    if (row_bytes > 1 && count && buffer.strides[1] != 1)
        throw nb::value_error((std::string(name) + " has rows that are not contiguous").c_str());
}

Extent::Extent(const Rows &rows) {
    if (!rows.count || !rows.row_bytes) return;
    const auto ends = std::minmax({rows.first, rows.row(rows.count - 1)});
    low = reinterpret_cast<uintptr_t>(ends.first);
    high = reinterpret_cast<uintptr_t>(ends.second) + rows.row_bytes;
}

Sequence::Sequence(nb::handle from, const char *name) : sequence_(nb::borrow(from)), name_(name) {
    if (!PyList_Check(from.ptr()) && !PyTuple_Check(from.ptr()))
        throw nb::type_error(
            (name_ + " is a '" + class_name(from) + "' object, not a buffer, list or tuple")
                .c_str());
}

Pieces::Pieces(nb::handle from, nb::handle offsets, const char *name) : name_(name) {
    if (!PyObject_CheckBuffer(from.ptr())) {
        sequence_.emplace(from, name);
        if (!offsets.is_none())
            throw nb::type_error("offsets belong to messages in one buffer, not to a sequence");
        count_ = sequence_->count();
        return;
    }
    buffer_.emplace(from, PyBUF_STRIDES | PyBUF_FORMAT, name);
    const Py_buffer &buffer = buffer_->buffer();
    if (offsets.is_none()) {
        if (buffer.ndim != 2)
            throw nb::value_error((std::string(name) + " is one buffer without rows: " +
                                   "give offsets, or make it two-dimensional")
                                      .c_str());
        rows_.emplace(buffer, name);
        count_ = rows_->count;
        return;
    }
    if (buffer.ndim != 1 || buffer.itemsize != 1 || !PyBuffer_IsContiguous(&buffer, 'C'))
        throw nb::value_error(
            (std::string(name) + " must be contiguous single bytes in one dimension").c_str());
    offsets_.emplace(offsets, PyBUF_ND, "offsets");
    const size_t boundaries = words_of(*offsets_, "offsets");
    if (!boundaries) throw nb::value_error("offsets must be n + 1 boundaries of n messages");
    count_ = boundaries - 1;
}

void Pieces::forbid_overlap(const Rows &output) const {
    const Extent extent(output);
    if (offsets_ && extent.overlaps(Extent(offsets_->piece()))) refuse_overlap("offsets");
    if (rows_ ? extent.overlaps(Extent(*rows_)) && !apart_in_records(*rows_, output)
              : buffer_ && extent.overlaps(Extent(buffer_->piece())))
        refuse_overlap(name_);
    for (size_t i = 0; i < held_.size(); i++)
        if (extent.overlaps(Extent(held_[i]))) refuse_overlap(sequence_->name_of(held_at_ + i));
}

void Pieces::hold_one(size_t i) {
    PyObject *item = sequence_->item(i);
    if (PyBytes_CheckExact(item)) {
        references_.push_back(item);
        Py_INCREF(item);
        held_.push_back(
            {reinterpret_cast<const uint8_t *>(bytes_memory(item)), bytes_length(item)});
        return;
    }
    /* Exporting may run Python code, which may take the item out of the list. */
    const nb::object owned = nb::borrow(item);
    Py_buffer exported;
    if (PyObject_GetBuffer(item, &exported, PyBUF_SIMPLE))
        raise_buffer_error(item, sequence_->name_of(i));
    exports_.push_back(exported);
    held_.push_back(
        {static_cast<const uint8_t *>(exported.buf), static_cast<size_t>(exported.len)});
}

void Pieces::hold(size_t at, size_t count) {
    if (!sequence_) return;
    held_at_ = at;
    held_.reserve(count);
    references_.reserve(count);
    for (size_t i = 0; i < count; i++) hold_one(at + i);
}

void Pieces::let_go() {
    held_.clear();
    for (PyObject *reference : references_) Py_DECREF(reference);
    references_.clear();
    for (Py_buffer &exported : exports_) PyBuffer_Release(&exported);
    exports_.clear();
}

void Pieces::locate(size_t at, size_t count, Piece *pieces) const {
    if (sequence_) {
        std::copy_n(held_.begin() + static_cast<ptrdiff_t>(at - held_at_), count, pieces);
        return;
    }
    if (rows_) {
        for (size_t i = 0; i < count; i++) pieces[i] = {rows_->row(at + i), rows_->row_bytes};
        return;
    }
    const Piece whole = buffer_->piece();
    uint64_t begin = word(*offsets_, at);
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = word(*offsets_, at + i + 1);
        if (end < begin || end > whole.count)
            throw nb::value_error(
                ("offsets[" + std::to_string(at + i + 1) + "] is " + shown(end) +
                 (end < begin ? ", less than the one before it" : ", beyond the end of the buffer"))
                    .c_str());
        pieces[i] = {whole.bytes + begin, end - begin};
        begin = end;
    }
}

Keys::Keys(nb::handle keys, nb::handle index)
    : type_(reinterpret_cast<PyTypeObject *>(nb::type<MacKey>().ptr())) {
    if (nb::isinstance<MacKey>(keys)) {
        MacKey &key = nb::cast<MacKey &>(keys);
        mac_ = key.mac();
        one_.emplace(key);
        return;
    }
    sequence_.emplace(keys, "keys");
    if (!index.is_none()) {
        index_.emplace(index, PyBUF_ND, "index");
        (void)words_of(*index_, "index");
    }
    if (sequence_->count()) mac_ = key_at(0).mac();
}

MacKey &Keys::key_at(size_t i) const {
    PyObject *item = sequence_->item(i);
    if (!PyObject_TypeCheck(item, type_) || !nb::inst_ready(item))
        throw nb::type_error((sequence_->name_of(i) + " is not a Key").c_str());
    return *nb::inst_ptr<MacKey>(item);
}

void Keys::require_count(size_t n) const {
    if (one_) return;
    const size_t given = index_ ? words_of(*index_, "index") : sequence_->count();
    if (given != n)
        throw nb::value_error(("there are " + std::to_string(given) +
                               (index_ ? " indices" : " keys") + " for " + std::to_string(n) +
                               " messages")
                                  .c_str());
}

void Keys::forbid_overlap(const Rows &output) const {
    if (index_ && Extent(output).overlaps(Extent(index_->piece()))) refuse_overlap("index");
}

/* Keys lie all over memory: the keys of the next messages are fetched while this key is held. */
void Keys::prefetch(size_t i) const {
    const uint64_t which = index_ ? word(*index_, i) : i;
    if (which < sequence_->count()) __builtin_prefetch(sequence_->item(which));
}

void Keys::hold(size_t at, size_t count) {
    if (one_) return;
    held_at_ = at;
    held_.reserve(count);
    users_.reserve(count);
    for (size_t i = at; i < at + count; i++) {
        if (i + AHEAD < at + count) prefetch(i + AHEAD);
        const uint64_t which = index_ ? word(*index_, i) : i;
        if (which >= sequence_->count())
            throw nb::value_error(("index[" + std::to_string(i) + "] is " + shown(which) +
                                   ", but there are " + std::to_string(sequence_->count()) +
                                   " keys")
                                      .c_str());
        MacKey &key = key_at(which);
        if (key.mac() != mac_)
            throw nb::value_error(
                (sequence_->name_of(which) + " is for another algorithm").c_str());
        if (key.closed())
            throw nb::value_error((sequence_->name_of(which) + " has been closed").c_str());
        held_.push_back(key.begin_use());
        __builtin_prefetch(held_.back());
        users_.emplace_back(Py_NewRef(sequence_->item(which)), &key);
    }
}

void Keys::let_go() {
    held_.clear();
    for (auto &[object, key] : users_) {
        key->end_use();
        Py_DECREF(object);
    }
    users_.clear();
}

} // namespace jm
