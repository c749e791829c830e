/* SPDX-License-Identifier: Apache-2.0
 * Batches of messages through every implementation of ours that has tag_batch and that this CPU
 * runs, against the portable one-shot tag of each message. Usage: batch_random [messages [seed]]:
 * each implementation gets `messages` random messages beside the fixed patterns.
 *
 * Messages lie between guard pages, most of them with their last byte before a guard page: reading
 * past either end is a fault, with sanitizers and without. Tags have canaries on both sides. */
#include <sys/mman.h>
#include <unistd.h>

#include "common/batch_variant.h"
#include "native_test.h"
#include "over_hashes.h"

enum {
    MOST_MESSAGES = 300,
    LONGEST = 4096, /* but for some batches of equal lengths */
    LONGEST_EQUAL = 21000,
    KEYS = 16,
    USUAL_MESSAGES = 10000,
    LONGEST_KEY = 200,
    CANARY = 0xa5,
    TAG_ROOM = JM_OUTPUT_BYTES_MAX + 24, /* the tags' alignment changes with every message */
};

static uint64_t seed;
static bool thinned;   /* with fewer messages than usual */
static uint8_t *pages; /* a guard, then MOST_MESSAGES times a slot and a guard */
static size_t slot_bytes, guard_bytes;

static size_t below(size_t limit) {
    return (size_t)(random_word(&seed) >> 32) % limit;
}

static uint8_t *slot(size_t index) {
    return pages + guard_bytes + index * (slot_bytes + guard_bytes);
}

static void map_slots(void) {
    guard_bytes = (size_t)sysconf(_SC_PAGESIZE);
    slot_bytes = (LONGEST_EQUAL + guard_bytes - 1) / guard_bytes * guard_bytes;
    const size_t bytes = guard_bytes + MOST_MESSAGES * (slot_bytes + guard_bytes);
    pages = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) abort();
    for (size_t i = 0; i < MOST_MESSAGES; i++) {
        if (mprotect(slot(i), slot_bytes, PROT_READ | PROT_WRITE)) abort();
        random_bytes(&seed, slot(i), slot_bytes);
    }
}

/* ---- one implementation and its keys ---- */

typedef struct {
    const jm_implementation *self, *reference;
    void *states[KEYS], *reference_states[KEYS];
    size_t tagged;
} subject;

/* ---- tags by the reference ---- */

typedef struct {
    const uint8_t *message;
    size_t bytes, key;
} entry;

static entry entries[MOST_MESSAGES];

enum { REMEMBERED = 2 };

/* Patterns send the same messages many times, in batches of other sizes: the reference, which is
 * slow, tags each message once. */
static struct {
    bool known;
    entry of;
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
} remembered[MOST_MESSAGES][REMEMBERED];

static const uint8_t *reference_tag(const subject *s, const entry *row, size_t index) {
    static size_t oldest;
    for (size_t i = 0; i < REMEMBERED; i++) {
        const entry *of = &remembered[index][i].of;
        if (remembered[index][i].known && of->message == row->message && of->bytes == row->bytes &&
            of->key == row->key)
            return remembered[index][i].tag;
    }
    oldest = (oldest + 1) % REMEMBERED;
    remembered[index][oldest].known = true;
    remembered[index][oldest].of = *row;
    s->reference->mac->tag(s->reference, s->reference_states[row->key], row->message, row->bytes,
                           remembered[index][oldest].tag);
    return remembered[index][oldest].tag;
}

static void set_keys(subject *s) {
    memset(remembered, 0, sizeof remembered);
    const size_t most = s->self->key_bytes_max < LONGEST_KEY ? s->self->key_bytes_max : LONGEST_KEY;
    uint8_t key[LONGEST_KEY];
    for (size_t k = 0; k < KEYS; k++) {
        const size_t bytes = s->self->key_bytes_min + below(most - s->self->key_bytes_min + 1);
        random_bytes(&seed, key, bytes);
        CHECK(s->self->mac->set_key(s->self, s->states[k], key, bytes) == JM_OK, s->self,
              "set_key of %zu bytes", bytes);
        CHECK(s->reference->mac->set_key(s->reference, s->reference_states[k], key, bytes) == JM_OK,
              s->reference, "set_key of %zu bytes", bytes);
    }
}

