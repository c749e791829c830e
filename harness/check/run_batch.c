// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "case_parts.h"

/* Messages lie one after the other: the last ends at the guard page, or each starts at the case's
 * address modulo 64. Tags lie one after the other too, with canaries between them unless they end
 * at the guard page. */
bool jm_run_batch(jm_checker *checker) {
    const jm_implementation *self = checker->self;
    const jm_case *check_case = checker->check_case;
    const size_t gap = check_case->out == JM_AT_END ? 0 : 17;
    const size_t tags_bytes = check_case->parts * (self->output_bytes + gap);
    const uint8_t *source = jm_case_source(check_case);
    jm_placed messages[JM_CASE_PARTS_MAX];
    jm_mac_message list[JM_CASE_PARTS_MAX + 1];
    uint8_t *tags = jm_place_output(checker, tags_bytes);
    uint64_t bytes = 0;
    bool made;
    for (size_t i = 0; i < check_case->parts; i++)
        bytes += check_case->at == JM_AT_END ? check_case->lengths[i]
                                             : check_case->lengths[i] / 64 * 64 + 128;
    uint8_t *at = jm_guarded_place(&checker->memories[JM_IN_MESSAGES], bytes, check_case->at);
    memset(tags, JM_CANARY_BYTE, tags_bytes);
    for (size_t i = 0; i < check_case->parts; i++) {
        if (check_case->at != JM_AT_END) at += (check_case->at - (uintptr_t)at) % 64;
        messages[i] = (jm_placed){source, at, check_case->lengths[i]};
        memcpy(at, source, check_case->lengths[i]);
        list[i] = (jm_mac_message){jm_state_at(checker, i % check_case->keys), at,
                                   check_case->lengths[i], tags + i * (self->output_bytes + gap)};
        memset(list[i].tag, JM_UNUSED_BYTE, self->output_bytes);
        at += check_case->lengths[i];
        source += jm_round_up_64(check_case->lengths[i] + 1);
    }
    const jm_status status = self->mac->tag_batch(self, list, check_case->parts);
    checker->calls++;
    if (!jm_accepted(checker, status, 0, jm_case_total_bytes(check_case), &made)) return false;
    for (size_t i = 0; i < check_case->parts; i++) {
        const jm_placed *m = &messages[i];
        const uint8_t *tag = tags + i * (self->output_bytes + gap);
        if (made && !jm_agrees(checker, i, m, check_case->key_seed + i % check_case->keys, tag,
                               self->output_bytes))
            return false;
        if (memcmp(tag + self->output_bytes, jm_canaries, gap))
            return jm_found(checker, JM_WROTE_BEHIND_OUTPUT, i, m->bytes);
    }
    const jm_placed last = {NULL, NULL,
                            check_case->parts ? check_case->lengths[check_case->parts - 1] : 0};
    return jm_kept_bounds(checker, 0, &last, tags, tags_bytes);
}
