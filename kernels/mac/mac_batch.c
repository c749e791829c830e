/* SPDX-License-Identifier: Apache-2.0
 *
 * joulemark/mac.h: batches. Checking computes the tags of a slice on the stack (12 KiB) and then
 * compares them all, in time that does not depend on which tags are right. Checking has an outer
 * and an inner half (common/secret.h). */
#include <string.h>

#include "common/batch_variant.h"
#include "mac/mac_verify.h"

/* Messages checked together: twice the widest lanes, and few enough for the engine's table. */
enum { SLICE = 128, VERIFY_STACK_BYTES = 256 };

typedef struct {
    jm_mac_message messages[SLICE];
    uint8_t tags[SLICE][JM_OUTPUT_BYTES_MAX];
} slice_work;

jm_status jm_mac_tag_batch(const jm_mac *mac, const jm_mac_message *messages, size_t count) {
    if (mac->mac->tag_batch) return mac->mac->tag_batch(mac, messages, count);
    for (size_t i = 0; i < count; i++) {
        const jm_mac_message *message = &messages[i];
        const jm_status status = mac->mac->tag(mac, message->key_state, message->message,
                                               message->message_bytes, message->tag);
        if (status != JM_OK) {
            jm_take_back(messages, i, mac->output_bytes);
            return status;
        }
    }
    return JM_OK;
}

/* Adds to *forged the number of messages of the slice that are forged. 1 <= count <= SLICE. */
JM_APART jm_status verify_slice(slice_work *work, const jm_mac *mac, const jm_mac_claim *claims,
                                size_t count, size_t expected_bytes, bool *authentic,
                                size_t *forged) {
    size_t filled = 0;
    do {
        const jm_mac_claim *claim = &claims[filled];
        work->messages[filled] =
            (jm_mac_message){claim->key, claim->message, claim->message_bytes, work->tags[filled]};
    } while (++filled < count);
    const jm_status status = jm_mac_tag_batch(mac, work->messages, count);
    for (size_t i = 0; i < count && status == JM_OK; i++) {
        authentic[i] = jm_equal_ct(work->tags[i], claims[i].expected, expected_bytes);
        *forged += !authentic[i];
    }
    return status;
}

jm_status jm_mac_verify_batch(const jm_mac *mac, const jm_mac_claim *claims, size_t count,
                              size_t expected_bytes, bool *authentic) {
    slice_work work;
    size_t forged = 0;
    jm_status status = jm_mac_takes_tag_bytes(mac, expected_bytes) ? JM_OK : JM_ERR_TAG_BYTES;
    for (size_t at = 0; at < count && status == JM_OK; at += SLICE) {
        const size_t slice = count - at < SLICE ? count - at : SLICE;
        status =
            verify_slice(&work, mac, claims + at, slice, expected_bytes, authentic + at, &forged);
        jm_wipe(work.tags, slice * sizeof *work.tags);
    }
    if (status != JM_OK && count) memset(authentic, 0, count * sizeof *authentic);
    if (status == JM_OK && forged) status = JM_ERR_TAG;
    return JM_FORGET(status, VERIFY_STACK_BYTES);
}
