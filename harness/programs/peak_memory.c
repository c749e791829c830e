// SPDX-License-Identifier: Apache-2.0
/* Runs a command and says how much memory its largest process had: for `joulemark energy`.
 *
 *     peak_memory DESCRIPTOR GROUP PROGRAM WORD...    writes KiB, in decimal digits, to the
 *                                                     descriptor; -errno if the program cannot be
 *                                                     run
 *
 * The kernel counts the memory of a process to the program that it becomes by execve(2), where that
 * was more (exec_mmap in fs/exec.c). A command that a large process starts seems as large as that.
 * So this small program forks once more: its memory, less than 1 MiB, is the least that is seen.
 *
 * The figure is ru_maxrss of wait4(2): the resident memory of the largest process among the command
 * and those of its descendants for which their parents waited. This program ends as the command
 * did. GROUP is the cgroup.procs of a control group that the command joins; empty: none.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { cannot_run = 127 };

int main(int count, char **words) {
    if (count < 5) return cannot_run;
    const int report = atoi(words[1]);
    const pid_t child = fork();
    if (child < 0) return cannot_run;
    if (child == 0) {
        fcntl(report, F_SETFD, FD_CLOEXEC);
        const int group = *words[2] ? open(words[2], O_WRONLY | O_CLOEXEC) : -1;
        /* Where it cannot join, the group counts nothing. */
        if (group >= 0 && write(group, "0", 1) != 1) close(group);
        execv(words[3], words + 4);
        dprintf(report, "%d\n", -errno);
        _exit(cannot_run);
    }
    int status = 0;
    struct rusage used;
    while (wait4(child, &status, 0, &used) < 0) {
        if (errno != EINTR) return cannot_run;
    }
    dprintf(report, "%ld\n", used.ru_maxrss);
    if (WIFSIGNALED(status)) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none); /* the command has left its own */
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
