/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of an HMAC variant for batches (joulemark/kernel.h), whatever computes the batch. */
#ifndef JM_HMAC_BATCH_H
#define JM_HMAC_BATCH_H

#include "common/batch_over_single.h"
#include "hmac/hmac.h"

/* Defines jm_hmac_<primitive>_<variant>, whose tag_batch is the statement `call_` over `messages`
 * and `count`, and which leaves all else to the implementation `single_`, whose key states it
 * shares. */
#define JM_HMAC_BATCH(primitive_, variant_, features_, target_, note_, lanes_, block_, digest_,    \
                      single_, call_)                                                              \
    target_ static jm_status hmac_##primitive_##_##variant_##_tag_batch(                           \
        const jm_implementation *self, const jm_mac_message *messages, size_t count) {             \
        (void)self;                                                                                \
        call_;                                                                                     \
        return JM_OK;                                                                              \
    }                                                                                              \
    static const jm_mac_functions hmac_##primitive_##_##variant_##_functions = JM_BATCH_FUNCTIONS( \
        sizeof(jm_hmac_key), sizeof(jm_hmac_stream), hmac_##primitive_##_##variant_##_tag_batch);  \
    const jm_implementation jm_hmac_##primitive_##_##variant_ = {                                  \
        .algorithm = "hmac-" #primitive_,                                                          \
        .variant = #variant_,                                                                      \
        .note = (note_),                                                                           \
        .kind = JM_KIND_MAC,                                                                       \
        .cpu_features = (features_),                                                               \
        .lanes = (lanes_),                                                                         \
        .constant_time = true,                                                                     \
        .block_bytes = (block_),                                                                   \
        .output_bytes = (digest_),                                                                 \
        .key_bytes_min = 0,                                                                        \
        .key_bytes_max = SIZE_MAX,                                                                 \
        .key_bytes = (digest_),                                                                    \
        .mac = &hmac_##primitive_##_##variant_##_functions,                                        \
        .over = &(single_),                                                                        \
    };

#endif
