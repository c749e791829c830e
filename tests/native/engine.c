/* SPDX-License-Identifier: Apache-2.0
 * The engine: the variants from which it chooses, the division of batches, and that no message is
 * lost. First made-up variants with costs that can be followed by hand, then our kernels. */
#include "engine/engine.h"

#include "engine/engine_costs.h"
#include "native_test.h"

enum { MOST = 600, BLOCK = 64, KEY = 32, STATE = 4608 };

static const jm_engine_work fake_work = {"hmac-fake", 9, 1};
static uint64_t seed = 20220707;

/* The messages of each call to the fakes, in order. */
static struct {
    const jm_implementation *by;
    size_t messages;
} calls[MOST];
static size_t call_count;
static const jm_implementation *failing; /* returns an error */

static jm_status fake_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                              size_t key_bytes) {
    (void)self;
    if (key_bytes != KEY) return JM_ERR_KEY_BYTES;
    memcpy(key_state, key, KEY);
    return JM_OK;
}

static jm_status other_set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                               size_t key_bytes) {
    const jm_status status = fake_set_key(self, key_state, key, key_bytes);
    if (status == JM_OK) ((uint8_t *)key_state)[KEY - 1] ^= 1;
    return status;
}

/* A fake's tag counts how often the message was tagged. */
static void count_tag(const jm_mac_message *message) {
    message->tag[0]++;
    memcpy(message->tag + 8, &message->message_bytes, sizeof message->message_bytes);
}

static jm_status fake_tag(const jm_implementation *self, const void *key_state,
                          const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    (void)key_state, (void)message;
    if (call_count && calls[call_count - 1].by == self)
        calls[call_count - 1].messages++;
    else
        calls[call_count].by = self, calls[call_count++].messages = 1;
    const jm_mac_message item = {key_state, message, message_bytes, tag};
    count_tag(&item);
    return self == failing ? JM_ERR_LIBRARY : JM_OK;
}

static jm_status fake_tag_batch(const jm_implementation *self, const jm_mac_message *messages,
                                size_t count) {
    calls[call_count].by = self, calls[call_count++].messages = count;
    for (size_t i = 0; i < count; i++) count_tag(&messages[i]);
    return self == failing ? JM_ERR_LIBRARY : JM_OK;
}

#define FUNCTIONS(set_key_, tag_batch_)                                                            \
    {.key_state_bytes = KEY, .set_key = (set_key_), .tag = fake_tag, .tag_batch = (tag_batch_)}
static const jm_mac_functions one_by_one = FUNCTIONS(fake_set_key, NULL);
static const jm_mac_functions in_lanes = FUNCTIONS(fake_set_key, fake_tag_batch);
static const jm_mac_functions other_layout = FUNCTIONS(other_set_key, fake_tag_batch);

#define FAKE(variant_, lanes_, features_, functions_)                                              \
    {.algorithm = "hmac-fake",                                                                     \
     .variant = (variant_),                                                                        \
     .kind = JM_KIND_MAC,                                                                          \
     .cpu_features = (features_),                                                                  \
     .lanes = (lanes_),                                                                            \
     .constant_time = true,                                                                        \
     .block_bytes = BLOCK,                                                                         \
     .output_bytes = 16,                                                                           \
     .key_bytes_min = KEY,                                                                         \
     .key_bytes_max = KEY,                                                                         \
     .key_bytes = KEY,                                                                             \
     .mac = &(functions_)}
static const jm_implementation slow = FAKE("slow", 1, 0, one_by_one);
static const jm_implementation single = FAKE("single", 1, 0, one_by_one);
static const jm_implementation missing = FAKE("missing", 1, JM_CPU_AVX2, one_by_one);
static const jm_implementation x4 = FAKE("x4", 4, 0, in_lanes);
static const jm_implementation x16 = FAKE("x16", 16, 0, in_lanes);
static const jm_implementation x32_missing = FAKE("x32", 32, JM_CPU_AVX512, in_lanes);
static const jm_implementation x8_other = FAKE("x8", 8, 0, other_layout);
static const jm_implementation *const fakes[] = {&slow,     &x4,     &x16,    &x32_missing,
                                                 &x8_other, &single, &missing};
enum { FAKES = sizeof fakes / sizeof *fakes };

/* A block costs 100 alone, a step of x4 200, of x16 500: x4 pays from 3 messages, x16 from 9. */
static const jm_engine_cost_row rows[] = {
    {"hmac-fake", "single", {0, 0, 0, 100}, {0, 0, 0, 100}},
    {"hmac-fake", "x4", {0, 0, 200, 0}, {0, 0, 200, 0}},
    {"hmac-fake", "x16", {0, 0, 500, 0}, {0, 0, 500, 0}},
    {"hmac-fake", "x8", {0, 0, 1, 0}, {0, 0, 1, 0}},
    {"hmac-fake", "x32", {0, 0, 1, 0}, {0, 0, 1, 0}},
};

