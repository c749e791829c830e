// SPDX-License-Identifier: Apache-2.0
// joulemark.mac: many messages in one call. The tags are made and checked without the GIL.
#include <algorithm>

#include "mac_batch.h"

namespace jm {
namespace {

/* Number of messages passed to the engine at once: their descriptions, 8 KiB, stay in L1. */
constexpr size_t SLICE = 256;

/* Runs `work(at, count)` without the GIL over slices of n items, while the items of `inputs` that
 * it needs are held. */
template <typename Work, typename... Input>
void for_each_slice(size_t n, Work work, Input &...inputs) {
    const bool needs_python = (inputs.needs_python() || ...);
    const size_t block = needs_python ? BLOCK : n;
    for (size_t at = 0; at < n; at += block) {
        const size_t end = at + std::min(block, n - at);
        (inputs.hold(at, end - at), ...);
        work.held();
        {
            const nb::gil_scoped_release released;
            for (size_t i = at; i < end; i += SLICE) work(i, std::min(SLICE, end - i));
        }
        (inputs.let_go(), ...);
    }
}

struct Tagging {
    const Keys &keys;
    const Pieces &messages;
    const Rows &tags;

    void held() const { messages.forbid_overlap(tags); }
    void operator()(size_t at, size_t count) const {
        const jm_mac_key *key[SLICE];
        Piece message[SLICE];
        jm_mac_message batch[SLICE];
        keys.locate(at, count, key);
        messages.locate(at, count, message);
        for (size_t i = 0; i < count; i++)
            batch[i] = {key[i], message[i].bytes, message[i].count,
                        const_cast<uint8_t *>(tags.row(at + i))};
        check(jm_mac_tag_batch(keys.mac(), batch, count), keys.mac());
    }
};

struct Checking {
    const Keys &keys;
    const Pieces &messages, &tags;
    size_t tag_bytes;
    bool *authentic;

    void held() const {}
    void operator()(size_t at, size_t count) const {
        static const uint8_t no_tag[JM_OUTPUT_BYTES_MAX] = {0};
        const jm_mac_key *key[SLICE];
        Piece message[SLICE], tag[SLICE];
        jm_mac_claim claims[SLICE];
        keys.locate(at, count, key);
        messages.locate(at, count, message);
        tags.locate(at, count, tag);
        for (size_t i = 0; i < count; i++)
            claims[i] = {key[i], message[i].bytes, message[i].count,
                         tag[i].count == tag_bytes ? tag[i].bytes : no_tag};
        const jm_status status =
            jm_mac_verify_batch(keys.mac(), claims, count, tag_bytes, authentic + at);
        if (status != JM_ERR_TAG) check(status, keys.mac());
        for (size_t i = 0; i < count; i++) authentic[at + i] &= tag[i].count == tag_bytes;
    }
};

std::string number_of(const char *what, size_t count, size_t n) {
    return "there are " + std::to_string(count) + " " + what + " for " + std::to_string(n) +
           " messages";
}

void forbid_nonces(const jm_mac *mac) {
    if (mac->nonce_bytes_max)
        throw nb::value_error((std::string(jm_mac_algorithm(mac)) +
                               " needs another nonce for each message: use tag or verify")
                                  .c_str());
}

void tag_many(nb::handle keys_from, nb::handle index, nb::handle messages_from, nb::handle offsets,
              nb::handle out) {
    Keys keys(keys_from, index);
    Pieces messages(messages_from, offsets, "messages");
    const size_t n = messages.count();
    keys.require_count(n);
    if (!n) return;
    if (!keys.mac()) throw nb::value_error("there is no key");
    forbid_nonces(keys.mac());
    const View output(out, PyBUF_STRIDES | PyBUF_FORMAT, "out");
    if (output.buffer().readonly) throw nb::value_error("out is read-only");
    const Rows tags(output.buffer(), "out");
    const size_t tag_bytes = jm_mac_tag_bytes(keys.mac());
    if (tags.count != n || tags.row_bytes != tag_bytes)
        throw nb::value_error(("out must have the shape (" + std::to_string(n) + ", " +
                               std::to_string(tag_bytes) + ")")
                                  .c_str());
    if (n > 1 && static_cast<size_t>(std::abs(tags.stride)) < tag_bytes)
        throw nb::value_error("out has rows that overlap");
    keys.forbid_overlap(tags);
    for_each_slice(n, Tagging{keys, messages, tags}, messages, keys);
}

void verify_many(nb::handle keys_from, nb::handle index, nb::handle messages_from,
                 nb::handle offsets, nb::handle tags_from, nb::handle tag_bytes_asked,
                 nb::handle out) {
    Keys keys(keys_from, index);
    Pieces messages(messages_from, offsets, "messages"), tags(tags_from, nb::none(), "tags");
    const size_t n = messages.count();
    keys.require_count(n);
    if (tags.count() != n) throw nb::value_error(number_of("tags", tags.count(), n).c_str());
    if (!n) return;
    if (!keys.mac()) throw nb::value_error("there is no key");
    forbid_nonces(keys.mac());
    const size_t tag_bytes = tag_bytes_of(keys.mac(), tag_bytes_asked);
    if (tags.rows() && tags.rows()->row_bytes != tag_bytes)
        throw nb::value_error(("tags has rows of " + std::to_string(tags.rows()->row_bytes) +
                               " bytes, not " + std::to_string(tag_bytes))
                                  .c_str());
    const View output(out, PyBUF_WRITABLE, "out");
    if (output.piece().count != n) throw nb::value_error(number_of("results", 0, n).c_str());
    auto *authentic = static_cast<bool *>(output.buffer().buf);
    for_each_slice(n, Checking{keys, messages, tags, tag_bytes, authentic}, messages, tags, keys);
}

} // namespace

void bind_mac_batch(nb::module_ &module) {
    module.def("mac_tag_many", tag_many, nb::arg("keys").none(), nb::arg("index").none(),
               nb::arg("messages").none(), nb::arg("offsets").none(), nb::arg("out").none());
    module.def("mac_verify_many", verify_many, nb::arg("keys").none(), nb::arg("index").none(),
               nb::arg("messages").none(), nb::arg("offsets").none(), nb::arg("tags").none(),
               nb::arg("tag_bytes").none(), nb::arg("out").none());
}

} // namespace jm
