/* SPDX-License-Identifier: Apache-2.0
 * The constant-time claims of the kernels that use the SHA extensions, which valgrind (3.19) does
 * not run: the sources in constant_time_sha/ are those of the kernels, with the SHA instructions
 * replaced by the functions of sha_extensions.h. Run as
 *     valgrind --error-exitcode=9 constant_time_sha
 * Without valgrind, the functions must equal the instructions, if the CPU has them, and the changed
 * kernels the portable kernels: exit code 1 if not. With valgrind, secrets are marked as by
 * constant_time, whose `leaky` and exit code 77 this program shares. Not checked: the compiler's
 * code for the kernels with the SHA instructions. */
#include "check/secrets.h"
#include "compare_portable.h"
#include "native_test.h"
#include "sha_extensions.h"

#if defined(__x86_64__)
#include <immintrin.h>

extern const jm_implementation emulated_sha1_shani, emulated_hmac_sha1_shani;
extern const jm_implementation emulated_hmac_sha1_shani_x4;
extern const jm_implementation emulated_sha256_shani, emulated_hmac_sha256_shani;
extern const jm_implementation emulated_hmac_sha256_shani_x4;
extern const jm_implementation emulated_shacal1_shani, emulated_cmac_shacal1_shani;
extern const jm_implementation emulated_shacal2_shani, emulated_cmac_shacal2_shani;

static const jm_implementation *const emulated[] = {
    &emulated_sha1_shani,         &emulated_hmac_sha1_shani,    &emulated_hmac_sha1_shani_x4,
    &emulated_sha256_shani,       &emulated_hmac_sha256_shani,  &emulated_hmac_sha256_shani_x4,
    &emulated_shacal1_shani,      &emulated_cmac_shacal1_shani, &emulated_shacal2_shani,
    &emulated_cmac_shacal2_shani,
};
enum { KERNELS = sizeof emulated / sizeof *emulated, OPERANDS = 100000 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };
enum { BATCH = 11 }; /* more than the streams of any kernel here, and not a multiple of them */

/* ---- functions and instructions ---- */

static void expect_same(const char *instruction, sha_words found, __m128i expected) {
    if (!memcmp(&found, &expected, sizeof found)) return;
    fprintf(stderr, "%s: the emulation differs from this CPU\n", instruction);
    exit(1);
}

/* The header's intrinsics: only the kernels' own files have them replaced. */
__attribute__((target("sha"))) static void compare_instructions(void) {
    uint64_t seed = 1;
    for (int i = 0; i < OPERANDS; i++) {
        sha_words a, b, c;
        random_bytes(&seed, (uint8_t *)&a, sizeof a);
        random_bytes(&seed, (uint8_t *)&b, sizeof b);
        random_bytes(&seed, (uint8_t *)&c, sizeof c);
        const __m128i x = (__m128i)a, y = (__m128i)b, z = (__m128i)c;
        expect_same("SHA1RNDS4 0", emulated_sha1rnds4(a, b, 0), _mm_sha1rnds4_epu32(x, y, 0));
        expect_same("SHA1RNDS4 1", emulated_sha1rnds4(a, b, 1), _mm_sha1rnds4_epu32(x, y, 1));
        expect_same("SHA1RNDS4 2", emulated_sha1rnds4(a, b, 2), _mm_sha1rnds4_epu32(x, y, 2));
        expect_same("SHA1RNDS4 3", emulated_sha1rnds4(a, b, 3), _mm_sha1rnds4_epu32(x, y, 3));
        expect_same("SHA1NEXTE", emulated_sha1nexte(a, b), _mm_sha1nexte_epu32(x, y));
        expect_same("SHA1MSG1", emulated_sha1msg1(a, b), _mm_sha1msg1_epu32(x, y));
        expect_same("SHA1MSG2", emulated_sha1msg2(a, b), _mm_sha1msg2_epu32(x, y));
        expect_same("SHA256RNDS2", emulated_sha256rnds2(a, b, c), _mm_sha256rnds2_epu32(x, y, z));
        expect_same("SHA256MSG1", emulated_sha256msg1(a, b), _mm_sha256msg1_epu32(x, y));
        expect_same("SHA256MSG2", emulated_sha256msg2(a, b), _mm_sha256msg2_epu32(x, y));
    }
    puts("The emulated instructions agree with this CPU's.");
}

