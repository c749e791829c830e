/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ways in which the padded input gets into chunks; both programs of castellon2022 have both.
 *
 * The paper does not say how its programs fill, and did not publish them. A common C program of
 * SHA-256 gathers its message byte by byte (`FILLED_BY_BYTES`). A program that lays its input out
 * in another vector is more simply written with copies of whole chunks (`FILLED_BY_CHUNKS`). The
 * difference is as large as the paper's saving, so a comparison must say which filling each side
 * has.
 */
#ifndef JM_CASTELLON2022_FILLING_H
#define JM_CASTELLON2022_FILLING_H

#include "castellon2022/castellon2022.h"

typedef enum castellon2022_filling { FILLED_BY_BYTES, FILLED_BY_CHUNKS } castellon2022_filling;

/* Where the next byte goes. */
typedef struct chunk_place {
    uint8_t *chunk;
    size_t held; /* bytes in `chunk`, below its size */
} chunk_place;

/* Takes the full chunk, and sets `to->chunk` to the next. `to` is the first member of its hash. */
typedef void chunk_taker(chunk_place *to);

/* Puts `count` bytes, each by itself. */
static inline void put_bytes(chunk_place *to, chunk_taker *take, const uint8_t *bytes,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        to->chunk[to->held++] = bytes[i];
        if (to->held == CASTELLON2022_BLOCK_BYTES) {
            to->held = 0;
            take(to);
        }
    }
}

/* The message, its padding and its length, byte by byte. */
static inline void fill_by_bytes(chunk_place *to, chunk_taker *take, const uint8_t *message,
                                 size_t message_bytes, const uint8_t length[8]) {
    static const uint8_t first_padding = 0x80, padding = 0;
    put_bytes(to, take, message, message_bytes);
    put_bytes(to, take, &first_padding, 1);
    while (to->held != CASTELLON2022_BLOCK_BYTES - 8) put_bytes(to, take, &padding, 1);
    put_bytes(to, take, length, 8);
}

/* The same with a copy of 64 bytes for each whole chunk, and zeros set at once. */
static inline void fill_by_chunks(chunk_place *to, chunk_taker *take, const uint8_t *message,
                                  size_t message_bytes, const uint8_t length[8]) {
    for (; message_bytes >= CASTELLON2022_BLOCK_BYTES; message_bytes -= CASTELLON2022_BLOCK_BYTES) {
        memcpy(to->chunk, message, CASTELLON2022_BLOCK_BYTES);
        message += CASTELLON2022_BLOCK_BYTES;
        take(to);
    }
    size_t held = message_bytes;
    for (size_t i = 0; i < held; i++) to->chunk[i] = message[i];
    to->chunk[held++] = 0x80;
    if (held > CASTELLON2022_BLOCK_BYTES - 8) {
        memset(to->chunk + held, 0, CASTELLON2022_BLOCK_BYTES - held);
        take(to);
        held = 0;
    }
    memset(to->chunk + held, 0, CASTELLON2022_BLOCK_BYTES - 8 - held);
    memcpy(to->chunk + CASTELLON2022_BLOCK_BYTES - 8, length, 8);
    take(to);
}

/* Hands all chunks of a message that follows one block of padded key to `take`. */
static inline void fill(chunk_place *to, chunk_taker *take, castellon2022_filling filling,
                        const uint8_t *message, size_t message_bytes) {
    uint8_t length[8];
    castellon2022_length(length, CASTELLON2022_BLOCK_BYTES + (uint64_t)message_bytes);
    to->held = 0;
    if (filling == FILLED_BY_CHUNKS)
        fill_by_chunks(to, take, message, message_bytes, length);
    else
        fill_by_bytes(to, take, message, message_bytes, length);
}

#endif
