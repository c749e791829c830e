/* SPDX-License-Identifier: Apache-2.0
 * A plugin that attacks, by -DATTACK=n when it is compiled; otherwise our own SipHash. Used to show
 * that nothing of it outlives its worker, ends anybody else's figures, or reaches the terminal. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "siphash/siphash.h"

enum attack {
    NONE,
    LEAVES_A_BUSY_CHILD,
    LEAVES_A_DAEMON,
    LEAVES_A_CHILD_AND_EXITS,
    LEAVES_A_DAEMON_AND_CRASHES,
    LEAVES_A_DAEMON_AND_HANGS,
    RAISES_A_REAL_TIME_SIGNAL,
    ENDS_ITS_KEEPER,
    LEAVES_A_DAEMON_AND_ENDS_ITS_KEEPER,
    TALKS_IN_CONTROL_SEQUENCES,
    WRITES_NO_JSON,
    WRITES_NO_OBJECT,
    WRITES_AN_ANSWER_WITHOUT_FIELDS,
    WRITES_DEEP_JSON,
    WRITES_WITHOUT_END,
    NO_VERSION,
    NO_UTF8,
    HUGE_KEY,
    LONG_NAME,
    EMPTY_NAME,
    NAME_OF_TWO_LINES,
    NAME_OF_A_TWIN,
};

static jm_implementation implementation;
static unsigned long tags;

/* Leaves its number where a test looks for it, and never ends. */
static void stay(void) {
    FILE *const left = fopen(getenv("JOULEMARK_TEST_LEFT"), "a");
    if (!left || fprintf(left, "%ld\n", (long)getpid()) < 0 || fclose(left)) abort();
    for (;;) pause();
}

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

/* Into every pipe that this process has, the one of its worker's answers among them. */
static void write_to_pipes(const char *text, size_t bytes, int again) {
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        if (fcntl(descriptor, F_GETFL) == -1) continue;
        do {
            if (write(descriptor, text, bytes) < 0) break;
        } while (again);
    }
}

static jm_status attacking_tag(const jm_implementation *self, const void *key_state,
                               const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    static const char escapes[] = "last words \033]0;owned\007\033[2J\302\233\n";
    static char deep[100001];
    const jm_implementation *right = &jm_siphash_2_4_portable;
    (void)self;
    if (tags++ == 500) {
        switch (ATTACK) {
        case LEAVES_A_CHILD_AND_EXITS:
            leave_a_child();
            _exit(3);
        case LEAVES_A_DAEMON_AND_CRASHES:
            leave_a_daemon();
            usleep(100000);
            raise(SIGSEGV);
            break;
        case LEAVES_A_DAEMON_AND_HANGS:
            leave_a_daemon();
            for (;;) pause();
        case RAISES_A_REAL_TIME_SIGNAL:
            raise(SIGRTMIN + 1);
            break;
        case LEAVES_A_DAEMON_AND_ENDS_ITS_KEEPER:
            leave_a_daemon();
            usleep(100000);
            kill(getppid(), SIGKILL);
            for (;;) pause();
        case ENDS_ITS_KEEPER:
            kill(getppid(), SIGKILL);
            for (;;) pause();
        case TALKS_IN_CONTROL_SEQUENCES:
            if (write(STDERR_FILENO, escapes, sizeof escapes - 1) < 0) abort();
            _exit(4);
        case WRITES_NO_JSON:
            write_to_pipes("not yours\n", 10, 0);
            break;
        case WRITES_NO_OBJECT:
            write_to_pipes("[1, 2]\n", 7, 0);
            break;
        case WRITES_AN_ANSWER_WITHOUT_FIELDS:
            write_to_pipes("{\"x\": 1}\n", 9, 0);
            break;
        case WRITES_DEEP_JSON:
            memset(deep, '[', sizeof deep - 1);
            deep[sizeof deep - 1] = '\n';
            write_to_pipes(deep, sizeof deep, 0);
            break;
        case WRITES_WITHOUT_END:
            memset(deep, 'x', sizeof deep);
            write_to_pipes(deep, sizeof deep, 1);
            break;
        default:
            break;
        }
    }
    return right->mac->tag(right, key_state, message, message_bytes, tag);
}

static const char *version(void) {
    return ATTACK == NO_VERSION ? NULL : ATTACK == NO_UTF8 ? "\xff\xfe" : "1.0";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static char long_name[5001];
    static jm_mac_functions functions;
    static const jm_implementation *list[] = {&implementation};
    static jm_plugin plugin = {.provider = "hostile",
                               .library_version = version,
                               .compiler = "test",
                               .flags = "",
                               .count = 1,
                               .implementations = list};
    if (ATTACK == LEAVES_A_BUSY_CHILD) leave_a_child();
    if (ATTACK == LEAVES_A_DAEMON) leave_a_daemon();
    plugin.abi_version = JM_ABI_VERSION;
    functions = *jm_siphash_2_4_portable.mac;
    functions.tag = attacking_tag;
    implementation = jm_siphash_2_4_portable;
    implementation.variant = "hostile";
    implementation.mac = &functions;
    memset(long_name, 'n', sizeof long_name - 1);
    if (ATTACK == HUGE_KEY) implementation.key_bytes = (size_t)1 << 40;
    if (ATTACK == LONG_NAME) implementation.variant = long_name;
    if (ATTACK == EMPTY_NAME) implementation.variant = "";
    if (ATTACK == NAME_OF_TWO_LINES) implementation.variant = "a\n\033[2Jb";
    if (ATTACK == NAME_OF_A_TWIN) implementation.variant = "x#2";
    return &plugin;
}
