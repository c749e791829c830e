/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of an HMAC variant for batches (joulemark/kernel.h), whatever computes the batch. */
#ifndef JM_HMAC_BATCH_H
#define JM_HMAC_BATCH_H

#include "common/batch_over_single.h"
#include "hmac/hmac.h"

/* Defines jm_hmac_<primitive>_<variant>, which leaves all but batches to the implementation
 * `single_`, whose key states it shares. Its tag_batch is
 *     jm_status run_(work_ *, const jm_mac_message *, size_t count, size_t digest_bytes,
 *                    uint64_t live)
 * which ends with JM_ERR_ENDED, whatever tags it has written, if some key is not live, and
 *     void wipe_(work_ *, size_t count)
 * wipes the named secrets in its working memory; stack_ is the stack of the frames of run_. */
#define JM_HMAC_BATCH(primitive_, variant_, features_, target_, note_, lanes_, block_, digest_,    \
                      single_, work_, run_, wipe_, stack_)                                         \
    target_ JM_APART jm_status hmac_##primitive_##_##variant_##_inner(                             \
        work_ *work, const jm_mac_message *messages, size_t count) {                               \
        return run_(work, messages, count, (digest_), JM_LIVE("hmac-" #primitive_, ""));           \
    }                                                                                              \
    static jm_status hmac_##primitive_##_##variant_##_tag_batch(                                   \
        const jm_implementation *self, const jm_mac_message *messages, size_t count) {             \
        work_ work;                                                                                \
        const jm_status status = hmac_##primitive_##_##variant_##_inner(&work, messages, count);   \
        (void)self;                                                                                \
        wipe_(&work, count);                                                                       \
        if (status != JM_OK) jm_take_back(messages, count, (digest_));                             \
        return JM_FORGET(status, stack_);                                                          \
    }                                                                                              \
    static const jm_mac_functions hmac_##primitive_##_##variant_##_functions =                     \
        JM_BATCH_FUNCTIONS(JM_HMAC_KEY_BYTES(block_), sizeof(jm_hmac_stream),                      \
                           hmac_##primitive_##_##variant_##_tag_batch);                            \
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
        .live = JM_LIVE("hmac-" #primitive_, ""),                                                  \
    };

#endif
