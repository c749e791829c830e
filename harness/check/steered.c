// SPDX-License-Identifier: Apache-2.0
// Messages chosen for a key: an inner sum of Poly1305, GMAC, UMAC or VMAC takes a value at an end
// of its range, which is wanted, and the equation of its step is solved for the words of the
// message.
#include <string.h>

#include "aes/aes.h"
#include "common/words.h"
#include "modular.h"
#include "structured.h"

#define UMAC_BLOCK 1024u
#define VMAC_BLOCK 128u
#define NH_WORDS_MAX 272u /* of UMAC's key for four iterations: 256 and 12 */

static number random_bits(unsigned bits, uint64_t *chance) {
    number a = of(jm_next_word(chance), jm_next_word(chance));
    for (unsigned bit = bits; bit < 128; bit++) a.limb[bit / 32] &= ~(UINT32_C(1) << bit % 32);
    return a;
}

/* A value below p at an end of something: near 0, p, 2^bits or another power of two (half of these
 * where a limb ends), or limbs at their ends. */
static number end_of_range(unsigned bits, const number *p, uint64_t *chance) {
    static const unsigned widths[] = {26, 32, 44, 64};
    const unsigned width = widths[jm_next_below(chance, 4)];
    const unsigned limbs = 1 + (unsigned)jm_next_below(chance, bits / width);
    const unsigned any = (unsigned)jm_next_below(chance, bits + 1);
    const unsigned at = jm_next_below(chance, 2) ? width * limbs : any;
    const number few = of(0, jm_next_below(chance, 2) ? 0 : jm_next_below(chance, 9));
    number a = {{0}};
    switch (jm_next_below(chance, 6)) {
    case 0:
        return few;
    case 1:
        return minus(*p, plus(few, of(0, 1)));
    case 2:
        a = plus(power_of_2(at), jm_next_below(chance, 2) ? few : random_bits(at / 2, chance));
        break;
    case 3:
        a = minus(power_of_2(at > 8 ? at : bits), plus(few, of(0, 1)));
        break;
    case 4:
        for (unsigned first = 0; first < bits; first += width) {
            const uint64_t kind = jm_next_below(chance, 4);
            const unsigned end = first + width < bits ? first + width : bits;
            if (kind == 1) a = plus(a, power_of_2(first));
            if (kind > 1) a = plus(a, minus(power_of_2(end), power_of_2(first)));
        }
        break;
    default: /* ones from a bit on */
        a = plus(minus(power_of_2(bits), power_of_2(at)), random_bits(at / 2, chance));
    }
    return reduced(a, p);
}

/* Poly1305: after the last block the sum, or its product with r, is at an end of its range. */
static void steer_poly1305(const uint8_t r_bytes[16], uint64_t *chance, uint8_t *to, size_t bytes) {
    static const number p = {{UINT32_MAX - 4, UINT32_MAX, UINT32_MAX, UINT32_MAX, 3}};
    static number kept_r, kept_inverse;
    const number r = of(load_le64(r_bytes + 8) & UINT64_C(0x0ffffffc0ffffffc),
                        load_le64(r_bytes) & UINT64_C(0x0ffffffc0fffffff));
    const number zero = of(0, 0), top = power_of_2(128);
    const bool wants_product = jm_next_below(chance, 2) && memcmp(&r, &zero, sizeof r);
    number h = zero;
    if (wants_product && memcmp(&r, &kept_r, sizeof r)) {
        kept_inverse = inverse(r, &p);
        kept_r = r;
    }
    for (; bytes > 16; bytes -= 16, to += 16)
        h = product(plus(h, plus(top, of(load_le64(to + 8), load_le64(to)))), r, &p);
    /* A block is less than a quarter of p: most often some of the ends can be reached. */
    for (int i = 0; i < 24; i++) {
        number wanted = end_of_range(130, &p, chance);
        if (wants_product) wanted = product(wanted, kept_inverse, &p);
        const number block = difference(difference(wanted, h, &p), top, &p);
        if (!fits(&block, 128)) continue;
        store_le64(to, low_of(&block));
        store_le64(to + 8, high_of(&block));
        return;
    }
}

