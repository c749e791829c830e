/* SPDX-License-Identifier: Apache-2.0
 * Wrong outputs and forbidden accesses to memory that few inputs show, so that they hide from the
 * check. Errors that the check finds are in planted.c. */
#include "hostile.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void is_wrong_sometimes(tag_call *call) {
    if (call->number % 1000 == 999) call->tag[0] ^= 1;
}

static void is_wrong_when_long(tag_call *call) {
    if (call->message_bytes > 8000) call->tag[0] ^= 1;
}

static void is_wrong_when_empty(tag_call *call) {
    if (call->message_bytes == 0) call->tag[0] ^= 1;
}

static void is_wrong_when_unaligned(tag_call *call) {
    if ((uintptr_t)call->message % 8 == 5 && call->message_bytes > 8) call->tag[0] ^= 1;
}

static void is_wrong_later(tag_call *call) {
    if (call->number > 30000) call->tag[0] ^= 1;
}

static void writes_seven_bytes(tag_call *call) {
    call->tag[7] = 0;
}

static void writes_before_its_tag(tag_call *call) {
    call->tag[-1] = 0;
}

static void writes_past_its_tag(tag_call *call) {
    call->tag[8] = 0;
}

static void writes_into_its_key(tag_call *call) {
    memset(call->key_state, 0x5a, 8);
}

static void writes_past_its_key(tag_call *call) {
    ((uint8_t *)call->key_state)[4096] = 1;
}

static void writes_into_its_message(tag_call *call) {
    if (call->message_bytes) call->message[0] ^= 1;
}

static void writes_before_its_message(tag_call *call) {
    call->message[-1] ^= 1;
}

static void reads_past_its_message(tag_call *call) {
    static volatile uint8_t seen;
    seen ^= call->message[call->message_bytes];
}

static void fails_in_its_own_words(tag_call *call) {
    call->status = (jm_status)(call->number > 500 ? 12345 : 0);
}

static void refuses_every_message(tag_call *call) {
    call->status = JM_ERR_MESSAGE_BYTES;
}

/* Writes where tags once went, from a thread of its own. */
static uint8_t *volatile remembered;

static void *scribble(void *nothing) {
    for (;; usleep(100))
        if (remembered) remembered[0] ^= 1;
    return nothing;
}

static void writes_to_tags_of_yore(tag_call *call) {
    static int begun;
    pthread_t thread;
    remembered = call->tag;
    if (call->number > 500 && !begun++) pthread_create(&thread, NULL, scribble, NULL);
}

const attack output_attacks[] = {
    {"is_wrong_sometimes", EVERY_MESSAGE, is_wrong_sometimes},
    {"is_wrong_when_long", EVERY_MESSAGE, is_wrong_when_long},
    {"is_wrong_when_empty", EVERY_MESSAGE, is_wrong_when_empty},
    {"is_wrong_when_unaligned", EVERY_MESSAGE, is_wrong_when_unaligned},
    {"is_wrong_later", EVERY_MESSAGE, is_wrong_later},
    {"writes_seven_bytes", EVERY_MESSAGE, writes_seven_bytes},
    {"writes_before_its_tag", EVERY_MESSAGE, writes_before_its_tag},
    {"writes_past_its_tag", EVERY_MESSAGE, writes_past_its_tag},
    {"writes_into_its_key", EVERY_MESSAGE, writes_into_its_key},
    {"writes_past_its_key", EVERY_MESSAGE, writes_past_its_key},
    {"writes_into_its_message", EVERY_MESSAGE, writes_into_its_message},
    {"writes_before_its_message", EVERY_MESSAGE, writes_before_its_message},
    {"reads_past_its_message", EVERY_MESSAGE, reads_past_its_message},
    {"fails_in_its_own_words", EVERY_MESSAGE, fails_in_its_own_words},
    {"refuses_every_message", EVERY_MESSAGE, refuses_every_message},
    {"writes_to_tags_of_yore", EVERY_MESSAGE, writes_to_tags_of_yore},
    {0},
};
