// SPDX-License-Identifier: Apache-2.0
//
// Crypto++ (tried: 8.7, 8.9). One call style: an object keyed once with SetKey, which lies in the
// state itself; per message Update and TruncatedFinal, after which the object starts over under the
// same key (HashTransformation::TruncatedFinal in cryptlib.h). The library's HMAC hashes key ^ ipad
// again for each message, which is part of its cost.
// A MAC with nonces (VMAC, Poly1305-AES) gets its nonce by Resynchronize before each message.
// No exception leaves this file: each becomes a status.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1 // MD5 is in namespace Weak
#include <cryptopp/aes.h>
#include <cryptopp/blake2.h>
#include <cryptopp/cmac.h>
#include <cryptopp/cpu.h>
#include <cryptopp/hmac.h>
#include <cryptopp/md5.h>
#include <cryptopp/misc.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/rc6.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/serpent.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/shacal2.h>
#include <cryptopp/siphash.h>
#include <cryptopp/sm3.h>
#include <cryptopp/twofish.h>
#include <cryptopp/vmac.h>
#include <cryptopp/whrlpool.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "offered.h"
#include "provider.h"

namespace {

template <class Work> jm_status guarded(Work work) noexcept {
    try {
        work();
        return JM_OK;
    } catch (const std::bad_alloc &) {
        return JM_ERR_MEMORY;
    } catch (...) {
        return JM_ERR_LIBRARY;
    }
}

template <class T> T *object(void *state) {
    return std::launder(static_cast<T *>(state));
}

// The state is const to the caller, but its object changes during a message and is restored after.
template <class T> T *object(const void *state) {
    return object<T>(const_cast<void *>(state));
}

template <class T> void destroy(void *state) noexcept {
    object<T>(state)->~T();
    jm_wipe(state, sizeof(T));
}

template <class T>
jm_status update(const jm_implementation *, void *state, const uint8_t *message,
                 size_t message_bytes) {
    return guarded([=] { object<T>(state)->Update(message, message_bytes); });
}

template <class T> jm_status finish(const jm_implementation *self, void *state, uint8_t *output) {
    jm_status status = JM_OK;
    if (output)
        status = guarded([=] { object<T>(state)->TruncatedFinal(output, self->output_bytes); });
    destroy<T>(state);
    return status;
}

template <class Mac>
jm_status set_mac_key(const jm_implementation *self, void *state, const uint8_t *key,
                      size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    static const uint8_t empty = 0;
    jm_status status = guarded([=] { new (state) Mac; });
    if (status != JM_OK) return status;
    status = guarded([=] { object<Mac>(state)->SetKey(key ? key : &empty, key_bytes); });
    if (status != JM_OK) destroy<Mac>(state);
    return status;
}

template <class Mac> jm_status copy(const jm_implementation *, void *to, const void *from) {
    return guarded([=] { new (to) Mac(*object<Mac>(from)); });
}

template <class Mac> void wipe_mac_key(const jm_implementation *, void *state) {
    destroy<Mac>(state);
}

template <class Mac>
jm_status tag(const jm_implementation *self, const void *state, const uint8_t *message,
              size_t message_bytes, uint8_t *output) {
    return guarded([=] {
        Mac *mac = object<Mac>(state);
        mac->Update(message, message_bytes);
        mac->TruncatedFinal(output, self->output_bytes);
    });
}

template <class Mac>
constexpr jm_mac_functions mac_functions = {
    sizeof(Mac), sizeof(Mac), set_mac_key<Mac>, copy<Mac>, wipe_mac_key<Mac>, tag<Mac>,
    copy<Mac>,   update<Mac>, finish<Mac>,      nullptr,   nullptr,
};

// For 64-bit tags Crypto++ 8.7 keeps the pad of the last nonce for the next nonce if their last
// bytes differ in more than the lowest bit (vmac.cpp, VMAC_Base::Resynchronize): the tag is wrong,
// and the pad is used twice. This class drops the pad before each nonce.
class Vmac64 : public CryptoPP::VMAC<CryptoPP::AES, 64> {
  public:
    void Resynchronize(const CryptoPP::byte *nonce, int nonce_bytes = -1) override {
        m_padCached = false;
        VMAC_Base::Resynchronize(nonce, nonce_bytes);
    }
};

// An object and the nonce of its next message.
template <class Mac> struct with_nonce {
    Mac mac;
    uint8_t nonce[16];
    size_t nonce_bytes;
};

template <class Mac>
jm_status set_nonce_mac_key(const jm_implementation *self, void *state, const uint8_t *key,
                            size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    jm_status status = guarded([=] { new (state) with_nonce<Mac>(); });
    if (status != JM_OK) return status;
    with_nonce<Mac> *made = object<with_nonce<Mac>>(state);
    made->nonce_bytes = self->nonce_bytes;
    status =
        guarded([=] { made->mac.SetKeyWithIV(key, key_bytes, made->nonce, made->nonce_bytes); });
    if (status != JM_OK) destroy<with_nonce<Mac>>(state);
    return status;
}

template <class Mac>
jm_status set_nonce(const jm_implementation *self, void *state, const uint8_t *nonce,
                    size_t nonce_bytes) {
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    with_nonce<Mac> *to = object<with_nonce<Mac>>(state);
    memcpy(to->nonce, nonce, nonce_bytes);
    to->nonce_bytes = nonce_bytes;
    return JM_OK;
}

template <class Mac>
jm_status tag_with_nonce(const jm_implementation *self, const void *state, const uint8_t *message,
                         size_t message_bytes, uint8_t *output) {
    return guarded([=] {
        with_nonce<Mac> *of = object<with_nonce<Mac>>(state);
        of->mac.Resynchronize(of->nonce, static_cast<int>(of->nonce_bytes));
        of->mac.Update(message, message_bytes);
        of->mac.TruncatedFinal(output, self->output_bytes);
    });
}

template <class Mac> constexpr jm_mac_functions nonce_mac_functions() {
    jm_mac_functions made = {};
    made.key_state_bytes = sizeof(with_nonce<Mac>);
    made.set_key = set_nonce_mac_key<Mac>;
    made.copy_key = copy<with_nonce<Mac>>;
    made.wipe_key = wipe_mac_key<with_nonce<Mac>>;
    made.tag = tag_with_nonce<Mac>;
    made.set_nonce = set_nonce<Mac>;
    return made;
}

template <class Mac> constexpr jm_mac_functions functions_with_nonce = nonce_mac_functions<Mac>();

template <class Hash> jm_status init(const jm_implementation *, void *state) {
    return guarded([=] { new (state) Hash; });
}

template <class Hash>
jm_status digest(const jm_implementation *, const uint8_t *message, size_t message_bytes,
                 uint8_t *output) {
    return guarded([=] { Hash().CalculateDigest(output, message, message_bytes); });
}

template <class Hash>
constexpr jm_hash_functions hash_functions = {
    sizeof(Hash), init<Hash>, update<Hash>, finish<Hash>, digest<Hash>,
};

template <class Cipher>
jm_status set_cipher_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                         size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    return guarded([=] { new (schedule) Cipher(key, key_bytes); });
}