static jm_engine engine;
static jm_mac_message messages[MOST];
static uint8_t tags[MOST][JM_OUTPUT_BYTES_MAX], key_state[KEY];

static void fill(size_t count, size_t bytes) {
    call_count = 0;
    memset(tags, 0, sizeof tags);
    for (size_t i = 0; i < count; i++)
        messages[i] = (jm_mac_message){key_state, bytes ? tags[0] : NULL, bytes, tags[i]};
}

/* Each message was tagged once, and with its own length. */
static void check_all_tagged(size_t count) {
    size_t seen = 0;
    for (size_t i = 0; i < call_count; i++) seen += calls[i].messages;
    CHECK(seen == count, &single, "%zu messages of %zu were handed on", seen, count);
    for (size_t i = 0; i < MOST; i++)
        CHECK(tags[i][0] == (i < count), &single, "message %zu of %zu tagged %u times", i, count,
              tags[i][0]);
    for (size_t i = 0; i < count; i++)
        CHECK(!memcmp(tags[i] + 8, &messages[i].message_bytes, sizeof(size_t)), &single,
              "message %zu has another's length", i);
}

static void tag_all(size_t count) {
    const jm_implementation *self = &engine.implementation;
    CHECK(self->mac->tag_batch(self, messages, count) == JM_OK, self, "batch of %zu", count);
    check_all_tagged(count);
}

static void check_candidates(void) {
    CHECK(engine.candidate[0].implementation == &single, &single, "is not the single variant");
    CHECK(engine.candidates == 3, &single, "%zu candidates", engine.candidates);
    for (size_t c = 1; c < engine.candidates; c++)
        CHECK(engine.candidate[c].implementation == &x4 ||
                  engine.candidate[c].implementation == &x16,
              engine.candidate[c].implementation, "should not have been taken");
    const jm_implementation *self = &engine.implementation;
    CHECK(!strcmp(self->variant, "engine") && !strcmp(self->algorithm, "hmac-fake"), self, "name");
    CHECK(self->lanes == 16 && !self->cpu_features, self, "%u lanes", self->lanes);
    CHECK(self->mac->tag == fake_tag && self->mac->set_key == fake_set_key, self,
          "one message is not the single variant's");
    jm_engine none;
    CHECK(!jm_engine_make(&none, &(jm_engine_work){"hmac-none", 9, 1}, fakes, FAKES, 0, rows, 0),
          self, "an algorithm without variants has an engine");
}

/* The calls for `count` messages of one block and the closing one, by the costs above. */
static void check_equal(size_t count, size_t call, const jm_implementation *by, size_t handed) {
    fill(count, 40);
    tag_all(count);
    bool found = false;
    for (size_t i = 0; i < call_count; i++)
        found |= calls[i].by == by && calls[i].messages == handed;
    CHECK(call_count == call && found, by, "%zu messages: %zu calls, first %zu by %s", count,
          call_count, calls[0].messages, calls[0].by->variant);
}

static void check_divisions_by_hand(void) {
    check_equal(1, 1, &single, 1);
    check_equal(3, 1, &x4, 3);
    check_equal(4, 1, &x4, 4);
    check_equal(5, 2, &single, 1); /* 200 + 100 < 2 * 200 */
    check_equal(5, 2, &x4, 4);
    check_equal(8, 1, &x4, 8);
    check_equal(12, 1, &x16, 12); /* 500 < 3 * 200 */
    check_equal(16, 1, &x16, 16);
    check_equal(17, 2, &single, 1);
    check_equal(20, 2, &x4, 4);
    check_equal(20, 2, &x16, 16);
    check_equal(48, 1, &x16, 48);
    check_equal(513, 3, &single, 1);
    fill(0, 0);
    tag_all(0);
    const jm_implementation *self = &engine.implementation;
    CHECK(self->mac->tag_batch(self, NULL, 0) == JM_OK, self, "an empty batch");
}

static double modelled_ns(size_t count, uint64_t blocks) {
    double ns = 0;
    while (count) {
        const jm_engine_group group = jm_engine_next_group(&engine, blocks, count);
        const double rounds =
            (double)((group.messages + engine.candidate[group.candidate].implementation->lanes -
                      1) /
                     engine.candidate[group.candidate].implementation->lanes);
        const jm_engine_cost *cost = &engine.candidate[group.candidate].equal;
        ns += (double)blocks *
              (rounds * cost->per_step_ns + (double)group.messages * cost->per_block_ns);
        count -= group.messages;
    }
    return ns;
}

