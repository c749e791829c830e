/* SPDX-License-Identifier: Apache-2.0
 * Right code with one planted error in each variant, to show that the check finds the error: our
 * portable SHA-256, HMAC-SHA256, CMAC-AES128 and SipHash behind functions with one fault each. The
 * last column of the tables is a condition: the error shows in calls for which it is true. */
#include <stdlib.h>
#include <string.h>

#include "aes/aes.h"
#include "cmac/cmac.h"
#include "sha256/sha256.h"
#include "siphash/siphash.h"

/* What the condition of an error may look at. */
typedef struct call {
    size_t n;          /* bytes of the message */
    const uint8_t *at; /* where it is */
    const uint8_t *out;
    size_t before; /* bytes of the message before this one */
    unsigned same; /* calls in a row with messages of this length, this one counted */
} call;

enum where {
    OUTPUT,         /* the output's fourth byte has one bit wrong */
    NO_LAST_BYTE,   /* the output's last byte is not written */
    BEFORE_OUTPUT,  /* a byte before the output is written */
    BEHIND_OUTPUT,  /* a byte behind it */
    INTO_MESSAGE,   /* the message's first byte is changed */
    PAST_MESSAGE,   /* the byte behind the message is read */
    KEY_BYTES,      /* the key is changed before it is set up: see set_key */
    SHARED_KEY,     /* all keys live in one static state */
    SHARED_COPY,    /* a copied key looks at the original */
    KEPT_KEY,       /* set_key keeps the pointer to the key's bytes */
    BEHIND_STATE,   /* set_key writes behind the key's state */
    BORROWED_KEY,   /* tag changes the key's state, and puts it back */
    BORROWED_BYTES, /* set_key changes the key's bytes, and puts them back */
    EMPTY_UPDATE,   /* an update of 0 bytes is counted as one of 1 */
    BLOCK_UPDATE,   /* an update of one block, while bytes wait for one, loses a byte */
    LONG_UPDATE,    /* an update of more than a block, while bytes wait, takes them twice */
    MANY_UPDATES,   /* the 70th piece is lost */
    LONG_SECOND,    /* an update of nearly 2^32 bytes, while bytes wait, loses a byte */
    SHORT_SECOND,   /* an update behind nearly 2^32 bytes loses a byte */
    SHARED_STREAM,  /* streams share what was absorbed last */
    ABANDONED,      /* an abandoned stream leaves something for the next */
    LAST_LANE,      /* in a full batch of 8, the last tag is wrong */
    NEIGHBOURS_KEY, /* message 3 of a batch is tagged under message 2's key */
    UNSORTED,       /* a batch whose lengths fall somewhere has one tag wrong */
    LANES_AND_ONE,  /* a batch of 9 loses the last */
    EMPTY_IN_BATCH, /* an empty message after a long one */
    MANY_IN_BATCH,  /* more than 64 messages */
    SWAPPED_TAGS,   /* tags of messages of equal length are swapped */
};

typedef struct fault {
    const char *name;
    enum where where;
    int (*when)(const call *c, uint8_t *key, size_t *key_bytes);
} fault;

#define WHEN(name, condition)                                                                      \
    static int name(const call *c, uint8_t *key, size_t *key_bytes) {                              \
        (void)c, (void)key, (void)key_bytes;                                                       \
        return condition;                                                                          \
    }
WHEN(always, 1)
WHEN(of_0, c->n == 0)
WHEN(of_192, c->n == 192)
WHEN(of_200, c->n == 200)
WHEN(of_313, c->n == 313)
WHEN(of_1003, c->n == 1003)
WHEN(of_4097, c->n == 4097)
WHEN(of_64000, c->n == 64000)
WHEN(from_65536, c->n >= 65536)
WHEN(mod_64, c->n % 64 == 56 && c->n > 128)
WHEN(at_3, (uintptr_t)c->at % 16 == 3)
WHEN(at_61, (uintptr_t)c->at % 64 == 61 && c->n > 16)
WHEN(out_odd, (uintptr_t)c->out % 4 != 0)
WHEN(out_63, (uintptr_t)c->out % 64 == 63)
WHEN(second, c->same == 2)
WHEN(third, c->same == 3)
WHEN(shorter, c->before > 100 && c->n > 0 && c->n < 9)
WHEN(ones, c->n >= 64 && !memcmp(c->at, "\xff\xff\xff\xff\xff\xff\xff\xff", 8))
WHEN(whole_blocks, c->n && c->n % 16 == 0 && c->n > 64)
WHEN(from_256, c->n >= 256)
WHEN(bits_of_32, c->n >= (size_t)1 << 29)
WHEN(bytes_of_32, c->n > UINT32_MAX)
/* Of keys: what is set up instead. */
#define CHANGE(name, condition, change)                                                            \
    static int name(const call *c, uint8_t *key, size_t *key_bytes) {                              \
        (void)c, (void)key;                                                                        \
        if (!(condition)) return 0;                                                                \
        change;                                                                                    \
        return 1;                                                                                  \
    }
