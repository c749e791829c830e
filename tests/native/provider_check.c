/* SPDX-License-Identifier: Apache-2.0
 *
 * provider_check PLUGIN.so...
 *
 * Checks every implementation of the plugins given: its facts, its errors, streams, copies,
 * batches and canaries, and that all implementations of one algorithm, of whatever library, agree
 * on every length up to 300 and some longer ones. Implementations that this CPU cannot run are left
 * out; what a library lacks is told. Prints a line for each failure and a summary; exits 1 after a
 * failure. Each plugin is opened, and each implementation checked, in a child process: one that
 * dies is one failure, and nothing is compared with it. With JM_PRINT=LENGTH in the environment,
 * prints `algorithm variant key message output` in hexadecimal for that length instead, for
 * comparison with a third party. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "joulemark/kernel.h"

enum { IMPLEMENTATIONS_MAX = 1024, MESSAGE_MAX = 70000, CANARY = 0xA5, GUARD = 16 };

/* No library may refuse a message of up to this length, save an empty one. */
enum { ALWAYS_TAKEN_MAX = 4096, BATCH_MAX = 300 };

/* The checks of one implementation take a second at most. */
enum { LIMIT_S = 120 };

typedef struct {
    const jm_implementation *implementation;
    const char *provider;
    bool died;
} entry;

/* Written by the children that check. */
typedef struct {
    unsigned failures, checks;
} counts;

static entry entries[IMPLEMENTATIONS_MAX];
static size_t entry_count;
static uint8_t message[MESSAGE_MAX];
static uint8_t key_material[300];
static counts *total;

static void expect(bool ok, const entry *e, const char *what, size_t bytes) {
    total->checks++;
    if (ok) return;
    total->failures++;
    printf("FAIL %s %s (%s): %s, %zu bytes\n", e->implementation->algorithm,
           e->implementation->variant, e->provider, what, bytes);
}

static void *new_state(size_t bytes) {
    size_t rounded = (bytes + JM_STATE_ALIGN) / JM_STATE_ALIGN * JM_STATE_ALIGN;
    void *state = aligned_alloc(JM_STATE_ALIGN, rounded);
    if (!state) abort();
    memset(state, CANARY, rounded);
    return state;
}

static void check_facts(const entry *e) {
    const jm_implementation *i = e->implementation;
    expect(i->algorithm && *i->algorithm && i->variant && *i->variant, e, "ids", 0);
    expect(i->note && *i->note, e, "note", 0);
    expect(i->output_bytes >= 1 && i->output_bytes <= JM_OUTPUT_BYTES_MAX, e, "output_bytes",
           i->output_bytes);
    expect(i->block_bytes >= 1 && i->constant_time != JM_TIMING_CONSTANT, e, "block, claim", 0);
    expect(i->lanes == 1 || (i->lanes > 1 && i->mac && i->mac->tag_batch), e, "lanes", i->lanes);
    expect(i->key_bytes_min <= i->key_bytes && i->key_bytes <= i->key_bytes_max, e, "key sizes",
           i->key_bytes);
    expect(!!i->hash + !!i->mac + !!i->cipher == 1, e, "one function table", 0);
    expect((i->kind == JM_KIND_HASH) == !!i->hash && (i->kind == JM_KIND_MAC) == !!i->mac, e,
           "kind fits the table", 0);
    if (i->mac)
        expect(!!i->mac->stream_bytes == !!i->mac->stream_begin &&
                   !!i->mac->stream_begin == !!i->mac->stream_update &&
                   !!i->mac->stream_update == !!i->mac->stream_finish,
               e, "stream functions", i->mac->stream_bytes);
}

/* The output for the first `bytes` of the message; ciphers chain its whole blocks from zero and
 * encrypt the result, so that both their functions take part. False if the message is refused as
 * empty or too long. */
