/* SPDX-License-Identifier: Apache-2.0
 *
 * Times two builds of libjoulemark in turn in one process, to see the cost of a change of kernels.
 *
 *     cc -O2 -Ikernels/include tools/compare_libraries.c -ldl -o compare_libraries
 *     ./compare_libraries OLD/libjoulemark.so NEW/libjoulemark.so
 *
 * Times one message of 16 bytes by single variants, and batches of 8 and 64 messages of 64 bytes by
 * the engine. A figure is the lower quartile of WINDOWS windows, in ns a call; windows of the two
 * libraries alternate, and either begins a pair as often as the other. Exit 2: a library cannot be
 * loaded. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "joulemark/mac.h"

enum { WINDOWS = 400, WINDOW_NS = 50000, BATCH_MOST = 64, BYTES_MOST = 64, SECRET_BYTES = 32 };

typedef struct {
    const jm_mac *(*find_variant)(const char *, const char *);
    const jm_mac *(*find)(const char *);
    size_t (*key_bytes)(const jm_mac *);
    jm_status (*key_new)(const jm_mac *, const uint8_t *, size_t, jm_mac_key **);
    void (*key_free)(const jm_mac *, jm_mac_key *);
    jm_status (*tag)(const jm_mac *, const jm_mac_key *, const uint8_t *, size_t, uint8_t *);
    jm_status (*tag_batch)(const jm_mac *, const jm_mac_message *, size_t);
} library;

static const struct {
    const char *algorithm, *variant; /* NULL: the engine, in batches */
} rows[] = {
    {"hmac-md5", "portable"},
    {"hmac-sha1", "shani"},
    {"hmac-sha1", "portable"},
    {"hmac-sha256", "shani"},
    {"hmac-sha256", "portable"},
    {"hmac-sha512", "avx512"},
    {"hmac-sha512", "portable"},
    {"cmac-aes128", "aesni"},
    {"cmac-aes256", "aesni"},
    {"siphash-2-4", "portable"},
    {"siphash-2-4-128", "portable"},

    {"hmac-md5", NULL},
    {"hmac-sha1", NULL},
    {"hmac-sha256", NULL},
    {"hmac-sha384", NULL},
    {"hmac-sha512", NULL},
    {"cmac-aes128", NULL},
    {"cmac-aes256", NULL},
    {"siphash-2-4", NULL},
    {"siphash-2-4-128", NULL},
};

static void *symbol(void *handle, const char *name) {
    void *found = dlsym(handle, name);
    if (found == NULL) {
        fprintf(stderr, "compare_libraries: %s\n", dlerror());
        exit(2);
    }
    return found;
}

static library load(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "compare_libraries: %s\n", dlerror());
        exit(2);
    }
    library opened;
    *(void **)&opened.find_variant = symbol(handle, "jm_mac_find_variant");
    *(void **)&opened.find = symbol(handle, "jm_mac_find");
    *(void **)&opened.key_bytes = symbol(handle, "jm_mac_key_bytes");
    *(void **)&opened.key_new = symbol(handle, "jm_mac_key_new");
    *(void **)&opened.key_free = symbol(handle, "jm_mac_key_free");
    *(void **)&opened.tag = symbol(handle, "jm_mac_tag");
    *(void **)&opened.tag_batch = symbol(handle, "jm_mac_tag_batch");
    return opened;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

typedef struct {
    const library *of;
    const jm_mac *mac;
    jm_mac_key *key;
    size_t count; /* messages of a call; 1: jm_mac_tag, more: jm_mac_tag_batch */
    size_t message_bytes;
} work;

static uint8_t messages[BATCH_MOST][BYTES_MOST], tags[BATCH_MOST][JM_OUTPUT_BYTES_MAX];

static void call(const work *task, size_t times) {
    jm_mac_message batch[BATCH_MOST];
    for (size_t i = 0; i < task->count; i++)
        batch[i] = (jm_mac_message){task->key, messages[i], task->message_bytes, tags[i]};
    for (size_t i = 0; i < times; i++) {
        if (task->count == 1)
            task->of->tag(task->mac, task->key, messages[0], task->message_bytes, tags[0]);
        else
            task->of->tag_batch(task->mac, batch, task->count);
    }
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lower quartiles of two kinds of work, in ns a call. */
static void measure(const work pair[2], double quartile_ns[2]) {
    static double taken[2][WINDOWS];
    size_t times = 1;
    for (uint64_t spent = 0; spent < WINDOW_NS; times *= 2) {
        const uint64_t start = now_ns();
        call(&pair[0], times);
        spent = now_ns() - start;
    }
    for (size_t window = 0; window < WINDOWS; window++) {
        for (size_t turn = 0; turn < 2; turn++) {
            const size_t which = (turn + window) % 2;
            const uint64_t start = now_ns();
            call(&pair[which], times);
            taken[which][window] = (double)(now_ns() - start) / (double)times;
        }
    }
    for (size_t which = 0; which < 2; which++) {
        qsort(taken[which], WINDOWS, sizeof(double), by_value);
        quartile_ns[which] = taken[which][WINDOWS / 4];
    }
}

static void measure_row(const library libraries[2], const char *algorithm, const char *variant,
                        size_t count, size_t message_bytes) {
    static const uint8_t secret[SECRET_BYTES] = {1, 2, 3};
    work pair[2];
    double quartile_ns[2];
    for (size_t which = 0; which < 2; which++) {
        const library *of = &libraries[which];
        const jm_mac *mac = variant ? of->find_variant(algorithm, variant) : of->find(algorithm);
        pair[which] = (work){of, mac, NULL, count, message_bytes};
        if (mac == NULL ||
            of->key_new(mac, secret, of->key_bytes(mac), &pair[which].key) != JM_OK) {
            if (which == 1) pair[0].of->key_free(pair[0].mac, pair[0].key);
            return; /* this CPU cannot run the variant, or one of the libraries lacks it */
        }
    }
    measure(pair, quartile_ns);
    printf("%-16s %-9s %3zu x %3zu B %9.1f %9.1f %+8.1f ns %+6.1f %%\n", algorithm,
           variant ? variant : "engine", count, message_bytes, quartile_ns[0], quartile_ns[1],
           quartile_ns[1] - quartile_ns[0], 100 * (quartile_ns[1] / quartile_ns[0] - 1));
    fflush(stdout);
    for (size_t which = 0; which < 2; which++)
        pair[which].of->key_free(pair[which].mac, pair[which].key);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: compare_libraries OLD.so NEW.so\n");
        return 2;
    }
    const library libraries[2] = {load(arguments[1]), load(arguments[2])};
    printf("%-16s %-9s %11s %9s %9s %11s\n", "", "", "", "old ns", "new ns", "difference");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].variant != NULL) {
            measure_row(libraries, rows[i].algorithm, rows[i].variant, 1, 16);
        } else {
            measure_row(libraries, rows[i].algorithm, NULL, 8, 64);
            measure_row(libraries, rows[i].algorithm, NULL, 64, 64);
        }
    }
    return EXIT_SUCCESS;
}
