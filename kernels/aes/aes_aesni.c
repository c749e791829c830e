/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 encryption (FIPS 197) with the x86 AES instructions.
 * Technique: eight independent blocks interleaved in `encrypt`. In `chain` the next message block
 *   and round key 0 are added to the last round key before the block's last round, so the only
 *   operations on the critical path are the rounds themselves: rounds * latency of aesenc.
 * State layout: a schedule is the round keys in order, as the instructions take them.
 * CPU features: AES-NI, SSE4.1.
 * Constant time: the instructions are; no branch on data. Checked by tests/native/constant_time.c.
 * Best for: one message at a time on any x86 that has these instructions. */
#if defined(__x86_64__)
#include "aes/aes.h"
#include "common/secret.h"
#include "joulemark/kernel.h"

#include <wmmintrin.h>

#define TARGET __attribute__((target("aes,sse4.1")))
#define INLINE TARGET static inline __attribute__((always_inline))
#define INTERLEAVED 8u

INLINE __m128i load(const void *from) {
    return _mm_loadu_si128((const __m128i *)from);
}
INLINE void store(void *to, __m128i block) {
    _mm_storeu_si128((__m128i *)to, block);
}

/* Words w0..w3 become w0, w0^w1, w0^w1^w2, w0^w1^w2^w3: the running XOR of the key expansion. */
INLINE __m128i running_xor(__m128i x) {
    x = _mm_xor_si128(x, _mm_slli_si128(x, 4));
    return _mm_xor_si128(x, _mm_slli_si128(x, 8));
}

/* The round key after `previous`, where `last` is the round key just before it: its last word
 * goes through RotWord, SubWord and Rcon. aeskeygenassist takes Rcon as an immediate operand,
 * hence a macro. */
#define AFTER(previous, last, rcon)                                                                \
    _mm_xor_si128(running_xor(previous),                                                           \
                  _mm_shuffle_epi32(_mm_aeskeygenassist_si128((last), (rcon)), 0xff))
/* The same for 192-bit keys, whose last word is word 1 of `last`, in front of two words not used.
 */
#define AFTER_192(previous, last, rcon)                                                            \
    _mm_xor_si128(running_xor(previous),                                                           \
                  _mm_shuffle_epi32(_mm_aeskeygenassist_si128((last), (rcon)), 0x55))
/* The same for the second half of a 256-bit key: SubWord alone. */
#define AFTER_256(previous, last)                                                                  \
    _mm_xor_si128(running_xor(previous),                                                           \
                  _mm_shuffle_epi32(_mm_aeskeygenassist_si128((last), 0), 0xaa))

TARGET static void expand_128(__m128i *k, const uint8_t *key) {
    k[0] = load(key);
    k[1] = AFTER(k[0], k[0], 0x01);
    k[2] = AFTER(k[1], k[1], 0x02);
    k[3] = AFTER(k[2], k[2], 0x04);
    k[4] = AFTER(k[3], k[3], 0x08);
    k[5] = AFTER(k[4], k[4], 0x10);
    k[6] = AFTER(k[5], k[5], 0x20);
    k[7] = AFTER(k[6], k[6], 0x40);
    k[8] = AFTER(k[7], k[7], 0x80);
    k[9] = AFTER(k[8], k[8], 0x1b);
    k[10] = AFTER(k[9], k[9], 0x36);
}

/* Step i makes words 6 i to 6 i + 5: `four` and the lower half of `two`, whose upper half is of no
 * use. Round keys begin at every fourth word, so the words are stored where they belong. */
#define STEP_192(i, rcon)                                                                          \
    four = AFTER_192(four, two, rcon);                                                             \
    two =                                                                                          \
        _mm_xor_si128(_mm_xor_si128(two, _mm_slli_si128(two, 4)), _mm_shuffle_epi32(four, 0xff));  \
    store(word + 6 * (i), four);                                                                   \
    if ((i) < 8) _mm_storel_epi64((__m128i *)(word + 6 * (i) + 4), two)

TARGET static void expand_192(__m128i *k, const uint8_t *key) {
    uint32_t *const word = (uint32_t *)k;
    __m128i four = load(key), two = _mm_loadl_epi64((const __m128i *)(key + 16));
    store(word, four);
    _mm_storel_epi64((__m128i *)(word + 4), two);
    STEP_192(1, 0x01);
    STEP_192(2, 0x02);
    STEP_192(3, 0x04);
    STEP_192(4, 0x08);
    STEP_192(5, 0x10);
    STEP_192(6, 0x20);
    STEP_192(7, 0x40);
    STEP_192(8, 0x80);
}

TARGET static void expand_256(__m128i *k, const uint8_t *key) {
    k[0] = load(key);
    k[1] = load(key + 16);
    k[2] = AFTER(k[0], k[1], 0x01);
    k[3] = AFTER_256(k[1], k[2]);
    k[4] = AFTER(k[2], k[3], 0x02);
    k[5] = AFTER_256(k[3], k[4]);
    k[6] = AFTER(k[4], k[5], 0x04);
    k[7] = AFTER_256(k[5], k[6]);
    k[8] = AFTER(k[6], k[7], 0x08);
    k[9] = AFTER_256(k[7], k[8]);
    k[10] = AFTER(k[8], k[9], 0x10);
    k[11] = AFTER_256(k[9], k[10]);
    k[12] = AFTER(k[10], k[11], 0x20);
    k[13] = AFTER_256(k[11], k[12]);
    k[14] = AFTER(k[12], k[13], 0x40);
}

