/* SPDX-License-Identifier: Apache-2.0
 * Attacks that leave processes or threads. Each process that must be ended writes its number to a
 * file first. */
#include "hostile.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave_a_child(void) {
    if (fork() == 0) stay();
}

/* As daemon(3) does it: a session and a parent of nobody's. */
static void leave_a_daemon(void) {
    if (fork() != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    stay();
}

static void leaves_a_busy_child(tag_call *call) {
    (void)call;
    if (fork()) return;
    leave_number();
    for (;;) __asm__ volatile("");
}

static void leaves_a_daemon(tag_call *call) {
    (void)call;
    leave_a_daemon();
}

static void leaves_a_child_and_exits(tag_call *call) {
    (void)call;
    leave_a_child();
    _exit(3);
}

static void leaves_a_daemon_and_crashes(tag_call *call) {
    (void)call;
    leave_a_daemon();
    usleep(100000);
    raise(SIGSEGV);
}

static void leaves_a_daemon_and_hangs(tag_call *call) {
    (void)call;
    leave_a_daemon();
    for (;;) pause();
}

static void leaves_a_daemon_and_ends_its_keeper(tag_call *call) {
    (void)call;
    leave_a_daemon();
    usleep(100000);
    kill(getppid(), SIGKILL);
    for (;;) pause();
}

/* Nothing in its environment says where it comes from. */
static void leaves_a_stranger(tag_call *call) {
    (void)call;
    if (fork() != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    leave_number();
    char *const none[] = {NULL};
    execle("/bin/sleep", "sleep", "1000", (char *)NULL, none);
}

/* Two processes of which each starts the other again. The pipe tells that the other has ended. */
static void guard(int generations) {
    int ends[2];
    while (generations-- > 0 && pipe(ends) == 0) {
        const pid_t other = fork();
        if (other == 0) {
            char nothing;
            close(ends[1]);
            setsid();
            leave_number();
            if (read(ends[0], &nothing, 1) < 0) _exit(1);
            close(ends[0]);
            continue;
        }
        close(ends[0]);
        waitpid(other, NULL, 0);
        close(ends[1]);
    }
    _exit(0);
}

static void leaves_a_pair_of_guards(tag_call *call) {
    (void)call;
    if (fork() == 0) guard(200);
}

/* Its number changes all the time; ends itself after a minute at the latest. */
static void leaves_one_that_runs_away(tag_call *call) {
    (void)call;
    if (fork() != 0) return;
    setsid();
    leave_number();
    for (long steps = 0; steps < 200000; steps++)
        if (fork() != 0) _exit(0);
    _exit(0);
}

static void forks_without_end(tag_call *call) {
    (void)call;
    if (fork() != 0) return;
    leave_number();
    /* 2^8 processes and no more: the machine is shared. */
    for (int doublings = 0; doublings < 8; doublings++)
        if (fork() < 0) break;
    for (;;) pause();
}

static void leaves_zombies(tag_call *call) {
    (void)call;
    for (int i = 0; i < 200; i++)
        if (fork() == 0) _exit(0);
}

static void *spin(void *nothing) {
    for (;;) __asm__ volatile("");
    return nothing;
}

static void *snooze(void *nothing) {
    for (;;) pause();
    return nothing;
}

static void leaves_a_busy_thread(tag_call *call) {
    pthread_t thread;
    (void)call;
    pthread_create(&thread, NULL, spin, NULL);
}

static void leaves_threads(tag_call *call) {
    pthread_t thread;
    (void)call;
    for (int i = 0; i < 100; i++) pthread_create(&thread, NULL, snooze, NULL);
}

const attack process_attacks[] = {
    {"leaves_a_busy_child", WHEN_LOADED, leaves_a_busy_child},
    {"leaves_a_daemon", WHEN_LOADED, leaves_a_daemon},
    {"leaves_a_child_and_exits", WHEN_CHECKED, leaves_a_child_and_exits},
    {"leaves_a_daemon_and_crashes", WHEN_CHECKED, leaves_a_daemon_and_crashes},
    {"leaves_a_daemon_and_hangs", WHEN_TIMED, leaves_a_daemon_and_hangs},
    {"leaves_a_daemon_and_ends_its_keeper", WHEN_CHECKED, leaves_a_daemon_and_ends_its_keeper},
    {"leaves_a_stranger", WHEN_ASKED, leaves_a_stranger},
    {"leaves_a_pair_of_guards", WHEN_CHECKED, leaves_a_pair_of_guards},
    {"leaves_one_that_runs_away", WHEN_CHECKED, leaves_one_that_runs_away},
    {"forks_without_end", WHEN_CHECKED, forks_without_end},
    {"leaves_zombies", WHEN_CHECKED, leaves_zombies},
    {"leaves_a_busy_thread", WHEN_TIMED, leaves_a_busy_thread},
    {"leaves_threads", WHEN_CHECKED, leaves_threads},
    {0},
};