/* NH of UMAC (words of 32 bits, four apart) or of VMAC (words of 64 bits, side by side): a sum of
 * products of two words, each with a word of the key added. */
typedef struct nh_form {
    unsigned word_bits, apart;
    const uint64_t *key;
} nh_form;

static size_t word_of(const nh_form *nh, size_t pair) {
    return pair / nh->apart * 2 * nh->apart + pair % nh->apart;
}

static void put_word(const nh_form *nh, uint8_t *to, size_t word, uint64_t wanted) {
    const uint64_t message = wanted - nh->key[word];
    if (nh->word_bits == 64)
        store_le64(to + 8 * word, message);
    else
        store_le32(to + 4 * word, (uint32_t)message);
}

static void put_pair(const nh_form *nh, uint8_t *to, size_t pair, uint64_t first, uint64_t second) {
    put_word(nh, to, word_of(nh, pair), first);
    put_word(nh, to, word_of(nh, pair) + nh->apart, second);
}

/* Makes NH of the block `wanted`, below a quarter of 2^(2 word_bits) for VMAC: upper half times
 * 2^(word_bits - 1) twice, lower half times 1, and all other products 0. At least three pairs. */
static void put_nh(const nh_form *nh, uint8_t *to, size_t bytes, const number *wanted) {
    const uint64_t half = UINT64_C(1) << (nh->word_bits - 1);
    const uint64_t low = nh->word_bits == 64 ? low_of(wanted) : wanted->limb[0];
    const uint64_t high = nh->word_bits == 64 ? high_of(wanted) : wanted->limb[1];
    for (size_t pair = 3; pair < 4 * bytes / nh->word_bits; pair++) put_pair(nh, to, pair, 0, 0);
    put_pair(nh, to, 0, high, half);
    put_pair(nh, to, 1, high, half);
    put_pair(nh, to, 2, low, 1);
}

/* Words with the key added are at the ends of their range; returns the sum modulo p. */
static number put_ends(const nh_form *nh, uint8_t *to, size_t bytes, const number *p,
                       uint64_t *chance) {
    const uint64_t most = UINT64_MAX >> (64 - nh->word_bits), half = most / 2 + 1;
    const uint64_t ends[] = {most, most, most, most, 0, 1, half, most - 1};
    const uint64_t kinds = 1 + jm_next_below(chance, sizeof ends / sizeof *ends);
    number sum = {{0}};
    for (size_t pair = 0; pair < 4 * bytes / nh->word_bits; pair++) {
        const uint64_t first = ends[jm_next_below(chance, kinds)];
        const uint64_t second = ends[jm_next_below(chance, kinds)];
        put_pair(nh, to, pair, first, second);
        sum = sum_of(sum, product(of(0, first), reduced(of(0, second), p), p), p);
    }
    return sum;
}

/* Block `index` of the keys that `what` names, as UMAC (two words) and VMAC (two bytes) number. */
static void derive(const uint8_t *schedule, const uint8_t counter[16], uint64_t words[2]) {
    uint8_t block[16];
    jm_aes128_portable.cipher->encrypt(&jm_aes128_portable, schedule, counter, block, 1);
    words[0] = load_be64(block);
    words[1] = load_be64(block + 8);
}

/* Keys of one iteration of UMAC, or of one word of VMAC's tag. */
typedef struct layers {
    uint64_t nh[NH_WORDS_MAX];
    number k;         /* of the polynomial */
    uint64_t last[4]; /* UMAC's for the low digits, modulo p36; VMAC's two */
} layers;

