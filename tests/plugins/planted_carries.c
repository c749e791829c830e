/* SPDX-License-Identifier: Apache-2.0
 * Poly1305, GMAC, UMAC and VMAC of our own, each variant with one carry or one reduction left out,
 * to show that the check finds the error; the variants named `right` leave nothing out. Poly1305 is
 * written in three ways, with limbs of 26, of 44 and of 64 bits, since each way has other carries.
 * A variant is named after its limbs, or the layer of UMAC and VMAC, and what is lost. */
#include <string.h>

#include "aes/aes.h"
#include "common/words.h"

__extension__ typedef unsigned __int128 wide;

enum lost {
    NOTHING,
    ADD_0, /* of h0 into h1 while a block is added; a limb's number stands for that limb */
    ADD_1,
    PRODUCT_0, /* after the multiplication */
    PRODUCT_1,
    PRODUCT_2,
    PRODUCT_3,
    TOP,   /* of the highest limb, times 5, into the lowest */
    TOP_0, /* of the lowest limb after that */
    TOP_1,
    TOP_1_LATE, /* from the 257th block on */
    END_1,      /* before the last reduction */
    END_2,
    END_3,
    END_TOP,
    END_0,
    MINUS_0, /* while 5 is added to compare with p */
    MINUS_1,
    MINUS_2,
    MINUS_3,
    REDUCED, /* the last reduction itself */
    PAD_0,   /* while s is added */
    PAD_1,
    PAD_2,
    NH,        /* of the lower half of a sum of products */
    LENGTH,    /* of the lower half while the length is added */
    STEP,      /* of the lower half while a hash is added to the polynomial */
    FOLD,      /* of the part above p, added to the part below */
    TWO_STEPS, /* a hash at the top of its range */
    TOP_LEAST, /* the least hash of these alone */
    LAST,      /* the third layer's last reduction */
    FIRST,     /* of the third layer's first factor, second factor */
    SECOND,
    ZERO_BLOCK, /* the multiplication after a block of zeros */
    ONES,       /* a bit, where half of a sum is ones */
    NONCE,      /* the length of a nonce that is not of 12 or 16 bytes */
};

typedef struct fault {
    const char *name;
    enum lost lost;
} fault;

static const fault poly_26[] = {
    {"right_26", NOTHING},
    {"limbs_26_product_0", PRODUCT_0},
    {"limbs_26_product_1", PRODUCT_1},
    {"limbs_26_product_2", PRODUCT_2},
    {"limbs_26_product_3", PRODUCT_3},
    {"limbs_26_top", TOP},
    {"limbs_26_top_0", TOP_0},
    {"limbs_26_end_1", END_1},
    {"limbs_26_end_2", END_2},
    {"limbs_26_end_3", END_3},
    {"limbs_26_end_top", END_TOP},
    {"limbs_26_end_0", END_0},
    {"limbs_26_minus_0", MINUS_0},
    {"limbs_26_minus_1", MINUS_1},
    {"limbs_26_minus_2", MINUS_2},
    {"limbs_26_minus_3", MINUS_3},
    {"limbs_26_reduced", REDUCED},
};
static const fault poly_44[] = {
    {"right_44", NOTHING},
    {"limbs_44_product_0", PRODUCT_0},
    {"limbs_44_product_1", PRODUCT_1},
    {"limbs_44_top", TOP},
    {"limbs_44_top_0", TOP_0},
    {"limbs_44_end_1", END_1},
    {"limbs_44_end_top", END_TOP},
    {"limbs_44_end_0", END_0},
    {"limbs_44_minus_0", MINUS_0},
    {"limbs_44_minus_1", MINUS_1},
    {"limbs_44_reduced", REDUCED},
    {"limbs_44_pad_0", PAD_0},
    {"limbs_44_pad_1", PAD_1},
};
static const fault poly_64[] = {
    {"right_64", NOTHING},
    {"limbs_64_add_0", ADD_0},
    {"limbs_64_add_1", ADD_1},
    {"limbs_64_product_0", PRODUCT_0},
    {"limbs_64_product_1", PRODUCT_1},
    {"limbs_64_top", TOP},
    {"limbs_64_top_0", TOP_0},
    {"limbs_64_top_1", TOP_1},
    {"limbs_64_top_1_late", TOP_1_LATE},
    {"limbs_64_minus_0", MINUS_0},
    {"limbs_64_minus_1", MINUS_1},
    {"limbs_64_reduced", REDUCED},
    {"limbs_64_pad_0", PAD_0},
};
static const fault umac[] = {
    {"right", NOTHING},
    {"nh", NH},
    {"nh_length", LENGTH},
    {"polynomial_step", STEP},
    {"polynomial_fold", FOLD},
    {"polynomial_two_steps", TWO_STEPS},
    {"polynomial_top_least", TOP_LEAST},
    {"polynomial_reduced", REDUCED},
    {"last_reduced", LAST},
};
static const fault vmac[] = {
    {"right", NOTHING},
    {"nh", NH},
    {"polynomial_step", STEP},
    {"polynomial_fold", FOLD},
    {"polynomial_reduced", REDUCED},
    {"last_first", FIRST},
    {"last_second", SECOND},
    {"last_reduced", LAST},
};

