// SPDX-License-Identifier: Apache-2.0
// Two threads call an implementation at once, each under its own key with its own messages, and
// every output is compared. Chance alone finds a shared buffer in some runs and not in others: two
// calls of 100 ns seldom meet. So the first thread is stopped within a call while the second makes
// a whole call, as the kernel may do between any two instructions; then the first goes on. It stops
// by signals at random instructions, and on x86 just behind the instructions that write to static
// memory of the plugin (written_statics.c), in calls of each kind and of each length of the case
// that write there, and in calls that find this memory as it was loaded. Code that takes a lock is
// right: the second thread then waits for the first, which goes on after STOP_NS.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "thread_calls.h"
#include "written_statics.h"

#define THREADS 2u
#define STOP_NS 10000000L   /* how long the first thread waits for the second */
#define START_NS 100000000L /* how long the second waits until the first has stopped */
#define IN_VAIN_MOST 12     /* then the first thread stops no more: the code takes a lock */
#define STEPS_MOST 20000u   /* instructions of a call that are looked at */
#define WRITE_STOPS 40u     /* most stops behind writes in a call */
#define WRITERS_MOST 24u    /* calls that write to static memory and are stopped there */
#define FIRST_CALLS_MOST 60u
#define FIRST_IN_VAIN_MOST 2 /* then the code takes a lock in its first call */
#define FEW_PARTS 4u         /* short ones, in whose calls most signals come */
#define STOPS_FEWEST 20u     /* stops by signals that are always made; more end after */
#define SIGNALS_NS 300000000u

/* Of futex(2); a C library such as musl comes without Linux's headers, which have them too. */
#define WAIT_PRIVATE 128      /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */
#define WAKE_PRIVATE 129      /* FUTEX_WAKE | FUTEX_PRIVATE_FLAG */
#define STOP_SIGNAL SIGVTALRM /* for which no runtime of a language has another use */
#define HANDLER_BYTES 65536u

/* What the first thread does next. */
enum { RESTS, CALLS, ONE_CALL, COUNTS, STOPS };

/* What both threads and the handlers of signals share; one check runs at a time in a process. */
static struct {
    uint8_t *expected[THREADS]; /* outputs of the parts, one after the other */
    size_t output_stride;
    void *handlers; /* stack of the first thread's handlers */
    int stopped;    /* futex: how often the first thread stopped, or ended a call of steps */
    int go;         /* futex: the stop for which the second has made its call */
    int in_vain;    /* stops one after the other for which it made none in time */
    int end;        /* both threads are to end */
    int work;       /* futex: the work of the first thread */
    unsigned kind;  /* of the calls that both make now */
    size_t part;    /* of the first thread's call of steps */
    size_t parts;   /* the first so many parts, in turn, in all other calls of the first thread */
    /* Of a call in steps, and of the first thread alone: */
    bool stepping;
    size_t taken;  /* instructions until now; after STEPS_MOST it runs on */
    size_t writes; /* instructions that wrote to static memory */
    size_t next;   /* the number of the write behind which it stops, from 0 */
    size_t apart;  /* writes from stop to stop */
} both;

static void wait_while(int *word, int value, long most_ns) {
    const struct timespec most = {most_ns / 1000000000L, most_ns % 1000000000L};
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        syscall(SYS_futex, word, WAIT_PRIVATE, value, &most, NULL, 0);
}

