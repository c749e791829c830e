/* SPDX-License-Identifier: Apache-2.0
 * The table of the plugin, and the moment at which its attack runs. */
#include "hostile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "siphash/siphash.h"

long hostile_number;
static const attack *chosen;
static const wrong_table *chosen_table;
static char variant[256];

void leave_number(void) {
    FILE *const left = fopen(getenv("JOULEMARK_TEST_LEFT"), "a");
    if (!left || fprintf(left, "%ld\n", (long)getpid()) < 0 || fclose(left)) abort();
}

void stay(void) {
    leave_number();
    for (;;) pause();
}

static void run_when(moment now, tag_call *call) {
    if (chosen && chosen->moment == now) chosen->run(call);
}

static jm_status hostile_tag(const jm_implementation *self, const void *key_state,
                             const uint8_t *message, size_t message_bytes, uint8_t *tag) {
    const jm_implementation *right = &jm_siphash_2_4_portable;
    static uint64_t tags, alike;
    static size_t last_bytes;
    (void)self;
    alike = message_bytes == last_bytes ? alike + 1 : 0;
    last_bytes = message_bytes;
    tag_call call = {(void *)(uintptr_t)key_state,
                     (uint8_t *)(uintptr_t)message,
                     message_bytes,
                     tag,
                     tags++,
                     JM_OK};
    if (call.number == 500) run_when(WHEN_CHECKED, &call);
    if (alike == 2000) run_when(WHEN_TIMED, &call);
    call.status = right->mac->tag(right, key_state, message, message_bytes, tag);
    run_when(EVERY_MESSAGE, &call);
    return call.status;
}

static void choose_attack(const char *name) {
    const attack *const attacks[] = {ending_attacks, process_attacks, keeper_attacks,
                                     pipe_attacks,   state_attacks,   output_attacks};
    const wrong_table *const wrong[] = {wrong_texts, wrong_numbers, wrong_pointers, later_tables};
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        for (const attack *hostile_call = attacks[i]; hostile_call->name; hostile_call++)
            if (!strcmp(hostile_call->name, name)) chosen = hostile_call;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (const wrong_table *hostile_table = wrong[i]; hostile_table->name; hostile_table++)
            if (!strcmp(hostile_table->name, name)) chosen_table = hostile_table;
}

__attribute__((constructor)) static void loaded(void) {
    Dl_info here;
    char name[sizeof variant];
    if (!dladdr(&variant, &here) || !here.dli_fname) abort();
    const char *const slash = strrchr(here.dli_fname, '/');
    snprintf(variant, sizeof variant, "%s", slash ? slash + 1 : here.dli_fname);
    char *const ending = strstr(variant, ".so");
    if (ending) *ending = 0;
    memcpy(name, variant, sizeof name);
    choose_attack(name);
    char *const number = strrchr(name, '_');
    if (!chosen && !chosen_table && number) {
        hostile_number = strtol(number + 1, NULL, 10);
        *number = 0;
        choose_attack(name);
    }
    /* A name that a test spells wrongly must not look like an attack that does no harm. */
    if (!chosen && !chosen_table && strcmp(variant, "harmless")) {
        fprintf(stderr, "no attack is called %s\n", variant);
        abort();
    }
    run_when(WHEN_LOADED, &(tag_call){0});
}

__attribute__((destructor)) static void unloaded(void) {
    run_when(WHEN_UNLOADED, &(tag_call){0});
}

static const char *version(void) {
    return "1.0";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static jm_implementation implementation;
    static jm_mac_functions functions;
    static const jm_implementation *list[2] = {&implementation};
    static jm_plugin plugin = {.abi_version = JM_ABI_VERSION,
                               .provider = "hostile",
                               .library_version = version,
                               .compiler = "test",
                               .flags = "",
                               .count = 1,
                               .implementations = list};
    run_when(WHEN_ASKED, &(tag_call){0});
    functions = *jm_siphash_2_4_portable.mac;
    functions.tag = hostile_tag;
    functions.tag_batch = NULL;
    implementation = jm_siphash_2_4_portable;
    implementation.variant = variant;
    implementation.mac = &functions;
    if (chosen_table) chosen_table->change(&(tables){&plugin, &implementation, &functions, list});
    return plugin.count == SIZE_MAX - 1 ? NULL : &plugin;
}