static const fault gmac[] = {
    {"right", NOTHING},
    {"zero_block", ZERO_BLOCK},
    {"ones", ONES},
    {"nonce_length", NONCE},
};

typedef struct state {
    uint8_t key[32];
    uint64_t nh[256], k[2], last[4], mask, pad[2];
    _Alignas(64) uint8_t schedule[JM_AES128_SCHEDULE_BYTES_portable];
} state;

#define IF(point, carry) (lost == (point) ? 0 : (carry))
#define M26 0x3ffffffu
#define M44 UINT64_C(0xfffffffffff)
#define M42 UINT64_C(0x3ffffffffff)

/* The block of `n` bytes, 1 to 16, and the bit behind it. */
static void load(const uint8_t *m, size_t n, uint64_t t[3]) {
    uint8_t block[24] = {0};
    memcpy(block, m, n);
    block[n] = 1;
    for (int i = 0; i < 3; i++) t[i] = load_le64(block + 8 * i);
}

static void poly1305_26(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t h[2]) {
    const uint64_t r_low = load_le64(s->key) & 0x0ffffffc0fffffff,
                   r_high = load_le64(s->key + 8) & 0x0ffffffc0ffffffc;
    const wide r_all = (wide)r_high << 64 | r_low;
    uint64_t a[5] = {0}, r[5], g[5], t[3], c;
    for (int i = 0; i < 5; i++) r[i] = (uint64_t)(r_all >> 26 * i) & M26;
    for (size_t k; n; m += k, n -= k) {
        uint64_t d[5] = {0};
        load(m, k = n < 16 ? n : 16, t);
        const wide block = (wide)t[1] << 64 | t[0];
        for (int i = 0; i < 5; i++) a[i] += (uint64_t)(block >> 26 * i) & M26;
        a[4] += t[2] << 24;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) d[(i + j) % 5] += a[i] * r[j] * (i + j < 5 ? 1 : 5);
        for (int i = 0; i < 4; i++) d[i + 1] += IF((enum lost)(PRODUCT_0 + i), d[i] >> 26);
        for (int i = 0; i < 5; i++) a[i] = d[i] & M26;
        a[0] += IF(TOP, 5 * (d[4] >> 26));
        c = a[0] >> 26, a[0] &= M26, a[1] += IF(TOP_0, c);
    }
    c = a[1] >> 26, a[1] &= M26, a[2] += IF(END_1, c);
    c = a[2] >> 26, a[2] &= M26, a[3] += IF(END_2, c);
    c = a[3] >> 26, a[3] &= M26, a[4] += IF(END_3, c);
    c = a[4] >> 26, a[4] &= M26, a[0] += IF(END_TOP, 5 * c);
    c = a[0] >> 26, a[0] &= M26, a[1] += IF(END_0, c);
    c = 5;
    for (int i = 0; i < 5; i++) {
        g[i] = a[i] + c;
        c = g[i] >> 26, g[i] &= M26;
        if (i < 4 && lost == (enum lost)(MINUS_0 + i)) c = 0;
    }
    wide sum = 0;
    for (int i = 0; i < 5; i++) sum += (wide)(c && lost != REDUCED ? g[i] : a[i]) << 26 * i;
    h[0] = (uint64_t)sum, h[1] = (uint64_t)(sum >> 64);
    const uint64_t low = h[0] + load_le64(s->key + 16);
    h[1] += load_le64(s->key + 24) + (low < h[0]);
    h[0] = low;
}

