/* SPDX-License-Identifier: Apache-2.0
 * Which lines of its key state a MAC reads, by the cache: a line is evicted, a message is tagged,
 * and a time that is longer by a miss says that the line was read. Of a MAC that claims constant
 * time every message and every key must read the same lines. The control, CMAC over Twofish, looks
 * its key's tables up at secret places, and must be found: exit code 2 if not. Exit code 1: the
 * lines that a MAC reads depend on a secret; 77: nothing could be measured here. Tables of
 * constants are not evicted: for these stands valgrind (constant_time.c). */
#include "joulemark/mac.h"
#include "native_test.h"

enum { NOT_MEASURED = 77, LINE = 64, TIMES = 21, TRIES = 4, CASES = 6, MESSAGE_BYTES = 16 };

#if defined(__x86_64__)

static uint64_t seed = 64;
static uint8_t messages[CASES][MESSAGE_BYTES], tag[JM_OUTPUT_BYTES_MAX];

static uint64_t ticks(void) {
    unsigned processor;
    __builtin_ia32_mfence();
    __builtin_ia32_lfence();
    const uint64_t now = __builtin_ia32_rdtscp(&processor);
    __builtin_ia32_lfence();
    return now;
}

static int ascending(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The lower quartile of the time of a tag after `evicted`, a line or NULL, has left the cache. */
static uint64_t ticks_without(const jm_implementation *self, const void *state,
                              const uint8_t *message, const uint8_t *evicted) {
    uint64_t took[TIMES];
    for (size_t i = 0; i < TIMES; i++) {
        self->mac->tag(self, state, message, MESSAGE_BYTES, tag);
        if (evicted) __builtin_ia32_clflush(evicted);
        const uint64_t start = ticks();
        self->mac->tag(self, state, message, MESSAGE_BYTES, tag);
        took[i] = ticks() - start;
    }
    qsort(took, TIMES, sizeof *took, ascending);
    return took[TIMES / 4];
}

/* What a read of a line from memory takes longer than from the cache. */
static uint64_t miss_ticks(void) {
    static _Alignas(LINE) volatile uint8_t line[LINE];
    uint64_t took[2][TIMES];
    for (size_t i = 0; i < TIMES; i++)
        for (unsigned evicted = 0; evicted < 2; evicted++) {
            (void)line[0];
            if (evicted) __builtin_ia32_clflush((const void *)line);
            const uint64_t start = ticks();
            (void)line[0];
            took[evicted][i] = ticks() - start;
        }
    qsort(took[0], TIMES, sizeof **took, ascending);
    qsort(took[1], TIMES, sizeof **took, ascending);
    return took[1][TIMES / 2] > took[0][TIMES / 2] ? took[1][TIMES / 2] - took[0][TIMES / 2] : 0;
}

static bool reads(const jm_implementation *self, const uint8_t *state, const uint8_t *message,
                  size_t line, uint64_t miss) {
    const uint64_t with = ticks_without(self, state, message, NULL);
    const uint64_t without = ticks_without(self, state, message, state + line * LINE);
    return without > with + miss / 3;
}

/* The cases, a bit each, that read the line: by most of three measurements. */
static unsigned readers(const jm_implementation *self, void *const *states, size_t line,
                        uint64_t miss) {
    unsigned found = 0;
    for (size_t i = 0; i < CASES; i++) {
        unsigned read = 0;
        for (int t = 0; t < 3; t++) read += reads(self, states[i / 3], messages[i], line, miss);
        found |= (read > 1u) << i;
    }
    return found;
}

/* Whether some cases read the line and others do not, the same cases each of TRIES times: noise of
 * a busy machine would be another one each time. */
static bool differs(const jm_implementation *self, void *const *states, size_t line,
                    uint64_t miss) {
    const unsigned first = readers(self, states, line, miss);
    if (first == 0 || first == (1u << CASES) - 1) return false;
    for (int t = 1; t < TRIES; t++)
        if (readers(self, states, line, miss) != first) return false;
    return true;
}

static bool keeps_to_its_lines(const jm_implementation *self, uint64_t miss) {
    void *states[2];
    uint8_t key[256];
    bool kept = true;
    for (size_t k = 0; k < 2; k++) {
        random_bytes(&seed, key, sizeof key);
        states[k] = exact_state(self->mac->key_state_bytes);
        self->mac->set_key(self, states[k], key, self->key_bytes);
    }
    const size_t lines = self->mac->key_state_bytes / LINE;
    for (size_t line = 0; line < lines && kept; line++) kept = !differs(self, states, line, miss);
    for (size_t k = 0; k < 2; k++) free(states[k]);
    return kept;
}

int main(int argc, char **argv) {
    const jm_plugin *plugin = jm_builtin_plugin();
    const jm_mac *control = jm_mac_find_variable_time("cmac-twofish128", "portable");
    const uint64_t miss = miss_ticks();
    unsigned measured = 0, depend = 0;
    if (miss < 20) {
        puts("Not measured: a line that was evicted is as fast as one that was not.");
        return NOT_MEASURED;
    }
    random_bytes(&seed, messages[0], sizeof messages);
    const bool found = !keeps_to_its_lines(control, miss);
    printf("a miss takes %u ticks; control %s\n", (unsigned)miss, found ? "found" : "NOT FOUND");
    if (!found) return 2;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (self->kind != JM_KIND_MAC || self->constant_time != JM_TIMING_CONSTANT ||
            !can_run(self) || (argc > 1 && !strstr(self->algorithm, argv[1])))
            continue;
        measured++;
        if (keeps_to_its_lines(self, miss)) continue;
        depend++;
        printf("%s/%s: the lines of its key state that it reads depend on secrets\n",
               self->algorithm, self->variant);
    }
    printf("%u MACs measured, %u read lines that depend on secrets\n", measured, depend);
    return depend != 0;
}

#else

int main(void) {
    puts("Not measured: only x86-64 has the instructions of this program.");
    return NOT_MEASURED;
}

#endif
