/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench of all firmware targets: sets the key, computes the output of each length twice, and
 * writes the answer. The simulator notes core cycles at each mark; Python knows the right outputs.
 *
 * The build names
 *     JM_BENCH_SUBJECT   the constant table of the implementation
 *     JM_BENCH_LENGTHS   lengths of messages in bytes, separated by commas
 *
 * The answer, written by jm_port_put, has lengths and bytes of stack as 16 bits, low byte first:
 *     the lengths of the key and of the key state, in bytes; the status of the key set-up
 *     for each length, twice: the status, and the output unless the status is an error
 *     for each length: deepest stack so far of key set-up and messages, in bytes below the caller
 */
#include "port.h"

#include "joulemark/kernel.h"

extern const jm_implementation JM_BENCH_SUBJECT;
#define SUBJECT (&JM_BENCH_SUBJECT)

static const uint16_t lengths[] = {JM_BENCH_LENGTHS};
enum { LENGTHS = sizeof lengths / sizeof *lengths, NO_ROOM = 0xfe, PAINT = 0xc5 };
/* A stack deeper than PAINTED_BYTES is reported as DEEPER: no target paints more, since painting
 * takes long in a simulator. A run of gates, which has no figure of a
 * stack, paints the least. */
#ifndef JM_BENCH_PAINTED_BYTES
#define JM_BENCH_PAINTED_BYTES 8192
#endif
enum { GUARD_BYTES = 16, PAINTED_BYTES = JM_BENCH_PAINTED_BYTES, DEEPER = 0xffff };

/* Offsets of a table's fields, in bytes, for the program that reads state sizes out of the linked
 * file without running it. */
const uint16_t jm_bench_offsets[] = {
    sizeof(size_t),
    offsetof(jm_implementation, hash),
    offsetof(jm_implementation, mac),
    offsetof(jm_implementation, cipher),
    offsetof(jm_hash_functions, state_bytes),
    offsetof(jm_mac_functions, key_state_bytes),
    offsetof(jm_mac_functions, stream_bytes),
    offsetof(jm_cipher_functions, schedule_bytes),
};

static uint8_t *state, *message, *painted_from;
static uint8_t output[JM_OUTPUT_BYTES_MAX];

static void put_number(size_t number) {
    jm_port_put((uint8_t)number);
    jm_port_put((uint8_t)(number >> 8));
}

static size_t state_bytes(void) {
    if (SUBJECT->mac) return SUBJECT->mac->key_state_bytes;
    return SUBJECT->cipher ? SUBJECT->cipher->schedule_bytes : 0;
}

/* Fills keys and messages: any bytes will do, as long as Python makes the same bytes. */
static void fill(uint8_t *to, size_t bytes, uint8_t step, uint8_t first) {
    for (size_t i = 0; i < bytes; i++, first = (uint8_t)(first + step)) to[i] = first;
}

static __attribute__((noinline)) void paint(void) {
    uint8_t *const end = (uint8_t *)(jm_port_stack() - GUARD_BYTES);
    for (volatile uint8_t *at = painted_from; at < end; at++) *at = PAINT;
}

/* Bytes between `top`, the stack pointer of the caller, and the lowest byte that lost its paint. */
static __attribute__((noinline)) size_t stack_since(uintptr_t top) {
    const volatile uint8_t *at = painted_from;
    while ((uintptr_t)at < top && *at == PAINT) at++;
    if (at == painted_from) return DEEPER;
    return (size_t)(top - (uintptr_t)at);
}

/* set_key and work_on have nothing but the call between their marks. */
static __attribute__((noinline)) jm_status set_key(const uint8_t *key) {
    jm_status status = JM_OK;
    jm_port_mark(JM_MARK_KEY);
    if (SUBJECT->mac)
        status = SUBJECT->mac->set_key(SUBJECT, state, key, SUBJECT->key_bytes);
    else if (SUBJECT->cipher)
        status = SUBJECT->cipher->set_key(SUBJECT, state, key, SUBJECT->key_bytes);
    jm_port_mark(JM_MARK_KEY + 1);
    return status;
}

static __attribute__((noinline)) jm_status work_on(size_t bytes) {
    jm_status status = JM_OK;
    if (SUBJECT->mac) {
        jm_port_mark(JM_MARK_MESSAGE);
        status = SUBJECT->mac->tag(SUBJECT, state, message, bytes, output);
        jm_port_mark(JM_MARK_MESSAGE + 1);
    } else if (SUBJECT->hash) {
        jm_port_mark(JM_MARK_MESSAGE);
        status = SUBJECT->hash->digest(SUBJECT, message, bytes, output);
        jm_port_mark(JM_MARK_MESSAGE + 1);
    } else {
        const size_t blocks = bytes / SUBJECT->block_bytes;
        jm_port_mark(JM_MARK_MESSAGE);
        SUBJECT->cipher->encrypt(SUBJECT, state, message, message, blocks);
        jm_port_mark(JM_MARK_MESSAGE + 1);
    }
    return status;
}

static void put_output(size_t bytes) {
    const uint8_t *from = SUBJECT->cipher ? message : output;
    const size_t count = SUBJECT->cipher ? bytes : SUBJECT->output_bytes;
    for (size_t i = 0; i < count; i++) jm_port_put(from[i]);
}

/* Places the state, then a message of `bytes` bytes; false if too little room is left for the
 * stack. */
static bool lay_out(size_t bytes) {
    const uintptr_t align = JM_STATE_ALIGN - 1;
    state = (uint8_t *)(((uintptr_t)jm_port_free_ram() + align) & ~align);
    message = state + state_bytes();
    const uintptr_t room = jm_port_stack() - (uintptr_t)message;
    if (bytes >= room || room - bytes < 4 * GUARD_BYTES) return false;
    painted_from =
        room - bytes > PAINTED_BYTES ? message + (room - PAINTED_BYTES) : message + bytes;
    return true;
}

static size_t largest(size_t one, size_t other) {
    return one > other ? one : other;
}

int main(void) {
    jm_port_mark(JM_MARK_NOTHING);
    jm_port_mark(JM_MARK_NOTHING + 1);
    put_number(SUBJECT->key_bytes);
    put_number(state_bytes());
    size_t deepest = 0, key_room = largest(SUBJECT->key_bytes, 1);
    if (!lay_out(key_room)) {
        jm_port_put(NO_ROOM);
        jm_port_end();
    }
    fill(message, SUBJECT->key_bytes, 7, 0x40);
    paint();
    const uintptr_t top = jm_port_stack();
    const jm_status keyed = set_key(message);
    deepest = stack_since(top);
    jm_port_put((uint8_t)keyed);
    if (keyed != JM_OK) jm_port_end();
    for (size_t i = 0; i < LENGTHS; i++) {
        if (!lay_out(lengths[i])) {
            jm_port_put(NO_ROOM);
            jm_port_put(NO_ROOM);
            put_number(deepest);
            continue;
        }
        for (int turn = 0; turn < 2; turn++) {
            fill(message, lengths[i], 167, 13);
            paint();
            const jm_status status = work_on(lengths[i]);
            deepest = largest(deepest, stack_since(top));
            jm_port_put((uint8_t)status);
            if (status == JM_OK) put_output(lengths[i]);
        }
        put_number(deepest);
    }
    jm_port_end();
    return 0;
}
