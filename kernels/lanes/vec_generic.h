/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of VEC_LANES words of VEC_WORD_BITS in plain C, for any CPU; see v32_avx512.h.
 *
 * The includer defines, above:
 *     VEC_WORD_BITS   32 or 64
 *     VEC_LANES       words of a vector, if vectors are not to have 16 bytes
 *
 * The compiler chooses the instructions. These vectors let valgrind, which does not run AVX-512,
 * watch the algorithms of the AVX-512 kernels. */
#ifndef JM_VEC_H
#define JM_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/secret.h"
#include "common/words.h"

#if VEC_WORD_BITS == 32
typedef uint32_t vec_word;
#define VEC_LOAD_LE load_le32
#elif VEC_WORD_BITS == 64
typedef uint64_t vec_word;
#define VEC_LOAD_LE load_le64
#else
#error "VEC_WORD_BITS is 32 or 64"
#endif
#ifndef VEC_LANES
#define VEC_LANES (128u / VEC_WORD_BITS)
#endif
enum { VEC_WORD_BYTES = sizeof(vec_word), VEC_CHUNK_WORDS = 64 / VEC_WORD_BYTES };

/* The compilers' own vectors: with an array in a struct, a loop of rounds takes them minutes. */
typedef vec_word vec __attribute__((vector_size(VEC_WORD_BITS / 8 * VEC_LANES)));

JM_INLINE vec vec_load(const vec_word *at) {
    vec x;
    memcpy(&x, at, sizeof x);
    return x;
}
JM_INLINE void vec_store(vec_word *at, vec x) {
    memcpy(at, &x, sizeof x);
}
JM_INLINE vec vec_set1(vec_word word) {
    return (vec){0} + word;
}
JM_INLINE vec vec_add(vec x, vec y) {
    return x + y;
}
JM_INLINE vec vec_multiply(vec x, vec y) {
    return x * y;
}
JM_INLINE void vec_add_to(vec_word *at, vec x) {
    vec_store(at, vec_add(vec_load(at), x));
}
JM_INLINE vec vec_pin(vec x) {
    return x;
}
JM_INLINE vec vec_xor(vec x, vec y) {
    return x ^ y;
}
JM_INLINE vec vec_xor3(vec x, vec y, vec z) {
    return x ^ y ^ z;
}
JM_INLINE vec vec_xor_andnot(vec x, vec y, vec z) {
    return x ^ (~y & z);
}
JM_INLINE vec vec_choose(vec x, vec y, vec z) {
    return (x & y) ^ (~x & z);
}
JM_INLINE vec vec_majority(vec x, vec y, vec z) {
    return (x & y) ^ (x & z) ^ (y & z);
}
JM_INLINE vec vec_md5_i(vec x, vec y, vec z) {
    return y ^ (x | ~z);
}
/* 0 < count < VEC_WORD_BITS */
JM_INLINE vec vec_rotr(vec x, unsigned count) {
    return x >> count | x << (VEC_WORD_BITS - count);
}
JM_INLINE vec vec_rotl(vec x, unsigned count) {
    return x << count | x >> (VEC_WORD_BITS - count);
}
JM_INLINE vec vec_shr(vec x, unsigned count) {
    return x >> count;
}
JM_INLINE vec vec_shl(vec x, unsigned count) {
    return x << count;
}

/* Each word rotated left by its count modulo VEC_WORD_BITS. */
JM_INLINE vec vec_rotl_by(vec x, vec count) {
    return x << (count & (VEC_WORD_BITS - 1)) | x >> (-count & (VEC_WORD_BITS - 1));
}
/* x in the lanes of `mask`, y in the others. */
JM_INLINE vec vec_select(uint32_t mask, vec x, vec y) {
    vec take;
    for (size_t lane = 0; lane < VEC_LANES; lane++) take[lane] = -(vec_word)(mask >> lane & 1);
    return (x & take) | (y & ~take);
}

JM_INLINE vec vec_swap_bytes(vec x) {
#if VEC_WORD_BITS == 32
    const vec pairs = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return pairs << 16 | pairs >> 16;
#else
    vec_word words[VEC_LANES];
    vec_store(words, x);
    for (size_t lane = 0; lane < VEC_LANES; lane++) words[lane] = __builtin_bswap64(words[lane]);
    return vec_load(words);
#endif
}

JM_INLINE void vec_load_chunk(const uint8_t *const *from, size_t offset, vec w[VEC_CHUNK_WORDS]) {
    for (size_t i = 0; i < VEC_CHUNK_WORDS; i++) {
        vec_word words[VEC_LANES];
        for (size_t lane = 0; lane < VEC_LANES; lane++)
            words[lane] = VEC_LOAD_LE(from[lane] + offset + i * VEC_WORD_BYTES);
        w[i] = vec_load(words);
    }
}

#define VEC_PART_LANES 1u

JM_INLINE void vec_load_part(const uint8_t *const *from, size_t offset,
                             vec part[VEC_CHUNK_WORDS / VEC_LANES]) {
    vec_word words[VEC_CHUNK_WORDS];
    for (size_t i = 0; i < VEC_CHUNK_WORDS; i++)
        words[i] = VEC_LOAD_LE(from[0] + offset + i * VEC_WORD_BYTES);
    memcpy(part, words, sizeof words);
}

JM_INLINE void vec_join_parts(const vec t[VEC_CHUNK_WORDS], vec w[VEC_CHUNK_WORDS]) {
    vec_word rows[VEC_LANES][VEC_CHUNK_WORDS];
    memcpy(rows, t, sizeof rows);
    for (size_t i = 0; i < VEC_CHUNK_WORDS; i++) {
        vec_word words[VEC_LANES];
        for (size_t lane = 0; lane < VEC_LANES; lane++) words[lane] = rows[lane][i];
        w[i] = vec_load(words);
    }
}

JM_INLINE void vec_load_rows(const uint8_t *const *from, vec w[8]) {
    for (size_t i = 0; i < 8; i++) {
        vec_word words[VEC_LANES];
        for (size_t lane = 0; lane < VEC_LANES; lane++)
            memcpy(&words[lane], from[lane] + i * VEC_WORD_BYTES, VEC_WORD_BYTES);
        w[i] = vec_load(words);
    }
}

JM_INLINE void vec_store_rows(vec_word *to, const vec w[8]) {
    for (size_t i = 0; i < 8; i++)
        for (size_t lane = 0; lane < VEC_LANES; lane++) to[8 * lane + i] = w[i][lane];
}

#endif
