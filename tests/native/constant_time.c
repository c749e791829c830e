/* SPDX-License-Identifier: Apache-2.0
 * Constant-time claims, checked by valgrind's memcheck; see secrets.h. Run as
 *     valgrind --error-exitcode=9 constant_time
 * Not checked: variants for features that valgrind does not offer; for the SHA extensions see
 * constant_time_sha, for AVX-512 and its companions constant_time_lanes,
 * constant_time_masked_lanes, constant_time_sha512 and constant_time_instructions.
 * `constant_time leaky` looks a key byte up in a table and must be reported, which shows that the
 * check works. Exit code 77: nothing was checked. */
#include "check/secrets.h"
#include "native_test.h"
#include "over_hashes.h"

int main(int argc, char **argv) {
    const jm_plugin *plugin = jm_builtin_plugin();
    unsigned broken = 0;
    if (!watched()) return SKIPPED;
    if (argc > 1 && !strcmp(argv[1], "leaky")) {
        run_leaky();
        return 0;
    }
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (is_left_out(self))
            print_verdict(self, "not checked: its hash is, and HMAC over others");
        else if (self->constant_time != JM_TIMING_CONSTANT)
            print_verdict(self, "no claim");
        else if (can_run(self))
            broken += !keeps_secrets(self);
        else if (self->cpu_features & JM_CPU_SHANI)
            print_verdict(self, "not checked here: constant_time_sha does");
        else if (self->kind == JM_KIND_MAC && self->mac->tag_batch)
            print_verdict(self, strncmp(self->algorithm, "hmac-", 5)
                                    ? "not checked here: constant_time_masked_lanes does its source"
                                    : "not checked here: constant_time_lanes does its source");
        else if (!strcmp(self->variant, "avx512"))
            print_verdict(self, "not checked here: constant_time_sha512 does");
        else
            print_verdict(self, "not checked here: constant_time_instructions does its source");
    }
    return broken != 0;
}
