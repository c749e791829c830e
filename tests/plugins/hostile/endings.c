/* SPDX-License-Identifier: Apache-2.0
 * Attacks that end the process, or never let it answer. */
#include "hostile.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static void dies_by_signal(tag_call *call) {
    (void)call;
    signal((int)hostile_number, SIG_DFL);
    raise((int)hostile_number);
}

static void aborts(tag_call *call) {
    (void)call;
    abort();
}

static void exits(tag_call *call) {
    (void)call;
    exit((int)hostile_number);
}

static void exits_at_once(tag_call *call) {
    (void)call;
    _exit((int)hostile_number);
}

static void sleep_for_ever(void) {
    for (;;) pause();
}

static void hangs_in_exit(tag_call *call) {
    (void)call;
    atexit(sleep_for_ever);
    exit(0);
}

static void ends_its_thread(tag_call *call) {
    (void)call;
    pthread_exit(NULL);
}

static void jumps_to_nowhere(tag_call *call) {
    jmp_buf never_set;
    (void)call;
    memset(never_set, 0x5a, sizeof never_set);
    longjmp(never_set, 1);
}

static void writes_to_null(tag_call *call) {
    (void)call;
    *(volatile int *)(uintptr_t)hostile_number = 1;
}

/* The compiler must neither see that this does not end nor make a loop of it. */
__attribute__((noinline, optimize("no-optimize-sibling-calls"))) static int
deeper(volatile char *above) {
    volatile char frame[4096];
    frame[0] = above[0];
    return hostile_number == 12345 ? 0 : deeper(frame) + frame[0];
}

static void overflows_the_stack(tag_call *call) {
    volatile char first = 0;
    (void)call;
    exit(deeper(&first));
}

static void breaks_the_heap(tag_call *call) {
    (void)call;
    for (size_t i = 0; i < 64; i++) {
        void *volatile piece = malloc(24);
        memset(piece, 0xff, 64);
        free(piece);
        free(piece);
    }
}

static void reads_a_shortened_file(tag_call *call) {
    const int made = memfd_create("short", 0);
    (void)call;
    if (ftruncate(made, 4096)) abort();
    volatile char *const mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, made, 0);
    if (ftruncate(made, 0)) abort();
    _exit(mapped[0] + 77);
}

static void becomes_another_program(tag_call *call) {
    (void)call;
    execl("/bin/sleep", "sleep", "1000", (char *)NULL);
}

static void becomes_a_talker(tag_call *call) {
    (void)call;
    execl("/bin/sh", "sh", "-c", "printf 'bye\\033[2J\\n' >&2; exit 9", (char *)NULL);
}

static void gives_up_all_calls(tag_call *call) {
    (void)call;
    prctl(PR_SET_SECCOMP, 1 /* SECCOMP_MODE_STRICT */);
    getppid();
}

static void loops(tag_call *call) {
    (void)call;
    for (;;) __asm__ volatile("");
}

static void sleeps(tag_call *call) {
    (void)call;
    sleep_for_ever();
}

static void waits_for_itself(tag_call *call) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)call;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}

static void heeds_no_signal(tag_call *call) {
    sigset_t all;
    (void)call;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    sleep_for_ever();
}

static void stops_itself(tag_call *call) {
    (void)call;
    raise(SIGSTOP);
}

static void swallow(int number) {
    (void)number;
}

static void swallows_its_faults(tag_call *call) {
    (void)call;
    signal(SIGSEGV, swallow);
    *(volatile int *)(uintptr_t)hostile_number = 1;
}

const attack ending_attacks[] = {
    {"dies_by_signal", WHEN_CHECKED, dies_by_signal},
    {"aborts", WHEN_CHECKED, aborts},
    {"aborts_when_loaded", WHEN_LOADED, aborts},
    {"aborts_when_asked", WHEN_ASKED, aborts},
    {"aborts_when_timed", WHEN_TIMED, aborts},
    {"aborts_when_unloaded", WHEN_UNLOADED, aborts},
    {"exits", WHEN_CHECKED, exits},
    {"exits_when_loaded", WHEN_LOADED, exits},
    {"exits_at_once", WHEN_CHECKED, exits_at_once},
    {"hangs_in_exit", WHEN_TIMED, hangs_in_exit},
    {"ends_its_thread", WHEN_CHECKED, ends_its_thread},
    {"jumps_to_nowhere", WHEN_CHECKED, jumps_to_nowhere},
    {"writes_to_null", WHEN_CHECKED, writes_to_null},
    {"overflows_the_stack", WHEN_CHECKED, overflows_the_stack},
    {"breaks_the_heap", WHEN_CHECKED, breaks_the_heap},
    {"reads_a_shortened_file", WHEN_CHECKED, reads_a_shortened_file},
    {"becomes_another_program", WHEN_TIMED, becomes_another_program},
    {"becomes_a_talker", WHEN_CHECKED, becomes_a_talker},
    {"gives_up_all_calls", WHEN_CHECKED, gives_up_all_calls},
    {"loops", WHEN_TIMED, loops},
    {"loops_when_loaded", WHEN_LOADED, loops},
    {"sleeps", WHEN_TIMED, sleeps},
    {"sleeps_when_asked", WHEN_ASKED, sleeps},
    {"sleeps_when_unloaded", WHEN_UNLOADED, sleeps},
    {"waits_for_itself", WHEN_TIMED, waits_for_itself},
    {"heeds_no_signal", WHEN_TIMED, heeds_no_signal},
    {"stops_itself", WHEN_TIMED, stops_itself},
    {"swallows_its_faults", WHEN_TIMED, swallows_its_faults},
    {0},
};