static subject open_subject(const jm_implementation *self) {
    subject s = {.self = self, .reference = portable_of(self)};
    for (size_t k = 0; k < KEYS; k++) {
        s.states[k] = exact_state(self->mac->key_state_bytes);
        s.reference_states[k] = exact_state(s.reference->mac->key_state_bytes);
    }
    set_keys(&s);
    return s;
}

static void close_subject(subject *s) {
    for (size_t k = 0; k < KEYS; k++) {
        s->self->mac->wipe_key(s->self, s->states[k]);
        s->reference->mac->wipe_key(s->reference, s->reference_states[k]);
        free(s->states[k]);
        free(s->reference_states[k]);
    }
}

/* ---- one batch ---- */

/* The last byte of the slot is the message's last: a byte too many is in the
 * guard. */
static entry at_end(size_t index, size_t bytes, size_t key) {
    return (entry){bytes ? slot(index) + slot_bytes - bytes : NULL, bytes, key};
}

/* Anywhere in the slot, its first bytes too: a byte before is in the other
 * guard. */
static entry anywhere(size_t index, size_t bytes, size_t key) {
    const size_t room = slot_bytes - bytes;
    return (entry){slot(index) + below(room < 64 ? room + 1 : 64), bytes, key};
}

static void check_tag(subject *s, const entry *row, const uint8_t *room, const uint8_t *tag,
                      size_t index, size_t count) {
    const uint8_t *expected = reference_tag(s, row, index);
    const size_t tag_bytes = s->self->output_bytes;
    CHECK(!memcmp(tag, expected, tag_bytes), s->self,
          "message %zu of %zu, %zu bytes, has another tag than alone", index, count, row->bytes);
    for (const uint8_t *at = room; at < room + TAG_ROOM; at++)
        CHECK((at >= tag && at < tag + tag_bytes) || *at == CANARY, s->self,
              "wrote outside the tag of message %zu of %zu, %zu bytes", index, count, row->bytes);
}

/* Tags the first `count` entries, and checks each. The batch is as long as
 * declared, for AddressSanitizer. */
static void run(subject *s, size_t count) {
    jm_mac_message *batch = malloc(count ? count * sizeof *batch : 1);
    uint8_t *rooms = malloc(count ? count * TAG_ROOM : 1);
    if (!batch || !rooms) abort();
    memset(rooms, CANARY, count * TAG_ROOM);
    for (size_t i = 0; i < count; i++)
        batch[i] = (jm_mac_message){.key_state = s->states[entries[i].key],
                                    .message = entries[i].message,
                                    .message_bytes = entries[i].bytes,
                                    .tag = rooms + i * TAG_ROOM + 4 + i % 16};
    CHECK(s->self->mac->tag_batch(s->self, count ? batch : NULL, count) == JM_OK, s->self,
          "a batch of %zu", count);
    for (size_t i = 0; i < count; i++) {
        CHECK(batch[i].message_bytes == entries[i].bytes && batch[i].message == entries[i].message,
              s->self, "message %zu of the caller's batch was changed", i);
        check_tag(s, &entries[i], rooms + i * TAG_ROOM, batch[i].tag, i, count);
    }
    free(batch);
    free(rooms);
    s->tagged += count;
}

/* ---- patterns ---- */

static void every_length(subject *s, bool falling) {
    for (size_t i = 0; i < MOST_MESSAGES; i++)
        entries[i] = at_end(i, falling ? MOST_MESSAGES - 1 - i : i, i % KEYS);
    run(s, MOST_MESSAGES);
}