static bool compute(const entry *e, const void *state, size_t bytes, uint8_t *output) {
    const jm_implementation *i = e->implementation;
    uint8_t guarded[GUARD + JM_OUTPUT_BYTES_MAX + GUARD];
    uint8_t *out = guarded + GUARD + (bytes & 1); /* odd addresses too */
    const uint8_t *in = bytes ? message : NULL;
    jm_status status = JM_OK;
    memset(guarded, CANARY, sizeof guarded);
    if (i->hash) status = i->hash->digest(i, in, bytes, out);
    if (i->mac) status = i->mac->tag(i, state, in, bytes, out);
    if (i->cipher) {
        memset(out, 0, i->output_bytes);
        i->cipher->chain(i, state, out, in, bytes / i->block_bytes);
        i->cipher->encrypt(i, state, out, out, 1);
    }
    const bool may_refuse = bytes == 0 || bytes > ALWAYS_TAKEN_MAX;
    if (status == JM_ERR_MESSAGE_BYTES && i->mac && may_refuse) return false;
    expect(status == JM_OK, e, "status", bytes);
    bool intact = true;
    for (uint8_t *p = guarded; p < guarded + sizeof guarded; p++)
        if ((p < out || p >= out + i->output_bytes) && *p != CANARY) intact = false;
    expect(intact, e, "wrote beyond the output", bytes);
    memcpy(output, out, i->output_bytes);
    return true;
}

static void *keyed(const entry *e, size_t key_bytes) {
    const jm_implementation *i = e->implementation;
    if (i->hash) return NULL;
    void *state = new_state(i->mac ? i->mac->key_state_bytes : i->cipher->schedule_bytes);
    jm_status status = i->mac ? i->mac->set_key(i, state, key_material, key_bytes)
                              : i->cipher->set_key(i, state, key_material, key_bytes);
    expect(status == JM_OK, e, "set_key", key_bytes);
    if (status != JM_OK) exit(1);
    return state;
}

static void drop(const entry *e, void *state) {
    const jm_implementation *i = e->implementation;
    if (i->mac) i->mac->wipe_key(i, state);
    if (i->cipher) i->cipher->wipe_key(i, state);
    free(state);
}

static void check_bad_keys(const entry *e) {
    const jm_implementation *i = e->implementation;
    if (i->hash) return;
    void *state = new_state(i->mac ? i->mac->key_state_bytes : i->cipher->schedule_bytes);
    jm_status (*set_key)(const jm_implementation *, void *, const uint8_t *, size_t) =
        i->mac ? i->mac->set_key : i->cipher->set_key;
    if (i->key_bytes_min > 0)
        expect(set_key(i, state, key_material, i->key_bytes_min - 1) == JM_ERR_KEY_BYTES, e,
               "short key refused", i->key_bytes_min - 1);
    if (i->key_bytes_max < SIZE_MAX)
        expect(set_key(i, state, key_material, i->key_bytes_max + 1) == JM_ERR_KEY_BYTES, e,
               "long key refused", i->key_bytes_max + 1);
    free(state);
}

static void check_copy(const entry *e) {
    const jm_implementation *i = e->implementation;
    uint8_t before[JM_OUTPUT_BYTES_MAX], after[JM_OUTPUT_BYTES_MAX];
    if (!i->mac) return;
    void *original = keyed(e, i->key_bytes);
    void *copy = new_state(i->mac->key_state_bytes), *second = new_state(i->mac->key_state_bytes);
    expect(i->mac->copy_key(i, copy, original) == JM_OK, e, "copy of a fresh state", 0);
    compute(e, original, 100, before);
    expect(i->mac->copy_key(i, second, original) == JM_OK, e, "copy of a used state", 0);
    drop(e, original);
    compute(e, copy, 100, after);
    expect(memcmp(before, after, i->output_bytes) == 0, e, "copy outlives the original", 100);
    compute(e, second, 100, after);
    expect(memcmp(before, after, i->output_bytes) == 0, e, "copy of a used state works", 100);
    drop(e, copy);
    drop(e, second);
}

static jm_status feed(const jm_implementation *i, void *state, const uint8_t *from, size_t bytes) {
    return i->hash ? i->hash->update(i, state, from, bytes)
                   : i->mac->stream_update(i, state, from, bytes);
}