static void poly1305_44(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t h[2]) {
    const uint64_t r_low = load_le64(s->key) & 0x0ffffffc0fffffff,
                   r_high = load_le64(s->key + 8) & 0x0ffffffc0ffffffc,
                   s_low = load_le64(s->key + 16), s_high = load_le64(s->key + 24);
    const uint64_t r0 = r_low & M44, r1 = (r_low >> 44 | r_high << 20) & M44, r2 = r_high >> 24;
    uint64_t a0 = 0, a1 = 0, a2 = 0, t[3], c;
    for (size_t k; n; m += k, n -= k) {
        load(m, k = n < 16 ? n : 16, t);
        a0 += t[0] & M44;
        a1 += (t[0] >> 44 | t[1] << 20) & M44;
        a2 += t[1] >> 24 | t[2] << 40;
        const wide d0 = (wide)a0 * r0 + (wide)a1 * (20 * r2) + (wide)a2 * (20 * r1);
        wide d1 = (wide)a0 * r1 + (wide)a1 * r0 + (wide)a2 * (20 * r2);
        wide d2 = (wide)a0 * r2 + (wide)a1 * r1 + (wide)a2 * r0;
        a0 = (uint64_t)d0 & M44, d1 += IF(PRODUCT_0, (uint64_t)(d0 >> 44));
        a1 = (uint64_t)d1 & M44, d2 += IF(PRODUCT_1, (uint64_t)(d1 >> 44));
        a2 = (uint64_t)d2 & M42, a0 += IF(TOP, 5 * (uint64_t)(d2 >> 42));
        c = a0 >> 44, a0 &= M44, a1 += IF(TOP_0, c);
    }
    c = a1 >> 44, a1 &= M44, a2 += IF(END_1, c);
    c = a2 >> 42, a2 &= M42, a0 += IF(END_TOP, 5 * c);
    c = a0 >> 44, a0 &= M44, a1 += IF(END_0, c);
    c = a1 >> 44, a1 &= M44, a2 += c; /* always 0 */
    uint64_t g0 = a0 + 5, g1 = a1, g2 = a2;
    c = g0 >> 44, g0 &= M44, g1 += IF(MINUS_0, c);
    c = g1 >> 44, g1 &= M44, g2 += IF(MINUS_1, c);
    if (g2 >> 42 && lost != REDUCED) a0 = g0, a1 = g1, a2 = g2 & M42;
    a0 += s_low & M44;
    c = a0 >> 44, a0 &= M44, a1 += ((s_low >> 44 | s_high << 20) & M44) + IF(PAD_0, c);
    c = a1 >> 44, a1 &= M44, a2 += (s_high >> 24) + IF(PAD_1, c);
    h[0] = a0 | a1 << 44, h[1] = a1 >> 20 | a2 << 24;
}

