/* SPDX-License-Identifier: Apache-2.0
 * The arithmetic of VMAC and UMAC next to its limits, which random keys and messages never reach,
 * against sums modulo the primes by doubling and adding; and 128-bit numbers in two words, which
 * compilers without 128-bit integers use, against the compiler's 128-bit integers. */
#include "umac/umac_layers.h"
#include "vmac/vmac_hash.h"

#include "native_test.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 number;

#define EDGES 9u
#define TRIES 60u
static const uint64_t edges[EDGES] = {0,
                                      1,
                                      58,
                                      UINT32_MAX,
                                      UINT64_C(1) << 63,
                                      UINT64_C(0xffffffff00000000),
                                      UINT64_C(0xfffffffffffffeff),
                                      UINT64_MAX - 58,
                                      UINT64_MAX};
static uint64_t seed = 7;

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "universal hashes: %s is wrong\n", what);
    exit(1);
}

/* An edge, a number near one, or any. */
static uint64_t word(void) {
    const uint64_t chance = random_word(&seed);
    const uint64_t edge = edges[chance % EDGES];
    return chance >> 62 == 0 ? random_word(&seed) : edge + (chance >> 61 == 2 ? chance % 5 : 0);
}

static number wide(uint64_t high, uint64_t low) {
    return (number)high << 64 | low;
}

/* a + b modulo `prime`, of numbers below it. */
static number add(number a, number b, number prime) {
    return a >= prime - b ? a - (prime - b) : a + b;
}

/* a b modulo `prime`, of any `a`. */
static number multiply(number a, number b, number prime) {
    number product = 0;
    a %= prime;
    for (; b; b >>= 1) {
        if (b & 1) product = add(product, a, prime);
        a = add(a, a, prime);
    }
    return product;
}

static void check_wide(void) {
    const uint64_t a = word(), b = word(), c = word(), d = word();
    const jm_wide_halves product = jm_wide_multiply_halves(a, b);
    const jm_wide_halves sum = jm_wide_add_halves((jm_wide_halves){a, b}, (jm_wide_halves){c, d});
    expect(wide(product.high, product.low) == (number)a * b, "a product of halves");
    expect(wide(sum.high, sum.low) == (number)(wide(b, a) + wide(d, c)), "a sum of halves");
}

/* RFC 4418, section 5.3.2, one word. */
static number umac_word(number y, number k, number m, number prime, number over, number top) {
    if (m >= top) {
        y = add(multiply(y, k, prime), prime - 1, prime);
        m -= over;
    }
    return add(multiply(y, k, prime), m % prime, prime);
}

static void check_umac(void) {
    static const uint64_t mask = UINT64_C(0x01ffffff01ffffff);
    const uint64_t m = word(), y = word();
    const umac_layer_key key = {word() & mask, word() & mask, word() & mask, {0}, word()};
    const number p64 = ((number)1 << 64) - 59, p128 = (number)0 - 159;
    const uint64_t found = umac_reduce64(umac_add64(y, key.k64, m));
    expect(found == umac_word(y, key.k64, m, p64, 59, UINT64_C(0xffffffff00000000)),
           "UMAC's polynomial modulo p64");
    const uint64_t high = word(), low = word(), y1 = word();
    const number found128 = umac_reduce128(umac_add128(wide(y1, y), &key, high, low));
    expect(found128 == umac_word(wide(y1, y), wide(key.k128_high, key.k128_low), wide(high, low),
                                 p128, 159, (number)0 - ((number)1 << 96)),
           "UMAC's polynomial modulo p128");
}

static void check_umac_last(void) {
    umac_layer_key key = {0, 0, 0, {0}, (uint32_t)word()};
    const uint64_t high = word(), low = word();
    number sum = 0;
    for (size_t i = 0; i < 8; i++) {
        key.k36[i] = random_word(&seed) % 3 ? UMAC_P36 - 1 : word() % UMAC_P36;
        sum +=
            (number)((i < 4 ? high >> (48 - 16 * i) : low >> (112 - 16 * i)) & 0xffff) * key.k36[i];
    }
    expect(umac_last(high, low, &key, true) == ((uint32_t)(sum % UMAC_P36) ^ (uint32_t)key.mask),
           "UMAC's third layer");
}

static void check_vmac(void) {
    static const uint64_t mask = UINT64_C(0x1fffffff1fffffff);
    const number p127 = ((number)1 << 127) - 1, p64 = ((number)1 << 64) - 257;
    const vmac_word_key key = {
        word() & mask, word() & mask, {word() % VMAC_P64, word() % VMAC_P64}};
    const number k = wide(key.high, key.low), m = wide(word() >> 2, word());
    vmac_residue y = {word(), word() >> 1};
    if (random_word(&seed) % 4 == 0) y = (vmac_residue){0, UINT64_C(1) << 63}; /* p127 + 1 */
    const number expected = add(multiply(wide(y.high, y.low), k, p127), m, p127);
    const vmac_residue next = vmac_step(y, &key, m);
    expect(wide(next.high, next.low) % p127 == expected, "VMAC's polynomial");
    expect(next.high <= UINT64_C(1) << 63, "the bound of VMAC's polynomial");

    const uint64_t bits = random_word(&seed) % 2 ? 0 : 8 * (random_word(&seed) % 128);
    const number whole = add(wide(y.high, y.low) % p127, (number)bits << 64, p127);
    const number by = ((number)1 << 64) - ((number)1 << 32);
    const number first = (key.last[0] + whole / by) % p64,
                 second = (key.last[1] + whole % by) % p64;
    expect(vmac_last(y, &key, bits) == multiply(first, second, p64), "VMAC's last layer");
}

int main(void) {
    for (unsigned i = 0; i < TRIES * EDGES * EDGES; i++) {
        check_wide();
        check_umac();
        check_umac_last();
        check_vmac();
    }
    printf("universal hashes: passed\n");
    return 0;
}
#else
int main(void) {
    printf("universal hashes: not run, this compiler has no 128-bit integers\n");
    return 0;
}
#endif
