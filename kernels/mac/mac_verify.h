/* SPDX-License-Identifier: Apache-2.0
 * Which lengths of tags the verifying functions accept. */
#ifndef JM_MAC_VERIFY_H
#define JM_MAC_VERIFY_H

#include "joulemark/mac.h"

static inline bool jm_mac_takes_tag_bytes(const jm_mac *mac, size_t expected_bytes) {
    return expected_bytes >= jm_mac_tag_bytes_min(mac) && expected_bytes <= jm_mac_tag_bytes(mac);
}

#endif