template <class Cipher> void wipe_cipher_key(const jm_implementation *, void *schedule) {
    destroy<Cipher>(schedule);
}

// The block functions do not throw on a keyed object. If one throws, the output is zeroed, and no
// check accepts zeros.
template <class Cipher>
void encrypt(const jm_implementation *, const void *schedule, const uint8_t *in, uint8_t *out,
             size_t blocks) {
    const size_t bytes = blocks * Cipher::BLOCKSIZE;
    const jm_status status = guarded([=] {
        object<Cipher>(schedule)->AdvancedProcessBlocks(
            in, nullptr, out, bytes, CryptoPP::BlockTransformation::BT_AllowParallel);
    });
    if (status != JM_OK) memset(out, 0, bytes);
}

template <class Cipher>
void chain(const jm_implementation *, const void *schedule, uint8_t *value, const uint8_t *in,
           size_t blocks) {
    const jm_status status = guarded([=] {
        const Cipher *cipher = object<Cipher>(schedule);
        for (size_t n = 0; n < blocks; n++) {
            CryptoPP::xorbuf(value, in + n * Cipher::BLOCKSIZE, Cipher::BLOCKSIZE);
            cipher->ProcessBlock(value);
        }
    });
    if (status != JM_OK) memset(value, 0, Cipher::BLOCKSIZE);
}

template <class Cipher>
constexpr jm_cipher_functions cipher_functions = {sizeof(Cipher), set_cipher_key<Cipher>,
                                                  wipe_cipher_key<Cipher>, encrypt<Cipher>,
                                                  chain<Cipher>};

constexpr jm_implementation facts(const char *algorithm, const char *note, jm_kind kind,
                                  size_t block_bytes, size_t output_bytes, size_t key_bytes_min,
                                  size_t key_bytes_max, size_t key_bytes) {
    jm_implementation made = {};
    made.algorithm = algorithm;
    made.variant = "cryptopp";
    made.note = note;
    made.kind = kind;
    made.lanes = 1;
    made.block_bytes = block_bytes;
    made.output_bytes = output_bytes;
    made.key_bytes_min = key_bytes_min;
    made.key_bytes_max = key_bytes_max;
    made.key_bytes = key_bytes;
    return made;
}

