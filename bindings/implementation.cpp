// SPDX-License-Identifier: Apache-2.0
// Plugins and the facts of their implementations.
#include <dlfcn.h>

#include <nanobind/stl/string.h>

#include "binding.h"
#include "check/written_statics.h"
#include "joulemark/kernel.h"
#include "joulemark/mac.h"

namespace jm {

std::string key_lengths(const jm_implementation *table) {
    const std::string least = std::to_string(table->key_bytes_min);
    if (table->key_bytes_max == SIZE_MAX) return "at least " + least + " bytes";
    if (table->key_bytes_min == table->key_bytes_max) return least + " bytes";
    return least + " to " + std::to_string(table->key_bytes_max) + " bytes";
}

void check(jm_status status, const jm_implementation *table) {
    const std::string name = std::string(table->algorithm) + "/" + table->variant;
    switch (status) {
    case JM_OK:
        return;
    case JM_ERR_KEY_BYTES:
        throw nb::value_error(
            (name + " takes keys of " + key_lengths(table) + ", not of this length").c_str());
    case JM_ERR_MESSAGE_BYTES:
        throw MessageLength(name + " does not take a message of this length");
    case JM_ERR_ENDED:
        throw nb::value_error((name + ": " + jm_status_text(status)).c_str());
    case JM_ERR_NONCE_BYTES:
        throw nb::value_error((name + ": " + jm_status_text(status)).c_str());
    case JM_ERR_MEMORY:
        throw std::bad_alloc();
    default:
        throw std::runtime_error(name + ": the library reported a failure");
    }
}

namespace {

struct Plugin {
    const jm_plugin *table;
    std::shared_ptr<void> handle;
};

/* The error in a table's lengths of nonces, as a sentence; empty if there is no error. */
std::string nonce_refused(const jm_plugin &plugin, const jm_implementation &implementation) {
    if (!implementation.nonce_bytes_min && !implementation.nonce_bytes_max &&
        !implementation.nonce_bytes)
        return "";
    const std::string name = std::string(implementation.algorithm) + "/" + implementation.variant;
    if (plugin.abi_version < 3)
        return name + " has bytes where version 3 of joulemark/kernel.h has lengths of nonces; "
                      "compile it again";
    if (implementation.kind != JM_KIND_MAC || !implementation.mac ||
        !implementation.mac->set_nonce || implementation.mac->tag_batch ||
        implementation.nonce_bytes < implementation.nonce_bytes_min ||
        implementation.nonce_bytes > implementation.nonce_bytes_max ||
        !implementation.nonce_bytes_min)
        return name + " says that it takes nonces, but is no MAC with set_nonce and without "
                      "tag_batch, or their lengths are not in order";
    return "";
}

Plugin load(const std::string &path) {
    void *opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened) throw std::runtime_error(dlerror());
    auto entry = reinterpret_cast<jm_plugin_entry>(dlsym(opened, JM_PLUGIN_ENTRY));
    // A build of Joulemark itself, module or C library, exports its kernels under this name.
    if (!entry) entry = reinterpret_cast<jm_plugin_entry>(dlsym(opened, "jm_builtin_plugin"));
    const auto inside = reinterpret_cast<const void *>(entry);
    std::shared_ptr<void> handle(opened, [inside](void *library) {
        jm_statics_forget(inside);
        dlclose(library);
    });
    if (!entry) throw std::runtime_error(path + " does not export " JM_PLUGIN_ENTRY);
    const jm_plugin *table = entry();
    if (!table)
        throw std::runtime_error(path + " gives no table; " JM_PLUGIN_ENTRY " returned NULL");
    if (table->abi_version < JM_ABI_VERSION_MIN || table->abi_version > JM_ABI_VERSION)
        throw std::runtime_error(path + " was built for another version of joulemark/kernel.h; "
                                        "compile it again");
    for (size_t i = 0; i < table->count; i++)
        if (std::string refused = nonce_refused(*table, *table->implementations[i]);
            !refused.empty())
            throw std::runtime_error(path + ": " + refused);
    jm_statics_remember(inside);
    return {table, handle};
}

nb::list implementations(const Plugin &plugin) {
    nb::list found;
    for (size_t i = 0; i < plugin.table->count; i++)
        found.append(nb::cast(Implementation{plugin.table->implementations[i], plugin.handle}));
    return found;
}

/* Triples of algorithm, variant and reason. */
nb::list lacks(const Plugin &plugin) {
    nb::list found;
    if (plugin.table->abi_version < 4) return found;
    for (size_t i = 0; i < plugin.table->lack_count; i++) {
        const jm_lack &lack = plugin.table->lacks[i];
        found.append(nb::make_tuple(lack.algorithm, lack.variant, lack.reason));
    }
    return found;
}

nb::tuple feature_names(uint32_t features) {
    nb::list names;
    for (unsigned i = 0; i < 32; i++) {
        if (!(features & (UINT32_C(1) << i))) continue;
        /* A plugin may need a feature that only a later Joulemark can detect. */
        if (i < JM_CPU_FEATURE_COUNT)
            names.append(nb::str(jm_cpu_feature_name(i)));
        else
            names.append(nb::str(("feature_" + std::to_string(i)).c_str()));
    }
    return nb::tuple(names);
}

const char *kind_name(jm_kind kind) {
    return kind == JM_KIND_HASH ? "hash" : kind == JM_KIND_MAC ? "mac" : "cipher";
}

nb::bytes digest(const Implementation &self, const nb::bytes &message) {
    if (!self.table->hash) throw nb::value_error("only a hash has digest()");
    uint8_t output[JM_OUTPUT_BYTES_MAX];
    check(self.table->hash->digest(self.table, data_of(message), message.size(), output),
          self.table);
    return nb::bytes(output, self.table->output_bytes);
}

nb::bytes encrypt(const Implementation &self, const nb::bytes &key, const nb::bytes &blocks) {
    const jm_cipher_functions *cipher = self.table->cipher;
    if (!cipher) throw nb::value_error("only a cipher has encrypt()");
    if (blocks.size() % self.table->block_bytes)
        throw nb::value_error("not a whole number of blocks");
    StateMemory schedule(cipher->schedule_bytes);
    check(cipher->set_key(self.table, schedule.bytes, data_of(key), key.size()), self.table);
    std::unique_ptr<uint8_t[]> output(new uint8_t[blocks.size() + 1]);
    cipher->encrypt(self.table, schedule.bytes, data_of(blocks), output.get(),
                    blocks.size() / self.table->block_bytes);
    cipher->wipe_key(self.table, schedule.bytes);
    return nb::bytes(output.get(), blocks.size());
}

} // namespace

