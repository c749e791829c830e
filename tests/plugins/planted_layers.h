/* SPDX-License-Identifier: Apache-2.0
 * UMAC-32, VMAC-64 and GMAC of planted_carries.c, layer by layer, with one thing left out. */
#ifndef PLANTED_LAYERS_H
#define PLANTED_LAYERS_H

static void derive(const uint8_t *schedule, uint64_t high, uint64_t low, uint64_t words[2]) {
    uint8_t block[16];
    store_be64(block, high);
    store_be64(block + 8, low);
    jm_aes128_portable.cipher->encrypt(&jm_aes128_portable, schedule, block, block, 1);
    words[0] = load_be64(block), words[1] = load_be64(block + 8);
}

#define P36 ((UINT64_C(1) << 36) - 5)

static void umac_set(state *s) {
    uint64_t w[2];
    for (uint64_t i = 0; i < 64; i++) {
        derive(s->schedule, 1, i + 1, w);
        for (int j = 0; j < 4; j++) s->nh[4 * i + j] = (uint32_t)(w[j / 2] >> (j % 2 ? 0 : 32));
    }
    derive(s->schedule, 2, 1, w);
    s->k[0] = w[0] & 0x01ffffff01ffffff;
    for (uint64_t i = 0; i < 2; i++) {
        derive(s->schedule, 3, 3 + i, w);
        s->last[2 * i] = w[0] % P36, s->last[2 * i + 1] = w[1] % P36;
    }
    derive(s->schedule, 4, 1, w);
    s->mask = w[0] >> 32;
    uint8_t pad_key[16];
    derive(s->schedule, 0, 1, w);
    store_be64(pad_key, w[0]), store_be64(pad_key + 8, w[1]);
    jm_aes128_portable.cipher->set_key(&jm_aes128_portable, s->schedule, pad_key, 16);
}

static uint64_t umac_step(enum lost lost, uint64_t y, uint64_t k, uint64_t m) {
    const wide moved = (wide)y * k, sum = moved + m;
    const uint64_t above =
        (uint64_t)(moved >> 64) + IF(STEP, (uint64_t)(sum >> 64) - (uint64_t)(moved >> 64));
    const uint64_t over = 59 * above, low = (uint64_t)sum + over;
    return low + IF(FOLD, low < over ? 59 : 0);
}

/* UMAC-32, for messages to 2^24 bytes. */
static void umac_hash(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t h[2]) {
    const uint64_t top = 0xffffffff00000000 + (lost == TOP_LEAST);
    uint64_t y = 1, hash = 0;
    const size_t blocks = n ? (n + 1023) / 1024 : 1;
    for (size_t b = 0; b < blocks; b++) {
        const size_t bytes = b + 1 < blocks ? 1024 : n - 1024 * b;
        uint8_t block[1024] = {0};
        memcpy(block, m + 1024 * b, bytes);
        hash = 0;
        for (size_t i = 0; i < bytes || i == 0; i += 32)
            for (size_t j = i / 4; j < i / 4 + 4; j++) {
                const uint32_t one = load_le32(block + 4 * j) + (uint32_t)s->nh[j],
                               other = load_le32(block + 4 * j + 16) + (uint32_t)s->nh[j + 4];
                const uint64_t product = (uint64_t)one * other,
                               low = (hash & UINT32_MAX) + (product & UINT32_MAX);
                hash = ((hash >> 32) + (product >> 32) + IF(NH, low >> 32)) << 32 | (uint32_t)low;
            }
        const uint64_t low = (hash & UINT32_MAX) + 8 * bytes;
        hash = ((hash >> 32) + IF(LENGTH, low >> 32)) << 32 | (uint32_t)low;
        if (hash >= top && lost != TWO_STEPS) {
            y = umac_step(lost, y, s->k[0], 0 - UINT64_C(60));
            y = umac_step(lost, y, s->k[0], hash - 59);
        } else {
            y = umac_step(lost, y, s->k[0], hash);
        }
    }
    if (blocks == 1)
        y = hash;
    else if (y >= 0 - UINT64_C(59))
        y += IF(REDUCED, 59);
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) sum += (y >> (48 - 16 * i) & 0xffff) * s->last[i];
    sum = (sum & ((UINT64_C(1) << 36) - 1)) + 5 * (sum >> 36);
    if (sum >= P36) sum += IF(LAST, 5);
    h[0] = ((uint32_t)sum ^ s->mask ^ s->pad[0] >> 32) << 32;
}

#define P64 (0 - UINT64_C(257))

static void vmac_set(state *s) {
    for (uint64_t i = 0; i < 8; i++) derive(s->schedule, UINT64_C(0x80) << 56, i, s->nh + 2 * i);
    derive(s->schedule, UINT64_C(0xc0) << 56, 0, s->k);
    s->k[0] &= 0x1fffffff1fffffff, s->k[1] &= 0x1fffffff1fffffff;
    for (uint64_t i = 0; !i || s->last[0] >= P64 || s->last[1] >= P64; i++)
        derive(s->schedule, UINT64_C(0xe0) << 56, i, s->last);
}

