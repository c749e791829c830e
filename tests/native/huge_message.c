/* SPDX-License-Identifier: Apache-2.0
 * Messages longer than 4 GiB, where a length narrowed to 32 bits would show. Every algorithm by its
 * preferred variant: prints `algorithm hex` of 4 GiB + 77 zero bytes for comparison with another
 * implementation (tests/native/test_native.py), and checks that a MAC's stream gives the same tag,
 * and so does the variant with the most lanes when the message lies between short messages in a
 * batch. Linux maps one page of zeros again and again, so that no memory is needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "joulemark/kernel.h"

#if SIZE_MAX > UINT32_MAX

#define HUGE_BYTES ((UINT64_C(1) << 32) + 77)
#define PART_BYTES ((UINT64_C(3) << 30) + 1)
#define WHOLE_BYTES (UINT64_C(1) << 29) /* 2^32 bits */

static const uint8_t key[64] = "a key for very long messages, used nowhere else................";

static int stream_differs(const jm_implementation *self, const void *state, const uint8_t *message,
                          const uint8_t *expected) {
    uint8_t output[JM_OUTPUT_BYTES_MAX];
    void *stream = aligned_alloc(JM_STATE_ALIGN, (self->mac->stream_bytes / 64 + 1) * 64);
    if (!stream) return 1;
    self->mac->stream_begin(self, stream, state);
    self->mac->stream_update(self, stream, message, PART_BYTES);
    self->mac->stream_update(self, stream, message, HUGE_BYTES - PART_BYTES);
    self->mac->stream_finish(self, stream, output);
    free(stream);
    return memcmp(output, expected, self->output_bytes) != 0;
}

/* The variant of an algorithm with the most lanes that this CPU runs, or NULL. */
static const jm_implementation *widest(const char *algorithm) {
    const jm_plugin *plugin = jm_builtin_plugin();
    const jm_implementation *found = NULL;
    for (size_t i = 0; i < plugin->count; i++) {
        const jm_implementation *implementation = plugin->implementations[i];
        if (strcmp(implementation->algorithm, algorithm) ||
            implementation->cpu_features & ~jm_cpu_features())
            continue;
        if (implementation->mac && implementation->mac->tag_batch &&
            (!found || implementation->lanes > found->lanes))
            found = implementation;
    }
    return found;
}

static int batch_differs(const jm_implementation *self, const jm_implementation *single,
                         const void *single_state, const uint8_t *message,
                         const uint8_t *expected) {
    uint8_t tags[3][JM_OUTPUT_BYTES_MAX], alone[JM_OUTPUT_BYTES_MAX];
    void *state = aligned_alloc(JM_STATE_ALIGN, (self->mac->key_state_bytes / 64 + 1) * 64);
    if (!state) return 1;
    self->mac->set_key(self, state, key, self->key_bytes);
    const jm_mac_message batch[] = {{state, message, 70, tags[0]},
                                    {state, message, HUGE_BYTES, tags[1]},
                                    {state, message, 5, tags[2]}};
    int wrong = self->mac->tag_batch(self, batch, 3) != JM_OK;
    wrong |= memcmp(tags[1], expected, self->output_bytes);
    for (size_t i = 0; i < 3; i += 2) {
        single->mac->tag(single, single_state, message, batch[i].message_bytes, alone);
        wrong |= memcmp(tags[i], alone, self->output_bytes);
    }
    /* Alone, a message of whole blocks has its length in bits filled in for all lanes. */
    const jm_mac_message whole_blocks = {state, message, WHOLE_BYTES, tags[0]};
    wrong |= self->mac->tag_batch(self, &whole_blocks, 1) != JM_OK;
    single->mac->tag(single, single_state, message, WHOLE_BYTES, alone);
    wrong |= memcmp(tags[0], alone, self->output_bytes);
    self->mac->wipe_key(self, state);
    free(state);
    return wrong;
}

static int run(const jm_implementation *self, const uint8_t *message) {
    uint8_t output[JM_OUTPUT_BYTES_MAX];
    int wrong = 0, batch_wrong = 0;
    if (self->kind == JM_KIND_HASH) {
        self->hash->digest(self, message, HUGE_BYTES, output);
    } else {
        void *state = aligned_alloc(JM_STATE_ALIGN, (self->mac->key_state_bytes / 64 + 1) * 64);
        if (!state) return 1;
        self->mac->set_key(self, state, key, self->key_bytes);
        self->mac->tag(self, state, message, HUGE_BYTES, output);
        wrong = stream_differs(self, state, message, output);
        const jm_implementation *lanes = widest(self->algorithm);
        if (lanes) batch_wrong = batch_differs(lanes, self, state, message, output);
        self->mac->wipe_key(self, state);
        free(state);
    }
    printf("%s ", self->algorithm);
    for (size_t i = 0; i < self->output_bytes; i++) printf("%02x", output[i]);
    printf("%s%s\n", wrong ? " but the stream differs" : "",
           batch_wrong ? " but the batch differs" : "");
    return wrong | batch_wrong;
}

int main(int argc, char **argv) {
    const uint8_t *message =
        mmap(NULL, HUGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (message == MAP_FAILED) return 77;
    const jm_plugin *plugin = jm_builtin_plugin();
    const uint32_t here = jm_cpu_features();
    int wrong = 0;
    for (int name = 1; name < argc; name++) {
        const jm_implementation *preferred = NULL;
        for (size_t i = 0; i < plugin->count; i++) {
            const jm_implementation *implementation = plugin->implementations[i];
            if (!strcmp(implementation->algorithm, argv[name]) &&
                !(implementation->cpu_features & ~here))
                preferred = implementation;
        }
        wrong |= !preferred || run(preferred, message);
    }
    return wrong;
}

#else

int main(void) {
    puts("Not checked: no message of this machine is longer than 4 GiB.");
    return 77;
}

#endif