CHANGE(byte_13, *key_bytes > 13, key[13] = 0)
CHANGE(byte_15_bit, *key_bytes > 15, key[15] &= 0xfe)
CHANGE(not_hashed, *key_bytes > 64, *key_bytes = 64)
CHANGE(last_of_33, *key_bytes == 33, key[32] = 0)
CHANGE(hashed_64, *key_bytes == 64, key[64] = 0; *key_bytes = 65)
CHANGE(empty_key, *key_bytes == 0, key[0] = 1; *key_bytes = 1)
CHANGE(long_key, *key_bytes > 1000, *key_bytes = 1000)

static const fault hash_faults[] = {
    {"length_0", OUTPUT, of_0},
    {"length_192", OUTPUT, of_192},
    {"length_200", OUTPUT, of_200},
    {"length_313", OUTPUT, of_313},
    {"length_1003", OUTPUT, of_1003},
    {"length_4097", OUTPUT, of_4097},
    {"length_64000", OUTPUT, of_64000},
    {"lengths_from_65536", OUTPUT, from_65536},
    {"length_56_mod_64", OUTPUT, mod_64},
    {"address_3_mod_16", OUTPUT, at_3},
    {"output_unaligned", OUTPUT, out_odd},
    {"output_63_mod_64", OUTPUT, out_63},
    {"second_call", OUTPUT, second},
    {"third_call", OUTPUT, third},
    {"after_a_longer", OUTPUT, shorter},
    {"bytes_ff", OUTPUT, ones},
    {"reads_past_message", PAST_MESSAGE, of_313},
    {"writes_message", INTO_MESSAGE, of_200},
    {"writes_before", BEFORE_OUTPUT, of_200},
    {"writes_behind", BEHIND_OUTPUT, of_200},
    {"truncated", NO_LAST_BYTE, always},
    {"empty_update", EMPTY_UPDATE, always},
    {"block_update", BLOCK_UPDATE, always},
    {"long_update", LONG_UPDATE, always},
    {"many_updates", MANY_UPDATES, always},
    {"shared_streams", SHARED_STREAM, always},
    {"long_bit_counter", OUTPUT, bits_of_32},
    {"long_byte_counter", OUTPUT, bytes_of_32},
    {"long_update_second", LONG_SECOND, always},
    {"long_update_first", SHORT_SECOND, always},
};
static const fault hmac_faults[] = {
    {"key_byte_13", KEY_BYTES, byte_13},
    {"long_keys_cut", KEY_BYTES, not_hashed},
    {"key_33_last_byte", KEY_BYTES, last_of_33},
    {"key_64_hashed", KEY_BYTES, hashed_64},
    {"empty_key", KEY_BYTES, empty_key},
    {"key_over_1000", KEY_BYTES, long_key},
    {"shared_key", SHARED_KEY, always},
    {"shared_copy", SHARED_COPY, always},
    {"kept_key", KEPT_KEY, always},
    {"behind_state", BEHIND_STATE, always},
    {"borrowed_key", BORROWED_KEY, always},
    {"borrowed_bytes", BORROWED_BYTES, always},
    {"abandoned_stream", ABANDONED, always},
    {"block_update", BLOCK_UPDATE, always},
    {"last_lane", LAST_LANE, always},
    {"neighbours_key", NEIGHBOURS_KEY, always},
    {"unsorted_batch", UNSORTED, always},
    {"lanes_and_one", LANES_AND_ONE, always},
    {"empty_in_batch", EMPTY_IN_BATCH, always},
    {"many_in_batch", MANY_IN_BATCH, always},
    {"swapped_tags", SWAPPED_TAGS, always},
    {"second_call", OUTPUT, second},
    {"long_bit_counter", OUTPUT, bits_of_32},
};
static const fault cmac_faults[] = {
    {"length_0", OUTPUT, of_0},
    {"whole_blocks", OUTPUT, whole_blocks},
    {"length_1003", OUTPUT, of_1003},
    {"address_61_mod_64", OUTPUT, at_61},
    {"key_bit", KEY_BYTES, byte_15_bit},
    {"block_update", BLOCK_UPDATE, always},
    {"writes_behind", BEHIND_OUTPUT, of_200},
    {"last_lane", LAST_LANE, always},
};
static const fault siphash_faults[] = {
    {"lengths_from_256", OUTPUT, from_256},       {"address_3_mod_16", OUTPUT, at_3},
    {"reads_past_message", PAST_MESSAGE, of_200}, {"shared_key", SHARED_KEY, always},
    {"unsorted_batch", UNSORTED, always},         {"third_call", OUTPUT, third},
};