template <class Mac>
constexpr jm_implementation mac(const char *algorithm, size_t block_bytes, size_t tag_bytes,
                                size_t key_bytes_min, size_t key_bytes_max, size_t key_bytes) {
    jm_implementation made =
        facts(algorithm, "object keyed once; per message Update and TruncatedFinal", JM_KIND_MAC,
              block_bytes, tag_bytes, key_bytes_min, key_bytes_max, key_bytes);
    made.mac = &mac_functions<Mac>;
    return made;
}

// SetKey passes the length on as unsigned int, and HMAC states INT_MAX as its limit.
template <class Hash> constexpr jm_implementation hmac(const char *algorithm) {
    return mac<CryptoPP::HMAC<Hash>>(algorithm, Hash::BLOCKSIZE, Hash::DIGESTSIZE, 0, INT_MAX,
                                     Hash::DIGESTSIZE);
}

template <class Mac>
constexpr jm_implementation fixed_key_mac(const char *algorithm, size_t block_bytes,
                                          size_t tag_bytes, size_t key_bytes) {
    return mac<Mac>(algorithm, block_bytes, tag_bytes, key_bytes, key_bytes, key_bytes);
}

template <class Mac>
constexpr jm_implementation nonce_mac(const char *algorithm, size_t block_bytes, size_t tag_bytes,
                                      size_t key_bytes, uint8_t nonce_bytes_min,
                                      uint8_t nonce_bytes_max, uint8_t nonce_bytes) {
    jm_implementation made =
        facts(algorithm, "object keyed once; per message Resynchronize, Update and TruncatedFinal",
              JM_KIND_MAC, block_bytes, tag_bytes, key_bytes, key_bytes, key_bytes);
    made.nonce_bytes_min = nonce_bytes_min;
    made.nonce_bytes_max = nonce_bytes_max;
    made.nonce_bytes = nonce_bytes;
    made.mac = &functions_with_nonce<Mac>;
    return made;
}

template <class Hash> constexpr jm_implementation hash(const char *algorithm) {
    jm_implementation made = facts(algorithm, "a new object and CalculateDigest for each message",
                                   JM_KIND_HASH, Hash::BLOCKSIZE, Hash::DIGESTSIZE, 0, 0, 0);
    made.hash = &hash_functions<Hash>;
    return made;
}

template <class Cipher>
constexpr jm_implementation cipher(const char *algorithm, size_t key_bytes_min,
                                   size_t key_bytes_max) {
    jm_implementation made =
        facts(algorithm, "AdvancedProcessBlocks, parallel; chain is one ProcessBlock per block",
              JM_KIND_CIPHER, Cipher::BLOCKSIZE, Cipher::BLOCKSIZE, key_bytes_min, key_bytes_max,
              key_bytes_max);
    made.cipher = &cipher_functions<typename Cipher::Encryption>;
    return made;
}

template <class Cipher>
constexpr jm_implementation cipher(const char *algorithm, size_t key_bytes) {
    return cipher<Cipher>(algorithm, key_bytes, key_bytes);
}

template <class Cipher>
constexpr jm_implementation cmac(const char *algorithm, size_t key_bytes_min,
                                 size_t key_bytes_max) {
    return mac<CryptoPP::CMAC<Cipher>>(algorithm, Cipher::BLOCKSIZE, Cipher::BLOCKSIZE,
                                       key_bytes_min, key_bytes_max, key_bytes_max);
}

template <class Cipher> constexpr jm_implementation cmac(const char *algorithm, size_t key_bytes) {
    return cmac<Cipher>(algorithm, key_bytes, key_bytes);
}

using CryptoPP::AES, CryptoPP::SHA1, CryptoPP::SHA256, CryptoPP::SHA384, CryptoPP::SHA512,
    CryptoPP::SipHash, CryptoPP::Weak::MD5;

