// SPDX-License-Identifier: Apache-2.0
// joulemark.mac: keys, single messages and streams. Batches are in mac_batch.cpp.
#include "mac.h"

#include <optional>

#include <nanobind/stl/string.h>

#include "common/secret.h"

namespace jm {

void raise_buffer_error(nb::handle from, const std::string &name) {
    PyErr_Clear();
    if (!PyObject_CheckBuffer(from.ptr()))
        throw nb::type_error(
            (name + " is a '" + class_name(from) + "' object, not bytes or another buffer")
                .c_str());
    throw nb::value_error((name + " is not contiguous memory").c_str());
}

View::View(nb::handle from, int flags, const char *name) {
    if (PyObject_GetBuffer(from.ptr(), &buffer_, flags)) raise_buffer_error(from, name);
}

namespace {

/* The algorithm with nonces of this name, in the last variant that this CPU can run, or null. */
const jm_mac *with_nonces(const char *name) {
    const jm_plugin *plugin = jm_builtin_plugin();
    const jm_mac *found = nullptr;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_mac *mac = plugin->implementations[i];
        if (mac->mac && mac->nonce_bytes_max && !std::strcmp(mac->algorithm, name) &&
            !(mac->cpu_features & ~jm_cpu_features()))
            found = mac;
    }
    return found;
}

/* The algorithm of this name, or null; a name with a zero byte in it names no algorithm. */
const jm_mac *mac_of(nb::handle algorithm, bool variable_time) {
    if (!PyUnicode_Check(algorithm.ptr()))
        throw nb::type_error(
            ("algorithm is a '" + class_name(algorithm) + "' object, not a name").c_str());
    Py_ssize_t bytes;
    const char *name = PyUnicode_AsUTF8AndSize(algorithm.ptr(), &bytes);
    if (!name) PyErr_Clear();
    if (!name || std::strlen(name) != static_cast<size_t>(bytes)) return nullptr;
    const jm_mac *found = jm_mac_find_variable_time(name, nullptr);
    if (found && !jm_mac_find(name) && !variable_time)
        throw nb::value_error((std::string(name) +
                               " is not constant-time: its time depends on the key and the "
                               "message, and whoever shares the machine may learn both; where "
                               "that does no harm, ask for it by variable_time=True")
                                  .c_str());
    return found ? found : with_nonces(name);
}

/* "; did you mean hmac-sha256?", or the reason why no algorithm has this name, or empty. */
std::string question_of(nb::handle algorithm) {
    const nb::object known = nb::module_::import_("joulemark.mac").attr("algorithms")();
    const nb::object names = nb::module_::import_("joulemark.catalogue");
    return nb::cast<std::string>(names.attr("unknown_mac")(algorithm, known));
}

} // namespace

MacKey::MacKey(nb::handle algorithm, nb::handle secret, bool variable_time)
    : mac_(mac_of(algorithm, variable_time)) {
    if (!mac_)
        throw nb::value_error(("there is no algorithm " + std::string(nb::repr(algorithm).c_str()) +
                               " in joulemark.mac.algorithms()" + question_of(algorithm))
                                  .c_str());
    const View held(secret, PyBUF_SIMPLE, "key");
    const jm_status status = jm_mac_key_new(mac_, held.piece().bytes, held.piece().count, &key_);
    if (status == JM_ERR_KEY_BYTES)
        throw nb::value_error(("keys of " + std::string(jm_mac_algorithm(mac_)) + " have " +
                               key_lengths(mac_) + ", not " + std::to_string(held.piece().count))
                                  .c_str());
    check(status, mac_);
}