static const jm_mac_functions cmac_functions =
    JM_CMAC_FUNCTIONS(JM_AES128_SCHEDULE_BYTES_portable, jm_cmac_set_key);
static const jm_implementation cmac_portable =
    JM_CMAC("cmac-aes128", "portable", 0, JM_AES128_KEY_BYTES, cmac_functions, jm_aes128_portable);

/* Behind the base's own state: what a fault needs to know. */
typedef struct extra {
    const void *original; /* of a copied key */
    size_t waiting, updates;
} extra;
#define STATE_BYTES 1024u /* of the base; checked when the plugin is loaded */

static extra *extra_of(const void *state) {
    return (extra *)(uintptr_t)((const uint8_t *)state + STATE_BYTES);
}

static const fault *fault_of(const jm_implementation *self) {
    return self->over;
}

static const jm_implementation *base_of(const jm_implementation *self) {
    if (self->kind == JM_KIND_HASH) return &jm_sha256_portable;
    if (self->block_bytes == 64) return &jm_hmac_sha256_portable;
    return self->block_bytes == 16 ? &cmac_portable : &jm_siphash_2_4_portable;
}

static call note_call(const uint8_t *message, size_t bytes, const uint8_t *output) {
    static call last;
    const call now = {bytes, message, output, last.n, bytes == last.n ? last.same + 1 : 1};
    last = now;
    return now;
}

/* `output` was written rightly by the base; the fault undoes it. */
static void spoil(const jm_implementation *self, const call *c, uint8_t *output, uint8_t last) {
    const fault *f = fault_of(self);
    if (f->where > PAST_MESSAGE || !f->when(c, NULL, NULL)) return;
    if (f->where == OUTPUT) output[3] ^= 16;
    if (f->where == NO_LAST_BYTE) output[self->output_bytes - 1] = last;
    if (f->where == BEFORE_OUTPUT) output[-1] = 0;
    if (f->where == BEHIND_OUTPUT) output[self->output_bytes] = 0;
    if (f->where == INTO_MESSAGE) ((uint8_t *)(uintptr_t)c->at)[0]++;
    if (f->where == PAST_MESSAGE) (void)*(volatile const uint8_t *)(c->at + c->n);
}

static jm_status digest(const jm_implementation *self, const uint8_t *message, size_t bytes,
                        uint8_t *output) {
    const call c = note_call(message, bytes, output);
    const uint8_t last = output[self->output_bytes - 1];
    const jm_status status = base_of(self)->hash->digest(base_of(self), message, bytes, output);
    spoil(self, &c, output, last);
    return status;
}

static jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
                     size_t bytes, uint8_t *output) {
    static uint8_t kept[STATE_BYTES] __attribute__((aligned(64)));
    const call c = note_call(message, bytes, output);
    const uint8_t last = output[self->output_bytes - 1];
    const jm_implementation *base = base_of(self);
    const extra *e = extra_of(state);
    if (fault_of(self)->where == SHARED_COPY && e->original) state = e->original;
    if (fault_of(self)->where == SHARED_KEY) state = e->original;
    if (fault_of(self)->where == KEPT_KEY) {
        base->mac->set_key(base, kept, e->original, self->key_bytes);
        state = kept;
    }
    volatile uint8_t *borrowed =
        fault_of(self)->where == BORROWED_KEY ? (volatile uint8_t *)(uintptr_t)state : NULL;
    if (borrowed) *borrowed ^= 1, *borrowed ^= 1;
    const jm_status status = base->mac->tag(base, state, message, bytes, output);
    spoil(self, &c, output, last);
    return status;
}

static jm_status set_key(const jm_implementation *self, void *state, const uint8_t *key,
                         size_t bytes) {
    static uint8_t shared[STATE_BYTES] __attribute__((aligned(64)));
    const jm_implementation *base = base_of(self);
    const fault *f = fault_of(self);
    uint8_t changed[8300];
    if (bytes > 8200) return JM_ERR_KEY_BYTES;
    if (bytes) memcpy(changed, key, bytes);
    memset(extra_of(state), 0, sizeof(extra));
    if (f->where == KEY_BYTES) f->when(NULL, changed, &bytes);
    if (f->where == SHARED_KEY) {
        extra_of(state)->original = shared;
        base->mac->set_key(base, shared, changed, bytes);
    }
    if (f->where == KEPT_KEY) extra_of(state)->original = key;
    if (f->where == BORROWED_BYTES && bytes) {
        volatile uint8_t *borrowed = (volatile uint8_t *)(uintptr_t)key;
        *borrowed ^= 1, *borrowed ^= 1;
    }
    if (f->where == BEHIND_STATE) ((uint8_t *)state)[self->mac->key_state_bytes] = 0;
    return base->mac->set_key(base, state, changed, bytes);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    *extra_of(to) = *extra_of(from);
    if (fault_of(self)->where == SHARED_COPY) extra_of(to)->original = from;
    return base_of(self)->mac->copy_key(base_of(self), to, from);
}

static void wipe_key(const jm_implementation *self, void *state) {
    base_of(self)->mac->wipe_key(base_of(self), state);
}

static jm_status base_update(const jm_implementation *self, void *state, const uint8_t *message,
                             size_t bytes) {
    const jm_implementation *base = base_of(self);
    if (base->hash) return base->hash->update(base, state, message, bytes);
    return base->mac->stream_update(base, state, message, bytes);
}

static jm_status update(const jm_implementation *self, void *state, const uint8_t *message,
                        size_t bytes) {
    static const uint8_t no_byte = 0;
    static uint8_t absorbed;
    const enum where where = fault_of(self)->where;
    extra *e = extra_of(state);
    const size_t waiting = e->waiting % self->block_bytes;
    e->waiting += bytes;
    e->updates++;
    if (where == MANY_UPDATES && e->updates == 70) return JM_OK;
    if (where == EMPTY_UPDATE && bytes == 0) return base_update(self, state, &no_byte, 1);
    if (where == BLOCK_UPDATE && bytes == self->block_bytes && waiting) bytes--;
    if (where == LONG_UPDATE && bytes > self->block_bytes && waiting == 63)
        base_update(self, state, &no_byte, 1);
    if (where == LONG_SECOND && waiting && bytes + waiting > UINT32_MAX) bytes--;
    if (where == SHORT_SECOND && e->waiting - bytes >= UINT32_MAX && bytes) bytes--;
    if (where == SHARED_STREAM && e->updates > 1 && bytes && absorbed != (uint8_t)e->updates)
        base_update(self, state, &no_byte, 1);
    if (where == SHARED_STREAM) absorbed = (uint8_t)(e->updates + 1);
    return base_update(self, state, message, bytes);
}

static jm_status init(const jm_implementation *self, void *state) {
    memset(extra_of(state), 0, sizeof(extra));
    return base_of(self)->hash->init(base_of(self), state);
}

static jm_status final(const jm_implementation *self, void *state, uint8_t *output) {
    return base_of(self)->hash->final(base_of(self), state, output);
}

static int left_over;

