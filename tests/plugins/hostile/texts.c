/* SPDX-License-Identifier: Apache-2.0
 * Tables with wrong texts. */
#include "hostile.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *long_text(size_t bytes) {
    char *const text = calloc(1, bytes + 1);
    if (!text) abort();
    return memset(text, 'n', bytes);
}

static const char *no_version(void) {
    return NULL;
}

static const char *version_of_no_text_bytes(void) {
    return "\377\376";
}

static const char *owned_version(void) {
    return "1.0\033]0;owned\007\n2.0";
}

static const char *crashing_version(void) {
    raise(SIGSEGV);
    return NULL;
}

static void variant_of_nothing(tables *of) {
    of->implementation->variant = "";
}

static void variant_of_two_lines(tables *of) {
    of->implementation->variant = "a\n\033[2Jb";
}

static void variant_of_a_twin(tables *of) {
    of->implementation->variant = "x#2";
}

static void variant_of_a_build(tables *of) {
    of->implementation->variant = "x@old";
}

static void variant_of_a_pattern(tables *of) {
    of->implementation->variant = "*";
}

static void variant_of_a_path(tables *of) {
    of->implementation->variant = "../../etc/passwd";
}

static void variant_of_markup(tables *of) {
    of->implementation->variant = "[red]x[/red]";
}

static void variant_of_a_formula(tables *of) {
    of->implementation->variant = "=1+1";
}

static void variant_of_an_option(tables *of) {
    of->implementation->variant = "--help";
}

static void variant_of_spaces(tables *of) {
    of->implementation->variant = " x ";
}

static void variant_written_backwards(tables *of) {
    of->implementation->variant = "\342\200\256x";
}

static void variant_of_no_text(tables *of) {
    of->implementation->variant = "\377\376";
}

static void variant_without_end(tables *of) {
    of->implementation->variant = long_text(5000);
}

static void variant_of_ours(tables *of) {
    of->implementation->variant = "portable";
}

static void variant_called_auto(tables *of) {
    of->implementation->variant = "auto";
}

static void algorithm_of_nothing(tables *of) {
    of->implementation->algorithm = "";
}

static void algorithm_of_nobody(tables *of) {
    of->implementation->algorithm = "rot13";
}

static void algorithm_of_a_path(tables *of) {
    of->implementation->algorithm = "../../etc";
}

static void algorithm_of_two_lines(tables *of) {
    of->implementation->algorithm = "siphash\n\033[2J";
}

static void algorithm_of_another_kind(tables *of) {
    of->implementation->algorithm = "sha256";
}

static void note_in_control_sequences(tables *of) {
    of->implementation->note = "\033]0;owned\007\033[2J";
}

static void note_of_no_text(tables *of) {
    of->implementation->note = "\377\376";
}

static void note_without_end(tables *of) {
    of->implementation->note = long_text(5000);
}

static void version_of_nothing(tables *of) {
    of->plugin->library_version = no_version;
}

static void version_of_no_text(tables *of) {
    of->plugin->library_version = version_of_no_text_bytes;
}

static void version_in_control_sequences(tables *of) {
    of->plugin->library_version = owned_version;
}

static void version_that_crashes(tables *of) {
    of->plugin->library_version = crashing_version;
}

static void provider_of_no_text(tables *of) {
    of->plugin->provider = "\377\376";
}

static void flags_in_control_sequences(tables *of) {
    of->plugin->flags = "-O2 \033[2J\n\033]0;owned\007";
}

static void flags_without_end(tables *of) {
    of->plugin->flags = long_text(64 << 20);
}

const wrong_table wrong_texts[] = {
    {"variant_of_nothing", variant_of_nothing},
    {"variant_of_two_lines", variant_of_two_lines},
    {"variant_of_a_twin", variant_of_a_twin},
    {"variant_of_a_build", variant_of_a_build},
    {"variant_of_a_pattern", variant_of_a_pattern},
    {"variant_of_a_path", variant_of_a_path},
    {"variant_of_markup", variant_of_markup},
    {"variant_of_a_formula", variant_of_a_formula},
    {"variant_of_an_option", variant_of_an_option},
    {"variant_of_spaces", variant_of_spaces},
    {"variant_written_backwards", variant_written_backwards},
    {"variant_of_no_text", variant_of_no_text},
    {"variant_without_end", variant_without_end},
    {"variant_of_ours", variant_of_ours},
    {"variant_called_auto", variant_called_auto},
    {"algorithm_of_nothing", algorithm_of_nothing},
    {"algorithm_of_nobody", algorithm_of_nobody},
    {"algorithm_of_a_path", algorithm_of_a_path},
    {"algorithm_of_two_lines", algorithm_of_two_lines},
    {"algorithm_of_another_kind", algorithm_of_another_kind},
    {"note_in_control_sequences", note_in_control_sequences},
    {"note_of_no_text", note_of_no_text},
    {"note_without_end", note_without_end},
    {"version_of_nothing", version_of_nothing},
    {"version_of_no_text", version_of_no_text},
    {"version_in_control_sequences", version_in_control_sequences},
    {"version_that_crashes", version_that_crashes},
    {"provider_of_no_text", provider_of_no_text},
    {"flags_in_control_sequences", flags_in_control_sequences},
    {"flags_without_end", flags_without_end},
    {0},
};
