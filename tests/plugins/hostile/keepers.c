/* SPDX-License-Identifier: Apache-2.0
 * Attacks on the process above the worker, which ends all processes that the worker leaves. */
#include "hostile.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void wait_for_the_end(void) {
    for (;;) pause();
}

static void signals_its_keeper(tag_call *call) {
    (void)call;
    kill(getppid(), (int)hostile_number);
    wait_for_the_end();
}

static void ends_its_group(tag_call *call) {
    (void)call;
    kill(0, SIGKILL);
}

/* Neither a signal to the group nor the end of its parent reaches it. */
static void flees_from_its_keeper(tag_call *call) {
    (void)call;
    leave_number();
    const pid_t keeper = getppid();
    setsid();
    prctl(PR_SET_PDEATHSIG, 0);
    kill(keeper, SIGKILL);
    wait_for_the_end();
}

static void traces_its_keeper(tag_call *call) {
    (void)call;
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    wait_for_the_end();
}

static void is_traced_and_stops(tag_call *call) {
    (void)call;
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGTRAP);
}

/* Its children come to it, not to its keeper. */
static void adopts_its_children(tag_call *call) {
    (void)call;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0) {
        setsid();
        if (fork()) _exit(0);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        if (fork()) stay();
        setsid();
        stay();
    }
    usleep(50000);
}

const attack keeper_attacks[] = {
    {"signals_its_keeper", WHEN_TIMED, signals_its_keeper},
    {"ends_its_group", WHEN_CHECKED, ends_its_group},
    {"flees_from_its_keeper", WHEN_CHECKED, flees_from_its_keeper},
    {"traces_its_keeper", WHEN_TIMED, traces_its_keeper},
    {"is_traced_and_stops", WHEN_TIMED, is_traced_and_stops},
    {"adopts_its_children", WHEN_CHECKED, adopts_its_children},
    {0},
};
