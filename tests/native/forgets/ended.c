/* SPDX-License-Identifier: Apache-2.0
 * Wiped keys and ended streams give no tag, alone and in batches. */
#include "scene.h"

#include <string.h>

enum { BATCH = 70 };

static uint8_t tags[BATCH][JM_OUTPUT_BYTES_MAX], tag[JM_OUTPUT_BYTES_MAX];

void use_ended(void) {
    static _Alignas(64) uint8_t state[4096], stream[4096], other[4096];
    jm_mac_key *wiped = (jm_mac_key *)state;
    jm_mac_stream *ended = (jm_mac_stream *)stream;
    jm_mac_message batch[BATCH];
    uint8_t before[JM_OUTPUT_BYTES_MAX];
    fill(before, sizeof before);
    set_secrets(NULL, 0);
    jm_mac_key_copy(mac, wiped, key[0]);
    jm_mac_key_wipe(mac, wiped);
    memcpy(tag, before, sizeof tag);
    expect("tag under a wiped key", 16,
           call("tag", 16, FUNCTION(jm_mac_tag),
                ARGUMENTS(AS(mac), AS(wiped), AS(message), 16, AS(tag))),
           JM_ERR_ENDED);
    expect("verify under a wiped key", 16,
           jm_mac_verify(mac, wiped, message, 16, tag, jm_mac_tag_bytes(mac)), JM_ERR_ENDED);
    expect("copy of a wiped key", 0, jm_mac_key_copy(mac, (jm_mac_key *)other, wiped),
           JM_ERR_ENDED);
    expect("begin under a wiped key", 0, jm_mac_stream_begin(mac, ended, wiped), JM_ERR_ENDED);
    jm_mac_stream_begin(mac, ended, key[0]);
    jm_mac_stream_finish(mac, ended, tag);
    expect("finish after finish", 0, jm_mac_stream_finish(mac, ended, tag), JM_ERR_ENDED);
    expect("update after finish", 9, jm_mac_stream_update(mac, ended, message, 9), JM_ERR_ENDED);
    expect("verify after finish", 0, jm_mac_stream_verify(mac, ended, tag, jm_mac_tag_bytes(mac)),
           JM_ERR_ENDED);
    for (size_t dead = 0; dead < BATCH; dead += 23)
        for (size_t bytes = 20; bytes < 100; bytes += 60) {
            for (size_t i = 0; i < BATCH; i++) {
                memcpy(tags[i], before, sizeof *tags);
                batch[i] = (jm_mac_message){i == dead ? wiped : key[i % 2], message,
                                            bytes == 20 ? bytes : i, tags[i]};
            }
            expect("a batch with a wiped key", BATCH, jm_mac_tag_batch(mac, batch, BATCH),
                   JM_ERR_ENDED);
            uint8_t any = 0;
            for (size_t i = 0; i < jm_mac_tag_bytes(mac); i++) any |= tags[dead][i];
            if (any && memcmp(tags[dead], before, jm_mac_tag_bytes(mac)))
                report("a batch with a wiped key", BATCH, "a tag", "message", dead);
        }
}
