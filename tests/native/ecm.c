/* SPDX-License-Identifier: Apache-2.0
 * The programs of castellon2022: their page tables, kept and laid out, are the corrected Algorithm
 * 1, entry by entry, and a permutation; their tags are those of the portable HMAC-SHA256 at lengths
 * at which a chunk, a window or the padding ends. */
#include "castellon2022/page_table.h"

#include "castellon2022/castellon2022.h"
#include "common/table.h"
#include "native_test.h"

extern const jm_table jm_castellon2022_table;

#define MOST 300u
#define WINDOW_BYTES (256u * 64u)
#define LONGEST (3 * WINDOW_BYTES)

static void check_table(size_t chunks, size_t jump) {
    const jm_implementation *self = &jm_hmac_sha256_castellon2022_ecm_j1;
    uint16_t table[MOST];
    uint8_t seen[MOST] = {0};
    size_t factor = 0;
    jm_castellon2022_page_table(table, chunks, jump);
    for (size_t i = 0; i < chunks; i++) {
        if (i > 0 && i * jump % chunks == 0) factor++;
        CHECK(table[i] == (i * jump + factor) % chunks, self, "entry %zu of %zu, jump %zu", i,
              chunks, jump);
        CHECK(!seen[table[i]]++, self, "chunk %u of %zu twice, jump %zu", (unsigned)table[i],
              chunks, jump);
    }
}

static void check_kept_tables(void) {
    static const uint16_t kept[][CASTELLON2022_KEPT_CHUNKS][CASTELLON2022_KEPT_CHUNKS] = {
        CASTELLON2022_KEPT_TABLES(1), CASTELLON2022_KEPT_TABLES(2), CASTELLON2022_KEPT_TABLES(4),
        CASTELLON2022_KEPT_TABLES(8), CASTELLON2022_KEPT_TABLES(16)};
    for (size_t j = 0; j < sizeof kept / sizeof *kept; j++)
        for (size_t chunks = 1; chunks <= CASTELLON2022_KEPT_CHUNKS; chunks++) {
            uint16_t table[CASTELLON2022_KEPT_CHUNKS];
            jm_castellon2022_page_table(table, chunks, (size_t)1 << j);
            CHECK(!memcmp(table, kept[j][chunks - 1], chunks * sizeof *table),
                  &jm_hmac_sha256_castellon2022_ecm_j1, "kept table of %zu chunks, jump %zu",
                  chunks, (size_t)1 << j);
        }
}

static void check_tag(const jm_implementation *self, const uint8_t *bytes, size_t message_bytes) {
    const jm_implementation *other = portable_of(self);
    uint8_t key[32], tag[32], expected[32], *base;
    jm_hmac_key state;
    const uint8_t *message = exact_copy(bytes, message_bytes, 3, &base);
    memcpy(key, bytes, sizeof key);
    /* The portable variant sets the key: both variants have one layout of key states. */
    other->mac->set_key(other, &state, key, sizeof key);
    other->mac->tag(other, &state, message, message_bytes, expected);
    self->mac->tag(self, &state, message, message_bytes, tag);
    CHECK(!memcmp(tag, expected, sizeof tag), self, "%zu bytes", message_bytes);
    free(base);
}

int main(void) {
    static const size_t jumps[] = {64, 100, 256, 65537};
    static uint8_t bytes[LONGEST];
    uint64_t seed = 2022;
    random_bytes(&seed, bytes, sizeof bytes);
    for (size_t chunks = 0; chunks <= MOST; chunks++) {
        for (size_t jump = 1; jump <= 64; jump++) check_table(chunks, jump);
        for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) check_table(chunks, jumps[i]);
    }
    check_kept_tables();
    for (size_t v = 0; v < jm_castellon2022_table.count; v++) {
        const jm_implementation *self = jm_castellon2022_table.implementations[v];
        for (size_t length = 0; length <= 1100; length++) check_tag(self, bytes, length);
        for (size_t window = WINDOW_BYTES; window < LONGEST; window += WINDOW_BYTES)
            for (size_t length = window - 130; length <= window + 70; length++)
                check_tag(self, bytes, length);
    }
    return 0;
}
