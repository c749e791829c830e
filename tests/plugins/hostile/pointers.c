/* SPDX-License-Identifier: Apache-2.0
 * Tables with wrong pointers. */
#include "hostile.h"

static void *const nowhere = (void *)0x10;

static void no_table(tables *of) {
    of->plugin->count = SIZE_MAX - 1;
}

static void no_provider(tables *of) {
    of->plugin->provider = NULL;
}

static void no_version_function(tables *of) {
    of->plugin->library_version = NULL;
}

static void no_compiler(tables *of) {
    of->plugin->compiler = NULL;
}

static void no_flags(tables *of) {
    of->plugin->flags = NULL;
}

static void no_list(tables *of) {
    of->plugin->implementations = NULL;
}

static void no_implementation(tables *of) {
    of->list[0] = NULL;
}

static void list_of_nowhere(tables *of) {
    of->plugin->implementations = nowhere;
}

static void implementation_of_nowhere(tables *of) {
    of->list[0] = nowhere;
}

static void implementation_twice(tables *of) {
    of->list[1] = of->list[0], of->plugin->count = 2;
}

static void no_algorithm(tables *of) {
    of->implementation->algorithm = NULL;
}

static void no_variant(tables *of) {
    of->implementation->variant = NULL;
}

static void variant_of_nowhere(tables *of) {
    of->implementation->variant = nowhere;
}

static void no_functions(tables *of) {
    of->implementation->mac = NULL;
}

static void functions_of_nowhere(tables *of) {
    of->implementation->mac = nowhere;
}

static void functions_of_two_kinds(tables *of) {
    of->implementation->hash = nowhere, of->implementation->cipher = nowhere;
}

static void no_set_key(tables *of) {
    of->functions->set_key = NULL;
}

static void no_copy_key(tables *of) {
    of->functions->copy_key = NULL;
}

static void no_wipe_key(tables *of) {
    of->functions->wipe_key = NULL;
}

static void no_tag(tables *of) {
    of->functions->tag = NULL;
}

static void tag_of_nowhere(tables *of) {
    of->functions->tag = (void *)nowhere;
}

static void batch_of_nowhere(tables *of) {
    of->functions->tag_batch = (void *)nowhere;
}

const wrong_table wrong_pointers[] = {
    {"no_table", no_table},
    {"no_provider", no_provider},
    {"no_version_function", no_version_function},
    {"no_compiler", no_compiler},
    {"no_flags", no_flags},
    {"no_list", no_list},
    {"no_implementation", no_implementation},
    {"list_of_nowhere", list_of_nowhere},
    {"implementation_of_nowhere", implementation_of_nowhere},
    {"implementation_twice", implementation_twice},
    {"no_algorithm", no_algorithm},
    {"no_variant", no_variant},
    {"variant_of_nowhere", variant_of_nowhere},
    {"no_functions", no_functions},
    {"functions_of_nowhere", functions_of_nowhere},
    {"functions_of_two_kinds", functions_of_two_kinds},
    {"no_set_key", no_set_key},
    {"no_copy_key", no_copy_key},
    {"no_wipe_key", no_wipe_key},
    {"no_tag", no_tag},
    {"tag_of_nowhere", tag_of_nowhere},
    {"batch_of_nowhere", batch_of_nowhere},
    {0},
};