/* A stream cut at `cut`, with an empty piece between, against the one-shot output. */
static void check_stream(const entry *e, const void *state, size_t bytes, size_t cut) {
    const jm_implementation *i = e->implementation;
    uint8_t whole[JM_OUTPUT_BYTES_MAX], pieces[JM_OUTPUT_BYTES_MAX];
    if (i->cipher || (i->mac && !i->mac->stream_bytes)) return;
    if (!compute(e, state, bytes, whole)) return;
    void *stream = new_state(i->hash ? i->hash->state_bytes : i->mac->stream_bytes);
    jm_status status = i->hash ? i->hash->init(i, stream) : i->mac->stream_begin(i, stream, state);
    if (status == JM_OK) status = feed(i, stream, message, cut);
    if (status == JM_OK) status = feed(i, stream, NULL, 0);
    if (status == JM_OK) status = feed(i, stream, message + cut, bytes - cut);
    if (status == JM_OK)
        status =
            i->hash ? i->hash->final(i, stream, pieces) : i->mac->stream_finish(i, stream, pieces);
    expect(status == JM_OK, e, "stream status", bytes);
    expect(memcmp(whole, pieces, i->output_bytes) == 0, e, "stream equals one-shot", bytes);
    if (i->mac) {
        expect(i->mac->stream_begin(i, stream, state) == JM_OK, e, "second stream", bytes);
        expect(i->mac->stream_update(i, stream, message, bytes) == JM_OK, e, "second stream", 0);
        expect(i->mac->stream_finish(i, stream, NULL) == JM_OK, e, "abandoned stream", bytes);
    }
    free(stream);
}

enum { LENGTHS = 306 };

static size_t length(size_t n) {
    static const size_t longer[LENGTHS - 301] = {1000, 4096, 65535, 65536, MESSAGE_MAX};
    return n <= 300 ? n : longer[n - 301];
}

/* Before others are compared with it: if it dies, it dies here. */
static void check_alone(const entry *e) {
    uint8_t unused[JM_OUTPUT_BYTES_MAX];
    void *state = keyed(e, e->implementation->key_bytes);
    for (size_t n = 0; n < LENGTHS; n++) compute(e, state, length(n), unused);
    drop(e, state);
}

static void check_agreement(const entry *a, const entry *b, size_t key_bytes) {
    uint8_t from_a[JM_OUTPUT_BYTES_MAX], from_b[JM_OUTPUT_BYTES_MAX];
    void *state_a = keyed(a, key_bytes), *state_b = keyed(b, key_bytes);
    for (size_t n = 0; n < LENGTHS; n++) {
        const size_t bytes = length(n);
        if (!compute(a, state_a, bytes, from_a) || !compute(b, state_b, bytes, from_b)) continue;
        expect(memcmp(from_a, from_b, a->implementation->output_bytes) == 0, b, a->provider, bytes);
    }
    drop(a, state_a);
    drop(b, state_b);
}

static bool takes(const entry *e, size_t key_bytes) {
    return key_bytes >= e->implementation->key_bytes_min &&
           key_bytes <= e->implementation->key_bytes_max;
}

/* Compares each with the first implementation of its algorithm that takes the key. */
static void check_against_others(const entry *e) {
    static const size_t key_lengths[] = {0, 1, 16, 20, 32, 64, 65, 128, 129, 300};
    const jm_implementation *i = e->implementation;
    for (size_t k = 0; k < sizeof key_lengths / sizeof *key_lengths; k++) {
        if (!takes(e, key_lengths[k]) && !(i->hash && k == 0)) continue;
        for (const entry *other = entries; other < e; other++)
            if (strcmp(other->implementation->algorithm, i->algorithm) == 0 && !other->died &&
                takes(other, key_lengths[k])) {
                check_agreement(other, e, key_lengths[k]);
                break;
            }
    }
}

/* ---- batches ---- */

typedef struct {
    jm_mac_message messages[BATCH_MAX];
    uint8_t tags[BATCH_MAX][JM_OUTPUT_BYTES_MAX + 1]; /* a canary behind each, odd addresses too */
} batch;

/* The shortest message that is taken: 0, or 1 where an empty one is refused. */
static size_t shortest(const jm_implementation *i, const void *state) {
    uint8_t unused[JM_OUTPUT_BYTES_MAX];
    return i->mac->tag(i, state, NULL, 0, unused) == JM_ERR_MESSAGE_BYTES;
}