static jm_status stream_begin(const jm_implementation *self, void *stream, const void *key_state) {
    memset(extra_of(stream), 0, sizeof(extra));
    if (fault_of(self)->where == SHARED_KEY) key_state = extra_of(key_state)->original;
    return base_of(self)->mac->stream_begin(base_of(self), stream, key_state);
}

static jm_status stream_finish(const jm_implementation *self, void *stream, uint8_t *output) {
    const jm_status status = base_of(self)->mac->stream_finish(base_of(self), stream, output);
    if (fault_of(self)->where == ABANDONED && output && left_over) output[0] ^= 1;
    left_over = !output;
    return status;
}

static jm_status tag_batch(const jm_implementation *self, const jm_mac_message *m, size_t count) {
    const enum where where = fault_of(self)->where;
    jm_status status = JM_OK;
    size_t falls = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t key = where == NEIGHBOURS_KEY && i == 3 ? 2 : i;
        if (where == LANES_AND_ONE && count == 9 && i == 8) break;
        status |= tag(self, m[key].key_state, m[i].message, m[i].message_bytes, m[i].tag);
        if (i && m[i].message_bytes < m[i - 1].message_bytes) falls = i;
        if (where == EMPTY_IN_BATCH && i && !m[i].message_bytes && m[i - 1].message_bytes > 64)
            m[i].tag[0] ^= 1;
        if (where == SWAPPED_TAGS && i == 5 && m[5].message_bytes == m[4].message_bytes)
            for (size_t b = 0; b < self->output_bytes; b++) {
                const uint8_t other = m[5].tag[b];
                m[5].tag[b] = m[4].tag[b];
                m[4].tag[b] = other;
            }
    }
    if (where == LAST_LANE && count == 8) m[7].tag[1] ^= 1;
    if (where == UNSORTED && falls) m[falls].tag[0] ^= 1;
    if (where == MANY_IN_BATCH && count > 64) m[64].tag[0] ^= 1;
    return status;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
enum {
    FAULTS = COUNT(hash_faults) + COUNT(hmac_faults) + COUNT(cmac_faults) + COUNT(siphash_faults)
};
static jm_implementation implementations[FAULTS];
static const jm_implementation *list[FAULTS];

static size_t add(size_t at, const jm_implementation *base, const fault *faults, size_t count,
                  jm_hash_functions *hash, jm_mac_functions *mac) {
    if (hash) *hash = (jm_hash_functions){STATE_BYTES + sizeof(extra), init, update, final, digest};
    if (mac)
        *mac = (jm_mac_functions){.key_state_bytes = STATE_BYTES + sizeof(extra),
                                  .stream_bytes = STATE_BYTES + sizeof(extra),
                                  .set_key = set_key,
                                  .copy_key = copy_key,
                                  .wipe_key = wipe_key,
                                  .tag = tag,
                                  .stream_begin = stream_begin,
                                  .stream_update = update,
                                  .stream_finish = stream_finish,
                                  .tag_batch = tag_batch};
    if (base->mac &&
        (base->mac->key_state_bytes > STATE_BYTES || base->mac->stream_bytes > STATE_BYTES))
        abort();
    for (size_t i = 0; i < count; i++, at++) {
        implementations[at] = *base;
        implementations[at].variant = faults[i].name;
        implementations[at].over = &faults[i];
        implementations[at].hash = hash;
        implementations[at].mac = mac;
        implementations[at].constant_time = JM_TIMING_UNKNOWN;
        list[at] = &implementations[at];
    }
    return at;
}

static const char *version(void) {
    return "1.0";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static jm_hash_functions hash;
    static jm_mac_functions hmac, cmac, siphash;
    static const jm_plugin plugin = {JM_ABI_VERSION, "planted", version, "test", "", FAULTS, list};
    size_t at = add(0, &jm_sha256_portable, hash_faults, COUNT(hash_faults), &hash, NULL);
    at = add(at, &jm_hmac_sha256_portable, hmac_faults, COUNT(hmac_faults), NULL, &hmac);
    at = add(at, &cmac_portable, cmac_faults, COUNT(cmac_faults), NULL, &cmac);
    add(at, &jm_siphash_2_4_portable, siphash_faults, COUNT(siphash_faults), NULL, &siphash);
    return &plugin;
}