/* No division by the table costs more than the best that may use each candidate for any number. */
static void check_divisions_are_optimal(void) {
    double best[JM_ENGINE_PLANNED_MAX + 1] = {0};
    for (size_t n = 1; n <= JM_ENGINE_PLANNED_MAX; n++) {
        best[n] = best[n - 1] + 100;
        for (size_t m = 1; m <= n; m++) {
            const double by_x4 = best[n - m] + 200 * (double)((m + 3) / 4);
            const double by_x16 = best[n - m] + 500 * (double)((m + 15) / 16);
            if (by_x4 < best[n]) best[n] = by_x4;
            if (by_x16 < best[n]) best[n] = by_x16;
        }
        for (uint64_t blocks = 1; blocks < 200; blocks++) {
            const double ns = modelled_ns(n, blocks), least = best[n] * (double)blocks;
            CHECK(ns <= least * 1.0001 && ns >= least * 0.9999, &single,
                  "%zu messages of %llu blocks: %g ns, could be %g", n, (unsigned long long)blocks,
                  ns, least);
        }
    }
}

/* 63 messages of 2 blocks and one of 60: x16 alone would take 60 steps, 30 000, and x4 12 000. The
 * long message costs 6000 alone, and the others 4000 in 8 steps. */
static void check_long_one_leaves(void) {
    fill(64, 10);
    messages[5].message_bytes = 58 * BLOCK;
    tag_all(64);
    CHECK(call_count == 2 && calls[0].by == &x16 && calls[0].messages == 63, &x16, "%zu calls",
          call_count);
    CHECK(calls[1].by == &single && calls[1].messages == 1, &single, "has not the long one");
}

static void check_random_mixes(void) {
    for (unsigned round = 0; round < 20000; round++) {
        const size_t count = random_word(&seed) % (round % 50 ? 80 : MOST);
        const size_t most = (size_t)1 << random_word(&seed) % 16;
        const unsigned long_ones = random_word(&seed) % 20;
        fill(count, 10);
        for (size_t i = 0; i < count; i++)
            messages[i].message_bytes = random_word(&seed) % (i < long_ones ? most : most / 8 + 1);
        tag_all(count);
    }
}

static void check_errors(void) {
    const jm_implementation *self = &engine.implementation;
    for (size_t c = 0; c < engine.candidates; c++) {
        failing = engine.candidate[c].implementation;
        fill(21, 40); /* 16 and 4 and 1 */
        CHECK(self->mac->tag_batch(self, messages, 21) == JM_ERR_LIBRARY, failing, "is not heard");
        fill(64, 10);
        messages[9].message_bytes = 58 * BLOCK;
        const jm_status status = self->mac->tag_batch(self, messages, 64);
        CHECK((status == JM_OK) == (failing == &x4), failing, "mixed");
    }
    failing = NULL;
}

/* Work in blocks, from the standards' padding rules. */
static void check_work(const char *algorithm, size_t bytes, uint64_t blocks) {
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (strcmp(self->algorithm, algorithm) || strcmp(self->variant, "engine")) continue;
        const uint64_t found = jm_engine_blocks((const jm_engine *)self, bytes);
        CHECK(found == blocks, self, "%zu bytes are %llu blocks", bytes, (unsigned long long)found);
        return;
    }
    CHECK(false, &single, "%s has no engine", algorithm);
}

/* A variant without a row would be chosen by a guess: `make engine-costs` has been forgotten. */
static void check_has_costs(const jm_implementation *self) {
    for (size_t i = 0; i < sizeof engine_costs / sizeof *engine_costs; i++)
        if (!strcmp(engine_costs[i].algorithm, self->algorithm) &&
            !strcmp(engine_costs[i].variant, self->variant))
            return;
    CHECK(false, self, "has no row in engine_costs.h");
}

/* Variants for microcontrollers and the programs of a paper stand before the portable variant, so
 * that no engine chooses them, and none has a row. */
static bool is_never_chosen(const jm_implementation *self) {
    return !strncmp(self->variant, "mcu", 3) || !strncmp(self->variant, "castellon2022", 13);
}

/* Every variant in the tables that an engine may choose, whether this CPU runs it or not. */
static void check_costs_of_all(void) {
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *its_engine = plugin->implementations[i];
        if (strcmp(its_engine->variant, "engine")) continue;
        const jm_engine *own = (const jm_engine *)its_engine;
        for (size_t c = 0; c < own->candidates; c++)
            CHECK(!is_never_chosen(own->candidate[c].implementation), its_engine,
                  "chooses a variant for microcontrollers or of a paper");
        for (size_t j = 0; j < plugin->count; j++) {
            const jm_implementation *implementation = plugin->implementations[j];
            const bool may_be_chosen =
                implementation->mac && implementation != its_engine &&
                (implementation->lanes == 1 || implementation->mac->tag_batch) &&
                !is_never_chosen(implementation) &&
                !strcmp(implementation->algorithm, its_engine->algorithm);
            if (may_be_chosen) check_has_costs(implementation);
        }
    }
}

