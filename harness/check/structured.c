// SPDX-License-Identifier: Apache-2.0
#include "structured.h"

#include <string.h>

#define BLOCK_BYTES 16u
#define BLOCK_BITS 128u

uint64_t jm_mixed(uint64_t word) {
    word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

uint64_t jm_next_word(uint64_t *chance) {
    return jm_mixed((*chance)++);
}

uint64_t jm_next_below(uint64_t *chance, uint64_t limit) {
    return (jm_next_word(chance) >> 16) % limit;
}

/* Sets `count` bits from bit `first` on; bits beyond the block are dropped. */
static void set_bits(uint8_t block[BLOCK_BYTES], unsigned first, unsigned count, uint64_t bits) {
    for (unsigned i = 0; i < count && first + i < BLOCK_BITS; i++)
        if (bits >> i & 1) block[(first + i) / 8] |= (uint8_t)(1u << (first + i) % 8);
}

static void put_limbs(uint8_t block[BLOCK_BYTES], unsigned width, uint64_t chance) {
    const uint64_t most = UINT64_MAX >> (64 - width);
    const uint64_t ends[] = {0, 0, 1, most, most, most - 1, UINT64_C(1) << (width - 1)};
    for (unsigned first = 0; first < BLOCK_BITS; first += width)
        set_bits(block, first, width, ends[jm_next_below(&chance, sizeof ends / sizeof *ends)]);
}

void jm_structured_block(uint64_t form, uint8_t block[BLOCK_BYTES]) {
    static const unsigned widths[] = {26, 32, 44, 64};
    const unsigned kind = (unsigned)(form % JM_FORMS), at = form / JM_FORM_AT % BLOCK_BITS;
    uint64_t chance = form;
    bool inverted = false;
    memset(block, 0, BLOCK_BYTES);
    switch (kind) {
    case JM_FORM_ZEROS:
    case JM_FORM_ONES:
        inverted = kind == JM_FORM_ONES;
        break;
    case JM_FORM_ONE_BIT:
    case JM_FORM_ONE_ZERO:
        set_bits(block, at, 1, 1);
        inverted = kind == JM_FORM_ONE_ZERO;
        break;
    case JM_FORM_ONES_BELOW:
    case JM_FORM_ONES_FROM:
        for (unsigned bit = 0; bit < at; bit++) set_bits(block, bit, 1, 1);
        inverted = kind == JM_FORM_ONES_FROM;
        break;
    case JM_FORM_SMALL:
    case JM_FORM_FEW_LESS:
        block[0] = (uint8_t)at;
        inverted = kind == JM_FORM_FEW_LESS;
        break;
    case JM_FORM_BYTES:
        for (unsigned i = 0; i < BLOCK_BYTES; i++) block[i] = jm_next_below(&chance, 2) ? 0xff : 0;
        break;
    case JM_FORM_LIMBS_26:
    case JM_FORM_LIMBS_32:
    case JM_FORM_LIMBS_44:
    case JM_FORM_LIMBS_64:
        put_limbs(block, widths[kind - JM_FORM_LIMBS_26], chance);
        break;
    case JM_FORM_JUST_ABOVE:
    case JM_FORM_JUST_BELOW:
        set_bits(block, at, 1, 1);
        set_bits(block, 0, at < 64 ? at / 2 : 60, jm_next_word(&chance));
        inverted = kind == JM_FORM_JUST_BELOW;
        break;
    default:
        set_bits(block, 0, 64, jm_next_word(&chance));
        set_bits(block, 64, 64, jm_next_word(&chance));
    }
    for (unsigned i = 0; inverted && i < BLOCK_BYTES; i++) block[i] = (uint8_t)~block[i];
}

/* Half of the messages behind the plain ones are steered. */
static bool is_steered(const jm_implementation *self, uint64_t number) {
    return number >= JM_PLAIN_MESSAGES && number % 2 && jm_can_be_steered(self);
}

bool jm_is_long_structured(uint64_t *chance) {
    return jm_next_below(chance, 64) == 0;
}

size_t jm_structured_message_bytes(const jm_implementation *self, uint64_t number) {
    uint64_t chance = jm_mixed(number);
    if (is_steered(self, number)) return jm_steered_bytes(self, &chance);
    if (jm_is_long_structured(&chance))
        return 4096 + BLOCK_BYTES * (1 + jm_next_below(&chance, 768));
    return BLOCK_BYTES * (1 + jm_next_below(&chance, jm_next_below(&chance, 8) ? 9 : 160));
}

/* All blocks have one form; or each has another form, or one of two forms; or the first block has
 * one form and all others another. */
void jm_structured_message(const jm_implementation *self, const uint8_t *key, size_t key_bytes,
                           uint64_t number, uint8_t *to, size_t bytes) {
    uint64_t chance = jm_mixed(~number);
    const unsigned shape = number < JM_PLAIN_MESSAGES ? 0 : (unsigned)jm_next_below(&chance, 4);
    const uint64_t first = number < JM_PLAIN_MESSAGES ? number : jm_next_word(&chance);
    const uint64_t second = jm_next_word(&chance);
    uint8_t block[BLOCK_BYTES];
    for (size_t at = 0; at < bytes; at += BLOCK_BYTES) {
        uint64_t form = first;
        if (shape == 1) form = jm_next_word(&chance);
        if (shape == 2 && jm_next_below(&chance, 2)) form = second;
        if (shape == 3 && at) form = second;
        jm_structured_block(form, block);
        memcpy(to + at, block, bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES);
    }
    if (!is_steered(self, number) || key_bytes < self->key_bytes) return;
    uint64_t steering = jm_mixed(number);
    const size_t whole = jm_steered_bytes(self, &steering);
    if (whole <= bytes) jm_steer(self, key, &steering, to, whole);
}

/* Bits of r alone, three messages each, for Poly1305, whose key holds r as it is. UMAC's and VMAC's
 * keys take long to set up, and their sums are reached by steered messages alone. */
static uint64_t cases_of_bits(const jm_implementation *self) {
    return jm_is_named(self, "poly1305") ? 3 * BLOCK_BITS : 0;
}

uint64_t jm_structured_count(const jm_implementation *self) {
    if (!jm_can_be_steered(self)) return 24;
    return cases_of_bits(self) + (jm_is_named(self, "poly1305") ? 1200 : 240);
}

/* Half of the forms of a key are one bit. */
static uint64_t key_form(uint64_t *chance) {
    const uint64_t form = jm_next_word(chance) & INT32_MAX;
    return jm_next_below(chance, 2) ? form : form / JM_FORMS * JM_FORMS + JM_FORM_ONE_BIT;
}

/* The message's own length comes first, then lengths of few blocks and one of any bytes. A third of
 * the keys are not structured. Four messages have the same key, which may take long to set up. */
jm_case jm_structured_case(const jm_implementation *self, uint64_t number) {
    static const uint64_t forms[] = {JM_FORM_ONES, JM_FORM_FEW_LESS + JM_FORM_AT,
                                     JM_FORM_SMALL + JM_FORM_AT};
    const uint64_t bits = cases_of_bits(self),
                   unit = self->kind == JM_KIND_CIPHER ? self->block_bytes : 1;
    uint64_t chance = jm_mixed(number), of_key = jm_mixed(~(number / 4));
    jm_case check_case = {.pattern = 's', .keys = 1, .key_bytes = self->key_bytes, .parts = 1};
    check_case.message_start = number - bits + JM_PLAIN_MESSAGES;
    if (jm_next_below(&chance, 8) == 0)
        check_case.message_start = jm_next_below(&chance, JM_FORM_SEED);
    if (number < bits) check_case.message_start = forms[number % 3];
    if (self->kind != JM_KIND_HASH) {
        const uint64_t first = key_form(&of_key), second = key_form(&of_key);
        check_case.key_seed = JM_STRUCTURED_KEYS | second << 32 | first;
        if (jm_next_below(&of_key, 3) == 0)
            check_case.key_seed = 1 + jm_next_below(&of_key, 1 << 20);
        if (number < bits) {
            const uint64_t form = JM_FORM_ONE_BIT + JM_FORM_AT * (number / 3);
            check_case.key_seed = JM_STRUCTURED_KEYS | form << 32 | form;
        }
    }
    const uint64_t most = jm_structured_message_bytes(self, check_case.message_start) / unit * unit;
    check_case.lengths[0] = most;
    const uint64_t kind = jm_next_below(&chance, 8);
    if (kind == 0 && self->kind == JM_KIND_MAC && self->mac->tag_batch) {
        check_case.call = JM_CALL_BATCH;
        for (; check_case.parts < 9; check_case.parts++)
            check_case.lengths[check_case.parts] = most;
        return check_case;
    }
    if (kind == 1 && most > 1 && self->kind != JM_KIND_CIPHER) {
        check_case.call = JM_CALL_STREAM;
        check_case.parts = 2;
        check_case.lengths[1] = jm_next_below(&chance, most);
        check_case.lengths[0] -= check_case.lengths[1];
        return check_case;
    }
    for (uint64_t bytes = BLOCK_BYTES; bytes <= 5 * BLOCK_BYTES && bytes < most; bytes += 16)
        check_case.lengths[check_case.parts++] = bytes / unit * unit;
    check_case.lengths[check_case.parts++] = jm_next_below(&chance, most + 1) / unit * unit;
    return check_case;
}
