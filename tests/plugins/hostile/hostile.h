/* SPDX-License-Identifier: Apache-2.0
 * A collection of hostile plugins in one shared object: our SipHash with an attack, or with a wrong
 * table. The name of the file that is loaded chooses the attack, and is the name of the variant, so
 * that one object under many names gives many plugins. A number behind the last `_` is the attack's
 * argument. */
#ifndef HOSTILE_H
#define HOSTILE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>

#include "joulemark/kernel.h"

typedef enum moment {
    NEVER,
    WHEN_LOADED,   /* by the dynamic linker */
    WHEN_ASKED,    /* for the table */
    WHEN_CHECKED,  /* at the 500th message */
    WHEN_TIMED,    /* at the 2000th message in a row of one length, which only timing asks for */
    EVERY_MESSAGE, /* after it has been tagged rightly */
    WHEN_UNLOADED,
} moment;

/* The message at hand; all NULL or 0 where there is none. */
typedef struct tag_call {
    void *key_state;
    uint8_t *message;
    size_t message_bytes;
    uint8_t *tag;
    uint64_t number; /* how many messages came before in this process */
    jm_status status;
} tag_call;

typedef struct attack {
    const char *name;
    moment moment;
    void (*run)(tag_call *call);
} attack;

/* What a plugin says of itself, to be made wrong. */
typedef struct tables {
    jm_plugin *plugin;
    jm_implementation *implementation;
    jm_mac_functions *functions;
    const jm_implementation **list; /* of 2, the second NULL */
} tables;

typedef struct wrong_table {
    const char *name;
    void (*change)(tables *of);
} wrong_table;

/* Each ends with a name that is NULL. */
extern const attack ending_attacks[], process_attacks[], keeper_attacks[], pipe_attacks[];
extern const attack state_attacks[], output_attacks[];
extern const wrong_table wrong_texts[], wrong_numbers[], wrong_pointers[], later_tables[];

extern long hostile_number; /* behind the last `_` of the file's name; 0 without */

/* Leaves this process's number where a test looks for it. */
void leave_number(void);
/* As `leave_number`, and never ends. */
void stay(void);

#endif
