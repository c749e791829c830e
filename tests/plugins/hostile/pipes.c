/* SPDX-License-Identifier: Apache-2.0
 * Attacks through descriptors: the pipes of the worker, its output, the terminal. */
#include "hostile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char escapes[] = "last words \033]0;owned\007\033[2J\302\233\n";

/* Into every descriptor but the standard ones, the pipe of the worker's answers among them. */
static void write_everywhere(const char *text, size_t bytes) {
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFL) != -1 && write(descriptor, text, bytes) < 0) continue;
}

static void talks_in_control_sequences(tag_call *call) {
    (void)call;
    if (write(STDERR_FILENO, escapes, sizeof escapes - 1) < 0) abort();
    _exit(4);
}

static void writes_to_the_terminal(tag_call *call) {
    const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY);
    (void)call;
    if (terminal >= 0 && write(terminal, escapes, sizeof escapes - 1) > 0) _exit(5);
}

static void writes_no_json(tag_call *call) {
    (void)call;
    write_everywhere("not yours\n", 10);
}

static void writes_no_object(tag_call *call) {
    (void)call;
    write_everywhere("[1, 2]\n", 7);
}

static void writes_an_answer_without_fields(tag_call *call) {
    (void)call;
    write_everywhere("{\"x\": 1}\n", 9);
}

static void writes_bytes_of_no_text(tag_call *call) {
    (void)call;
    write_everywhere("\0\xff\xfe\n", 4);
}

static void writes_an_error_in_control_sequences(tag_call *call) {
    static const char line[] = "{\"error\": \"\\u001b[2J\\u202e sentence\"}\n";
    (void)call;
    write_everywhere(line, sizeof line - 1);
}

static void writes_a_number_of_no_size(tag_call *call) {
    static char line[5001];
    (void)call;
    memset(line, '9', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    write_everywhere(line, sizeof line);
}

static void writes_deep_json(tag_call *call) {
    static char deep[100001];
    (void)call;
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\n';
    write_everywhere(deep, sizeof deep);
}

static void writes_without_end(tag_call *call) {
    static char block[1 << 16];
    (void)call;
    memset(block, 'x', sizeof block);
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFL) != -1)
            while (write(descriptor, block, sizeof block) > 0) continue;
}

static void writes_half_an_answer(tag_call *call) {
    (void)call;
    write_everywhere("{\"messages\": 1", 14);
    for (;;) pause();
}

/* What the check would have said; then nothing is read any more, from pipes that hold little. */
static void forges_an_answer_and_hangs(tag_call *call) {
    static const char line[] =
        "{\"finding\": null, \"coverage\": {\"lengths\": 1, \"long_lengths\": 1, \"alignments\": "
        "1, "
        "\"keys\": 1, \"key_lengths\": 1, \"streams\": 1, \"batches\": 1, \"structured\": 1, "
        "\"thread_calls\": 1, \"calls\": 1, "
        "\"longest_bytes\": 1, \"refused_bytes\": 0}, \"cpu_s\": 0.1, \"held_to\": \"nothing\", "
        "\"every_sha256\": null}\n";
    (void)call;
    for (int descriptor = 3; descriptor < 1024; descriptor++) fcntl(descriptor, F_SETPIPE_SZ, 4096);
    write_everywhere(line, sizeof line - 1);
    for (;;) pause();
}

/* The figures that it wants to have, before those that it has. */
static void forges_its_figures(tag_call *call) {
    static const char line[] = "{\"messages\": 1000000, \"message_ps\": 1.5, \"output\": \"00\"}\n";
    (void)call;
    write_everywhere(line, sizeof line - 1);
}

static void steals_requests(tag_call *call) {
    char block[4096];
    (void)call;
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        struct stat what;
        if (fstat(descriptor, &what) || !S_ISFIFO(what.st_mode)) continue;
        while (read(descriptor, block, sizeof block) > 0) continue;
    }
}

static void closes_everything(tag_call *call) {
    (void)call;
    for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
}

static void closes_standard_files(tag_call *call) {
    (void)call;
    for (int descriptor = 0; descriptor < 3; descriptor++) close(descriptor);
}

static void mixes_its_descriptors(tag_call *call) {
    (void)call;
    for (int descriptor = 3; descriptor < 64; descriptor++)
        dup2(3 + (descriptor + 1) % 8, descriptor);
}

/* Until nothing more is taken, which must be soon; a disk would be full otherwise. */
static void print_much(int descriptor) {
    static char block[1 << 20];
    memset(block, '.', sizeof block);
    for (int i = 0; i < 256; i++)
        if (write(descriptor, block, sizeof block) <= 0) return;
    _exit(6);
}

static void prints_much(tag_call *call) {
    (void)call;
    print_much(STDOUT_FILENO);
}

static void prints_much_of_its_faults(tag_call *call) {
    (void)call;
    print_much(STDERR_FILENO);
}

static void prints_lines(tag_call *call) {
    printf("tagged %zu bytes\n", call->message_bytes);
}

const attack pipe_attacks[] = {
    {"talks_in_control_sequences", WHEN_CHECKED, talks_in_control_sequences},
    {"writes_to_the_terminal", WHEN_CHECKED, writes_to_the_terminal},
    {"writes_no_json", WHEN_CHECKED, writes_no_json},
    {"writes_no_json_when_loaded", WHEN_LOADED, writes_no_json},
    {"writes_no_json_when_unloaded", WHEN_UNLOADED, writes_no_json},
    {"writes_no_object", WHEN_CHECKED, writes_no_object},
    {"writes_an_answer_without_fields", WHEN_CHECKED, writes_an_answer_without_fields},
    {"writes_bytes_of_no_text", WHEN_CHECKED, writes_bytes_of_no_text},
    {"writes_an_error_in_control_sequences", WHEN_CHECKED, writes_an_error_in_control_sequences},
    {"writes_a_number_of_no_size", WHEN_CHECKED, writes_a_number_of_no_size},
    {"writes_deep_json", WHEN_CHECKED, writes_deep_json},
    {"writes_without_end", WHEN_CHECKED, writes_without_end},
    {"writes_half_an_answer", WHEN_TIMED, writes_half_an_answer},
    {"forges_an_answer_and_hangs", WHEN_CHECKED, forges_an_answer_and_hangs},
    {"forges_its_figures", WHEN_TIMED, forges_its_figures},
    {"steals_requests", WHEN_TIMED, steals_requests},
    {"closes_everything", WHEN_CHECKED, closes_everything},
    {"closes_standard_files", WHEN_CHECKED, closes_standard_files},
    {"mixes_its_descriptors", WHEN_CHECKED, mixes_its_descriptors},
    {"prints_much", WHEN_TIMED, prints_much},
    {"prints_much_of_its_faults", WHEN_TIMED, prints_much_of_its_faults},
    {"prints_lines", EVERY_MESSAGE, prints_lines},
    {0},
};
