/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel Multi-Buffer Crypto for IPsec (tried: 1.3, 2). The call styles are those of its manual page
 * libipsec-mb(7) and of the comments in intel-ipsec-mb.h, without the checks of parameters:
 *   hash_burst.c, job_burst.c   ipsec_mb_burst_sse, _avx2, _avx512
 *   job.c                       ipsec_mb_job_sse, _avx2, _avx512
 * A variant is one call style on one selection of the library's code. The library chooses further
 * by CPU inside a selection: `sse` uses the SHA extensions, and `avx512` VAES, if the CPU has them.
 * There are no streams. Messages longer than 65536 bytes are refused (JM_ERR_MESSAGE_BYTES), save
 * by Poly1305 and GMAC, and so are empty messages under HMAC, which the library cannot
 * authenticate. A call with one message costs as much as all lanes: the library is made for many
 * messages. */
#include <pthread.h>

#include "joulemark/cpu.h"

#include "ipsec_mb.h"
#include "offered.h"

#if HAVE_BURSTS
#define BURST(functions) (&functions)
#else
#define BURST(functions) NULL
#endif

static const algorithm algorithms[ALGORITHMS] = {
    {"hmac-md5", IMB_AUTH_MD5, KEYED_HMAC, 64, 16, 0, 64, BURST(hmac_job_burst), &hmac_job},
    {"hmac-sha1", IMB_AUTH_HMAC_SHA_1, KEYED_HMAC, 64, 20, 0, SIZE_MAX, BURST(hash_burst),
     &hmac_job},
    {"hmac-sha256", IMB_AUTH_HMAC_SHA_256, KEYED_HMAC, 64, 32, 0, SIZE_MAX, BURST(hash_burst),
     &hmac_job},
    {"hmac-sha384", IMB_AUTH_HMAC_SHA_384, KEYED_HMAC, 128, 48, 0, SIZE_MAX, BURST(hash_burst),
     &hmac_job},
    {"hmac-sha512", IMB_AUTH_HMAC_SHA_512, KEYED_HMAC, 128, 64, 0, SIZE_MAX, BURST(hash_burst),
     &hmac_job},
    {"cmac-aes128", IMB_AUTH_AES_CMAC, KEYED_CMAC, 16, 16, 16, 16, BURST(cmac_job_burst),
     &cmac_job},
    {"cmac-aes256", IMB_AUTH_AES_CMAC_256, KEYED_CMAC, 16, 16, 32, 32, BURST(cmac_job_burst),
     &cmac_job},
    {"gmac-aes128", IMB_AUTH_AES_GMAC_128, KEYED_GMAC, 16, 16, 16, 16, NULL, &gmac_job},
    {"gmac-aes192", IMB_AUTH_AES_GMAC_192, KEYED_GMAC, 16, 16, 24, 24, NULL, &gmac_job},
    {"gmac-aes256", IMB_AUTH_AES_GMAC_256, KEYED_GMAC, 16, 16, 32, 32, NULL, &gmac_job},
    {"poly1305", IMB_AUTH_POLY1305, KEYED_POLY1305, 16, 16, 32, 32, NULL, &poly1305_job},
};

#define SELECTION(name, library_flags, features)                                                   \
    {.burst_variant = "ipsec_mb_burst_" #name,                                                     \
     .job_variant = "ipsec_mb_job_" #name,                                                         \
     .job_burst_note = "bursts of up to 128 jobs, flushed at the end; init_mb_mgr_" #name,         \
     .hash_burst_note = "hash bursts of up to 256 messages; init_mb_mgr_" #name,                   \
     .job_note = "one job per message, flushed at the end; init_mb_mgr_" #name,                    \
     .init = init_mb_mgr_##name,                                                                   \
     .library_features = library_flags,                                                            \
     .cpu_features = features}

#define SSE_FEATURES (JM_CPU_SSSE3 | JM_CPU_SSE41 | JM_CPU_AESNI | JM_CPU_PCLMUL)
#define AVX2_FEATURES (SSE_FEATURES | JM_CPU_AVX2 | JM_CPU_BMI2)

static const selection selections[SELECTIONS] = {
    SELECTION(sse, IMB_CPUFLAGS_SSE, SSE_FEATURES),
    SELECTION(avx2, IMB_CPUFLAGS_AVX2, AVX2_FEATURES),
    SELECTION(avx512, IMB_CPUFLAGS_AVX512, AVX2_FEATURES | JM_CPU_AVX512),
};

