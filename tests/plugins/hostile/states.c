/* SPDX-License-Identifier: Apache-2.0
 * Attacks on the state of the process and of the core, with which the calling code goes on. */
#include "hostile.h"

#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static void rounds_upwards(tag_call *call) {
    (void)call;
    fesetround(FE_UPWARD);
}

static void traps_inexact_sums(tag_call *call) {
    (void)call;
    feenableexcept(FE_INEXACT | FE_INVALID | FE_DIVBYZERO);
}

#if defined __x86_64__
static void goes_backwards(tag_call *call) {
    (void)call;
    __asm__ volatile("std");
}

static void minds_alignment(tag_call *call) {
    (void)call;
    __asm__ volatile("pushfq; orl $0x40000, (%%rsp); popfq" ::: "memory", "cc");
}

static void fills_the_x87_stack(tag_call *call) {
    (void)call;
    __asm__ volatile("fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1");
}

static void dirties_wide_registers(tag_call *call) {
    (void)call;
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vcmpps $15, %%ymm15, %%ymm15, %%ymm15" ::: "xmm15");
}
#endif

static void lower(int what, rlim_t to) {
    const struct rlimit limit = {to, to};
    setrlimit((__rlimit_resource_t)what, &limit);
}

static void may_open_no_files(tag_call *call) {
    (void)call;
    lower(RLIMIT_NOFILE, 0);
}

static void may_have_no_memory(tag_call *call) {
    (void)call;
    lower(RLIMIT_AS, 0);
}

static void may_write_nothing(tag_call *call) {
    (void)call;
    lower(RLIMIT_FSIZE, 0);
    signal(SIGXFSZ, SIG_DFL);
    if (write(STDERR_FILENO, "words\n", 6) < 0) abort();
}

static void may_use_no_time(tag_call *call) {
    (void)call;
    lower(RLIMIT_CPU, 1);
    for (;;) __asm__ volatile("");
}

static void raises_its_limits(tag_call *call) {
    (void)call;
    for (int what = 0; what < RLIM_NLIMITS; what++) lower(what, RLIM_INFINITY);
    setpriority(PRIO_PROCESS, 0, -20);
}

/* All that a process of 512 MiB may have, each page used. */
static void eats_memory(tag_call *call) {
    (void)call;
    lower(RLIMIT_AS, (rlim_t)1 << 29);
    void *piece;
    while ((piece = malloc(1 << 20))) memset(piece, 1, 1 << 20);
    while ((piece = malloc(64))) memset(piece, 1, 64);
}

static void sets_an_alarm(tag_call *call) {
    (void)call;
    const struct itimerval soon = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void count_tick(int number) {
    static volatile unsigned ticks;
    (void)number;
    ticks++;
}

static void ticks(tag_call *call) {
    signal(SIGALRM, count_tick);
    sets_an_alarm(call);
}

static void blocks_all_signals(tag_call *call) {
    sigset_t all;
    (void)call;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void moves_into_a_lost_folder(tag_call *call) {
    char folder[] = "/tmp/joulemark-lost-XXXXXX";
    (void)call;
    if (!mkdtemp(folder) || chdir(folder) || rmdir(folder)) abort();
}

static void moves_to_another_root(tag_call *call) {
    (void)call;
    if (chroot("/proc") || chdir("/")) errno = 0; /* not as a user, who may not */
}

static void empties_its_environment(tag_call *call) {
    (void)call;
    clearenv();
    setlocale(LC_ALL, "tr_TR.UTF-8");
    errno = 12345;
    umask(0777);
}

static void takes_another_name(tag_call *call) {
    (void)call;
    prctl(PR_SET_NAME, "\033[2J\n) R 1 1");
    prctl(PR_SET_DUMPABLE, 0);
}

static void takes_the_core_for_itself(tag_call *call) {
    const struct sched_param most = {.sched_priority = 50};
    (void)call;
    sched_setscheduler(0, SCHED_FIFO, &most);
}

/* The code that calls us is no code any more. */
static void overwrites_the_harness(tag_call *call) {
    FILE *const maps = fopen("/proc/self/maps", "r");
    char line[4096];
    (void)call;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (!strstr(line, "_core.") || !strstr(line, "r-xp")) continue;
        if (sscanf(line, "%lx-%lx", &start, &end) != 2) continue;
        if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC)) abort();
        memset((void *)start, 0xcc, end - start);
    }
}

const attack state_attacks[] = {
    {"rounds_upwards", WHEN_CHECKED, rounds_upwards},
    {"traps_inexact_sums", WHEN_CHECKED, traps_inexact_sums},
#if defined __x86_64__
    {"goes_backwards", EVERY_MESSAGE, goes_backwards},
    {"minds_alignment", WHEN_CHECKED, minds_alignment},
    {"fills_the_x87_stack", WHEN_CHECKED, fills_the_x87_stack},
    {"dirties_wide_registers", EVERY_MESSAGE, dirties_wide_registers},
#endif
    {"may_open_no_files", WHEN_CHECKED, may_open_no_files},
    {"may_have_no_memory", WHEN_CHECKED, may_have_no_memory},
    {"may_write_nothing", WHEN_CHECKED, may_write_nothing},
    {"may_use_no_time", WHEN_TIMED, may_use_no_time},
    {"raises_its_limits", WHEN_CHECKED, raises_its_limits},
    {"eats_memory", WHEN_CHECKED, eats_memory},
    {"sets_an_alarm", WHEN_CHECKED, sets_an_alarm},
    {"ticks", WHEN_CHECKED, ticks},
    {"blocks_all_signals", WHEN_CHECKED, blocks_all_signals},
    {"moves_into_a_lost_folder", WHEN_ASKED, moves_into_a_lost_folder},
    {"moves_to_another_root", WHEN_ASKED, moves_to_another_root},
    {"empties_its_environment", WHEN_ASKED, empties_its_environment},
    {"takes_another_name", WHEN_LOADED, takes_another_name},
    {"takes_the_core_for_itself", WHEN_CHECKED, takes_the_core_for_itself},
    {"overwrites_the_harness", WHEN_CHECKED, overwrites_the_harness},
    {0},
};
