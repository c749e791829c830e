/* SPDX-License-Identifier: Apache-2.0
 * Tables that are right when they are first read, and differ in each later process, so that a plan
 * made with the first table does not hold. */
#include "hostile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Whether a process loaded this plugin before, by a file beside that of the numbers left. */
static bool later(const tables *of) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", getenv("JOULEMARK_TEST_LEFT"),
             of->implementation->variant);
    const int made = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (made >= 0) close(made);
    return made < 0;
}

static void gone_later(tables *of) {
    if (later(of)) of->plugin->count = 0;
}

static void renamed_later(tables *of) {
    if (later(of)) of->implementation->variant = "renamed";
}

static void key_grows_later(tables *of) {
    if (later(of)) of->implementation->key_bytes = 4096;
}

static void output_grows_later(tables *of) {
    if (later(of)) of->implementation->output_bytes = 4096;
}

static void kind_changes_later(tables *of) {
    if (later(of)) of->implementation->kind = JM_KIND_CIPHER;
}

static void crashes_later(tables *of) {
    if (later(of)) abort();
}

const wrong_table later_tables[] = {
    {"gone_later", gone_later},
    {"renamed_later", renamed_later},
    {"key_grows_later", key_grows_later},
    {"output_grows_later", output_grows_later},
    {"kind_changes_later", kind_changes_later},
    {"crashes_later", crashes_later},
    {0},
};