/* Number of messages that a manager takes until the first is done: its lanes. The number depends on
 * the library's version and on the CPU's extensions of a selection. 1 if the selection cannot run
 * here. */
static uint32_t count_lanes(IMB_MGR *manager, const algorithm *of) {
    enum { MORE_THAN_ANY = 64 };
    static const uint8_t message[64];
    static const union {
        hmac_key hmac;
        cmac_key cmac;
        gmac_key gmac;
    } no_key;
    uint8_t tags[MORE_THAN_ANY][JM_OUTPUT_BYTES_MAX];
    uint32_t taken = 0;
    if (!manager) return 1;
    for (bool done = false; !done && taken < MORE_THAN_ANY; taken++) {
        IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
        prepare_job(manager, job, of);
        fill_job(job, of->keyed, &no_key, message, sizeof message, tags[taken]);
        done = IMB_SUBMIT_JOB_NOCHECK(manager) != NULL;
    }
    while (IMB_FLUSH_JOB(manager)) continue;
    return taken;
}

/* Facts known only when the library is loaded: written once, before joulemark_plugin returns. */
static call calls[IMPLEMENTATIONS_MAX];
static jm_implementation tables[IMPLEMENTATIONS_MAX];

static const char *library_version(void) {
    return imb_get_version_str();
}

static jm_plugin plugin = {
    .abi_version = JM_ABI_VERSION,
    .provider = "ipsec_mb",
    .library_version = library_version,
    .compiler = JM_BUILD_COMPILER,
    .flags = JM_BUILD_FLAGS,
};

static void set_up(size_t index, const algorithm *of, const selection *with, bool burst,
                   uint32_t lanes) {
    calls[index] = (call){.algorithm = of, .selection = with, .index = index};
    tables[index] = (jm_implementation){
        .algorithm = of->id,
        .variant = burst ? with->burst_variant : with->job_variant,
        .note = !burst                           ? with->job_note
                : of->burst == BURST(hash_burst) ? with->hash_burst_note
                                                 : with->job_burst_note,
        .kind = JM_KIND_MAC,
        .cpu_features = with->cpu_features,
        .lanes = lanes,
        .nonce_bytes_min = of->keyed == KEYED_GMAC ? GMAC_NONCE_BYTES : 0,
        .nonce_bytes_max = of->keyed == KEYED_GMAC ? GMAC_NONCE_BYTES : 0,
        .nonce_bytes = of->keyed == KEYED_GMAC ? GMAC_NONCE_BYTES : 0,
        .block_bytes = of->block_bytes,
        .output_bytes = of->tag_bytes,
        .key_bytes_min = of->key_bytes_min,
        .key_bytes_max = of->key_bytes_max,
        .key_bytes = of->keyed == KEYED_HMAC ? of->tag_bytes : of->key_bytes_max,
        .mac = burst ? of->burst : of->job,
        .over = &calls[index],
    };
}

/* Whether the CPU has what the selection needs; the others are refused by their `cpu_features`. */
static bool runs_here(const jm_implementation *implementation) {
    const call *of = implementation->over;
    return !(of->selection->library_features & ~imb_get_feature_flags());
}

static void gather(void) {
    const uint64_t here = imb_get_feature_flags();
    const jm_implementation *all[IMPLEMENTATIONS_MAX];
    size_t count = 0;
    for (const selection *with = selections; with < selections + SELECTIONS; with++) {
        IMB_MGR *manager = with->library_features & ~here ? NULL : open_manager(with);
        for (const algorithm *of = algorithms; of < algorithms + ALGORITHMS; of++) {
            const uint32_t lanes = count_lanes(manager, of);
            if (of->burst) set_up(count++, of, with, true, lanes);
            set_up(count++, of, with, false, lanes);
        }
        if (manager) free_mb_mgr(manager);
    }
    for (size_t i = 0; i < count; i++) all[i] = &tables[i];
    jm_gather(&plugin, all, count, runs_here);
}

JM_EXPORT const jm_plugin *joulemark_plugin(void);

const jm_plugin *joulemark_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, gather);
    return &plugin;
}
