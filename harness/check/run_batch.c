// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "case_parts.h"

/* Messages lie one after the other: the last ends at the guard page, or each starts at the case's
 * address modulo 64. Tags lie one after the other too, with canaries between them unless they end
 * at the guard page. */
bool jm_run_batch(jm_checker *checker) {
    const jm_implementation *self = checker->self;
    const jm_case *one = checker->one;
    const size_t gap = one->out == JM_AT_END ? 0 : 17;
    const size_t tags_bytes = one->parts * (self->output_bytes + gap);
    const uint8_t *source = jm_case_source(one);
    jm_placed messages[JM_CASE_PARTS_MAX];
    jm_mac_message list[JM_CASE_PARTS_MAX + 1];
    uint8_t *tags = jm_place_output(checker, tags_bytes);
    uint64_t bytes = 0;
    bool made;
    for (size_t i = 0; i < one->parts; i++)
        bytes += one->at == JM_AT_END ? one->lengths[i] : one->lengths[i] / 64 * 64 + 128;
    uint8_t *at = jm_guarded_place(&checker->memories[JM_IN_MESSAGES], bytes, one->at);
    memset(tags, JM_CANARY_BYTE, tags_bytes);
    for (size_t i = 0; i < one->parts; i++) {
        if (one->at != JM_AT_END) at += (one->at - (uintptr_t)at) % 64;
        messages[i] = (jm_placed){source, at, one->lengths[i]};
        memcpy(at, source, one->lengths[i]);
        list[i] = (jm_mac_message){jm_state_at(checker, i % one->keys), at, one->lengths[i],
                                   tags + i * (self->output_bytes + gap)};
        memset(list[i].tag, JM_UNUSED_BYTE, self->output_bytes);
        at += one->lengths[i];
        source += jm_round_up_64(one->lengths[i] + 1);
    }
    const jm_status status = self->mac->tag_batch(self, list, one->parts);
    checker->calls++;
    if (!jm_accepted(checker, status, 0, jm_case_total_bytes(one), &made)) return false;
    for (size_t i = 0; i < one->parts; i++) {
        const jm_placed *m = &messages[i];
        const uint8_t *tag = tags + i * (self->output_bytes + gap);
        if (made &&
            !jm_agrees(checker, i, m, one->key_seed + i % one->keys, tag, self->output_bytes))
            return false;
        if (memcmp(tag + self->output_bytes, jm_canaries, gap))
            return jm_found(checker, JM_WROTE_BEHIND_OUTPUT, i, m->bytes);
    }
    const jm_placed last = {NULL, NULL, one->parts ? one->lengths[one->parts - 1] : 0};
    return jm_kept_bounds(checker, 0, &last, tags, tags_bytes);
}