size_t tag_bytes_of(const jm_mac *mac, nb::handle asked) {
    const size_t least = jm_mac_tag_bytes_min(mac), whole = jm_mac_tag_bytes(mac);
    if (asked.is_none()) return whole;
    const nb::object number = nb::steal(PyNumber_Index(asked.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        throw nb::type_error(
            ("tag_bytes is a '" + class_name(asked) + "' object, not a whole number").c_str());
    }
    int beyond;
    const long long tag_bytes = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
    if (beyond || tag_bytes < 0 || static_cast<size_t>(tag_bytes) < least ||
        static_cast<size_t>(tag_bytes) > whole)
        throw nb::value_error(("tags of " + std::string(jm_mac_algorithm(mac)) + " have " +
                               std::to_string(least) + " to " + std::to_string(whole) +
                               " bytes, not " + (beyond ? "so many" : std::to_string(tag_bytes)))
                                  .c_str());
    return static_cast<size_t>(tag_bytes);
}

namespace {

/* Shortest message for which handing over the GIL (some 100 ns) pays, as in Python's hashlib. */
constexpr size_t RELEASE_BYTES = 2048;

/* Runs `work` on a message without the GIL if the message is long. */
template <typename Work> jm_status without_gil(size_t message_bytes, Work work) {
    std::optional<nb::gil_scoped_release> released;
    if (message_bytes >= RELEASE_BYTES) released.emplace();
    return work();
}

bool is_authentic(jm_status status, const jm_mac *mac) {
    if (status == JM_ERR_TAG || status == JM_ERR_TAG_BYTES) return false;
    check(status, mac);
    return true;
}

std::string nonce_lengths(const jm_mac *mac) {
    const std::string least = std::to_string(mac->nonce_bytes_min);
    if (mac->nonce_bytes_min == mac->nonce_bytes_max) return least + " bytes";
    return least + " to " + std::to_string(mac->nonce_bytes_max) + " bytes, best " +
           std::to_string(mac->nonce_bytes);
}

/* The nonce's bytes; nullopt for an algorithm that takes no nonce. */
std::optional<std::string> nonce_of(const MacKey &key, nb::handle nonce) {
    const jm_mac *mac = key.mac();
    const std::string name = jm_mac_algorithm(mac);
    if (nonce.is_none() && !mac->nonce_bytes_max) return std::nullopt;
    if (!mac->nonce_bytes_max) throw nb::value_error((name + " takes no nonce").c_str());
    if (nonce.is_none())
        throw nb::value_error((name + " needs a nonce, another for each message under a key: " +
                               "nonce=..., of " + nonce_lengths(mac))
                                  .c_str());
    const View held(nonce, PyBUF_SIMPLE, "nonce");
    const Piece piece = held.piece();
    if (piece.count < mac->nonce_bytes_min || piece.count > mac->nonce_bytes_max)
        throw nb::value_error(("nonces of " + name + " have " + nonce_lengths(mac) + ", not " +
                               std::to_string(piece.count))
                                  .c_str());
    return std::string(reinterpret_cast<const char *>(piece.bytes), piece.count);
}

/* Sets the nonce in a copy of the key state, since other threads may use the key meanwhile. */
jm_status tag_with_nonce(const jm_mac *mac, const jm_mac_key *key, const std::string &nonce,
                         const Piece &message, uint8_t *tag) {
    StateMemory state(jm_mac_key_state_bytes(mac));
    jm_status status = mac->mac->copy_key(mac, state.bytes, key);
    if (status != JM_OK) return status;
    status = mac->mac->set_nonce(mac, state.bytes, reinterpret_cast<const uint8_t *>(nonce.data()),
                                 nonce.size());
    if (status == JM_OK)
        status = mac->mac->tag(mac, state.bytes, message.bytes, message.count, tag);
    mac->mac->wipe_key(mac, state.bytes);
    return status;
}

nb::bytes tag(MacKey &self, nb::handle message, nb::handle nonce_given) {
    const View held(message, PyBUF_SIMPLE, "message");
    const Piece piece = held.piece();
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    if (const auto nonce = nonce_of(self, nonce_given)) {
        const KeyUse use(self);
        if (!self.used_nonces.empty() && self.used_nonces.begin()->size() != nonce->size())
            throw nb::value_error(
                ("nonces under this Key have " + std::to_string(self.used_nonces.begin()->size()) +
                 " bytes so far, not " + std::to_string(nonce->size()) +
                 "; some algorithms complete short nonces with zeros, so keep to one length")
                    .c_str());
        if (!self.used_nonces.insert(*nonce).second)
            throw nb::value_error("this nonce has authenticated a message under this Key; another "
                                  "one under it would let anyone forge: give each message its own");
        check(without_gil(piece.count,
                          [&] { return tag_with_nonce(self.mac(), use.key, *nonce, piece, tag); }),
              self.mac());
    } else {
        const KeyUse use(self);
        check(without_gil(
                  piece.count,
                  [&] { return jm_mac_tag(self.mac(), use.key, piece.bytes, piece.count, tag); }),
              self.mac());
    }
    return nb::bytes(tag, jm_mac_tag_bytes(self.mac()));
}

bool verify(MacKey &self, nb::handle message, nb::handle tag, nb::handle tag_bytes,
            nb::handle nonce_given) {
    const View held(message, PyBUF_SIMPLE, "message"), expected(tag, PyBUF_SIMPLE, "tag");
    const Piece piece = held.piece(), claim = expected.piece();
    const auto nonce = nonce_of(self, nonce_given);
    const KeyUse use(self);
    if (claim.count != tag_bytes_of(self.mac(), tag_bytes)) return false;
    if (nonce) {
        uint8_t right[JM_OUTPUT_BYTES_MAX];
        check(
            without_gil(piece.count,
                        [&] { return tag_with_nonce(self.mac(), use.key, *nonce, piece, right); }),
            self.mac());
        const bool same = jm_equal_ct(right, claim.bytes, claim.count);
        jm_wipe(right, sizeof right); /* nobody may learn the right tag of a forgery */
        return same;
    }
    return is_authentic(without_gil(piece.count,
                                    [&] {
                                        return jm_mac_verify(self.mac(), use.key, piece.bytes,
                                                             piece.count, claim.bytes, claim.count);
                                    }),
                        self.mac());
}

/* A stream for one thread at a time. While one thread works without the GIL, a second thread is
 * refused, as the order of their pieces would be chance. */
class MacStream {
  public:
    explicit MacStream(nb::object key) : key_object_(key), key_(*nb::inst_ptr<MacKey>(key)) {
        const KeyUse use(key_);
        if (mac()->nonce_bytes_max)
            throw nb::value_error((std::string(jm_mac_algorithm(mac())) +
                                   " needs another nonce for each message: use tag or verify")
                                      .c_str());
        check(jm_mac_stream_new(mac(), use.key, &stream_), mac());
    }
    ~MacStream() { jm_mac_stream_free(mac(), stream_); }
    MacStream(const MacStream &) = delete;
    MacStream &operator=(const MacStream &) = delete;

    void update(nb::handle message) {
        const View held(message, PyBUF_SIMPLE, "message");
        const Piece piece = held.piece();
        const KeyUse use(key_);
        const Turn turn(*this);
        check(without_gil(
                  piece.count,
                  [&] { return jm_mac_stream_update(mac(), stream_, piece.bytes, piece.count); }),
              mac());
    }
    nb::bytes tag() {
        uint8_t tag[JM_OUTPUT_BYTES_MAX];
        const KeyUse use(key_);
        {
            const Turn turn(*this);
            check(jm_mac_stream_finish(mac(), stream_, tag), mac());
        }
        end();
        return nb::bytes(tag, jm_mac_tag_bytes(mac()));
    }
    bool verify(nb::handle tag, nb::handle tag_bytes) {
        const View expected(tag, PyBUF_SIMPLE, "tag");
        const Piece claim = expected.piece();
        const KeyUse use(key_);
        const bool fits = claim.count == tag_bytes_of(mac(), tag_bytes);
        jm_status status;
        {
            const Turn turn(*this);
            status = jm_mac_stream_verify(mac(), stream_, claim.bytes, fits ? claim.count : 0);
        }
        end();
        return is_authentic(status, mac());
    }
    /* A stream's only pointer is to its key, so that a copy of its bytes is a stream. */
    MacStream *copy() {
        const KeyUse use(key_);
        const Turn turn(*this);
        auto copied = std::make_unique<MacStream>(key_object_);
        jm_copy_secret(copied->stream_, stream_, jm_mac_stream_bytes(mac()));
        return copied.release();
    }

  private:
    class Turn {
      public:
        explicit Turn(MacStream &stream) : stream_(stream) {
            if (!stream.stream_) throw nb::value_error("this stream has ended");
            if (stream.busy_) throw std::runtime_error("another thread is using this stream");
            stream.busy_ = true;
        }
        ~Turn() { stream_.busy_ = false; }

      private:
        MacStream &stream_;
    };
    const jm_mac *mac() const { return key_.mac(); }
    void end() {
        jm_mac_stream_free(mac(), stream_);
        stream_ = nullptr;
    }

    nb::object key_object_;
    MacKey &key_;
    jm_mac_stream *stream_ = nullptr;
    bool busy_ = false;
};

/* Facts of every algorithm that has an engine, in the registry's order. HMAC over the many hashes
 * without an engine is left out, so that readers can find their way in the list. */
nb::list algorithms() {
    nb::list found;
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_mac *mac = plugin->implementations[i];
        if (!mac->mac || std::string_view(mac->variant) != "engine") continue;
        const size_t longest = jm_mac_key_bytes_max(mac);
        found.append(
            nb::make_tuple(jm_mac_algorithm(mac), jm_mac_tag_bytes(mac), jm_mac_tag_bytes_min(mac),
                           jm_mac_key_bytes(mac), jm_mac_key_bytes_min(mac),
                           longest == SIZE_MAX ? nb::none() : nb::object(nb::int_(longest)),
                           mac->constant_time != JM_TIMING_VARIABLE));
    }
    return found;
}

} // namespace