/* Every count up to a little more than twice the lanes, of equal messages: under all keys, and a
 * few under one. If `thinned`, long messages only where lanes are full or one message more begins
 * another round, and the longest never. */
static void equal_lengths(subject *s) {
    static const size_t lengths[] = {0,   1,   55,  56,  64,   111,  112,
                                     119, 120, 128, 300, 1500, 4096, LONGEST_EQUAL};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        if (thinned && lengths[l] > LONGEST) continue;
        for (size_t count = 0; count <= 2 * s->self->lanes + 2; count++) {
            if (thinned && lengths[l] > 300 && count % s->self->lanes > 1) continue;
            for (size_t i = 0; i < count; i++) entries[i] = at_end(i, lengths[l], i % KEYS);
            run(s, count);
        }
        for (size_t count = s->self->lanes - 1; count <= s->self->lanes + 1; count++) {
            if (thinned && lengths[l] > 300) continue;
            for (size_t i = 0; i < count; i++) entries[i] = at_end(i, lengths[l], 5);
            run(s, count);
        }
    }
}

/* Equal messages, more of them than lanes look at together, and then others. */
static void equal_lengths_first(subject *s) {
    for (size_t equal = 250; equal < 260; equal += 3) {
        for (size_t i = 0; i < MOST_MESSAGES; i++)
            entries[i] = at_end(i, i < equal ? 64 : below(200), i % (1 + equal % KEYS));
        run(s, MOST_MESSAGES);
    }
}

/* In turn each message is much longer, or much shorter, than the others. */
static void one_differs(subject *s) {
    const size_t lanes = s->self->lanes, counts[] = {lanes - 1, lanes, lanes + 1, 2 * lanes};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t position = 0; position < counts[c]; position++)
            for (int shorter = 0; shorter < 2; shorter++) {
                for (size_t i = 0; i < counts[c]; i++)
                    entries[i] = at_end(i, (i == position) != shorter ? 1100 : 20, i % KEYS);
                run(s, counts[c]);
            }
}

/* Long messages of several lengths that all begin in one set of the cache, for which lanes start
 * apart: in any order of lengths, for fewer messages than lanes and for more. */
static void one_cache_set(subject *s) {
    for (size_t count = 1; count <= 2 * s->self->lanes + 2; count += 1 + s->self->lanes / 3) {
        for (size_t i = 0; i < count; i++)
            entries[i] = (entry){slot(i), 2048 + 64 * below(8) + below(2), i % KEYS};
        run(s, count);
    }
}

/* Messages that overlap or are the same memory, all under one key state. */
static void shared_memory(subject *s) {
    for (size_t i = 0; i < MOST_MESSAGES; i++) entries[i] = at_end(0, i * 7 % 500, 3);
    run(s, MOST_MESSAGES);
    for (size_t i = 0; i < MOST_MESSAGES; i++) entries[i] = at_end(0, 777, 3);
    run(s, MOST_MESSAGES);
}

static size_t random_length(void) {
    switch (below(4)) {
    case 0:
        return below(LONGEST + 1);
    case 1:
        return 64 * below(20) + below(3);
    default:
        return below(200);
    }
}

static void random_batch(subject *s) {
    const size_t count = below(2) ? below(MOST_MESSAGES + 1) : below(2 * s->self->lanes + 2);
    const size_t same_length = random_length(), same_key = below(KEYS);
    const bool lengths_differ = below(4) > 0, keys_differ = below(3) > 0;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = lengths_differ ? random_length() : same_length;
        const size_t key = keys_differ ? below(KEYS) : same_key;
        entries[i] = below(4) ? at_end(i, bytes, key) : anywhere(i, bytes, key);
    }
    run(s, count);
}

/* All variants of one HMAC have the portable variant's key states, byte for byte. HMAC over any
 * hash is left out: its states are the variant's own, and it has no lanes. */