/* Lengths from the shortest to just over 300 in an order that jumps, most messages unaligned. */
static void fill_batch(batch *filled, const jm_implementation *i, void *const *states,
                       size_t count) {
    const size_t least = shortest(i, states[0]);
    memset(filled->tags, CANARY, sizeof filled->tags);
    for (size_t n = 0; n < count; n++) {
        const size_t jumped = (n * 89 + count) % 307, bytes = jumped < least ? least : jumped;
        filled->messages[n] = (jm_mac_message){.key_state = states[n % 2],
                                               .message = bytes ? message + n : NULL,
                                               .message_bytes = bytes,
                                               .tag = filled->tags[n]};
    }
}

static void check_batch(const entry *e, void *const *states, size_t count) {
    static batch filled;
    const jm_implementation *i = e->implementation;
    static uint8_t expected[BATCH_MAX][JM_OUTPUT_BYTES_MAX];
    fill_batch(&filled, i, states, count);
    /* Before the batch: a later call might finish work that the batch left undone. */
    for (size_t n = 0; n < count; n++) {
        const jm_mac_message *handed = filled.messages + n;
        i->mac->tag(i, handed->key_state, handed->message, handed->message_bytes, expected[n]);
    }
    expect(i->mac->tag_batch(i, filled.messages, count) == JM_OK, e, "batch status", count);
    for (size_t n = 0; n < count; n++) {
        const jm_mac_message *handed = filled.messages + n;
        expect(memcmp(filled.tags[n], expected[n], i->output_bytes) == 0, e,
               "batch equals one by one", handed->message_bytes);
        bool intact = true;
        for (size_t at = i->output_bytes; at <= JM_OUTPUT_BYTES_MAX; at++)
            if (filled.tags[n][at] != CANARY) intact = false;
        expect(intact, e, "batch wrote beyond a tag", handed->message_bytes);
    }
}

/* A batch with a message that `tag` refuses is refused too, and does no harm to later batches. */
static void check_refused_batch(const entry *e, void *const *states) {
    static batch filled;
    const jm_implementation *i = e->implementation;
    uint8_t unused[JM_OUTPUT_BYTES_MAX];
    const jm_status alone = i->mac->tag(i, states[0], message, MESSAGE_MAX, unused);
    fill_batch(&filled, i, states, 40);
    filled.messages[20].message = message;
    filled.messages[20].message_bytes = MESSAGE_MAX;
    expect(i->mac->tag_batch(i, filled.messages, 40) == alone, e, "batch refuses as one", 40);
    check_batch(e, states, 40);
    if (shortest(i, states[0]) == 0) return;
    fill_batch(&filled, i, states, 40);
    filled.messages[20].message_bytes = 0;
    expect(i->mac->tag_batch(i, filled.messages, 40) == JM_ERR_MESSAGE_BYTES, e,
           "batch refuses an empty message", 40);
    check_batch(e, states, 40);
}

static void check_batches(const entry *e) {
    const jm_implementation *i = e->implementation;
    if (!i->mac || !i->mac->tag_batch) return;
    void *states[2] = {keyed(e, i->key_bytes), new_state(i->mac->key_state_bytes)};
    const jm_status status = i->mac->set_key(i, states[1], key_material + 100, i->key_bytes);
    expect(status == JM_OK, e, "second key", i->key_bytes);
    expect(i->mac->tag_batch(i, NULL, 0) == JM_OK, e, "empty batch", 0);
    for (size_t count = 1; count <= BATCH_MAX; count += count < 70 ? 1 : 23)
        check_batch(e, states, count);
    check_refused_batch(e, states);
    drop(e, states[0]);
    drop(e, states[1]);
}

static void print_hex(const uint8_t *bytes, size_t count) {
    putchar(' ');
    for (size_t n = 0; n < count; n++) printf("%02x", bytes[n]);
}

static void print_output(const entry *e, size_t bytes) {
    const jm_implementation *i = e->implementation;
    uint8_t output[JM_OUTPUT_BYTES_MAX];
    void *state = keyed(e, i->key_bytes);
    compute(e, state, bytes, output);
    drop(e, state);
    printf("%s %s", i->algorithm, i->variant);
    print_hex(key_material, i->key_bytes);
    print_hex(message, bytes);
    print_hex(output, i->output_bytes);
    putchar('\n');
}