/* Round keys are read where they are used: a loop with all round keys in registers spills one, and
 * has to load all of them for a single block. */
INLINE void in_memory(const __m128i **k) {
    JM_HIDE("r", *k);
}

INLINE __m128i middle_rounds(const __m128i *k, unsigned rounds, __m128i x) {
    JM_UNROLL(16)
    for (unsigned round = 1; round < rounds; round++) x = _mm_aesenc_si128(x, k[round]);
    return x;
}

INLINE void encrypt_blocks(const __m128i *k, unsigned rounds, const uint8_t *in, uint8_t *out,
                           size_t blocks) {
    for (; blocks >= INTERLEAVED; blocks -= INTERLEAVED) {
        __m128i x[INTERLEAVED];
        for (unsigned i = 0; i < INTERLEAVED; i++) x[i] = _mm_xor_si128(load(in + 16 * i), k[0]);
        for (unsigned round = 1; round < rounds; round++)
            for (unsigned i = 0; i < INTERLEAVED; i++) x[i] = _mm_aesenc_si128(x[i], k[round]);
        for (unsigned i = 0; i < INTERLEAVED; i++)
            store(out + 16 * i, _mm_aesenclast_si128(x[i], k[rounds]));
        in += 16 * INTERLEAVED;
        out += 16 * INTERLEAVED;
    }
    for (; blocks; blocks--, in += 16, out += 16) {
        in_memory(&k);
        const __m128i x = middle_rounds(k, rounds, _mm_xor_si128(load(in), k[0]));
        store(out, _mm_aesenclast_si128(x, k[rounds]));
    }
}

/* Invariant of the loop: x = chain ^ block ^ k[0], the state that enters round 1. */
INLINE void chain_blocks(const __m128i *k, unsigned rounds, uint8_t *chain, const uint8_t *in,
                         size_t blocks) {
    if (!blocks) return;
    const __m128i between = _mm_xor_si128(k[0], k[rounds]);
    __m128i x = _mm_xor_si128(load(chain), _mm_xor_si128(load(in), k[0]));
    while (--blocks) {
        in += 16;
        in_memory(&k);
        const __m128i folded = _mm_xor_si128(load(in), between);
        x = _mm_aesenclast_si128(middle_rounds(k, rounds, x), folded);
    }
    store(chain, _mm_aesenclast_si128(middle_rounds(k, rounds, x), k[rounds]));
}

/* The functions of one key length, with the number of rounds known to the compiler. */
#define DEFINE_AES(bits)                                                                           \
    TARGET static jm_status set_key_##bits(const jm_implementation *self, void *schedule,          \
                                           const uint8_t *key, size_t key_bytes) {                 \
        (void)self;                                                                                \
        if (key_bytes != JM_AES##bits##_KEY_BYTES) return JM_ERR_KEY_BYTES;                        \
        expand_##bits(schedule, key);                                                              \
        return JM_OK;                                                                              \
    }                                                                                              \
    static void wipe_key_##bits(const jm_implementation *self, void *schedule) {                   \
        (void)self;                                                                                \
        jm_wipe(schedule, JM_AES##bits##_SCHEDULE_BYTES_aesni);                                    \
    }                                                                                              \
    TARGET static void encrypt_##bits(const jm_implementation *self, const void *schedule,         \
                                      const uint8_t *in, uint8_t *out, size_t blocks) {            \
        (void)self;                                                                                \
        encrypt_blocks(schedule, JM_AES##bits##_ROUNDS, in, out, blocks);                          \
    }                                                                                              \
    TARGET static void chain_##bits(const jm_implementation *self, const void *schedule,           \
                                    uint8_t *chain, const uint8_t *in, size_t blocks) {            \
        (void)self;                                                                                \
        chain_blocks(schedule, JM_AES##bits##_ROUNDS, chain, in, blocks);                          \
    }                                                                                              \
    static const jm_cipher_functions functions_##bits = {                                          \
        .schedule_bytes = JM_AES##bits##_SCHEDULE_BYTES_aesni,                                     \
        .set_key = set_key_##bits,                                                                 \
        .wipe_key = wipe_key_##bits,                                                               \
        .encrypt = encrypt_##bits,                                                                 \
        .chain = chain_##bits,                                                                     \
    };                                                                                             \
    const jm_implementation jm_aes##bits##_aesni = JM_AES_CIPHER(                                  \
        bits, "aesni", JM_CPU_AESNI | JM_CPU_SSE41,                                                \
        "AES instructions, next block folded into the last round key.", functions_##bits);

DEFINE_AES(128)
DEFINE_AES(192)
DEFINE_AES(256)
#else
typedef int jm_aes_aesni_needs_x86;
#endif