static void umac_keys(const uint8_t *key, size_t iteration, layers *to) {
    static const number p36 = {{UINT32_MAX - 4, 15}};
    _Alignas(JM_STATE_ALIGN) uint8_t schedule[JM_AES128_SCHEDULE_BYTES_portable];
    uint8_t counter[16] = {[7] = 1};
    uint64_t words[2];
    jm_aes128_portable.cipher->set_key(&jm_aes128_portable, schedule, key, 16);
    for (size_t i = 0; i < UMAC_BLOCK / 16; i++) {
        counter[15] = (uint8_t)(i + iteration + 1);
        derive(schedule, counter, words);
        for (size_t j = 0; j < 4; j++)
            to->nh[4 * i + j] = (uint32_t)(words[j / 2] >> (j % 2 ? 0 : 32));
    }
    counter[7] = 2; /* 24 bytes for each iteration, of which the first 8 are the key modulo p64 */
    counter[15] = (uint8_t)(24 * iteration / 16 + 1);
    derive(schedule, counter, words);
    to->k = of(0, words[iteration % 2] & UINT64_C(0x01ffffff01ffffff));
    counter[7] = 3;
    for (size_t i = 0; i < 2; i++) {
        counter[15] = (uint8_t)(4 * iteration + 3 + i);
        derive(schedule, counter, words);
        for (size_t j = 0; j < 2; j++) {
            const number last = reduced(of(0, words[j]), &p36);
            to->last[2 * i + j] = low_of(&last);
        }
    }
}

static void vmac_keys(const uint8_t *key, size_t word, layers *to) {
    static const uint64_t mask = UINT64_C(0x1fffffff1fffffff);
    _Alignas(JM_STATE_ALIGN) uint8_t schedule[JM_AES128_SCHEDULE_BYTES_portable];
    uint8_t counter[16] = {0x80};
    uint64_t words[2];
    jm_aes128_portable.cipher->set_key(&jm_aes128_portable, schedule, key, 16);
    for (size_t i = 0; i < VMAC_BLOCK / 16; i++) {
        counter[15] = (uint8_t)(i + word);
        derive(schedule, counter, to->nh + 2 * i);
    }
    counter[0] = 0xc0;
    counter[15] = (uint8_t)word;
    derive(schedule, counter, words);
    to->k = of(words[0] & mask, words[1] & mask);
    counter[0] = 0xe0; /* the next pair is taken in one case of 2^55, and then nothing is steered */
    derive(schedule, counter, to->last);
}

/* A hash of 64 bits whose digits of 16 bits, times the keys of the third layer, have a sum at an
 * end of p36; unchanged if the digits tried have none. */
static void umac_last_end(const layers *keys, uint64_t *chance, number *hash) {
    static const uint64_t p36 = (UINT64_C(1) << 36) - 5;
    static const number p = {{UINT32_MAX - 4, 15}};
    const uint64_t upper = jm_next_word(chance) & UINT32_MAX;
    const number factor = inverse(of(0, keys->last[3]), &p);
    const number step = product(of(0, keys->last[2]), factor, &p);
    /* 0 to 4 are also p36 to 2^36 - 1; the numbers before them are not. */
    for (uint64_t wanted = 0; wanted < 5; wanted++) {
        const number above = sum_of(product(of(0, upper >> 16), of(0, keys->last[0]), &p),
                                    product(of(0, upper & 0xffff), of(0, keys->last[1]), &p), &p);
        const number start = product(difference(of(0, wanted), above, &p), factor, &p);
        uint64_t digit = low_of(&start);
        for (uint64_t third = 0; third < 1 << 16; third++) {
            if (digit < 1 << 16) {
                *hash = of(0, upper << 32 | third << 16 | digit);
                return;
            }
            digit += digit < low_of(&step) ? p36 - low_of(&step) : 0 - low_of(&step);
        }
    }
}