/* The table of a plugin; NULL after a failure, which is printed. */
static const jm_plugin *open_plugin(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return printf("FAIL %s: %s\n", path, dlerror()), NULL;
    jm_plugin_entry entry_point;
    *(void **)&entry_point = dlsym(handle, JM_PLUGIN_ENTRY);
    if (!entry_point) return printf("FAIL %s: no %s\n", path, JM_PLUGIN_ENTRY), NULL;
    const jm_plugin *plugin = entry_point();
    if (plugin->abi_version < JM_ABI_VERSION_MIN || plugin->abi_version > JM_ABI_VERSION)
        return printf("FAIL %s: ABI\n", path), NULL;
    if (plugin->count == 0) return printf("FAIL %s: offers nothing\n", path), NULL;
    return plugin;
}

/* Whether `work` does its work in a child process; prints a failure if the child dies. */
static bool lives(bool (*work)(const void *), const void *of, const char *algorithm,
                  const char *name) {
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        alarm(LIMIT_S);
        exit(work(of) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (waitpid(child, &status, 0) < 0) abort();
    if (WIFSIGNALED(status))
        printf("FAIL %s%s: its process dies (%s)\n", algorithm, name, strsignal(WTERMSIG(status)));
    return status == 0;
}

static bool can_be_opened(const void *path) {
    return open_plugin(path) != NULL;
}

static bool load(const char *path) {
    if (!lives(can_be_opened, path, "", path)) return false;
    const jm_plugin *plugin = open_plugin(path);
    if (!plugin) return false;
    fprintf(stderr, "%s: %s, %zu implementations, %s, %s\n", plugin->provider,
            plugin->library_version(), plugin->count, plugin->compiler, plugin->flags);
    for (size_t n = 0; plugin->abi_version >= 4 && n < plugin->lack_count; n++)
        fprintf(stderr, "unavailable: %s/%s: %s\n", plugin->lacks[n].algorithm,
                plugin->lacks[n].variant, plugin->lacks[n].reason);
    for (size_t n = 0; n < plugin->count && entry_count < IMPLEMENTATIONS_MAX; n++)
        if (!(plugin->implementations[n]->cpu_features & ~jm_cpu_features()))
            entries[entry_count++] =
                (entry){plugin->implementations[n], plugin->provider, .died = false};
    return true;
}

static bool print_it(const void *of) {
    print_output(of, strtoul(getenv("JM_PRINT"), NULL, 10));
    return true;
}

static bool check(const void *of) {
    const entry *e = of;
    check_facts(e);
    check_bad_keys(e);
    check_copy(e);
    check_alone(e);
    check_against_others(e);
    check_batches(e);
    void *state = keyed(e, e->implementation->key_bytes);
    for (size_t bytes = 0; bytes <= 300; bytes++) check_stream(e, state, bytes, bytes / 3);
    check_stream(e, state, MESSAGE_MAX, 4097);
    drop(e, state);
    return true; /* failures are counted */
}

int main(int argc, char **argv) {
    const bool prints = getenv("JM_PRINT");
    total = mmap(NULL, sizeof *total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (total == MAP_FAILED) abort();
    setvbuf(stdout, NULL, _IOLBF, 0); /* a child that dies leaves the lines that it printed */
    for (size_t n = 0; n < sizeof message; n++) message[n] = (uint8_t)(n % 251);
    for (size_t n = 0; n < sizeof key_material; n++) key_material[n] = (uint8_t)(n * 7 + 1);
    for (int n = 1; n < argc; n++)
        if (!load(argv[n])) total->failures++;
    for (entry *e = entries; e < entries + entry_count; e++) {
        char name[128];
        snprintf(name, sizeof name, "/%s (%s)", e->implementation->variant, e->provider);
        e->died = !lives(prints ? print_it : check, e, e->implementation->algorithm, name);
        total->failures += e->died;
    }
    if (!prints)
        printf("%zu implementations, %u checks, %u failures\n", entry_count, total->checks,
               total->failures);
    return total->failures != 0;
}
