/* SPDX-License-Identifier: Apache-2.0
 * See checksum.h. The generator is Salsa20 (Bernstein, "The Salsa20 family of stream ciphers",
 * 2007) and the accumulator its core as a hash of 16 bytes and 32 of state. */
#include "supercop/checksum.h"

#include <stdlib.h>

#include "common/load_store.h"
#include "supercop/behaviour.h"

enum { KEY_BYTES = 32, INPUT_BYTES = 16, CORE_BYTES = 64, SALSA20_ROUNDS = 20 };
enum { HASHES = 64, HASHES_BIG = 512, TAGS = 4096, TAGS_BIG = 32768 };
enum { OUTPUT_BYTES_MAX = 168 /* of k12 */ };
enum { MESSAGE_BYTES_MAX = 128, MESSAGE_BYTES_MAX_BIG = 4096 };

static void quarter(uint32_t x[16], unsigned a, unsigned b, unsigned c, unsigned d) {
    x[b] ^= rotl32(x[a] + x[d], 7);
    x[c] ^= rotl32(x[b] + x[a], 9);
    x[d] ^= rotl32(x[c] + x[b], 13);
    x[a] ^= rotl32(x[d] + x[c], 18);
}

/* Salsa20's core with its feed-forward; `out` may overlap the inputs. */
static void core(uint8_t out[CORE_BYTES], const uint8_t input[INPUT_BYTES],
                 const uint8_t key[KEY_BYTES]) {
    static const uint8_t constant[] = "expand 32-byte k";
    uint32_t start[16], x[16];
    for (unsigned i = 0; i < 4; i++) {
        start[5 * i] = load_le32(constant + 4 * i);
        start[1 + i] = load_le32(key + 4 * i);
        start[6 + i] = load_le32(input + 4 * i);
        start[11 + i] = load_le32(key + 16 + 4 * i);
    }
    memcpy(x, start, sizeof x);
    for (unsigned round = 0; round < SALSA20_ROUNDS; round += 2) {
        quarter(x, 0, 4, 8, 12), quarter(x, 5, 9, 13, 1);
        quarter(x, 10, 14, 2, 6), quarter(x, 15, 3, 7, 11);
        quarter(x, 0, 1, 2, 3), quarter(x, 5, 6, 7, 4);
        quarter(x, 10, 11, 8, 9), quarter(x, 15, 12, 13, 14);
    }
    for (unsigned i = 0; i < 16; i++) store_le32(out + 4 * i, x[i] + start[i]);
}

/* The test generator: each request is the beginning of the stream of the next nonce. */
static void generate(uint64_t *nonce, uint8_t *to, size_t bytes) {
    static const uint8_t key[] = "generate inputs for test vectors";
    uint8_t input[INPUT_BYTES], block[CORE_BYTES];
    store_le64(input, (*nonce)++);
    for (uint64_t counter = 0; bytes; counter++) {
        const size_t taken = bytes < sizeof block ? bytes : sizeof block;
        store_le64(input + 8, counter);
        core(block, input, key);
        memcpy(to, block, taken);
        to += taken;
        bytes -= taken;
    }
}

static uint64_t generate_number(uint64_t *nonce) {
    uint8_t bytes[8];
    generate(nonce, bytes, sizeof bytes);
    return load_le64(bytes);
}

/* Whole pieces of 16 bytes, then always a last one: the rest, a byte 1, zeros. */
static void accumulate(uint8_t state[CORE_BYTES], const uint8_t *text, size_t bytes) {
    uint8_t last[INPUT_BYTES] = {0};
    for (; bytes >= INPUT_BYTES; text += INPUT_BYTES, bytes -= INPUT_BYTES)
        core(state, text, state);
    memcpy(last, text, bytes);
    last[bytes] = 1;
    state[0] ^= 1;
    core(state, last, state);
}

static jm_status compute(const jm_supercop_call *call, uint8_t *output) {
    const jm_implementation *self = call->self;
    if (self->hash) return self->hash->digest(self, call->message, call->message_bytes, output);
    jm_status status =
        self->mac->set_key(self, call->key_state, call->key, call->request->key_bytes);
    if (status != JM_OK) return status;
    status = self->mac->tag(self, call->key_state, call->message, call->message_bytes, output);
    self->mac->wipe_key(self, call->key_state);
    return status;
}

static bool open_call(jm_supercop_call *call, const jm_implementation *self,
                      const jm_supercop_request *request) {
    const size_t state_bytes = self->kind == JM_KIND_MAC ? self->mac->key_state_bytes : 0;
    call->self = self;
    call->request = request;
    call->message_bytes_max = request->big ? MESSAGE_BYTES_MAX_BIG : MESSAGE_BYTES_MAX;
    call->key_state =
        aligned_alloc(JM_STATE_ALIGN, (state_bytes / JM_STATE_ALIGN + 1) * JM_STATE_ALIGN);
    call->message = malloc(call->message_bytes_max + request->key_bytes);
    call->key = call->message + call->message_bytes_max;
    call->room = malloc(jm_supercop_room_bytes(call->message_bytes_max, request->key_bytes));
    return call->key_state && call->message && call->room;
}

jm_status jm_supercop_checksum(const jm_implementation *self, const jm_supercop_request *request,
                               jm_supercop_answer *answer) {
    static const unsigned iterations[2][2] = {{HASHES, HASHES_BIG}, {TAGS, TAGS_BIG}};
    memset(answer, 0, sizeof *answer);
    if (self->kind == JM_KIND_CIPHER || request->output_bytes > self->output_bytes ||
        self->output_bytes > OUTPUT_BYTES_MAX)
        return JM_ERR_LIBRARY;
    const bool keyed = self->kind == JM_KIND_MAC;
    jm_supercop_call call;
    jm_status status = open_call(&call, self, request) ? JM_OK : JM_ERR_MEMORY;
    uint8_t state[CORE_BYTES] = {0}, output[OUTPUT_BYTES_MAX];
    uint64_t nonce = 0;
    for (unsigned i = 0; status == JM_OK && i < iterations[keyed][request->big]; i++) {
        call.message_bytes = generate_number(&nonce) % (call.message_bytes_max + 1);
        generate(&nonce, call.message, call.message_bytes);
        if (keyed) generate(&nonce, call.key, request->key_bytes);
        status = compute(&call, output);
        accumulate(state, output, request->output_bytes);
        for (unsigned n = 0; keyed && n < JM_SUPERCOP_NUMBERS; n++)
            call.numbers[n] = generate_number(&nonce);
        if (status != JM_OK || !request->compute) continue;
        answer->fault = jm_supercop_behaves(&call, output);
        answer->message_bytes = call.message_bytes;
        if (answer->fault != JM_SUPERCOP_SOUND) break;
    }
    free(call.key_state);
    free(call.message);
    free(call.room);
    memcpy(answer->checksum, state, JM_SUPERCOP_CHECKSUM_BYTES);
    return status;
}
