/* SPDX-License-Identifier: Apache-2.0
 * Reading a short /proc file through a descriptor that stays open. */
#ifndef JM_PROC_FILE_H
#define JM_PROC_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Reads the beginning of `path` into `text`, always NUL-terminated. `descriptor` starts as -1 and
 * is opened on first use. False if the file cannot be read. */
static inline bool jm_read_proc(const char *path, int *descriptor, char *text, size_t text_bytes) {
    if (*descriptor < 0) *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0) return false;
    ssize_t got = pread(*descriptor, text, text_bytes - 1, 0);
    if (got <= 0) return false;
    text[got] = '\0';
    return true;
}

#endif
