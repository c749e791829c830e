/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which the messages of a batch are given to lanes: longest first, because a long
 * message begun last would run on alone, while short ones fill the gaps that others leave (Graham,
 * "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969: the largest jobs
 * first end at most a third later than the best order).
 *
 * A batch is ordered slice by slice, so that the order fits on the stack for batches of any size.
 * Lengths are public: they may decide branches and addresses.
 */
#ifndef JM_BATCH_ORDER_H
#define JM_BATCH_ORDER_H

#include "joulemark/kernel.h"

/* Below BATCH_EXACT each number of blocks has its own class; above, an octave has four classes, up
 * to 2^16 blocks, beyond which the order no longer matters. */
enum { BATCH_SLICE = 256, BATCH_EXACT = 32, BATCH_CLASSES = BATCH_EXACT + 4 * (16 - 5) + 1 };

static inline unsigned batch_class(size_t blocks) {
    if (blocks < BATCH_EXACT) return (unsigned)blocks;
    if (blocks >> 16) return BATCH_CLASSES - 1;
    const unsigned octave = 31u - (unsigned)__builtin_clz((unsigned)blocks);
    return BATCH_EXACT + 4 * (octave - 5) + ((unsigned)blocks >> (octave - 2) & 3);
}

/* Fills `order` with the numbers of the `count` (0 to BATCH_SLICE) messages, the longest in blocks
 * first and otherwise as they came: a counting sort. */
static inline void batch_order(const jm_mac_message *messages, size_t count, size_t block_bytes,
                               uint8_t *order) {
    size_t differ = 0;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint8_t)i;
        differ |= messages[i].message_bytes ^ messages[0].message_bytes;
    }
    if (differ == 0) return;

    uint8_t class_of[BATCH_SLICE];
    uint16_t before[BATCH_CLASSES] = {0}; /* how many messages of this class, then of longer ones */
    for (size_t i = 0; i < count; i++) {
        class_of[i] = (uint8_t)batch_class(messages[i].message_bytes / block_bytes);
        before[class_of[i]]++;
    }
    uint16_t longer = 0;
    for (size_t class = BATCH_CLASSES; class --> 0;) {
        const uint16_t here = before[class];
        before[class] = longer;
        longer = (uint16_t)(longer + here);
    }
    for (size_t i = 0; i < count; i++) order[before[class_of[i]]++] = (uint8_t)i;
}

#endif