static void steer_umac(const uint8_t *key, size_t iterations, uint64_t *chance, uint8_t *to,
                       size_t bytes) {
    static const number p64 = {{UINT32_MAX - 58, UINT32_MAX}}, all = {{0, 0, 1}};
    layers keys;
    umac_keys(key, jm_next_below(chance, iterations), &keys);
    const nh_form nh = {32, 4, keys.nh};
    number y = of(0, 1), hash;
    const bool one_block = bytes <= UMAC_BLOCK;
    for (size_t left = bytes, taken; left; left -= taken, to += taken) {
        taken = left < UMAC_BLOCK ? left : UMAC_BLOCK;
        const number bits = of(0, 8 * taken), moved = product(y, keys.k, &p64);
        const uint64_t kind = jm_next_below(chance, 8);
        if (kind < 2) {
            hash = sum_of(put_ends(&nh, to, taken, &all, chance), bits, &all);
        } else {
            if (kind < 4)
                hash = end_of_range(64, &all, chance);
            else {
                number wanted = end_of_range(64, &p64, chance);
                if (kind > 5 && taken == left) umac_last_end(&keys, chance, &wanted);
                hash = one_block ? wanted : difference(wanted, moved, &p64);
            }
            if (kind == 3) /* about the first hash that takes two steps */
                hash = of(0, UINT64_C(0xfffffffefffffff8) + jm_next_below(chance, 16));
            const number sum = difference(hash, bits, &all);
            put_nh(&nh, to, taken, &sum);
        }
        if (!less(&hash, &(number){{0, UINT32_MAX}})) { /* two steps: RFC 4418, section 5.3.2 */
            y = sum_of(moved, minus(p64, of(0, 1)), &p64);
            hash = minus(hash, of(0, 59));
        }
        y = sum_of(product(y, keys.k, &p64), reduced(hash, &p64), &p64);
    }
}

/* The last sum of VMAC for which both factors of the third layer, or their product, are at an end
 * of p64. */
static number vmac_last_end(const layers *keys, uint64_t *chance, const number *p127) {
    static const number p64 = {{UINT32_MAX - 256, UINT32_MAX}};
    static const number divisor = {{0, UINT32_MAX}};
    number quotient = random_bits(62, chance), rest;
    const number first = of(0, keys->last[0]), second = of(0, keys->last[1]);
    if (jm_next_below(chance, 2)) {
        quotient = difference(end_of_range(64, &p64, chance), first, &p64);
        rest = difference(end_of_range(64, &p64, chance), second, &p64);
    } else {
        const number factor = reduced(plus(first, quotient), &p64);
        const number wanted = of(0, jm_next_below(chance, 257));
        rest = difference(product(wanted, inverse(factor, &p64), &p64), second, &p64);
    }
    return sum_of(product(quotient, divisor, p127), reduced(rest, p127), p127);
}

static void steer_vmac(const uint8_t *key, size_t words, uint64_t *chance, uint8_t *to,
                       size_t bytes) {
    static const number p127 = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX >> 1}};
    static const number all = {{0, 0, 0, UINT32_C(1) << 30}}; /* NH is modulo 2^126 */
    layers keys;
    vmac_keys(key, jm_next_below(chance, words), &keys);
    const nh_form nh = {64, 1, keys.nh};
    const number bits = of(8 * (bytes % VMAC_BLOCK), 0);
    number y = of(0, 1), hash = {{0}};
    for (size_t left = bytes, taken; left; left -= taken, to += taken) {
        taken = left < VMAC_BLOCK ? left : VMAC_BLOCK;
        const number moved = product(y, keys.k, &p127);
        const uint64_t kind = jm_next_below(chance, 8);
        if (kind < 2) {
            hash = put_ends(&nh, to, taken, &all, chance);
        } else {
            if (kind < 4) hash = end_of_range(126, &all, chance);
            for (int i = 0; kind >= 4 && i < 16; i++) { /* half of all values can be reached */
                number wanted = end_of_range(127, &p127, chance);
                if (taken == left && kind > 5) wanted = vmac_last_end(&keys, chance, &p127);
                if (taken == left) wanted = difference(wanted, bits, &p127);
                hash = difference(wanted, moved, &p127);
                if (fits(&hash, 126)) break;
            }
            hash = reduced(hash, &all);
            put_nh(&nh, to, taken, &hash);
        }
        y = sum_of(moved, hash, &p127);
    }
}