/* ---- batches ---- */

/* Tags `count` messages, of the `lengths` in turn from the one numbered `first`, in one batch and
 * one by one by the single-message variant, and returns whether the tags are equal; neither
 * branches on them. */
static int batch_agrees(const jm_implementation *self, const void *state, size_t first,
                        size_t count) {
    uint8_t tags[BATCH][JM_OUTPUT_BYTES_MAX] = {{0}}, expected[BATCH][JM_OUTPUT_BYTES_MAX];
    jm_mac_message batch[BATCH] = {{0}};
    const jm_implementation *single = self->over;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = lengths[(first + i) % LENGTHS];
        batch[i] = (jm_mac_message){state, message + LONGEST - bytes, bytes, tags[i]};
        single->mac->tag(single, state, batch[i].message, bytes, expected[i]);
    }
    CHECK(self->mac->tag_batch(self, batch, count) == JM_OK, self, "tag_batch");
    int equal = 1;
    for (size_t i = 0; i < count; i++)
        equal &= jm_equal_ct(tags[i], expected[i], self->output_bytes);
    return equal;
}

/* Every size of batch, keys and messages secret: true if memcheck reported nothing meanwhile. */
static bool batch_keeps_secrets(const jm_implementation *self) {
    const unsigned before = VALGRIND_COUNT_ERRORS;
    void *state = exact_state(self->mac->key_state_bytes);
    hide(key, sizeof key);
    hide(message, sizeof message);
    self->mac->set_key(self, state, key, self->key_bytes);
    for (size_t count = 0; count <= BATCH; count++)
        for (size_t first = 0; first < LENGTHS; first++) {
            int equal = batch_agrees(self, state, first, count);
            reveal(&equal, sizeof equal);
            CHECK(equal, self, "a batch of %zu differs from its messages one by one", count);
        }
    self->mac->wipe_key(self, state);
    reveal(key, sizeof key);
    reveal(message, sizeof message);
    free(state);
    const bool clean = VALGRIND_COUNT_ERRORS == before;
    print_verdict(self, clean ? "constant time in batches" : "DEPENDS ON SECRETS IN BATCHES");
    return clean;
}

int main(int argc, char **argv) {
    const uint32_t features = jm_cpu_features();
    unsigned broken = 0;
    for (size_t i = 0; i < KERNELS; i++)
        if (emulated[i]->cpu_features & ~(features | JM_CPU_SHANI)) {
            puts("Not checked: this CPU lacks what the kernels need beside the SHA extensions.");
            return SKIPPED;
        }
    if (!RUNNING_ON_VALGRIND) {
        if (features & JM_CPU_SHANI) compare_instructions();
        for (size_t i = 0; i < KERNELS; i++) compare_with_portable(emulated[i]);
        puts("The emulated kernels agree with the portable ones.");
    }
    if (!watched()) return SKIPPED;
    if (argc > 1 && !strcmp(argv[1], "leaky")) {
        run_leaky();
        return 0;
    }
    for (size_t i = 0; i < KERNELS; i++) {
        broken += !keeps_secrets(emulated[i]);
        if (emulated[i]->kind == JM_KIND_MAC && emulated[i]->mac->tag_batch)
            broken += !batch_keeps_secrets(emulated[i]);
    }
    return broken != 0;
}

#else

int main(void) {
    puts("Not checked: only x86-64 has these SHA extensions.");
    return SKIPPED;
}

#endif
