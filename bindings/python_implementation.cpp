// SPDX-License-Identifier: Apache-2.0
// Lets a Python callable stand behind the kernel interface, so that `hmac` and `hashlib` go through
// the same timed loop as everything else. The measured time includes the call into Python.
#include <nanobind/stl/string.h>

#include <cstring>

#include "binding.h"

namespace jm {
namespace {

struct PythonImplementation {
    jm_implementation table{}; // first, since owner_of casts a pointer to it to the whole struct
    std::string algorithm, variant, note;
    nb::object set_up; // key bytes -> anything; None for a hash
    nb::object run;    // hash: message -> digest; MAC: (key object, message) -> tag
    const void *seen = nullptr;
    size_t seen_bytes = 0;
    nb::object view; // view of the message seen last, so that no copy is timed
};

PythonImplementation &owner_of(const jm_implementation *self) {
    return *reinterpret_cast<PythonImplementation *>(const_cast<jm_implementation *>(self));
}

nb::object view_of(PythonImplementation &self, const uint8_t *message, size_t bytes) {
    if (self.seen != message || self.seen_bytes != bytes || !self.view.is_valid()) {
        static char empty;
        char *from = message ? reinterpret_cast<char *>(const_cast<uint8_t *>(message)) : &empty;
        self.view =
            nb::steal(PyMemoryView_FromMemory(from, static_cast<Py_ssize_t>(bytes), PyBUF_READ));
        self.seen = message;
        self.seen_bytes = bytes;
    }
    return self.view;
}

jm_status copy_output(const PythonImplementation &self, PyObject *output, uint8_t *to) {
    if (!output) {
        PyErr_Clear();
        return JM_ERR_LIBRARY;
    }
    const bool right =
        PyBytes_CheckExact(output) && bytes_length(output) == self.table.output_bytes;
    if (right) std::memcpy(to, bytes_memory(output), self.table.output_bytes);
    Py_DECREF(output);
    return right ? JM_OK : JM_ERR_LIBRARY;
}

jm_status hash_digest(const jm_implementation *table, const uint8_t *message, size_t bytes,
                      uint8_t *digest) {
    PythonImplementation &self = owner_of(table);
    nb::object view = view_of(self, message, bytes);
    return copy_output(self, called_with(self.run.ptr(), view.ptr()), digest);
}

/* The key state is one owned reference. */
PyObject *&reference(void *state) {
    return *static_cast<PyObject **>(state);
}

jm_status mac_set_key(const jm_implementation *table, void *state, const uint8_t *key,
                      size_t bytes) {
    nb::bytes key_object(key, bytes);
    reference(state) = called_with(owner_of(table).set_up.ptr(), key_object.ptr());
    if (reference(state)) return JM_OK;
    PyErr_Clear();
    return JM_ERR_LIBRARY;
}

jm_status mac_copy_key(const jm_implementation *, void *to, const void *from) {
    reference(to) = Py_NewRef(*static_cast<PyObject *const *>(from));
    return JM_OK;
}

void mac_wipe_key(const jm_implementation *, void *state) {
    Py_CLEAR(reference(state));
}

jm_status mac_tag(const jm_implementation *table, const void *state, const uint8_t *message,
                  size_t bytes, uint8_t *tag) {
    PythonImplementation &self = owner_of(table);
    nb::object view = view_of(self, message, bytes);
    PyObject *arguments[] = {*static_cast<PyObject *const *>(state), view.ptr()};
    return copy_output(self, PyObject_Vectorcall(self.run.ptr(), arguments, 2, nullptr), tag);
}

const jm_hash_functions hash_functions = {0, nullptr, nullptr, nullptr, hash_digest};
const jm_mac_functions mac_functions = {sizeof(PyObject *),
                                        0,
                                        mac_set_key,
                                        mac_copy_key,
                                        mac_wipe_key,
                                        mac_tag,
                                        nullptr,
                                        nullptr,
                                        nullptr,
                                        nullptr,
                                        nullptr};

} // namespace

bool is_python(const jm_implementation *self) {
    return self->hash == &hash_functions || self->mac == &mac_functions;
}

namespace {

Implementation make(std::string algorithm, std::string variant, std::string note,
                    size_t block_bytes, size_t output_bytes, size_t key_bytes, nb::object set_up,
                    nb::object run) {
    auto self = std::make_shared<PythonImplementation>();
    self->algorithm = std::move(algorithm);
    self->variant = std::move(variant);
    self->note = std::move(note);
    const bool is_hash = set_up.is_none();
    self->set_up = std::move(set_up);
    self->run = std::move(run);
    jm_implementation &table = self->table;
    table.algorithm = self->algorithm.c_str();
    table.variant = self->variant.c_str();
    table.note = self->note.c_str();
    table.kind = is_hash ? JM_KIND_HASH : JM_KIND_MAC;
    table.lanes = 1;
    table.block_bytes = block_bytes;
    table.output_bytes = output_bytes;
    if (is_hash) {
        table.hash = &hash_functions;
    } else {
        table.mac = &mac_functions;
        table.key_bytes_max = SIZE_MAX;
        table.key_bytes = key_bytes;
    }
    return {&self->table, self};
}

} // namespace

void bind_python_implementation(nb::module_ &module) {
    module.def("python_implementation", make, nb::arg("algorithm"), nb::arg("variant"),
               nb::arg("note"), nb::arg("block_bytes"), nb::arg("output_bytes"),
               nb::arg("key_bytes"), nb::arg("set_up").none(), nb::arg("run"),
               "An implementation behind which Python code stands.");
}

} // namespace jm
