// SPDX-License-Identifier: Apache-2.0
//
// Botan 2 and 3 (tried: 2.19.3, 2.19.5, 3.7.1, 3.13.0). One call style, from the handbook's
// "Message Authentication Codes", "Hash Functions and Checksums" and "Block Ciphers": an object
// made by its name, whose best implementation the library picks; per message update and final,
// after which a MAC starts over under the same key. Poly1305, SipHash and GMAC forget the key in
// `final` and get it again for each message; GMAC gets its nonce by `start`. A MAC object cannot be
// copied: copies and streams are new objects, keyed with the key that the state keeps. Botan lacks
// BLAKE2 with a key, KMAC and 128-bit SipHash. No exception leaves this file: each becomes a
// status.
#include <botan/block_cipher.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/version.h>

#include <cstdio>
#include <memory>
#include <new>
#include <vector>

#include "offered.h"
#include "provider.h"

namespace {

using Botan::BlockCipher, Botan::HashFunction, Botan::MessageAuthenticationCode;

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

template <class T> const T *object(const void *state) {
    return std::launder(static_cast<const T *>(state));
}

template <class T> void destroy(void *state) noexcept {
    object<T>(state)->~T();
    jm_wipe(state, sizeof(T));
}

const char *name_of(const jm_implementation *self) {
    return static_cast<const char *>(self->over);
}

// ---- MACs ----

// The calls that begin a message under the key set before.
enum class Begin { nothing, key, key_and_nonce };

struct mac_state { // the library's MAC object and secure_vector wipe themselves
    std::unique_ptr<MessageAuthenticationCode> mac;
    Botan::secure_vector<uint8_t> key;
    std::vector<uint8_t> nonce;
};

void wipe_mac_key(const jm_implementation *, void *state) {
    destroy<mac_state>(state);
}

jm_status set_mac_key(const jm_implementation *self, void *state, const uint8_t *key,
                      size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    new (state) mac_state;
    const jm_status status = guarded([=] {
        mac_state *made = object<mac_state>(state);
        if (key_bytes > 0) made->key.assign(key, key + key_bytes);
        made->nonce.resize(self->nonce_bytes);
        made->mac = MessageAuthenticationCode::create_or_throw(name_of(self));
        made->mac->set_key(made->key.data(), key_bytes);
    });
    if (status != JM_OK) destroy<mac_state>(state);
    return status;
}

jm_status set_nonce(const jm_implementation *self, void *state, const uint8_t *nonce,
                    size_t nonce_bytes) {
    if (!jm_takes_nonce(self, nonce_bytes)) return JM_ERR_NONCE_BYTES;
    return guarded([=] { object<mac_state>(state)->nonce.assign(nonce, nonce + nonce_bytes); });
}

jm_status copy_mac_key(const jm_implementation *self, void *to, const void *from) {
    const mac_state *source = object<mac_state>(from);
    const jm_status status = set_mac_key(self, to, source->key.data(), source->key.size());
    if (status != JM_OK || source->nonce.empty()) return status;
    return set_nonce(self, to, source->nonce.data(), source->nonce.size());
}

template <Begin begin>
jm_status tag(const jm_implementation *, const void *state, const uint8_t *message,
              size_t message_bytes, uint8_t *output) {
    const mac_state *keyed = object<mac_state>(state);
    return guarded([=] {
        if constexpr (begin != Begin::nothing) keyed->mac->set_key(keyed->key);
        if constexpr (begin == Begin::key_and_nonce) keyed->mac->start(keyed->nonce);
        keyed->mac->update(message, message_bytes);
        keyed->mac->final(output);
    });
}

// Botan enciphers nothing for an empty message: its CBC-MAC is a block of zeros. ISO/IEC 9797-1
// pads an empty message to a block, so that this provider refuses empty messages.
jm_status tag_some(const jm_implementation *self, const void *state, const uint8_t *message,
                   size_t message_bytes, uint8_t *output) {
    if (message_bytes == 0) return JM_ERR_MESSAGE_BYTES;
    return tag<Begin::nothing>(self, state, message, message_bytes, output);
}

jm_status update_mac(const jm_implementation *, void *stream, const uint8_t *message,
                     size_t message_bytes) {
    return guarded([=] { object<mac_state>(stream)->mac->update(message, message_bytes); });
}

jm_status finish_mac(const jm_implementation *, void *stream, uint8_t *output) {
    jm_status status = JM_OK;
    if (output) status = guarded([=] { object<mac_state>(stream)->mac->final(output); });
    destroy<mac_state>(stream);
    return status;
}

template <Begin begin>
constexpr jm_mac_functions streamed_mac = {
    sizeof(mac_state), sizeof(mac_state), set_mac_key, copy_mac_key, wipe_mac_key, tag<begin>,
    copy_mac_key,      update_mac,        finish_mac,  nullptr,      nullptr,
};

constexpr jm_mac_functions mac_with_nonce = {
    sizeof(mac_state), 0,       set_mac_key, copy_mac_key, wipe_mac_key, tag<Begin::key_and_nonce>,
    nullptr,           nullptr, nullptr,     nullptr,      set_nonce,
};

constexpr jm_mac_functions mac_of_some = {
    sizeof(mac_state), 0,       set_mac_key, copy_mac_key, wipe_mac_key, tag_some,
    nullptr,           nullptr, nullptr,     nullptr,      nullptr,
};

// ---- hashes ----

using hash_state = std::unique_ptr<HashFunction>;

jm_status init(const jm_implementation *self, void *state) {
    new (state) hash_state;
    return guarded(
        [=] { *object<hash_state>(state) = HashFunction::create_or_throw(name_of(self)); });
}

jm_status update_hash(const jm_implementation *, void *state, const uint8_t *message,
                      size_t message_bytes) {
    return guarded([=] { (*object<hash_state>(state))->update(message, message_bytes); });
}

jm_status final_hash(const jm_implementation *, void *state, uint8_t *output) {
    const jm_status status = guarded([=] { (*object<hash_state>(state))->final(output); });
    destroy<hash_state>(state);
    return status;
}

// Each thread keeps one object, which `final` restores to its initial state.
jm_status digest(const jm_implementation *self, const uint8_t *message, size_t message_bytes,
                 uint8_t *output) {
    thread_local const jm_implementation *made_for = nullptr;
    thread_local hash_state kept;
    return guarded([=] {
        if (made_for != self) {
            kept = HashFunction::create_or_throw(name_of(self));
            made_for = self;
        }
        kept->update(message, message_bytes);
        kept->final(output);
    });
}

constexpr jm_hash_functions hash_functions = {
    sizeof(hash_state), init, update_hash, final_hash, digest,
};

// ---- ciphers ----

using cipher_state = std::unique_ptr<BlockCipher>;

jm_status set_cipher_key(const jm_implementation *self, void *schedule, const uint8_t *key,
                         size_t key_bytes) {
    if (!jm_takes_key(self, key_bytes)) return JM_ERR_KEY_BYTES;
    new (schedule) cipher_state;
    const jm_status status = guarded([=] {
        cipher_state *made = object<cipher_state>(schedule);
        *made = BlockCipher::create_or_throw(name_of(self));
        (*made)->set_key(key, key_bytes);
    });
    if (status != JM_OK) destroy<cipher_state>(schedule);
    return status;
}

void wipe_cipher_key(const jm_implementation *, void *schedule) {
    destroy<cipher_state>(schedule);
}

// The block functions do not throw on a keyed object. If one throws, the output is zeroed, and no
// check accepts zeros.
void encrypt(const jm_implementation *self, const void *schedule, const uint8_t *in, uint8_t *out,
             size_t blocks) {
    const jm_status status =
        guarded([=] { (*object<cipher_state>(schedule))->encrypt_n(in, out, blocks); });
    if (status != JM_OK) memset(out, 0, blocks * self->block_bytes);
}

void chain(const jm_implementation *self, const void *schedule, uint8_t *value, const uint8_t *in,
           size_t blocks) {
    const size_t block_bytes = self->block_bytes;
    const jm_status status = guarded([=] {
        const BlockCipher &cipher = **object<cipher_state>(schedule);
        for (size_t n = 0; n < blocks; n++) {
            for (size_t i = 0; i < block_bytes; i++) value[i] ^= in[n * block_bytes + i];
            cipher.encrypt(value);
        }
    });
    if (status != JM_OK) memset(value, 0, block_bytes);
}

constexpr jm_cipher_functions cipher_functions = {sizeof(cipher_state), set_cipher_key,
                                                  wipe_cipher_key, encrypt, chain};

// ---- tables ----

constexpr jm_implementation facts(const char *algorithm, const char *botan, const char *note,
                                  jm_kind kind, size_t block_bytes, size_t output_bytes) {
    jm_implementation made = {};
    made.algorithm = algorithm;
    made.variant = "botan";
    made.note = note;
    made.kind = kind;
    made.lanes = 1;
    made.block_bytes = block_bytes;
    made.output_bytes = output_bytes;
    made.over = botan;
    return made;
}

constexpr jm_implementation with_keys(jm_implementation made, size_t least, size_t most,
                                      size_t usual) {
    made.key_bytes_min = least;
    made.key_bytes_max = most;
    made.key_bytes = usual;
    return made;
}

// Botan refuses HMAC keys of more than 4096 bytes.
constexpr jm_implementation hmac(const char *algorithm, const char *botan, size_t block_bytes,
                                 size_t tag_bytes) {
    jm_implementation made =
        facts(algorithm, botan, "object keyed once; per message update and final", JM_KIND_MAC,
              block_bytes, tag_bytes);
    made.mac = &streamed_mac<Begin::nothing>;
    return with_keys(made, 0, 4096, tag_bytes);
}

constexpr jm_implementation cmac(const char *algorithm, const char *botan, size_t block_bytes,
                                 size_t key_min, size_t key_max) {
    jm_implementation made =
        facts(algorithm, botan, "object keyed once; per message update and final", JM_KIND_MAC,
              block_bytes, block_bytes);
    made.mac = &streamed_mac<Begin::nothing>;
    return with_keys(made, key_min, key_max, key_max);
}

constexpr jm_implementation cbc_mac(const char *algorithm, const char *botan, size_t key_bytes) {
    jm_implementation made = cmac(algorithm, botan, 16, key_bytes, key_bytes);
    made.mac = &mac_of_some;
    return made;
}

constexpr jm_implementation gmac(const char *algorithm, const char *botan, size_t key_bytes) {
    jm_implementation made = facts(
        algorithm, botan, "object kept; per message set_key, start with the nonce, update, final",
        JM_KIND_MAC, 16, 16);
    made.mac = &mac_with_nonce;
    made.nonce_bytes_min = 1;
    made.nonce_bytes_max = 128;
    made.nonce_bytes = 12;
    return with_keys(made, key_bytes, key_bytes, key_bytes);
}

constexpr jm_implementation rekeyed(const char *algorithm, const char *botan, size_t block_bytes,
                                    size_t tag_bytes, size_t key_bytes) {
    jm_implementation made =
        facts(algorithm, botan, "object kept; per message set_key, update, final", JM_KIND_MAC,
              block_bytes, tag_bytes);
    made.mac = &streamed_mac<Begin::key>;
    return with_keys(made, key_bytes, key_bytes, key_bytes);
}

constexpr jm_implementation hash(const char *algorithm, const char *botan, size_t block_bytes,
                                 size_t digest_bytes) {
    jm_implementation made = facts(algorithm, botan, "update and final on an object that is kept",
                                   JM_KIND_HASH, block_bytes, digest_bytes);
    made.hash = &hash_functions;
    return made;
}

constexpr jm_implementation cipher(const char *algorithm, const char *botan, size_t block_bytes,
                                   size_t key_min, size_t key_max) {
    jm_implementation made =
        facts(algorithm, botan, "encrypt_n for all blocks; chain is one encrypt per block",
              JM_KIND_CIPHER, block_bytes, block_bytes);
    made.cipher = &cipher_functions;
    return with_keys(made, key_min, key_max, key_max);
}

constexpr jm_implementation table[] = {
    hmac("hmac-md5", "HMAC(MD5)", 64, 16),
    hmac("hmac-sha1", "HMAC(SHA-1)", 64, 20),
    hmac("hmac-sha224", "HMAC(SHA-224)", 64, 28),
    hmac("hmac-sha256", "HMAC(SHA-256)", 64, 32),
    hmac("hmac-sha384", "HMAC(SHA-384)", 128, 48),
    hmac("hmac-sha512", "HMAC(SHA-512)", 128, 64),
    hmac("hmac-sha512-256", "HMAC(SHA-512-256)", 128, 32),
    hmac("hmac-sha3-224", "HMAC(SHA-3(224))", 144, 28),
    hmac("hmac-sha3-256", "HMAC(SHA-3(256))", 136, 32),
    hmac("hmac-sha3-384", "HMAC(SHA-3(384))", 104, 48),
    hmac("hmac-sha3-512", "HMAC(SHA-3(512))", 72, 64),
    hmac("hmac-keccak-256", "HMAC(Keccak-1600(256))", 136, 32),
    hmac("hmac-keccak-512", "HMAC(Keccak-1600(512))", 72, 64),
    hmac("hmac-blake2b-512", "HMAC(BLAKE2b(512))", 128, 64),
    hmac("hmac-ripemd160", "HMAC(RIPEMD-160)", 64, 20),
    hmac("hmac-skein-512-256", "HMAC(Skein-512(256))", 64, 32),
    hmac("hmac-skein-512-512", "HMAC(Skein-512(512))", 64, 64),
    hmac("hmac-sm3", "HMAC(SM3)", 64, 32),
    hmac("hmac-whirlpool", "HMAC(Whirlpool)", 64, 64),
    cmac("cmac-aes128", "CMAC(AES-128)", 16, 16, 16),
    cmac("cmac-aes192", "CMAC(AES-192)", 16, 24, 24),
    cmac("cmac-aes256", "CMAC(AES-256)", 16, 32, 32),
    cmac("cmac-serpent128", "CMAC(Serpent)", 16, 16, 16),
    cmac("cmac-shacal2", "CMAC(SHACAL2)", 32, 64, 64),
    cmac("cmac-twofish128", "CMAC(Twofish)", 16, 16, 16),
    cbc_mac("cbc-mac-aes128", "CBC-MAC(AES-128)", 16),
    gmac("gmac-aes128", "GMAC(AES-128)", 16),
    gmac("gmac-aes192", "GMAC(AES-192)", 24),
    gmac("gmac-aes256", "GMAC(AES-256)", 32),
    rekeyed("poly1305", "Poly1305", 16, 16, 32),
    rekeyed("siphash-1-3", "SipHash(1,3)", 8, 8, 16),
    rekeyed("siphash-2-4", "SipHash(2,4)", 8, 8, 16),
    hash("md5", "MD5", 64, 16),
    hash("sha1", "SHA-1", 64, 20),
    hash("sha224", "SHA-224", 64, 28),
    hash("sha256", "SHA-256", 64, 32),
    hash("sha384", "SHA-384", 128, 48),
    hash("sha512", "SHA-512", 128, 64),
    hash("sha512-256", "SHA-512-256", 128, 32),
    hash("sha3-224", "SHA-3(224)", 144, 28),
    hash("sha3-256", "SHA-3(256)", 136, 32),
    hash("sha3-384", "SHA-3(384)", 104, 48),
    hash("sha3-512", "SHA-3(512)", 72, 64),
    hash("shake128-256", "SHAKE-128(256)", 168, 32),
    hash("shake256-512", "SHAKE-256(512)", 136, 64),
    hash("keccak-256", "Keccak-1600(256)", 136, 32),
    hash("keccak-512", "Keccak-1600(512)", 72, 64),
    hash("blake2b-512", "BLAKE2b(512)", 128, 64),
    hash("ripemd160", "RIPEMD-160", 64, 20),
    hash("skein-512-256", "Skein-512(256)", 64, 32),
    hash("skein-512-512", "Skein-512(512)", 64, 64),
    hash("sm3", "SM3", 64, 32),
    hash("whirlpool", "Whirlpool", 64, 64),
    cipher("aes128", "AES-128", 16, 16, 16),
    cipher("aes192", "AES-192", 16, 24, 24),
    cipher("aes256", "AES-256", 16, 32, 32),
    cipher("serpent128", "Serpent", 16, 16, 16),
    cipher("serpent256", "Serpent", 16, 32, 32),
    cipher("shacal2", "SHACAL2", 32, 64, 64),
    cipher("twofish128", "Twofish", 16, 16, 16),
    cipher("twofish256", "Twofish", 16, 32, 32),
};

template <size_t count> struct pointers {
    const jm_implementation *to[count];
    constexpr explicit pointers(const jm_implementation (&from)[count]) : to() {
        for (size_t n = 0; n < count; n++) to[n] = &from[n];
    }
};

constexpr pointers<JM_COUNT(table)> implementations(table);

const char *library_version() {
    static thread_local char text[64];
    snprintf(text, sizeof text, "%u.%u.%u", Botan::version_major(), Botan::version_minor(),
             Botan::version_patch());
    return text;
}

jm_plugin gathered() {
    jm_plugin made = {};
    made.abi_version = JM_ABI_VERSION;
    made.provider = "botan";
    made.library_version = library_version;
    made.compiler = JM_BUILD_COMPILER;
    made.flags = JM_BUILD_FLAGS;
    jm_gather(&made, implementations.to, JM_COUNT(table), nullptr);
    return made;
}

} // namespace

extern "C" JM_EXPORT const jm_plugin *joulemark_plugin() {
    static const jm_plugin plugin = gathered();
    return &plugin;
}