static void set(int *word, int value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int get(int *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The first thread waits here for a call of the second; calls only what a handler may call. */
static void stop(int number_of_signal) {
    (void)number_of_signal;
    if (get(&both.in_vain) >= IN_VAIN_MOST) return;
    const int error = errno, number = get(&both.stopped) + 1;
    const uint64_t end_ns = now_ns() + STOP_NS;
    set(&both.stopped, number);
    int made = get(&both.go);
    for (; made != number && !get(&both.end) && now_ns() < end_ns; made = get(&both.go))
        wait_while(&both.go, made, STOP_NS);
    set(&both.in_vain, made == number ? 0 : get(&both.in_vain) + 1);
    errno = error;
}

#if defined(__x86_64__)
#define HAS_STEPS 1
#define TRAP_FLAG 0x100
#define CLONE3 435 /* a system call that older headers do not name */

/* Whether the next instruction is a system call behind which a step would be the end: a trap that
 * is blocked kills the process, and a child or a new thread takes the flag along. The C library
 * blocks all signals in fork() and pthread_create(). */
static bool calls_for_the_end(const greg_t *registers) {
    const uint8_t *next = (const uint8_t *)registers[REG_RIP];
    const greg_t call = registers[REG_RAX];
    if (next[0] != 0x0f || next[1] != 0x05) return false; /* SYSCALL */
    return call == SYS_rt_sigprocmask || call == SYS_rt_sigaction || call == SYS_fork ||
           call == SYS_vfork || call == SYS_clone || call == CLONE3;
}

/* Runs after each instruction while the flag is set, which returning from here restores. */
static void on_step(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    greg_t *const registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    greg_t *const flags = &registers[REG_EFL];
    *flags &= ~(greg_t)TRAP_FLAG;
    if (calls_for_the_end(registers)) both.stepping = false;
    if (!both.stepping) return;
    *flags |= TRAP_FLAG;
    if (jm_statics_written()) {
        if (both.work == STOPS && both.writes == both.next) {
            stop(0);
            both.next += both.apart;
        }
        both.writes++;
    }
    if (++both.taken == STEPS_MOST || both.next >= STEPS_MOST) both.stepping = false;
}
#else
#define HAS_STEPS 0
#endif

/* Makes a call for part `part` and compares; false, with the thread's finding, if it is wrong. */
static bool right(thread *t, unsigned kind, size_t part) {
    jm_checker *checker = t->checker;
    const jm_implementation *self = checker->self;
    const size_t length = (size_t)checker->check_case->lengths[part];
    const size_t bytes = self->kind == JM_KIND_CIPHER ? length : self->output_bytes;
    const uint8_t *expected = both.expected[t->number] + part * both.output_stride;
    size_t made;
    const jm_status status = call(t, kind, part, &made);
    t->calls += made;
    t->finding.part = part;
    t->finding.message_bytes = length;
    if (status == JM_ERR_MESSAGE_BYTES) return true;
    if (status != JM_OK) {
        t->finding.verdict = JM_REFUSED_MESSAGE;
        t->wrong = true;
    }
    for (size_t i = 0; i < made && !t->wrong; i++) {
        if (!memcmp(t->outputs[i], expected, bytes)) continue;
        t->wrong = true;
        jm_note_outputs(self, &t->finding, t->outputs[i], expected);
    }
    return !t->wrong;
}

/* One call, instruction by instruction if writes are to be seen. */
static void one_call(thread *t) {
    both.taken = both.writes = 0;
    both.stepping = both.work != ONE_CALL;
    if (both.stepping) raise(SIGTRAP); /* on_step sets the flag */
    right(t, both.kind, both.part);
    both.stepping = false;
    jm_statics_look();
    set(&both.work, RESTS);
    set(&both.stopped, get(&both.stopped) + 1);
}

/* Its handlers have a separate stack, since code of other languages has small ones. The stack stays
 * until the thread has ended: a runtime may have taken it for its own signals. */
static void *first_thread(void *argument) {
    thread *t = argument;
    const stack_t stack = {.ss_sp = both.handlers, .ss_size = HANDLER_BYTES};
    stack_t before = {.ss_flags = SS_DISABLE};
    if (stack.ss_sp) sigaltstack(&stack, &before);
    for (size_t i = 0; !get(&both.end) && !t->wrong; i++)
        if (get(&both.work) == CALLS)
            right(t, __atomic_load_n(&both.kind, __ATOMIC_RELAXED),
                  i % __atomic_load_n(&both.parts, __ATOMIC_RELAXED));
        else if (get(&both.work) == RESTS)
            wait_while(&both.work, RESTS, START_NS);
        else
            one_call(t);
    set(&both.end, 1);
    set(&both.stopped, get(&both.stopped) + 1);
    if (!(before.ss_flags & SS_DISABLE)) sigaltstack(&before, NULL); /* a sanitizer's */
    return NULL;
}

/* Waits until the first thread has stopped since stop `before`; the number of its last stop. */
static int wait_for_stop(int before) {
    const uint64_t end_ns = now_ns() + START_NS;
    while (get(&both.stopped) == before && !get(&both.end) && now_ns() < end_ns)
        wait_while(&both.stopped, before, START_NS);
    return get(&both.stopped);
}

/* A call of the first thread, with calls of the second for part `beside` whenever the first stops.
 */
static void first_beside(thread *t, int work, size_t beside) {
    int last = get(&both.stopped);
    jm_statics_keep(work != ONE_CALL);
    set(&both.work, work);
    while (!t->wrong && !get(&both.end)) {
        const int stopped = wait_for_stop(last);
        if (get(&both.work) == RESTS) break;
        if (stopped == last) continue;
        last = stopped;
        right(t, both.kind, beside);
        set(&both.go, last);
    }
}

/* The same after a call of the second thread. */
static void second_beside(thread *t, int work, size_t beside) {
    if (right(t, both.kind, beside)) first_beside(t, work, beside);
}

/* Whether the first thread's call, after the second's, leaves static memory with other contents,
 * where no call that was stopped has written. */
static bool writes_anew(thread *t, size_t beside) {
    second_beside(t, ONE_CALL, beside);
    const unsigned which = 2 * both.kind + (beside == both.part);
    return jm_statics_change() && jm_statics_new(which);
}

/* Stops calls of each kind and part behind the instructions that write to static memory, beside
 * calls of the same length, as a buffer for some lengths alone shows, and the short ones beside
 * calls of another length, as a shared length shows. */
static void stop_at_writes(thread *t) {
    const size_t parts = t->checker->check_case->parts;
    size_t writers = 0;
    for (both.part = 0; both.part < parts; both.part++)
        for (both.kind = 0; both.kind < KINDS; both.kind++)
            for (size_t apart = 0; apart < (both.part < FEW_PARTS ? 2 : 1); apart++) {
                const size_t beside = (both.part + apart) % parts;
                if (t->wrong || get(&both.end) || writers == WRITERS_MOST) return;
                if (!writes_anew(t, beside) || !HAS_STEPS) continue;
                writers++;
                both.next = 0;
                second_beside(t, COUNTS, beside);
                both.apart = 1 + both.writes / WRITE_STOPS;
                second_beside(t, STOPS, beside);
            }
}

/* Stops calls that are the first of all in turn behind one write after the other, as a table that
 * is filled when it is first needed can be seen half filled. Static memory is as it was loaded,
 * before each of them. Only kinds of calls that need no other call before them can be the first. */
static void stop_in_first_calls(thread *t) {
    const bool hash = t->checker->self->kind == JM_KIND_HASH;
    const unsigned last = hash ? 1 : 2;
    if (!HAS_STEPS || !jm_statics_hold(1 + THREADS)) return;
    size_t calls = 0;
    both.part = 0;
    both.apart = STEPS_MOST; /* one stop in a call */
    for (both.kind = hash ? 0 : 2; both.kind <= last; both.kind++) {
        jm_statics_as_loaded();
        first_beside(t, ONE_CALL, both.part);
        if (!jm_statics_change()) continue;
        jm_statics_as_loaded();
        both.next = 0;
        first_beside(t, COUNTS, both.part);
        const size_t writes = both.writes;
        for (size_t at = 0; at < writes && calls < FIRST_CALLS_MOST; at += 1 + at / 4, calls++) {
            if (t->wrong || get(&both.end) || get(&both.in_vain) >= FIRST_IN_VAIN_MOST) break;
            jm_statics_as_loaded();
            both.next = at;
            first_beside(t, STOPS, both.part);
        }
    }
    jm_statics_put_back();
}

/* Stops the first thread again and again by a signal, each time in calls of another kind and for
 * another time since it went on. */
static void stop_by_signals(thread *t) {
    const size_t all = t->checker->check_case->parts;
    const size_t few = all < FEW_PARTS ? all : FEW_PARTS;
    const uint64_t end_ns = now_ns() + SIGNALS_NS;
    uint64_t chance = t->checker->check_case->key_seed;
    __atomic_store_n(&both.parts, few, __ATOMIC_RELAXED);
    set(&both.work, CALLS);
    for (size_t i = 0; i < t->checker->stops && get(&both.in_vain) < IN_VAIN_MOST; i++) {
        if (get(&both.end) || t->wrong || (i > STOPS_FEWEST && now_ns() > end_ns)) break;
        const size_t parts = i % 4 == 3 ? all : few;
        __atomic_store_n(&both.parts, parts, __ATOMIC_RELAXED);
        const struct timespec nap = {.tv_nsec = (long)jm_next_below(&chance, 40000)};
        const unsigned kind = (unsigned)i % KINDS;
        __atomic_store_n(&both.kind, kind, __ATOMIC_RELAXED);
        nanosleep(&nap, NULL);
        const int before = get(&both.stopped);
        pthread_kill(t->first, STOP_SIGNAL);
        const int stopped = wait_for_stop(before);
        right(t, kind, jm_next_below(&chance, parts));
        set(&both.go, stopped);
        if (!t->wrong) right(t, kind, i % parts); /* while the first runs */
    }
}

static void *second_thread(void *argument) {
    thread *t = argument;
    if (jm_statics_open(t->checker->self)) {
        stop_at_writes(t);
        if (!t->wrong && !get(&both.end)) stop_in_first_calls(t);
    }
    stop_by_signals(t);
    set(&both.end, 1);
    set(&both.work, CALLS);
    set(&both.go, get(&both.stopped));
    return NULL;
}

/* Sets the thread's key up, and computes the outputs of all parts. */
static bool make_ready(thread *t) {
    jm_checker *checker = t->checker;
    const jm_case *check_case = checker->check_case;
    for (size_t i = 0; i < STATES; i++) jm_fresh_state(checker, STATES * t->number + i);
    if (checker->self->kind != JM_KIND_HASH && set_key(t, state_of(t, 0)) != JM_OK)
        return jm_found(checker, JM_REFUSED_KEY, 0, check_case->key_bytes);
    for (size_t part = 0; part < check_case->parts; part++) {
        const size_t bytes = checker->self->kind == JM_KIND_CIPHER
                                 ? (size_t)check_case->lengths[part]
                                 : checker->self->output_bytes;
        const uint8_t *output =
            jm_trusted_output(&checker->trusted, check_case, check_case->key_seed + t->number,
                              message_of(t, part), check_case->lengths[part]);
        if (!output) return jm_found(checker, JM_NOT_FOR_THIS, part, check_case->lengths[part]);
        memcpy(both.expected[t->number] + part * both.output_stride, output, bytes);
    }
    return true;
}

static bool run_both(thread threads[THREADS]) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART | SA_ONSTACK}, before;
    pthread_t second;
    sigemptyset(&action.sa_mask);
    both.stopped = both.go = both.in_vain = both.end = 0;
    both.work = RESTS;
    both.stepping = false;
    both.kind = 0;
    both.part = 0;
    both.parts = 1;
    both.handlers = malloc(HANDLER_BYTES);
    if (pthread_create(&threads[1].first, NULL, first_thread, &threads[0])) {
        free(both.handlers);
        return false;
    }
    sigaction(STOP_SIGNAL, &action, &before);
#if HAS_STEPS
    const int flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK;
    struct sigaction step = {.sa_sigaction = on_step, .sa_flags = flags}, trap;
    sigemptyset(&step.sa_mask);
    sigaction(SIGTRAP, &step, &trap);
#endif
    const bool made = !pthread_create(&second, NULL, second_thread, &threads[1]);
    if (made)
        pthread_join(second, NULL);
    else
        set(&both.end, 1), set(&both.work, CALLS);
    pthread_join(threads[1].first, NULL);
    free(both.handlers);
    jm_statics_close();
    sigaction(STOP_SIGNAL, &before, NULL);
#if HAS_STEPS
    sigaction(SIGTRAP, &trap, NULL);
#endif
    return made;
}

