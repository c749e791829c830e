/* SPDX-License-Identifier: Apache-2.0
 *
 * As in windows.c, one loop is written once and inlined with constant arguments into a function for
 * every kind of work. The list of messages is filled in again for every batch, inside the timed
 * loop, for every implementation: an application has to fill its list too. The list's address goes
 * to a function the compiler cannot see, so that the compiler cannot leave out a store into the
 * list or keep a store of the batch before; tests/native/loop_survives.c looks at every message of
 * every call.
 */
#include "batch.h"

#include "common/words.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

size_t jm_batch_lay_out(jm_batch *batch, const size_t *lengths) {
    size_t longest = 0;
    for (size_t b = 0; b < batch->cycle; b++) {
        size_t end = 0;
        for (size_t i = 0; i < batch->size; i++) {
            jm_place *place = &batch->places[b * batch->size + i];
            place->offset = (end + JM_MESSAGE_ALIGN - 1) / JM_MESSAGE_ALIGN * JM_MESSAGE_ALIGN;
            /* An empty message takes a line too: no two messages start at the same address. */
            if (i && place->offset == place[-1].offset) place->offset += JM_MESSAGE_ALIGN;
            place->message_bytes = lengths[b * batch->size + i];
            end = place->offset + place->message_bytes;
        }
        if (end > longest) longest = end;
    }
    return longest;
}

/* Wipes the key states of the first `count` messages. */
static void wipe_keys(const jm_batch *batch, size_t count) {
    for (size_t i = 0; i < count; i++)
        batch->self->mac->wipe_key(batch->self, batch->key_states + i * batch->key_state_stride);
}

/* Sets up a key for every message; after an error every key state is wiped. */
static jm_status set_keys(const jm_batch *batch) {
    for (size_t i = 0; i < batch->size; i++) {
        const jm_status status =
            batch->self->mac->set_key(batch->self, batch->key_states + i * batch->key_state_stride,
                                      batch->keys + i * batch->key_stride, batch->key_bytes);
        if (status != JM_OK) {
            wipe_keys(batch, i);
            return status;
        }
    }
    return JM_OK;
}

ALWAYS_INLINE unsigned tag_all(const jm_batch *batch, bool in_one_call) {
    const jm_implementation *const self = batch->self;
    if (in_one_call) return self->mac->tag_batch(self, batch->list, batch->size);
    const jm_mac_functions mac = *self->mac;
    unsigned status = 0;
    for (size_t i = 0; i < batch->size; i++) {
        const jm_mac_message *m = &batch->list[i];
        status |= mac.tag(self, m->key_state, m->message, m->message_bytes, m->tag);
    }
    return status;
}

ALWAYS_INLINE unsigned loop(jm_batch *batch, uint64_t batches, bool in_one_call, bool fresh_key,
                            bool latency) {
    const size_t size = batch->size, cycle = batch->cycle;
    uint8_t *const key_states = batch->key_states, *const tags = batch->tags;
    const size_t key_state_stride = batch->key_state_stride, tag_stride = batch->tag_stride;
    jm_mac_message *const list = batch->list;
    size_t next = batch->next;
    uint64_t slot = 0, zero = 0;
    __asm__ volatile("" : "+r"(zero));
    unsigned status = 0;
    for (uint64_t b = 0; b < batches; b++) {
        const jm_place *const places = batch->places + next * size;
        const uint8_t *messages = batch->messages + batch->offsets[slot];
        if (latency) messages += load_le64(tags) & zero;
        for (size_t i = 0; i < size; i++)
            list[i] = (jm_mac_message){
                .key_state = key_states + i * key_state_stride,
                .message = messages + places[i].offset,
                .message_bytes = places[i].message_bytes,
                .tag = tags + i * tag_stride,
            };
        const jm_status set = fresh_key ? set_keys(batch) : JM_OK;
        status |= set;
        if (set == JM_OK) {
            status |= tag_all(batch, in_one_call);
            if (fresh_key) wipe_keys(batch, size);
        }
        if (++slot == batch->slots) slot = 0;
        if (++next == cycle) next = 0;
    }
    batch->next = next;
    return status;
}

#define DEFINE_LOOP(name, in_one_call, fresh_key, latency)                                         \
    static unsigned name(jm_batch *batch, uint64_t batches) {                                      \
        return loop(batch, batches, in_one_call, fresh_key, latency);                              \
    }

DEFINE_LOOP(each, false, false, false)
DEFINE_LOOP(each_dependent, false, false, true)
DEFINE_LOOP(each_fresh, false, true, false)
DEFINE_LOOP(each_fresh_dependent, false, true, true)
DEFINE_LOOP(whole, true, false, false)
DEFINE_LOOP(whole_fresh, true, true, false)

jm_batch_function jm_batch_loop_for(const jm_implementation *self, size_t size, bool fresh_key,
                                    bool latency) {
    static const jm_batch_function one_by_one[2][2] = {{each, each_dependent},
                                                       {each_fresh, each_fresh_dependent}};
    if (size > 1 && self->mac->tag_batch) return fresh_key ? whole_fresh : whole;
    return one_by_one[fresh_key][latency];
}
