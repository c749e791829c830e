/* SPDX-License-Identifier: Apache-2.0
 * The constant-time claims of the HMAC kernels in AVX-512 lanes, which valgrind (3.19) does not
 * run: the sources in constant_time_lanes/ are the kernels' own lane sources, over vectors in plain
 * C (lanes/vec_generic.h). Run as
 *     valgrind --error-exitcode=9 constant_time_lanes
 * Without valgrind, there must be a source for each of these kernels, and each must agree with the
 * portable kernel in batches of any size and length: exit code 1 if not. With valgrind, secrets are
 * marked as by constant_time, whose `leaky` and exit code 77 this program shares. Not checked: the
 * compiler's code for the vector instructions; those used have no secret address and no branch. */
#include "check/secrets.h"
#include "native_test.h"

extern const jm_implementation jm_hmac_md5_generic_x4;
extern const jm_implementation jm_hmac_md5_generic_x8;
extern const jm_implementation jm_hmac_md5_generic_x16;
extern const jm_implementation jm_hmac_sha1_generic_x4;
extern const jm_implementation jm_hmac_sha1_generic_x8;
extern const jm_implementation jm_hmac_sha256_generic_x4;
extern const jm_implementation jm_hmac_sha256_generic_x8;
extern const jm_implementation jm_hmac_sha384_generic_x2;
extern const jm_implementation jm_hmac_sha384_generic_x4;
extern const jm_implementation jm_hmac_sha512_generic_x2;
extern const jm_implementation jm_hmac_sha512_generic_x4;
extern const jm_implementation jm_keccak_generic_x2[2];

static const jm_implementation *const generic[] = {
    &jm_hmac_md5_generic_x4,    &jm_hmac_md5_generic_x8,    &jm_hmac_md5_generic_x16,
    &jm_hmac_sha1_generic_x4,   &jm_hmac_sha1_generic_x8,   &jm_hmac_sha256_generic_x4,
    &jm_hmac_sha256_generic_x8, &jm_hmac_sha384_generic_x2, &jm_hmac_sha384_generic_x4,
    &jm_hmac_sha512_generic_x2, &jm_hmac_sha512_generic_x4, &jm_keccak_generic_x2[0],
    &jm_keccak_generic_x2[1],
};
/* A vector in plain C has 16 bytes, a vector of AVX-512 has 64. */
enum { NARROWER = 4 };
enum { KERNELS = sizeof generic / sizeof *generic, BATCH = 150, LONGEST_COMPARED = 400 };

static void compare_batch(const jm_implementation *self, const uint8_t *text, size_t count) {
    const jm_implementation *portable = portable_of(self);
    static uint8_t tags[BATCH][JM_OUTPUT_BYTES_MAX];
    static jm_mac_message batch[BATCH];
    uint8_t expected[JM_OUTPUT_BYTES_MAX];
    void *state = exact_state(self->mac->key_state_bytes);
    void *portable_state = exact_state(portable->mac->key_state_bytes);
    self->mac->set_key(self, state, key, count % sizeof key);
    portable->mac->set_key(portable, portable_state, key, count % sizeof key);
    for (size_t i = 0; i < count; i++)
        batch[i] = (jm_mac_message){state, text + i, (i * 61 + count) % LONGEST_COMPARED, tags[i]};
    CHECK(self->mac->tag_batch(self, batch, count) == JM_OK, self, "a batch of %zu", count);
    for (size_t i = 0; i < count; i++) {
        portable->mac->tag(portable, portable_state, batch[i].message, batch[i].message_bytes,
                           expected);
        CHECK(!memcmp(tags[i], expected, self->output_bytes), self,
              "in plain C, message %zu of %zu differs from portable", i, count);
    }
    free(state);
    free(portable_state);
}

static void compare_kernel(const jm_implementation *self) {
    static uint8_t text[LONGEST_COMPARED + BATCH];
    uint64_t seed = 2;
    random_bytes(&seed, text, sizeof text);
    random_bytes(&seed, key, sizeof key);
    for (size_t count = 0; count <= BATCH; count += count < 40 ? 1 : 11)
        compare_batch(self, text, count);
}

/* Every HMAC kernel of ours in AVX-512 lanes must have its source here. */
static void expect_instance(const jm_implementation *self) {
    if (!(self->cpu_features & JM_CPU_AVX512) || strncmp(self->algorithm, "hmac-", 5)) return;
    if (!self->mac->tag_batch) return;
    for (size_t i = 0; i < KERNELS; i++)
        if (!strcmp(generic[i]->algorithm, self->algorithm) &&
            generic[i]->lanes * NARROWER == self->lanes)
            return;
    CHECK(false, self, "its lane source is not in tests/native/constant_time_lanes");
}

int main(int argc, char **argv) {
    const jm_plugin *plugin = jm_builtin_plugin();
    unsigned broken = 0;
    if (!RUNNING_ON_VALGRIND) {
        for (size_t i = 0; i < plugin->count; i++) expect_instance(plugin->implementations[i]);
        for (size_t i = 0; i < KERNELS; i++) compare_kernel(generic[i]);
        puts("The lanes in plain C agree with the portable kernels.");
    }
    if (!watched()) return SKIPPED;
    if (argc > 1 && !strcmp(argv[1], "leaky")) {
        run_leaky();
        return 0;
    }
    for (size_t i = 0; i < KERNELS; i++) broken += !keeps_secrets(generic[i]);
    return broken != 0;
}