constexpr jm_implementation table[] = {
    hmac<MD5>("hmac-md5"),
    hmac<SHA1>("hmac-sha1"),
    hmac<SHA256>("hmac-sha256"),
    hmac<SHA384>("hmac-sha384"),
    hmac<SHA512>("hmac-sha512"),
    hmac<CryptoPP::SHA224>("hmac-sha224"),
    hmac<CryptoPP::SHA3_224>("hmac-sha3-224"),
    hmac<CryptoPP::SHA3_256>("hmac-sha3-256"),
    hmac<CryptoPP::SHA3_384>("hmac-sha3-384"),
    hmac<CryptoPP::SHA3_512>("hmac-sha3-512"),
    hmac<CryptoPP::RIPEMD160>("hmac-ripemd160"),
    hmac<CryptoPP::SM3>("hmac-sm3"),
    hmac<CryptoPP::Whirlpool>("hmac-whirlpool"),
    cmac<AES>("cmac-aes128", 16),
    cmac<AES>("cmac-aes192", 24),
    cmac<AES>("cmac-aes256", 32),
    cmac<CryptoPP::RC6>("cmac-rc6-128", 16),
    cmac<CryptoPP::Serpent>("cmac-serpent128", 16),
    cmac<CryptoPP::SHACAL2>("cmac-shacal2", 16, 64),
    cmac<CryptoPP::Twofish>("cmac-twofish128", 16),
    fixed_key_mac<SipHash<1, 3, false>>("siphash-1-3", 8, 8, 16),
    mac<CryptoPP::BLAKE2b>("blake2b-mac", 128, 64, 1, 64, 64),
    mac<CryptoPP::BLAKE2s>("blake2s-mac", 64, 32, 1, 32, 32),
    fixed_key_mac<SipHash<2, 4, false>>("siphash-2-4", 8, 8, 16),
    fixed_key_mac<SipHash<2, 4, true>>("siphash-2-4-128", 8, 16, 16),
    fixed_key_mac<CryptoPP::Poly1305TLS>("poly1305", 16, 16, 32),
    nonce_mac<CryptoPP::Poly1305<AES>>("poly1305-aes", 16, 16, 32, 16, 16, 16),
    nonce_mac<Vmac64>("vmac-64-aes128", 128, 8, 16, 1, 15, 8),
    nonce_mac<CryptoPP::VMAC<AES, 128>>("vmac-128-aes128", 128, 16, 16, 1, 15, 8),
    hash<MD5>("md5"),
    hash<SHA1>("sha1"),
    hash<SHA256>("sha256"),
    hash<SHA384>("sha384"),
    hash<SHA512>("sha512"),
    hash<CryptoPP::SHA224>("sha224"),
    hash<CryptoPP::SHA3_224>("sha3-224"),
    hash<CryptoPP::SHA3_256>("sha3-256"),
    hash<CryptoPP::SHA3_384>("sha3-384"),
    hash<CryptoPP::SHA3_512>("sha3-512"),
    hash<CryptoPP::BLAKE2b>("blake2b-512"),
    hash<CryptoPP::BLAKE2s>("blake2s-256"),
    hash<CryptoPP::RIPEMD160>("ripemd160"),
    hash<CryptoPP::SM3>("sm3"),
    hash<CryptoPP::Whirlpool>("whirlpool"),
    cipher<AES>("aes128", 16),
    cipher<AES>("aes192", 24),
    cipher<AES>("aes256", 32),
    cipher<CryptoPP::RC6>("rc6-128", 16),
    cipher<CryptoPP::Serpent>("serpent128", 16),
    cipher<CryptoPP::Serpent>("serpent256", 32),
    cipher<CryptoPP::SHACAL2>("shacal2", 16, 64),
    cipher<CryptoPP::Twofish>("twofish128", 16),
    cipher<CryptoPP::Twofish>("twofish256", 32),
};

template <size_t count> struct pointers {
    const jm_implementation *to[count];
    constexpr explicit pointers(const jm_implementation (&from)[count]) : to() {
        for (size_t n = 0; n < count; n++) to[n] = &from[n];
    }
};

constexpr pointers<JM_COUNT(table)> implementations(table);

const char *library_version() {
    static thread_local char text[32];
    const int version = CryptoPP::LibraryVersion();
    snprintf(text, sizeof text, "%d.%d.%d", version / 100, version / 10 % 10, version % 10);
    return text;
}

jm_plugin gathered() {
    jm_plugin made = {};
    made.abi_version = JM_ABI_VERSION;
    made.provider = "cryptopp";
    made.library_version = library_version;
    made.compiler = JM_BUILD_COMPILER;
    made.flags = JM_BUILD_FLAGS;
    jm_gather(&made, implementations.to, JM_COUNT(table), nullptr);
    return made;
}

// Makes the library choose code as on a CPU without the instructions beyond SSE2, which every
// x86-64 has: the library sets these variables once and reads them before each choice.
void hide_cpu_features() {
#if CRYPTOPP_BOOL_X64
    (void)CryptoPP::HasSSE2();
    for (bool *feature :
         {&CryptoPP::g_hasSSSE3, &CryptoPP::g_hasSSE41, &CryptoPP::g_hasSSE42,
          &CryptoPP::g_hasMOVBE, &CryptoPP::g_hasAESNI, &CryptoPP::g_hasCLMUL, &CryptoPP::g_hasAVX,
          &CryptoPP::g_hasAVX2, &CryptoPP::g_hasSHA, &CryptoPP::g_hasADX})
        *feature = false;
#endif
}

} // namespace

extern "C" JM_EXPORT const jm_plugin *joulemark_plugin() {
    if (std::getenv(JM_SOFTWARE_ONLY)) hide_cpu_features();
    static const jm_plugin plugin = gathered();
    return &plugin;
}