bool jm_run_threads(jm_checker *checker) {
    thread *threads = calloc(THREADS, sizeof *threads);
    bool ready = threads != NULL;
    both.output_stride =
        checker->self->kind == JM_KIND_CIPHER ? JM_THREAD_BYTES : JM_OUTPUT_BYTES_MAX;
    for (size_t i = 0; i < THREADS; i++) {
        both.expected[i] = calloc(checker->check_case->parts, both.output_stride);
        ready = ready && both.expected[i];
    }
    if (!ready) jm_found(checker, JM_NO_MEMORY, 0, 0);
    size_t set_up = 0;
    for (; ready && set_up < THREADS; set_up++) {
        threads[set_up].checker = checker;
        threads[set_up].number = set_up;
        ready = make_ready(&threads[set_up]);
        if (!ready) break;
    }
    if (ready && !run_both(threads)) ready = jm_found(checker, JM_NO_MEMORY, 0, 0);
    for (size_t i = 0; i < set_up; i++) {
        checker->calls += threads[i].calls;
        checker->thread_calls += threads[i].calls;
        jm_wipe_key(checker->self, state_of(&threads[i], 0));
        if (!ready || !threads[i].wrong) continue;
        const jm_finding *found = &threads[i].finding;
        checker->finding->output_bytes = found->output_bytes;
        memcpy(checker->finding->got, found->got, sizeof found->got);
        memcpy(checker->finding->expected, found->expected, sizeof found->expected);
        ready = jm_found(checker, found->verdict, found->part, found->message_bytes);
    }
    for (size_t i = 0; i < THREADS; i++) free(both.expected[i]);
    free(threads);
    return ready;
}
