/* SPDX-License-Identifier: Apache-2.0
 * Measures whether the time of each MAC that claims constant time depends on its secrets, on the
 * machine code and the CPU that run here, which valgrind does not see. Welch's t-test (Welch, 1947;
 * Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", 2017) compares two classes
 * whose samples alternate at random: a fixed and a random key; a fixed and a random message; an
 * expected tag that is wrong in its last byte, and a random one. Both classes use the same memory.
 * A control whose time does depend on each of the three must be found: exit code 2 if not. Exit
 * code 1: the time of a MAC depends on a secret in each of REPEATS measurements; 77: no clock. */
#include <math.h>

#include "common/secret.h"
#include "joulemark/mac.h"
#include "native_test.h"

enum { NOT_MEASURED = 77, POOL = 64, MESSAGE_BYTES = 64, REPEATS = 5, CALIBRATION = 1000 };
static const double LEAST_T = 4.5; /* of the paper */

#if defined(__x86_64__)

static size_t samples = 20000;
static uint64_t seed = 20261128;

typedef struct {
    double count, mean, squares; /* of deviations */
} class_sums;

static void add_sample(class_sums *to, double x) {
    const double before = x - to->mean;
    to->count++;
    to->mean += before / to->count;
    to->squares += before * (x - to->mean);
}

static double welch(const class_sums *a, const class_sums *b) {
    if (a->count < 2 || b->count < 2) return 0;
    const double variance =
        a->squares / (a->count - 1) / a->count + b->squares / (b->count - 1) / b->count;
    return variance > 0 ? (a->mean - b->mean) / sqrt(variance) : 0;
}

/* Memory that both classes share: what differs is copied into it before each sample. */
typedef struct {
    const jm_implementation *self;
    void *pool[POOL], *state; /* key states; [0] is the fixed one */
    uint8_t messages[POOL][MESSAGE_BYTES], message[MESSAGE_BYTES];
    uint8_t expected[JM_OUTPUT_BYTES_MAX];
} subject;

typedef enum { BY_KEY, BY_MESSAGE, BY_TAG, QUESTIONS } question;
static const char *const names[QUESTIONS] = {"key", "message", "expected tag"};

/* The control: early exits and branches on each secret. */
static jm_status leaky_tag(const jm_implementation *self, const void *state, const uint8_t *message,
                           size_t bytes, uint8_t *tag) {
    volatile uint64_t sum = 0;
    const uint8_t *key = state;
    (void)self;
    for (int bit = 0; bit < 64; bit++)
        if (key[bit / 8] >> bit % 8 & 1) sum += sum * 3 + 1;
    for (size_t i = 0; i < bytes && message[i]; i++) sum += message[i] * 5;
    memset(tag, 7, 16);
    return JM_OK;
}
static jm_status leaky_set(const jm_implementation *self, void *state, const uint8_t *key,
                           size_t bytes) {
    (void)self;
    memcpy(state, key, bytes);
    return JM_OK;
}
static const jm_mac_functions leaky_functions = {
    .key_state_bytes = 64, .set_key = leaky_set, .tag = leaky_tag};
static const jm_implementation leaky = {.algorithm = "control",
                                        .variant = "leaky",
                                        .kind = JM_KIND_MAC,
                                        .lanes = 1,
                                        .output_bytes = 16,
                                        .key_bytes = 16,
                                        .mac = &leaky_functions};

__attribute__((noinline)) static int leaky_equal(const uint8_t *a, const uint8_t *b, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        __asm__ volatile("" : : : "memory");
        if (a[i] != b[i]) return 0;
    }
    return 1;
}

static uint64_t ticks(void) {
    unsigned processor;
    __builtin_ia32_lfence();
    const uint64_t now = __builtin_ia32_rdtscp(&processor);
    __builtin_ia32_lfence();
    return now;
}

/* Both classes do the same work before the clock is read: only a mask tells them apart. */
static void choose(void *to, const void *fixed, const void *other, size_t bytes, bool random) {
    const uint8_t mask = (uint8_t)(0 - (unsigned)random);
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] =
            (uint8_t)((((const uint8_t *)fixed)[i] & ~mask) | (((const uint8_t *)other)[i] & mask));
}