static uint8_t content[1 << 16];

static void check_own(const jm_implementation *self) {
    const jm_implementation *other = portable_of(self);
    const jm_engine *own = (const jm_engine *)self;
    static _Alignas(JM_STATE_ALIGN) uint8_t keys[MOST][STATE], reference[STATE], again[STATE];
    uint8_t key[JM_OUTPUT_BYTES_MAX], expected[JM_OUTPUT_BYTES_MAX];
    CHECK(self->mac->key_state_bytes <= sizeof *keys, self, "key state");
    for (size_t c = 0; c < own->candidates; c++) {
        const jm_implementation *implementation = own->candidate[c].implementation;
        random_bytes(&seed, key, sizeof key);
        memset(reference, 0, sizeof reference);
        memset(again, 0, sizeof again);
        self->mac->set_key(self, reference, key, self->key_bytes);
        implementation->mac->set_key(implementation, again, key, self->key_bytes);
        CHECK(!memcmp(reference, again, sizeof again), implementation,
              "key state differs from the engine's");
    }
    for (unsigned round = 0; round < 60; round++) {
        const size_t count = random_word(&seed) % (round % 4 ? 70 : MOST);
        const bool equal = round % 3 == 0;
        size_t bytes = random_word(&seed) % 300;
        fill(count, bytes);
        for (size_t i = 0; i < count; i++) {
            if (!equal) bytes = random_word(&seed) % (i % 16 ? 100 : 3000);
            memset(key, (int)i, sizeof key);
            self->mac->set_key(self, keys[i], key, self->key_bytes);
            messages[i].key_state = keys[i];
            messages[i].message = bytes ? content + random_word(&seed) % 1000 : NULL;
            messages[i].message_bytes = bytes;
        }
        CHECK(self->mac->tag_batch(self, messages, count) == JM_OK, self, "batch of %zu", count);
        for (size_t i = 0; i < count; i++) {
            memset(key, (int)i, sizeof key);
            other->mac->set_key(other, reference, key, self->key_bytes);
            other->mac->tag(other, reference, messages[i].message, messages[i].message_bytes,
                            expected);
            CHECK(!memcmp(expected, tags[i], self->output_bytes), self,
                  "message %zu of %zu, %zu bytes", i, count, messages[i].message_bytes);
        }
    }
    printf("%s/%s: passed. %s\n", self->algorithm, self->variant, self->note);
}

int main(void) {
    CHECK(jm_engine_make(&engine, &fake_work, fakes, FAKES, 0, rows, sizeof rows / sizeof *rows),
          &single, "no engine was made");
    check_candidates();
    check_divisions_by_hand();
    check_divisions_are_optimal();
    check_long_one_leaves();
    check_random_mixes();
    check_errors();
    check_costs_of_all();

    check_work("hmac-sha256", 0, 2);
    check_work("hmac-sha256", 55, 2);
    check_work("hmac-sha256", 56, 3);
    check_work("hmac-sha512", 111, 2);
    check_work("hmac-sha512", 112, 3);
#if SIZE_MAX > UINT32_MAX
    check_work("hmac-sha256", (size_t)1 << 40, ((uint64_t)1 << 34) + 2);
#endif
    check_work("cmac-aes128", 0, 1);
    check_work("cmac-aes128", 16, 1);
    check_work("cmac-aes128", 17, 2);
    check_work("siphash-2-4", 7, 3);
    check_work("siphash-2-4", 8, 4);
    check_work("siphash-1-3", 7, 4);
    check_work("siphash-1-3", 8, 5);
    check_work("xcbc-aes128", 16, 1);
    check_work("pmac-aes128", 16, 2);
    check_work("blake2b-mac", 128, 1);
    check_work("blake2b-mac", 129, 2);
    check_work("kmac128", 164, 1);
    check_work("kmac128", 165, 2);
    check_work("ascon-mac", 31, 1);
    check_work("ascon-mac", 32, 2);

    random_bytes(&seed, content, sizeof content);
    const jm_plugin *plugin = jm_builtin_plugin();
    for (size_t i = 0; i < plugin->count; i++)
        if (!strcmp(plugin->implementations[i]->variant, "engine"))
            check_own(plugin->implementations[i]);
    return 0;
}