/* y k + m modulo 2^127 - 1, from 0 to p: the product by halves, folded at bit 127. */
static wide vmac_step(enum lost lost, wide y, wide k, wide m) {
    const wide p = ((wide)1 << 127) - 1;
    const uint64_t y0 = (uint64_t)y, y1 = (uint64_t)(y >> 64), k0 = (uint64_t)k,
                   k1 = (uint64_t)(k >> 64);
    const wide low = (wide)y0 * k0, cross = (wide)y0 * k1 + (wide)y1 * k0 + (uint64_t)(low >> 64);
    const wide high = (wide)y1 * k1 + (uint64_t)(cross >> 64);
    wide sum = (wide)(uint64_t)cross << 64 | (uint64_t)low;
    const wide above = high << 1 | sum >> 127;
    sum = (sum & p) + above;
    sum = (sum & p) + IF(FOLD, sum >> 127);
    const uint64_t first = (uint64_t)sum + (uint64_t)m, carry = first < (uint64_t)m;
    sum = (wide)((uint64_t)(sum >> 64) + (uint64_t)(m >> 64) + IF(STEP, carry)) << 64 | first;
    return (sum & p) + (sum >> 127);
}

static uint64_t vmac_factor(enum lost lost, enum lost point, uint64_t key, uint64_t part) {
    const wide sum = (wide)key + part;
    return (uint64_t)(sum >= P64 ? sum - IF(point, P64) : sum);
}

/* VMAC-64. */
static void vmac_hash(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t h[2]) {
    const wide p = ((wide)1 << 127) - 1, k = (wide)s->k[0] << 64 | s->k[1];
    const uint64_t divisor = 0xffffffff00000000;
    wide y = n ? 1 : k;
    for (size_t at = 0; at < n; at += 128) {
        const size_t bytes = n - at < 128 ? n - at : 128;
        uint8_t block[128] = {0};
        uint64_t low = 0, high = 0;
        memcpy(block, m + at, bytes);
        for (size_t i = 0; i < (bytes + 15) / 16; i++) {
            const wide product = (wide)(load_le64(block + 16 * i) + s->nh[2 * i]) *
                                 (load_le64(block + 16 * i + 8) + s->nh[2 * i + 1]);
            low += (uint64_t)product;
            high += (uint64_t)(product >> 64) + IF(NH, low < (uint64_t)product);
        }
        y = vmac_step(lost, y, k, (wide)(high & UINT64_MAX >> 2) << 64 | low);
    }
    y += (wide)(8 * (n % 128)) << 64;
    y = (y & p) + (y >> 127);
    if (y == p) y = IF(REDUCED, p) ? 0 : p;
    const uint64_t one = vmac_factor(lost, FIRST, s->last[0], (uint64_t)(y / divisor)),
                   other = vmac_factor(lost, SECOND, s->last[1], (uint64_t)(y % divisor));
    wide product = (wide)one * other;
    for (int i = 0; i < 2; i++) product = (uint64_t)product + 257 * (product >> 64);
    if (product >> 64) product = (uint64_t)product + 257;
    if (product >= P64) product -= IF(LAST, P64);
    h[0] = (uint64_t)product + s->pad[0];
}

static wide load_block(const uint8_t block[16]) {
    return (wide)load_be64(block) << 64 | load_be64(block + 8);
}

/* x y in GCM's field, whose bits come from the left. */
static wide gmac_product(wide x, wide y) {
    wide sum = 0;
    for (int bit = 127; bit >= 0; bit--) {
        sum ^= y & (0 - (x >> bit & 1));
        y = y >> 1 ^ ((wide)UINT64_C(0xe100000000000000) << 64 & (0 - (y & 1)));
    }
    return sum;
}

static wide gmac_block(enum lost lost, const state *s, wide sum, const uint8_t bytes[16]) {
    const wide block = load_block(bytes);
    if (lost == ZERO_BLOCK && block == 0) return sum;
    sum ^= block;
    if (lost == ONES && (uint64_t)sum == UINT64_MAX) sum ^= 1;
    return gmac_product((wide)s->nh[0] << 64 | s->nh[1], sum);
}

/* GHASH of whole blocks and of the two numbers of bits. */
static wide gmac_sum(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t first,
                     uint64_t second) {
    uint8_t block[16];
    wide sum = 0;
    for (size_t at = 0; at < n; at += 16) {
        memset(block, 0, 16);
        memcpy(block, m + at, n - at < 16 ? n - at : 16);
        sum = gmac_block(lost, s, sum, block);
    }
    store_be64(block, first);
    store_be64(block + 8, second);
    return gmac_block(NOTHING, s, sum, block);
}

static void gmac_hash(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t h[2]) {
    const wide sum = gmac_sum(lost, s, m, n, 8 * n, 0);
    h[0] = (uint64_t)(sum >> 64) ^ s->pad[0], h[1] = (uint64_t)sum ^ s->pad[1];
}

static void gmac_nonce(enum lost lost, state *s, const uint8_t *nonce, size_t bytes) {
    wide counter = 1;
    if (bytes == 12)
        for (size_t i = 0; i < 12; i++) counter |= (wide)nonce[i] << (120 - 8 * i);
    else
        counter = gmac_sum(NOTHING, s, nonce, bytes, 0, lost == NONCE ? 128 : 8 * bytes);
    derive(s->schedule, (uint64_t)(counter >> 64), (uint64_t)counter, s->pad);
}

#endif
