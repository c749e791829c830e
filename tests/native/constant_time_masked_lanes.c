/* SPDX-License-Identifier: Apache-2.0
 * The constant-time claims of CMAC and SipHash in AVX-512 lanes, which valgrind (3.19) does not
 * run: the sources in constant_time_masked_lanes/ are those of the kernels, over AES-NI and vectors
 * of smaller registers. vaes_x32, SipHash's avx512_x16 and the avx512_x32 of RC6 and Serpent are
 * the same sources with more lanes. Run as
 *     valgrind --error-exitcode=9 constant_time_masked_lanes
 * Without valgrind, their batches must give the portable tags: exit code 1 if not. With valgrind,
 * secrets are marked as by constant_time, whose `leaky` and exit code 77 this program shares. Not
 * checked: the compiler's code for AVX-512, and the masked loads of tails there. */
#include "check/secrets.h"
#include "native_test.h"

#if defined(__x86_64__)

extern const jm_implementation emulated_cmac_aes128_vaes_x16, emulated_cmac_aes192_vaes_x16;
extern const jm_implementation emulated_cmac_aes256_vaes_x16;
extern const jm_implementation emulated_cmac_rc6_128_avx512_x16;
extern const jm_implementation emulated_cmac_serpent128_avx512_x16;
extern const jm_implementation emulated_xcbc_aes128_vaes_x16;
extern const jm_implementation emulated_siphash_1_3_avx512_x8;
extern const jm_implementation emulated_siphash_2_4_avx512_x8, emulated_siphash_2_4_128_avx512_x8;

static const jm_implementation *const emulated[] = {
    &emulated_cmac_aes128_vaes_x16,       &emulated_cmac_aes192_vaes_x16,
    &emulated_cmac_aes256_vaes_x16,       &emulated_cmac_rc6_128_avx512_x16,
    &emulated_cmac_serpent128_avx512_x16, &emulated_xcbc_aes128_vaes_x16,
    &emulated_siphash_1_3_avx512_x8,      &emulated_siphash_2_4_avx512_x8,
    &emulated_siphash_2_4_128_avx512_x8,
};
enum { KERNELS = sizeof emulated / sizeof *emulated, BATCH_MAX = 70, KEYS = 3 };

/* Every kind of batch: the length of message i of `batch`. All fit LONGEST bytes. */
enum { BATCHES = 8 };
static size_t length_in(unsigned batch, size_t i) {
    switch (batch) {
    case 0:
        return 0; /* equal: no byte at all */
    case 1:
        return 64; /* equal: whole groups */
    case 2:
        return 77; /* equal: a tail */
    case 3:
        return i; /* up to a little over a group, shortest first */
    case 4:
        return 100 + i; /* two groups and more */
    case 5:
        return i == 40 ? LONGEST : 3; /* one lane goes on alone */
    case 6:
        return 7 * i % 65; /* no whole group, all units */
    default:
        return 53 * i % (LONGEST + 1);
    }
}

typedef struct {
    void *state[KEYS];
    uint8_t tag[BATCH_MAX][JM_OUTPUT_BYTES_MAX];
    jm_mac_message message[BATCH_MAX];
} batch_call;

/* `keys` states serve the messages in turn; with 1, all messages have the same state. */
static void fill_batch(batch_call *call, unsigned batch, size_t count, size_t keys) {
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = length_in(batch, i);
        call->message[i] = (jm_mac_message){
            call->state[i % keys], bytes ? message + (LONGEST - bytes) : NULL, bytes, call->tag[i]};
    }
}

static void open_call(batch_call *call, const jm_implementation *self) {
    for (size_t k = 0; k < KEYS; k++) {
        call->state[k] = exact_state(self->mac->key_state_bytes);
        CHECK(self->mac->set_key(self, call->state[k], key + k, self->key_bytes) == JM_OK, self,
              "set_key");
    }
}

static void close_call(batch_call *call, const jm_implementation *self) {
    for (size_t k = 0; k < KEYS; k++) {
        self->mac->wipe_key(self, call->state[k]);
        free(call->state[k]);
    }
}

static void compare_kernel(const jm_implementation *self) {
    const jm_implementation *portable = portable_of(self);
    static batch_call call, expected;
    uint64_t seed = 3;
    random_bytes(&seed, message, sizeof message);
    random_bytes(&seed, key, sizeof key);
    open_call(&call, self);
    open_call(&expected, portable);
    for (unsigned batch = 0; batch < BATCHES; batch++)
        for (size_t count = 0; count <= BATCH_MAX; count++)
            for (size_t keys = 1; keys <= KEYS; keys += KEYS - 1) {
                fill_batch(&call, batch, count, keys);
                fill_batch(&expected, batch, count, keys);
                CHECK(self->mac->tag_batch(self, call.message, count) == JM_OK, self, "tag_batch");
                for (size_t i = 0; i < count; i++) {
                    const jm_mac_message *m = &expected.message[i];
                    portable->mac->tag(portable, m->key_state, m->message, m->message_bytes,
                                       m->tag);
                    CHECK(!memcmp(m->tag, call.tag[i], self->output_bytes), self,
                          "differs from portable: lengths %u, message %zu of %zu, %zu keys", batch,
                          i, count, keys);
                }
            }
    close_call(&call, self);
    close_call(&expected, portable);
}

static bool keeps_secrets_in_batches(const jm_implementation *self) {
    static const size_t counts[] = {1, 5, 16, 33, BATCH_MAX};
    static batch_call call;
    const unsigned before = VALGRIND_COUNT_ERRORS;
    hide(key, sizeof key);
    hide(message, sizeof message);
    open_call(&call, self);
    for (unsigned batch = 0; batch < BATCHES; batch++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (size_t keys = 1; keys <= KEYS; keys += KEYS - 1) {
                fill_batch(&call, batch, counts[i], keys);
                self->mac->tag_batch(self, call.message, counts[i]);
            }
    reveal(call.tag, sizeof call.tag);
    close_call(&call, self);
    reveal(key, sizeof key);
    reveal(message, sizeof message);
    const bool clean = VALGRIND_COUNT_ERRORS == before;
    print_verdict(self, clean ? "constant time" : "DEPENDS ON SECRETS");
    return clean;
}

int main(int argc, char **argv) {
    const uint32_t emulated_features = JM_CPU_AVX512 | JM_CPU_VAES | JM_CPU_AVX2 | JM_CPU_BMI2;
    const uint32_t features = jm_cpu_features() | emulated_features;
    unsigned broken = 0;
    for (size_t i = 0; i < KERNELS; i++)
        if (emulated[i]->cpu_features & ~features) {
            puts("Not checked: this CPU has no AES-NI.");
            return SKIPPED;
        }
    if (!RUNNING_ON_VALGRIND) {
        for (size_t i = 0; i < KERNELS; i++) compare_kernel(emulated[i]);
        puts("The emulated kernels agree with the portable ones.");
    }
    if (!watched()) return SKIPPED;
    if (argc > 1 && !strcmp(argv[1], "leaky")) {
        run_leaky();
        return 0;
    }
    for (size_t i = 0; i < KERNELS; i++) broken += !keeps_secrets_in_batches(emulated[i]);
    return broken != 0;
}

#else

int main(void) {
    puts("Not checked: only x86-64 has these lanes.");
    return SKIPPED;
}

#endif