static void prepare(subject *s, question asked, bool random) {
    const size_t at = 1 + random_word(&seed) % (POOL - 1),
                 state_bytes = s->self->mac->key_state_bytes;
    uint8_t tag[JM_OUTPUT_BYTES_MAX], other[JM_OUTPUT_BYTES_MAX];
    if (asked == BY_KEY) choose(s->state, s->pool[0], s->pool[at], state_bytes, random);
    if (asked == BY_MESSAGE)
        choose(s->message, s->messages[0], s->messages[at], MESSAGE_BYTES, random);
    if (asked != BY_TAG) return;
    s->self->mac->tag(s->self, s->state, s->message, MESSAGE_BYTES, tag);
    random_bytes(&seed, other, sizeof other);
    tag[s->self->output_bytes - 1] ^= 1;
    choose(s->expected, tag, other, sizeof tag, random);
}

static double sample(subject *s, question asked, bool random) {
    uint8_t tag[JM_OUTPUT_BYTES_MAX];
    const jm_implementation *self = s->self;
    prepare(s, asked, random);
    volatile int equal = 0;
    const uint64_t start = ticks();
    if (asked != BY_TAG) {
        self->mac->tag(self, s->state, s->message, MESSAGE_BYTES, tag);
    } else if (self == &leaky) {
        self->mac->tag(self, s->state, s->message, MESSAGE_BYTES, tag);
        equal = leaky_equal(tag, s->expected, self->output_bytes);
    } else {
        equal = jm_mac_verify(self, s->state, s->message, MESSAGE_BYTES, s->expected,
                              self->output_bytes) == JM_OK;
    }
    const uint64_t end = ticks();
    (void)equal;
    return (double)(end - start);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* |t|, of the samples below the 90th percentile: the others were interrupted. */
static double measure(subject *s, question asked) {
    static double first[CALIBRATION];
    class_sums sums[2] = {{0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < CALIBRATION; i++) first[i] = sample(s, asked, random_word(&seed) & 1);
    qsort(first, CALIBRATION, sizeof *first, ascending);
    const double most = first[CALIBRATION * 9 / 10];
    for (size_t i = 0; i < samples; i++) {
        const bool random = random_word(&seed) >> 40 & 1;
        const double x = sample(s, asked, random);
        if (x <= most) add_sample(&sums[random], x);
    }
    return fabs(welch(&sums[0], &sums[1]));
}

static void open_subject(subject *s, const jm_implementation *self) {
    uint8_t key[256];
    memset(s, 0, sizeof *s);
    s->self = self;
    s->state = exact_state(self->mac->key_state_bytes);
    for (size_t i = 0; i < POOL; i++) {
        if (i)
            random_bytes(&seed, key, sizeof key);
        else
            memset(key, 0, sizeof key);
        s->pool[i] = exact_state(self->mac->key_state_bytes);
        self->mac->set_key(self, s->pool[i], key, self->key_bytes);
        if (i) random_bytes(&seed, s->messages[i], MESSAGE_BYTES);
    }
    memcpy(s->state, s->pool[0], self->mac->key_state_bytes); /* ours are copied byte for byte */
}

static void close_subject(subject *s) {
    free(s->state);
    for (size_t i = 0; i < POOL; i++) free(s->pool[i]);
}

/* The least |t| of up to REPEATS measurements, which end at the first that is small. */
static double least_t(subject *s, question asked) {
    double least = INFINITY;
    for (int i = 0; i < REPEATS && least > LEAST_T; i++) {
        const double t = measure(s, asked);
        least = t < least ? t : least;
    }
    return least;
}

int main(int argc, char **argv) {
    const jm_plugin *plugin = jm_builtin_plugin();
    static subject s;
    unsigned depend = 0, measured = 0;
    if (argc > 1) samples = (size_t)atol(argv[1]);
    for (question asked = 0; asked < QUESTIONS; asked++) {
        open_subject(&s, &leaky);
        const double t = least_t(&s, asked);
        close_subject(&s);
        printf("control, %s: t = %.1f\n", names[asked], t);
        if (t <= LEAST_T) return 2;
    }
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *self = plugin->implementations[i];
        if (self->kind != JM_KIND_MAC || self->constant_time != JM_TIMING_CONSTANT ||
            !can_run(self) || (argc > 2 && !strstr(self->algorithm, argv[2])))
            continue;
        open_subject(&s, self);
        measured++;
        for (question asked = 0; asked < QUESTIONS; asked++) {
            const double t = least_t(&s, asked);
            depend += t > LEAST_T;
            if (t > LEAST_T)
                printf("%s/%s: its time depends on the %s, t = %.1f\n", self->algorithm,
                       self->variant, names[asked], t);
        }
        close_subject(&s);
    }
    printf("%u MACs measured, %u times depend on secrets\n", measured, depend);
    return depend != 0;
}

#else

int main(void) {
    (void)LEAST_T;
    puts("Not measured: the clock of this program is x86-64's.");
    return NOT_MEASURED;
}

#endif
