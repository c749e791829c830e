/* SPDX-License-Identifier: Apache-2.0
 * The constant-time claims of kernels for one message in AVX-512, GFNI, IFMA, VAES or VPCLMULQDQ,
 * which valgrind (3.19) does not run. CMakeLists.txt compiles their sources over the instructions
 * in plain C of constant_time_instructions/, and links them in the kernels' place: so the registry
 * of this program has them under their own names, and HMAC over their hashes. Run as valgrind
 * --error-exitcode=9 constant_time_instructions Without valgrind, each must agree with the portable
 * variant: exit code 1 if not. With valgrind, secrets are marked as by constant_time, whose `leaky`
 * and exit code 77 this program shares. Not checked: the compiler's code for these instructions. */
#include "check/secrets.h"
#include "compare_portable.h"
#include "native_test.h"
#include "over_hashes.h"

#if defined(__x86_64__)

/* Sources in lanes are those of constant_time_lanes, constant_time_masked_lanes and
 * constant_time_sha512; SHA-512 for one message is in the last. */
static bool is_emulated(const jm_implementation *self) {
    const uint32_t without_valgrind =
        JM_CPU_AVX512 | JM_CPU_GFNI | JM_CPU_IFMA | JM_CPU_VAES | JM_CPU_VPCLMUL;
    if (!(self->cpu_features & without_valgrind) || is_left_out(self)) return false;
    if (self->kind == JM_KIND_MAC && self->mac->tag_batch) return false;
    return !strstr(self->algorithm, "sha512") && !strstr(self->algorithm, "sha384");
}

enum { COMPARED_LONGEST = 90000 };

/* Long messages too: BLAKE3 fills its lanes from 16 KiB on, KangarooTwelve from 72 KiB. */
static void compare_long(const jm_implementation *self) {
    static const size_t compared[] = {300, 1100, 4100, 17000, 40000, COMPARED_LONGEST};
    static uint8_t text[COMPARED_LONGEST];
    const jm_implementation *portable = portable_of(self);
    uint64_t seed = 7;
    compared_outputs found, expected;
    random_bytes(&seed, text, sizeof text);
    const bool chunked = strstr(self->algorithm, "blake3") || strstr(self->algorithm, "kt128");
    const size_t count = sizeof compared / sizeof *compared;
    for (size_t i = 0; i < (chunked ? count : 3); i++) {
        if (self->kind == JM_KIND_HASH) {
            self->hash->digest(self, text, compared[i], found.once);
            portable->hash->digest(portable, text, compared[i], expected.once);
        } else {
            mac_both_ways(self, text, compared[i], self->key_bytes, &found);
            mac_both_ways(portable, text, compared[i], self->key_bytes, &expected);
            CHECK(!memcmp(found.streamed, expected.streamed, self->output_bytes), self,
                  "emulated, streamed, differs from portable at %zu bytes", compared[i]);
        }
        CHECK(!memcmp(found.once, expected.once, self->output_bytes), self,
              "emulated differs from portable at %zu bytes", compared[i]);
    }
}

int main(int argc, char **argv) {
    const jm_plugin *plugin = jm_builtin_plugin();
    unsigned broken = 0;
    if (argc > 1 && !strcmp(argv[1], "leaky")) {
        if (watched()) run_leaky();
        return RUNNING_ON_VALGRIND ? 0 : SKIPPED;
    }
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (!is_emulated(self)) continue;
        if (!RUNNING_ON_VALGRIND) {
            if (self->block_bytes <= COMPARED_BLOCK_BYTES_MAX) compare_with_portable(self);
            compare_long(self);
        }
        if (RUNNING_ON_VALGRIND) broken += !keeps_secrets(self);
    }
    if (!RUNNING_ON_VALGRIND) puts("The emulated kernels agree with the portable ones.");
    return watched() ? broken != 0 : SKIPPED;
}

#else

int main(void) {
    puts("Not checked: only x86-64 has these instructions.");
    return SKIPPED;
}

#endif