static void poly1305_64(enum lost lost, const state *s, const uint8_t *m, size_t n, uint64_t h[2]) {
    const uint64_t r0 = load_le64(s->key) & 0x0ffffffc0fffffff,
                   r1 = load_le64(s->key + 8) & 0x0ffffffc0ffffffc, r1_over = r1 + (r1 >> 2);
    uint64_t a0 = 0, a1 = 0, a2 = 0, t[3];
    const size_t late = n > 4096 ? n - 4096 : 0; /* bytes behind 256 blocks */
    wide sum;
    for (size_t k; n; m += k, n -= k) {
        const bool is_lost = lost == TOP_1_LATE && n <= late;
        load(m, k = n < 16 ? n : 16, t);
        sum = (wide)a0 + t[0], a0 = (uint64_t)sum;
        sum = (wide)a1 + t[1] + IF(ADD_0, (uint64_t)(sum >> 64)), a1 = (uint64_t)sum;
        a2 += t[2] + IF(ADD_1, (uint64_t)(sum >> 64));
        const wide d0 = (wide)a0 * r0 + (wide)a1 * r1_over;
        const wide d1 = (wide)a0 * r1 + (wide)a1 * r0 + (wide)(a2 * r1_over) +
                        IF(PRODUCT_0, (uint64_t)(d0 >> 64));
        a2 = a2 * r0 + IF(PRODUCT_1, (uint64_t)(d1 >> 64));
        sum = (wide)(uint64_t)d0 + IF(TOP, (a2 & ~UINT64_C(3)) + (a2 >> 2)), a0 = (uint64_t)sum;
        sum = (wide)(uint64_t)d1 + IF(TOP_0, (uint64_t)(sum >> 64)), a1 = (uint64_t)sum;
        a2 = (a2 & 3) + (is_lost ? 0 : IF(TOP_1, (uint64_t)(sum >> 64)));
    }
    sum = (wide)a0 + 5;
    const uint64_t g0 = (uint64_t)sum;
    sum = (wide)a1 + IF(MINUS_0, (uint64_t)(sum >> 64));
    const uint64_t g1 = (uint64_t)sum, g2 = a2 + IF(MINUS_1, (uint64_t)(sum >> 64));
    if (g2 >> 2 && lost != REDUCED) a0 = g0, a1 = g1;
    sum = (wide)a0 + load_le64(s->key + 16), h[0] = (uint64_t)sum;
    h[1] = a1 + load_le64(s->key + 24) + IF(PAD_0, (uint64_t)(sum >> 64));
}

#include "planted_layers.h"

typedef void (*hash_function)(enum lost, const state *, const uint8_t *, size_t, uint64_t[2]);

static jm_status set_nonce(const jm_implementation *self, void *key_state, const uint8_t *nonce,
                           size_t bytes) {
    state *s = key_state;
    const bool is_umac = self->output_bytes == 4;
    const uint8_t choice = is_umac ? 3 : 1, chosen = nonce[bytes - 1] & choice;
    uint8_t block[16] = {0};
    uint64_t w[2];
    if (self->output_bytes == 16) {
        gmac_nonce(((const fault *)self->over)->lost, s, nonce, bytes);
        return JM_OK;
    }
    memcpy(is_umac ? block : block + 16 - bytes, nonce, bytes);
    block[is_umac ? bytes - 1 : 15] &= (uint8_t)~choice;
    derive(s->schedule, load_be64(block), load_be64(block + 8), w);
    s->pad[0] = is_umac ? w[chosen / 2] << (32 * (chosen % 2)) : w[chosen];
    return JM_OK;
}

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t bytes) {
    static const uint8_t zeros[16];
    state *s = key_state;
    if (bytes != self->key_bytes) return JM_ERR_KEY_BYTES;
    memcpy(s->key, key, bytes);
    if (bytes == 32) return JM_OK;
    jm_aes128_portable.cipher->set_key(&jm_aes128_portable, s->schedule, key, bytes);
    if (self->output_bytes == 4) umac_set(s);
    if (self->output_bytes == 8) vmac_set(s);
    if (self->output_bytes == 16) derive(s->schedule, 0, 0, s->nh);
    return set_nonce(self, s, zeros, self->nonce_bytes);
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    (void)self;
    memcpy(to, from, sizeof(state));
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    (void)self;
    memset(key_state, 0, sizeof(state));
}

