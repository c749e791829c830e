/* SPDX-License-Identifier: Apache-2.0
 *
 * The round of AES (FIPS 197, section 5.1) and its steps in plain C, for hash functions that are
 * made of AES rounds: without keys, and with the S-box's constant, which aes_portable.c hides in
 * its keys.
 *
 * A block is two 64-bit words in little-endian order, each with two columns of the AES state: byte
 * 4 c + r of a block is row r of column c. The S-box is the circuit of aes_sbox.h, of 64 or 16
 * bytes at once. Constant time: no table and no branch on data. */
#ifndef JM_AES_ROUND_H
#define JM_AES_ROUND_H

#include "aes/aes_planes.h"
#include "aes/aes_sbox.h"
#include "common/secret.h"

enum { AES_BLOCK_WORDS = 2, AES_FOUR_BLOCKS_WORDS = 8 };

#define AES_EACH_BYTE(byte_) (UINT64_C(0x0101010101010101) * (byte_))

/* SubBytes of 64 bytes in any order. A function by itself, because each of its copies would take
 * the compiler long. */
__attribute__((unused)) JM_ONCE void aes_substitute_64(uint64_t words[AES_FOUR_BLOCKS_WORDS]) {
    transpose(words);
    substitute(words);
    transpose(words);
    for (unsigned i = 0; i < 8; i++) words[i] ^= AES_EACH_BYTE(0x63);
}

/* SubBytes of 16 bytes. Bit 8 i + k of plane j is bit j of byte i of word k. */
__attribute__((unused)) JM_ONCE void aes_substitute_16(uint64_t words[AES_BLOCK_WORDS]) {
    const uint64_t lowest = AES_EACH_BYTE(1);
    uint64_t x[8];
    for (unsigned j = 0; j < 8; j++)
        x[j] = ((words[0] >> j) & lowest) | ((words[1] >> j) & lowest) << 1;
    substitute(x);
    words[0] = words[1] = AES_EACH_BYTE(0x63);
    for (unsigned j = 0; j < 8; j++) {
        words[0] ^= (x[j] & lowest) << j;
        words[1] ^= ((x[j] >> 1) & lowest) << j;
    }
}

/* Row r of each column comes from the column r further on. */
JM_INLINE void aes_shift_rows(uint64_t block[AES_BLOCK_WORDS]) {
    const uint64_t row[4] = {UINT64_C(0x000000ff000000ff), UINT64_C(0x0000ff000000ff00),
                             UINT64_C(0x00ff000000ff0000), UINT64_C(0xff000000ff000000)};
    const uint64_t columns01 = block[0], columns23 = block[1];
    const uint64_t columns12 = columns01 >> 32 | columns23 << 32;
    const uint64_t columns30 = columns23 >> 32 | columns01 << 32;
    block[0] =
        (columns01 & row[0]) | (columns12 & row[1]) | (columns23 & row[2]) | (columns30 & row[3]);
    block[1] =
        (columns23 & row[0]) | (columns30 & row[1]) | (columns01 & row[2]) | (columns12 & row[3]);
}

/* Each of eight bytes times x in GF(2^8) (FIPS 197, section 4.2.1). */
JM_INLINE uint64_t aes_double(uint64_t bytes) {
    const uint64_t carried = (bytes >> 7) & AES_EACH_BYTE(1);
    return ((bytes << 1) & AES_EACH_BYTE(0xfe)) ^ carried * 0x1b;
}

/* Row r becomes 2 a_r + 3 a_r+1 + a_r+2 + a_r+3, in two columns. */
JM_INLINE uint64_t aes_mix_columns(uint64_t columns) {
    const uint64_t below = ((columns >> 8) & UINT64_C(0x00ffffff00ffffff)) |
                           ((columns << 24) & UINT64_C(0xff000000ff000000));
    const uint64_t sum = columns ^ below;
    const uint64_t two_below =
        ((sum >> 16) & UINT64_C(0x0000ffff0000ffff)) | ((sum << 16) & UINT64_C(0xffff0000ffff0000));
    return aes_double(sum) ^ below ^ two_below;
}

JM_INLINE void aes_after_substitution(uint64_t block[AES_BLOCK_WORDS]) {
    aes_shift_rows(block);
    block[0] = aes_mix_columns(block[0]);
    block[1] = aes_mix_columns(block[1]);
}

/* SubBytes, ShiftRows and MixColumns of one block; the key is the caller's to add. */
static inline void aes_round(uint64_t block[AES_BLOCK_WORDS]) {
    aes_substitute_16(block);
    aes_after_substitution(block);
}

/* The same for four blocks side by side, in little more time. */
static inline void aes_round_of_four(uint64_t blocks[AES_FOUR_BLOCKS_WORDS]) {
    aes_substitute_64(blocks);
    for (unsigned i = 0; i < 4; i++) aes_after_substitution(blocks + AES_BLOCK_WORDS * i);
}

#endif
