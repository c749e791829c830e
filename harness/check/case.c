// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <string.h>

#include "structured.h"

static const char *const call_names[JM_CALL_COUNT] = {"one",   "copy",     "stream", "abandon",
                                                      "batch", "in-place", "chain",  "threads"};

uint8_t jm_case_key_byte(uint64_t seed, uint64_t index) {
    if (seed == 0) return (uint8_t)(7 * index + 3);
    if (seed >= JM_STRUCTURED_KEYS) {
        uint8_t block[16];
        jm_structured_block(seed >> (index / 16 % 2 ? 32 : 0) & INT32_MAX, block);
        return block[index % 16];
    }
    return (uint8_t)(jm_mixed(jm_mixed(seed) + index / 8) >> (index % 8 * 8));
}

void jm_case_key(uint64_t seed, uint8_t *key, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) key[i] = jm_case_key_byte(seed, i);
}

uint64_t jm_case_total_bytes(const jm_case *check_case) {
    uint64_t total = 0;
    for (size_t i = 0; i < check_case->parts; i++) total += check_case->lengths[i];
    return total;
}

static char *put_text(char *to, const char *text) {
    while (*text) *to++ = *text++;
    return to;
}

static char *put_hex(char *to, uint64_t number) {
    int digits = 1;
    while (digits < 16 && number >> (4 * digits)) digits++;
    for (int i = digits - 1; i >= 0; i--) *to++ = "0123456789abcdef"[number >> (4 * i) & 15];
    return to;
}

static char *put_place(char *to, const char *name, size_t place) {
    to = put_text(to, name);
    return place == JM_AT_END ? put_text(to, "end") : put_hex(to, place);
}

static char *put_lengths(char *to, const jm_case *check_case) {
    to = put_text(to, " lengths=");
    if (check_case->parts == 0) return put_text(to, "none");
    for (size_t i = 0, run; i < check_case->parts; i += run) {
        for (run = 1;
             i + run < check_case->parts && check_case->lengths[i + run] == check_case->lengths[i];)
            run++;
        if (i) *to++ = ',';
        to = put_hex(to, check_case->lengths[i]);
        if (run > 1) {
            *to++ = '*';
            to = put_hex(to, run);
        }
    }
    return to;
}

void jm_case_text(const jm_case *check_case, char text[JM_CASE_TEXT_BYTES]) {
    char *to = put_text(text, call_names[check_case->call]);
    to = put_hex(put_text(to, " key="), check_case->key_seed);
    to = put_hex(put_text(to, "+"), check_case->key_bytes);
    to = put_hex(put_text(to, " keys="), check_case->keys);
    to = put_text(to, " msg=");
    *to++ = check_case->pattern;
    to = put_hex(to, check_case->message_start);
    to = put_lengths(to, check_case);
    to = put_place(to, " at=", check_case->at);
    to = put_place(to, " out=", check_case->out);
    *to = 0;
}

/* The readers below return NULL for text that they cannot read, and for NULL. */

static const char *take_text(const char *from, const char *text) {
    const size_t bytes = strlen(text);
    return from && !strncmp(from, text, bytes) ? from + bytes : NULL;
}

static const char *take_hex(const char *from, uint64_t most, uint64_t *number) {
    *number = 0;
    if (!from) return NULL;
    size_t digits = 0;
    for (; digits < 16; digits++) {
        const char sign = from[digits];
        if (sign >= '0' && sign <= '9')
            *number = *number << 4 | (uint64_t)(sign - '0');
        else if (sign >= 'a' && sign <= 'f')
            *number = *number << 4 | (uint64_t)(sign - 'a' + 10);
        else
            break;
    }
    return digits && *number <= most ? from + digits : NULL;
}

static const char *take_place(const char *from, size_t *place) {
    const char *end = take_text(from, "end");
    uint64_t number = JM_AT_END;
    if (!end) end = take_hex(from, JM_AT_END - 1, &number);
    *place = (size_t)number;
    return end;
}

static const char *take_lengths(const char *from, jm_case *check_case) {
    const char *none = take_text(from, "none");
    check_case->parts = 0;
    if (none) return none;
    for (bool more = true; from && more;
         more = from && *from == ',', from = more ? from + 1 : from) {
        uint64_t length, run = 1;
        from = take_hex(from, UINT64_C(1) << 40, &length);
        if (from && *from == '*') from = take_hex(from + 1, JM_CASE_PARTS_MAX, &run);
        if (!from || run == 0 || run > JM_CASE_PARTS_MAX - check_case->parts) return NULL;
        while (run--) check_case->lengths[check_case->parts++] = length;
    }
    return from;
}

bool jm_case_parse(const char *text, jm_case *check_case) {
    const char *from = NULL;
    uint64_t number;
    memset(check_case, 0, sizeof *check_case);
    for (int i = 0; i < JM_CALL_COUNT && !from; i++) {
        check_case->call = (jm_case_call)i;
        from = take_text(text, call_names[i]);
        if (from && *from != ' ') from = NULL;
    }
    from = take_hex(take_text(from, " key="), UINT64_MAX, &check_case->key_seed);
    from = take_hex(take_text(from, "+"), JM_CASE_KEY_BYTES_MAX, &number);
    check_case->key_bytes = (size_t)number;
    from = take_hex(take_text(from, " keys="), JM_CASE_PARTS_MAX, &number);
    check_case->keys = (size_t)number;
    from = take_text(from, " msg=");
    if (!from || !strchr("mfzs", *from) || !*from) return false;
    check_case->pattern = *from++;
    from = take_hex(from, check_case->pattern == 's' ? UINT32_MAX : UINT32_C(1) << 20,
                    &check_case->message_start);
    from = take_lengths(take_text(from, " lengths="), check_case);
    from = take_place(take_text(from, " at="), &check_case->at);
    from = take_place(take_text(from, " out="), &check_case->out);
    return from && !*from && check_case->keys &&
           (check_case->parts || check_case->call == JM_CALL_BATCH);
}