/* x y in the field of GCM (SP 800-38D, section 6.3), whose bits come from the left; into y. */
static void ghash_product(const uint8_t x[16], uint8_t y[16]) {
    uint8_t sum[16] = {0}, v[16];
    memcpy(v, y, sizeof v);
    for (unsigned bit = 0; bit < 128; bit++) {
        const uint8_t carry = v[15] & 1;
        for (unsigned i = 0; x[bit / 8] << bit % 8 & 0x80 && i < 16; i++) sum[i] ^= v[i];
        for (unsigned i = 15; i > 0; i--) v[i] = (uint8_t)(v[i] >> 1 | v[i - 1] << 7);
        v[0] = (uint8_t)(v[0] >> 1 ^ (carry ? 0xe1 : 0));
    }
    memcpy(y, sum, sizeof sum);
}

/* GMAC: a block makes the sum that is multiplied next a form. */
static void steer_gmac(const uint8_t *key, size_t key_bytes, uint64_t *chance, uint8_t *to,
                       size_t bytes) {
    const jm_implementation *cipher = key_bytes == 16   ? &jm_aes128_portable
                                      : key_bytes == 24 ? &jm_aes192_portable
                                                        : &jm_aes256_portable;
    _Alignas(JM_STATE_ALIGN) uint8_t schedule[JM_AES256_SCHEDULE_BYTES_portable];
    uint8_t h[16] = {0}, sum[16] = {0}, wanted[16];
    cipher->cipher->set_key(cipher, schedule, key, key_bytes);
    cipher->cipher->encrypt(cipher, schedule, h, h, 1);
    for (size_t at = 0; at < bytes; at += 16) {
        jm_structured_block(jm_next_word(chance), wanted);
        for (unsigned i = 0; i < 16; i++) to[at + i] = sum[i] ^ wanted[i];
        memcpy(sum, wanted, sizeof sum);
        ghash_product(h, sum);
    }
}

bool jm_is_named(const jm_implementation *self, const char *beginning) {
    return !strncmp(self->algorithm, beginning, strlen(beginning));
}

bool jm_can_be_steered(const jm_implementation *self) {
    return self->kind == JM_KIND_MAC &&
           (jm_is_named(self, "poly1305") || jm_is_named(self, "umac-") ||
            jm_is_named(self, "vmac-") || jm_is_named(self, "gmac-"));
}

/* The last block of UMAC and VMAC has room for three pairs of words. */
size_t jm_steered_bytes(const jm_implementation *self, uint64_t *chance) {
    const bool is_long = jm_is_long_structured(chance);
    if (jm_is_named(self, "poly1305")) {
        const uint64_t most = jm_next_below(chance, 4) ? 5 : 70;
        return 16 * ((is_long ? 256 : 0) + 1 + jm_next_below(chance, is_long ? 768 : most));
    }
    if (jm_is_named(self, "gmac-"))
        return 16 * ((is_long ? 256 : 0) + 1 + jm_next_below(chance, is_long ? 256 : 9));
    if (jm_is_named(self, "umac-")) {
        const size_t rest = 32 * (1 + jm_next_below(chance, jm_next_below(chance, 2) ? 2 : 32));
        return UMAC_BLOCK * (is_long ? 4 + jm_next_below(chance, 11) : jm_next_below(chance, 3)) +
               rest;
    }
    const size_t rest = 16 * (3 + jm_next_below(chance, 6));
    if (is_long) return VMAC_BLOCK * (32 + jm_next_below(chance, 90)) + rest;
    return VMAC_BLOCK * jm_next_below(chance, jm_next_below(chance, 4) ? 3 : 18) + rest;
}

void jm_steer(const jm_implementation *self, const uint8_t *key, uint64_t *chance, uint8_t *to,
              size_t bytes) {
    if (jm_is_named(self, "poly1305-aes"))
        steer_poly1305(key + 16, chance, to, bytes);
    else if (jm_is_named(self, "poly1305"))
        steer_poly1305(key, chance, to, bytes);
    else if (jm_is_named(self, "gmac-"))
        steer_gmac(key, self->key_bytes, chance, to, bytes);
    else if (jm_is_named(self, "umac-"))
        steer_umac(key, self->output_bytes / 4, chance, to, bytes);
    else
        steer_vmac(key, self->output_bytes / 8, chance, to, bytes);
}
