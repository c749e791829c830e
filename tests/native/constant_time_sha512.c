/* SPDX-License-Identifier: Apache-2.0
 * The constant-time claims of SHA-512 and SHA-384 for one message with AVX-512, which valgrind
 * (3.19) does not run: the source in constant_time_sha512/ is that of the kernel, with instructions
 * replaced by the functions of avx512vl.h. Run as
 *     valgrind --error-exitcode=9 constant_time_sha512
 * Without valgrind, the functions must equal the instructions, if the CPU has them, and the changed
 * kernel the portable kernel: exit code 1 if not. With valgrind, secrets are marked as by
 * constant_time, whose `leaky` and exit code 77 this program shares. Not checked: the compiler's
 * code for the kernel with the replaced instructions, and with BMI2. */
#include "avx512vl.h"
#include "check/secrets.h"
#include "compare_portable.h"
#include "native_test.h"

#if defined(__x86_64__)
#include <immintrin.h>

extern const jm_implementation emulated_sha384_avx512, emulated_hmac_sha384_avx512;
extern const jm_implementation emulated_sha512_avx512, emulated_hmac_sha512_avx512;

static const jm_implementation *const emulated[] = {
    &emulated_sha384_avx512,
    &emulated_hmac_sha384_avx512,
    &emulated_sha512_avx512,
    &emulated_hmac_sha512_avx512,
};
enum { KERNELS = sizeof emulated / sizeof *emulated, OPERANDS = 100000 };

static void expect_same(const char *instruction, vl_words found, __m128i expected) {
    if (!memcmp(&found, &expected, sizeof found)) return;
    fprintf(stderr, "%s: the emulation differs from this CPU\n", instruction);
    exit(1);
}

/* The header's intrinsics: only the kernel's own file has them replaced. Immediates of the kernel
 * and a few more. */
__attribute__((target("avx512f,avx512vl,ssse3"))) static void compare_instructions(void) {
    uint64_t seed = 1;
    for (int i = 0; i < OPERANDS; i++) {
        vl_words a, b, c;
        random_bytes(&seed, (uint8_t *)&a, sizeof a);
        random_bytes(&seed, (uint8_t *)&b, sizeof b);
        random_bytes(&seed, (uint8_t *)&c, sizeof c);
        const __m128i x = (__m128i)a, y = (__m128i)b, z = (__m128i)c;
        expect_same("VPRORQ 1", emulated_ror64(a, 1), _mm_ror_epi64(x, 1));
        expect_same("VPRORQ 8", emulated_ror64(a, 8), _mm_ror_epi64(x, 8));
        expect_same("VPRORQ 19", emulated_ror64(a, 19), _mm_ror_epi64(x, 19));
        expect_same("VPRORQ 61", emulated_ror64(a, 61), _mm_ror_epi64(x, 61));
        expect_same("VPTERNLOGQ 96h", emulated_ternary64(a, b, c, 0x96),
                    _mm_ternarylogic_epi64(x, y, z, 0x96));
        expect_same("VPTERNLOGQ CAh", emulated_ternary64(a, b, c, 0xca),
                    _mm_ternarylogic_epi64(x, y, z, 0xca));
        expect_same("VPTERNLOGQ 2Dh", emulated_ternary64(a, b, c, 0x2d),
                    _mm_ternarylogic_epi64(x, y, z, 0x2d));
        expect_same("PALIGNR 8", (vl_words)emulated_alignr((vl_bytes)a, (vl_bytes)b, 8),
                    _mm_alignr_epi8(x, y, 8));
        expect_same("PALIGNR 3", (vl_words)emulated_alignr((vl_bytes)a, (vl_bytes)b, 3),
                    _mm_alignr_epi8(x, y, 3));
        expect_same("PSHUFB", (vl_words)emulated_shuffle_bytes((vl_bytes)a, (vl_bytes)b),
                    _mm_shuffle_epi8(x, y));
    }
    puts("The emulated instructions agree with this CPU's.");
}

int main(int argc, char **argv) {
    unsigned broken = 0;
    if (!RUNNING_ON_VALGRIND) {
        if (jm_cpu_features() & JM_CPU_AVX512) compare_instructions();
        for (size_t i = 0; i < KERNELS; i++) compare_with_portable(emulated[i]);
        puts("The emulated kernels agree with the portable ones.");
    }
    if (!watched()) return SKIPPED;
    if (argc > 1 && !strcmp(argv[1], "leaky")) {
        run_leaky();
        return 0;
    }
    for (size_t i = 0; i < KERNELS; i++) broken += !keeps_secrets(emulated[i]);
    return broken != 0;
}

#else

int main(void) {
    puts("Not checked: only x86-64 has this kernel.");
    return SKIPPED;
}

#endif
