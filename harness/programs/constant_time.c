/* SPDX-License-Identifier: Apache-2.0
 * Runs one implementation on secrets under valgrind for `joulemark test --constant-time`; see
 * check/secrets.h. Usage: constant_time ALGORITHM VARIANT [PLUGIN]
 * Exit codes: 0 no branch or address depends on secrets; 1 the implementation failed; 3 a branch or
 * address depends on secrets; 4 the implementation needs CPU features that valgrind lacks, which
 * are printed; 77 valgrind does not watch the program. */
#include <dlfcn.h>

#include "check/secrets.h"

enum { KEEPS = 0, FAILED = 1, DEPENDS = 3, NEEDS_FEATURES = 4 };

static const jm_plugin *plugin_at(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    jm_plugin_entry entry = NULL;
    /* POSIX's way to convert dlsym's result: ISO C forbids the cast to a function pointer. */
    if (library) *(void **)&entry = dlsym(library, JM_PLUGIN_ENTRY);
    return entry ? entry() : NULL;
}

int main(int argc, char **argv) {
    if (argc < 3) return FAILED;
    if (!watched()) return SKIPPED;
    const jm_plugin *plugin = argc > 3 ? plugin_at(argv[3]) : jm_builtin_plugin();
    if (!plugin || plugin->abi_version < JM_ABI_VERSION_MIN || plugin->abi_version > JM_ABI_VERSION)
        return FAILED;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (strcmp(self->algorithm, argv[1]) || strcmp(self->variant, argv[2])) continue;
        if (can_run(self)) return keeps_secrets(self) ? KEEPS : DEPENDS;
        const uint32_t missing = self->cpu_features & ~jm_cpu_features();
        for (unsigned bit = 0; bit < JM_CPU_FEATURE_COUNT; bit++)
            if (missing >> bit & 1) printf("%s ", jm_cpu_feature_name(bit));
        return NEEDS_FEATURES;
    }
    return FAILED;
}