void bind_mac(nb::module_ &module) {
    nb::class_<MacKey>(module, "MacKey", nb::is_weak_referenceable())
        .def(nb::init<nb::handle, nb::handle, bool>(), nb::arg("algorithm").none(),
             nb::arg("key").none(), nb::kw_only(), nb::arg("variable_time") = false)
        .def_prop_ro(
            "algorithm", [](const MacKey &key) { return jm_mac_algorithm(key.mac()); },
            "Name of the algorithm.")
        .def_prop_ro(
            "tag_bytes", [](const MacKey &key) { return jm_mac_tag_bytes(key.mac()); },
            "Length of a whole tag in bytes.")
        .def_prop_ro("closed", &MacKey::closed, "Whether the key has been closed.")
        .def("close", &MacKey::close,
             "Erases the key from memory; afterwards every use of it is a ValueError.\n\n"
             "What other threads are computing with it at this moment is finished first. To be\n"
             "called any number of times.")
        .def("tag", tag, nb::arg("message").none(), nb::kw_only(),
             nb::arg("nonce").none() = nb::none(),
             "The whole tag of one message.\n\n"
             "Args:\n"
             "    message: bytes or any other contiguous buffer.\n"
             "    nonce: for an algorithm with nonces (GMAC, VMAC): another for each message.\n\n"
             "Raises:\n"
             "    ValueError: the nonce is missing, of a wrong length, or was used under this "
             "Key.\n\n"
             "Example:\n"
             "    >>> Key(\"hmac-md5\", b\"Jefe\").tag(b\"what do ya want for nothing?\").hex()\n"
             "    '750c783e6ab0b503eaa86e310a5db738'")
        .def("verify", verify, nb::arg("message").none(), nb::arg("tag").none(), nb::kw_only(),
             nb::arg("tag_bytes").none() = nb::none(), nb::arg("nonce").none() = nb::none(),
             "Whether the tag is the message's. Its time does not tell how many bytes agree.\n\n"
             "Args:\n"
             "    message: bytes or any other contiguous buffer.\n"
             "    tag: what came with it; one of another length is not authentic, so False.\n"
             "    tag_bytes: length that tags have been truncated to; None for whole tags.\n"
             "    nonce: the one that came with the message, for an algorithm with nonces.\n\n"
             "Raises:\n"
             "    ValueError: no tag of `tag_bytes` is accepted (see `algorithms`).\n\n"
             "Example:\n"
             "    >>> key = Key(\"hmac-sha256\", bytes(32))\n"
             "    >>> key.verify(b\"message\", key.tag(b\"message\"))\n"
             "    True\n"
             "    >>> key.verify(b\"message\", key.tag(b\"message\")[:16])\n"
             "    False\n"
             "    >>> key.verify(b\"message\", key.tag(b\"message\")[:16], tag_bytes=16)\n"
             "    True")
        .def(
            "stream", [](MacKey &self) { return new MacStream(nb::find(self)); },
            "A new stream, for a message that comes in pieces.\n\n"
            "Example:\n"
            "    >>> key = Key(\"hmac-sha256\", bytes(32))\n"
            "    >>> stream = key.stream()\n"
            "    >>> stream.update(b\"mes\")\n"
            "    >>> stream.update(b\"sage\")\n"
            "    >>> stream.tag() == key.tag(b\"message\")\n"
            "    True");
    nb::class_<MacStream>(module, "MacStream", nb::is_weak_referenceable(),
                          "A message that is absorbed piece by piece, for one thread at a time.\n\n"
                          "Begun by `Key.stream`, ended by `tag` or `verify`.")
        .def("update", &MacStream::update, nb::arg("message").none(),
             "Absorbs the next piece: bytes or any other contiguous buffer.")
        .def("tag", &MacStream::tag, "The tag of all that was absorbed. It ends the stream.")
        .def("verify", &MacStream::verify, nb::arg("tag").none(), nb::kw_only(),
             nb::arg("tag_bytes").none() = nb::none(),
             "Whether the tag is that of all that was absorbed, as `Key.verify` does. It ends the\n"
             "stream.")
        .def("copy", &MacStream::copy, "An independent stream that has absorbed the same.");
    module.def(
        "wiping_doubt",
        []() -> nb::object {
            const char *doubt = jm_mac_wiping_doubt();
            return doubt ? nb::cast(doubt) : nb::none();
        },
        nb::sig("def wiping_doubt() -> str | None"));
    module.def("mac_algorithms", algorithms);
    bind_mac_batch(module);
}

} // namespace jm