void bind_implementation(nb::module_ &module) {
    nb::exception<MessageLength>(module, "MessageLengthError", PyExc_RuntimeError);
    nb::class_<Plugin>(module, "Plugin")
        .def_prop_ro("provider", [](const Plugin &p) { return p.table->provider; })
        .def_prop_ro("library_version", [](const Plugin &p) { return p.table->library_version(); })
        .def_prop_ro("compiler", [](const Plugin &p) { return p.table->compiler; })
        .def_prop_ro("flags", [](const Plugin &p) { return p.table->flags; })
        .def("implementations", implementations)
        .def("lacks", lacks, nb::sig("def lacks(self) -> list[tuple[str, str, str]]"));

    nb::class_<Implementation>(module, "Implementation")
        .def_prop_ro("algorithm", [](const Implementation &i) { return i.table->algorithm; })
        .def_prop_ro("variant", [](const Implementation &i) { return i.table->variant; })
        .def_prop_ro("note",
                     [](const Implementation &i) -> nb::object {
                         return i.table->note ? nb::object(nb::str(i.table->note)) : nb::none();
                     })
        .def_prop_ro("kind", [](const Implementation &i) { return kind_name(i.table->kind); })
        .def_prop_ro("cpu_features",
                     [](const Implementation &i) { return feature_names(i.table->cpu_features); })
        .def_prop_ro("missing_features",
                     [](const Implementation &i) {
                         return feature_names(i.table->cpu_features & ~jm_cpu_features());
                     })
        .def_prop_ro("lanes", [](const Implementation &i) { return i.table->lanes; })
        .def_prop_ro("constant_time",
                     [](const Implementation &i) -> nb::object {
                         if (i.table->constant_time == JM_TIMING_CONSTANT) return nb::bool_(true);
                         if (i.table->constant_time == JM_TIMING_VARIABLE) return nb::bool_(false);
                         return nb::none();
                     })
        .def_prop_ro("block_bytes", [](const Implementation &i) { return i.table->block_bytes; })
        .def_prop_ro("output_bytes", [](const Implementation &i) { return i.table->output_bytes; })
        .def_prop_ro("key_bytes_min",
                     [](const Implementation &i) { return i.table->key_bytes_min; })
        .def_prop_ro("key_bytes_max",
                     [](const Implementation &i) -> nb::object {
                         if (i.table->key_bytes_max == SIZE_MAX) return nb::none();
                         return nb::int_(i.table->key_bytes_max);
                     })
        .def_prop_ro("key_bytes", [](const Implementation &i) { return i.table->key_bytes; })
        .def_prop_ro("nonce_bytes_min",
                     [](const Implementation &i) { return i.table->nonce_bytes_min; })
        .def_prop_ro("nonce_bytes_max",
                     [](const Implementation &i) { return i.table->nonce_bytes_max; })
        .def_prop_ro(
            "batch_calls",
            [](const Implementation &i) { return i.table->mac && i.table->mac->tag_batch; })
        .def("digest", digest, nb::arg("message"))
        .def("encrypt", encrypt, nb::arg("key"), nb::arg("blocks"));

    module.def("builtin_plugin", [] { return Plugin{jm_builtin_plugin(), nullptr}; });
    module.def("load_plugin", load, nb::arg("path"));
    module.def("cpu_features", [] { return feature_names(jm_cpu_features()); });
}

} // namespace jm