static void check_interchange(const jm_implementation *self) {
    const jm_implementation *reference = portable_of(self);
    const size_t bytes = self->mac->key_state_bytes;
    uint8_t key[LONGEST_KEY];
    if (bytes != reference->mac->key_state_bytes) return;
    uint8_t *own = exact_state(bytes), *others = exact_state(bytes);
    for (size_t key_bytes = 0; key_bytes <= LONGEST_KEY; key_bytes++) {
        random_bytes(&seed, key, key_bytes);
        self->mac->set_key(self, own, key, key_bytes);
        reference->mac->set_key(reference, others, key, key_bytes);
        CHECK(!memcmp(own, others, bytes), self,
              "its key state differs from portable's, for a key of %zu bytes", key_bytes);
    }
    free(own);
    free(others);
}

static bool single_was_asked;

static jm_status ask_single(const jm_implementation *self, const void *key_state,
                            const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    (void)self, (void)key_state, (void)message, (void)message_bytes, (void)tag;
    single_was_asked = true;
    return JM_ERR_LIBRARY;
}

/* A variant with lanes tags a single message by its lanes: the figure is that of the lanes, not of
 * the single-message variant that makes the keys. */
static void check_own_tag(const subject *s) {
    static const size_t lengths[] = {0, 1, 63, 64, 65, 127, 128, 4096};
    const jm_implementation *self = s->self, *single = self->over;
    if (self->mac->tag != jm_batch_tag) return; /* an engine: it may choose */
    jm_mac_functions trapped = *single->mac;
    trapped.tag = ask_single;
    jm_implementation trap = *single, watched = *self;
    trap.mac = &trapped;
    watched.over = &trap;
    static const uint8_t text[4096];
    uint8_t *state = exact_state(self->mac->key_state_bytes);
    uint8_t tag[JM_OUTPUT_BYTES_MAX], expected[JM_OUTPUT_BYTES_MAX];
    self->mac->set_key(self, state, text, self->key_bytes);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        single->mac->tag(single, state, text, lengths[i], expected);
        CHECK(self->mac->tag(&watched, state, text, lengths[i], tag) == JM_OK, self,
              "a single message of %zu bytes", lengths[i]);
        CHECK(!single_was_asked, self, "another variant tagged %zu bytes", lengths[i]);
        CHECK(!memcmp(tag, expected, self->output_bytes), self,
              "a wrong tag of a single message of %zu bytes", lengths[i]);
    }
    self->mac->wipe_key(self, state);
    free(state);
}

int main(int argc, char **argv) {
    const size_t messages = argc > 1 ? strtoull(argv[1], NULL, 0) : USUAL_MESSAGES;
    thinned = messages < USUAL_MESSAGES / 2;
    seed = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * 2 + 1;
    const jm_plugin *plugin = jm_builtin_plugin();
    map_slots();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (self->kind != JM_KIND_MAC) continue;
        if (!can_run(self)) {
            printf("%s/%s: not run, this CPU lacks a feature\n", self->algorithm, self->variant);
            continue;
        }
        const bool hmac = !strncmp(self->algorithm, "hmac-", 5);
        if (hmac && !jm_is_hmac_over_hash(self)) check_interchange(self);
        if (!self->mac->tag_batch) continue;
        CHECK(2 * self->lanes + 2 <= MOST_MESSAGES, self, "more lanes than this test has room for");
        subject s = open_subject(self);
        check_own_tag(&s);
        run(&s, 0);
        every_length(&s, false);
        every_length(&s, true);
        equal_lengths(&s);
        equal_lengths_first(&s);
        one_differs(&s);
        one_cache_set(&s);
        shared_memory(&s);
        for (const size_t fixed = s.tagged; s.tagged - fixed < messages; random_batch(&s))
            if (below(8) == 0) set_keys(&s);
        close_subject(&s);
        printf("%s/%s: %zu messages agree\n", self->algorithm, self->variant, s.tagged);
    }
    return 0;
}