static const struct family {
    const char *algorithm;
    hash_function hash;
    const fault *faults;
    size_t count, key_bytes, block_bytes, output_bytes;
} families[] = {
#define FAMILY(algorithm, hash, faults, ...)                                                       \
    {algorithm, hash, faults, sizeof(faults) / sizeof *(faults), __VA_ARGS__}
    FAMILY("poly1305", poly1305_26, poly_26, 32, 16, 16),
    FAMILY("poly1305", poly1305_44, poly_44, 32, 16, 16),
    FAMILY("poly1305", poly1305_64, poly_64, 32, 16, 16),
    FAMILY("umac-32-aes128", umac_hash, umac, 16, 1024, 4),
    FAMILY("vmac-64-aes128", vmac_hash, vmac, 16, 128, 8),
    FAMILY("gmac-aes128", gmac_hash, gmac, 16, 16, 16),
};
enum { FAMILIES = sizeof families / sizeof *families, MOST = 80 };

/* The variants of one family lie one after the other in `implementations`, and `over` of each names
 * its fault. */
static size_t family_of(const fault *f) {
    size_t i = 0;
    while (f < families[i].faults || f >= families[i].faults + families[i].count) i++;
    return i;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t bytes, uint8_t *output) {
    const fault *f = self->over;
    uint64_t h[2];
    uint8_t both[16];
    families[family_of(f)].hash(f->lost, key_state, message, bytes, h);
    const bool is_poly1305 = self->key_bytes == 32;
    for (int i = 0; i < (self->output_bytes == 16 ? 2 : 1); i++)
        if (is_poly1305)
            store_le64(both + 8 * i, h[i]);
        else
            store_be64(both + 8 * i, h[i]);
    memcpy(output, both, self->output_bytes);
    return JM_OK;
}

static const char *version(void) {
    return "1.0";
}

__attribute__((visibility("default"))) const jm_plugin *joulemark_plugin(void);
const jm_plugin *joulemark_plugin(void) {
    static const jm_mac_functions functions = {.key_state_bytes = sizeof(state),
                                               .set_key = set_key,
                                               .copy_key = copy_key,
                                               .wipe_key = wipe_key,
                                               .tag = tag,
                                               .set_nonce = set_nonce};
    static jm_implementation implementations[MOST];
    static const jm_implementation *list[MOST];
    static jm_plugin plugin = {.abi_version = JM_ABI_VERSION,
                               .provider = "carries",
                               .library_version = version,
                               .compiler = "test",
                               .flags = "",
                               .implementations = list};
    size_t at = 0;
    for (const struct family *family = families; family < families + FAMILIES; family++)
        for (size_t i = 0; i < family->count; i++, at++) {
            const bool nonces = family->key_bytes == 16;
            implementations[at] = (jm_implementation){
                .algorithm = family->algorithm,
                .variant = family->faults[i].name,
                .kind = JM_KIND_MAC,
                .lanes = 1,
                .nonce_bytes_min = nonces,
                .nonce_bytes_max = nonces ? family->output_bytes == 8 ? 15 : 16 : 0,
                .nonce_bytes = nonces ? family->output_bytes == 16 ? 12 : 8 : 0,
                .block_bytes = family->block_bytes,
                .output_bytes = family->output_bytes,
                .key_bytes_min = family->key_bytes,
                .key_bytes_max = family->key_bytes,
                .key_bytes = family->key_bytes,
                .mac = &functions,
                .over = &family->faults[i],
            };
            list[at] = &implementations[at];
        }
    plugin.count = at;
    return &plugin;
}
