/* SPDX-License-Identifier: Apache-2.0
 *
 * HMAC (RFC 2104) of a batch of messages, a few at once, for a block function that takes one block
 * of each of two messages and so uses the cycles in which either would wait for itself.
 *
 * Technique: up to JM_STREAMS_MAX messages are in work, each at its own place: in its whole blocks,
 * in its padding, or in the outer hash. One turn gives every stream one block, pair by pair; a
 * stream that ends its message takes the next, the longest first if lengths differ much, so that
 * all streams stay busy until the batch runs out. Two pairs in turn also hide the work between two
 * blocks of one message, such as writing the inner digest to the outer block. State: one chaining
 * value and two blocks per stream, on the stack, wiped once at the end. Constant time in keys and
 * messages as far as the compression is: lengths alone decide the order. */
#ifndef JM_HMAC_STREAMS_H
#define JM_HMAC_STREAMS_H

#include "common/batch_variant.h"
#include "common/merkle_damgard.h"

enum { JM_STREAMS_MAX = 4, JM_STREAM_BLOCK_BYTES = 64 };
/* To sort messages costs as much as ending with a message that is longer by this many bytes. */
enum { JM_STREAMS_ORDER_BYTES = 8 * JM_STREAM_BLOCK_BYTES };

/* The includer defines: a constant of this struct of functions. */
typedef struct jm_streams_code {
    const jm_compression *compression; /* of blocks of JM_STREAM_BLOCK_BYTES */
    /* Absorbs `count` (0 allowed) blocks of each of two messages. */
    void (*compress_pair)(void *chain0, const uint8_t *blocks0, void *chain1,
                          const uint8_t *blocks1, size_t count);
    /* Writes the outer hash's last block: the digest that `chain` holds, and the padding. */
    void (*outer_block)(const void *chain, uint8_t *block);
} jm_streams_code;

typedef struct jm_stream {
    _Alignas(JM_STATE_ALIGN) uint8_t chain[JM_CHAIN_BYTES_MAX];
    uint8_t end[2 * JM_STREAM_BLOCK_BYTES]; /* padded end of the message, or outer block */
    const jm_mac_message *message;
    const uint8_t *next; /* of the `left` blocks that follow each other in memory */
    size_t left;
    enum { JM_STREAM_WHOLE, JM_STREAM_PADDED, JM_STREAM_OUTER } part;
} jm_stream;

JM_INLINE void jm_stream_pad(const jm_streams_code *code, jm_stream *stream) {
    const jm_compression *compression = code->compression;
    const jm_mac_message *message = stream->message;
    const size_t tail = message->message_bytes % JM_STREAM_BLOCK_BYTES;
    const uint64_t total_bytes = JM_STREAM_BLOCK_BYTES + (uint64_t)message->message_bytes;
    /* NULL may not take even an offset of 0. */
    const uint8_t *rest = tail ? message->message + (message->message_bytes - tail) : stream->end;
    stream->part = JM_STREAM_PADDED;
    stream->next = stream->end;
    stream->left = jm_padding(stream->end, JM_STREAM_BLOCK_BYTES, compression->length_bytes, rest,
                              tail, jm_quad_length(compression, total_bytes));
}

JM_INLINE void jm_stream_start(const jm_streams_code *code, jm_stream *stream,
                               const jm_mac_message *message) {
    const jm_hmac_key *key = message->key_state;
    memcpy(stream->chain, key->inner, code->compression->chain_bytes);
    stream->message = message;
    stream->part = JM_STREAM_WHOLE;
    stream->next = message->message;
    stream->left = message->message_bytes / JM_STREAM_BLOCK_BYTES;
    if (!stream->left) jm_stream_pad(code, stream);
}

/* Goes on to the next part of the message after the current part was absorbed. Returns false if
 * there is none, because the tag has been written. */
JM_INLINE bool jm_stream_advance(const jm_streams_code *code, jm_stream *stream) {
    const jm_hmac_key *key = stream->message->key_state;
    switch (stream->part) {
    case JM_STREAM_WHOLE:
        jm_stream_pad(code, stream);
        return true;
    case JM_STREAM_PADDED:
        code->outer_block(stream->chain, stream->end);
        memcpy(stream->chain, key->outer, code->compression->chain_bytes);
        stream->part = JM_STREAM_OUTER;
        stream->next = stream->end;
        stream->left = 1;
        return true;
    case JM_STREAM_OUTER:
        break;
    }
    code->compression->output(stream->chain, stream->message->tag);
    return false;
}

JM_INLINE void jm_stream_absorbed(jm_stream *stream, size_t blocks) {
    stream->next += blocks * JM_STREAM_BLOCK_BYTES;
    stream->left -= blocks;
}

/* One turn of `busy` streams: a block each, or, if only one stream or one pair is busy, as many
 * blocks as each has. */
JM_INLINE void jm_streams_turn(const jm_streams_code *code, jm_stream *const *running,
                               size_t busy) {
    size_t i = 0;
    for (; i + 1 < busy; i += 2) {
        jm_stream *const a = running[i], *const b = running[i + 1];
        const size_t both = a->left < b->left ? a->left : b->left, blocks = busy == 2 ? both : 1;
        code->compress_pair(a->chain, a->next, b->chain, b->next, blocks);
        jm_stream_absorbed(a, blocks);
        jm_stream_absorbed(b, blocks);
    }
    if (i < busy) {
        jm_stream *const last = running[i];
        const size_t blocks = busy == 1 ? last->left : 1;
        code->compression->compress(last->chain, last->next, blocks);
        jm_stream_absorbed(last, blocks);
    }
}

JM_INLINE void jm_streams_order(const jm_mac_message *messages, size_t count, uint8_t *order) {
    size_t longest = 0, shortest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = messages[i].message_bytes;
        longest = bytes > longest ? bytes : longest;
        shortest = bytes < shortest ? bytes : shortest;
        order[i] = (uint8_t)i;
    }
    if (count > JM_STREAMS_MAX && longest - shortest >= JM_STREAMS_ORDER_BYTES)
        batch_order(messages, count, JM_STREAM_BLOCK_BYTES, order);
}

/* Tags 1 to BATCH_SLICE messages with the first streams of `stream`. */
JM_INLINE void jm_streams_slice(const jm_streams_code *code, jm_stream *stream,
                                const jm_mac_message *messages, size_t count) {
    uint8_t order[BATCH_SLICE];
    jm_stream *running[JM_STREAMS_MAX];
    size_t started = 0, busy = 0;
    jm_streams_order(messages, count, order);
    for (; busy < JM_STREAMS_MAX && started < count; busy++, started++) {
        running[busy] = &stream[busy];
        jm_stream_start(code, running[busy], &messages[order[started]]);
    }
    while (busy) {
        jm_streams_turn(code, running, busy);
        for (size_t i = busy; i-- > 0;) {
            if (running[i]->left || jm_stream_advance(code, running[i])) continue;
            if (started < count)
                jm_stream_start(code, running[i], &messages[order[started++]]);
            else
                running[i] = running[--busy];
        }
    }
}

typedef struct jm_streams {
    jm_stream stream[JM_STREAMS_MAX];
} jm_streams;
/* Two pairs of spilled chaining values and schedules, and the order of a slice. */
#define JM_STREAMS_STACK_BYTES 1536

/* Tags `count` messages. */
JM_INLINE jm_status jm_hmac_streams(const jm_streams_code *code, jm_streams *work,
                                    const jm_mac_message *messages, size_t count, uint64_t live) {
    const size_t live_at = JM_HMAC_LIVE_AT(JM_STREAM_BLOCK_BYTES);
    for (size_t slice; count; messages += slice, count -= slice) {
        slice = count < BATCH_SLICE ? count : BATCH_SLICE;
        if (!jm_all_live(messages, slice, live_at, live)) return JM_ERR_ENDED;
        jm_streams_slice(code, work->stream, messages, slice);
    }
    return JM_OK;
}

JM_INLINE void jm_streams_wipe(jm_streams *work, size_t count) {
    const size_t used = count < JM_STREAMS_MAX ? count : JM_STREAMS_MAX;
    for (size_t i = 0; i < used; i++) {
        jm_stream *const stream = &work->stream[i];
        jm_wipe(stream->chain, JM_CHAIN_BYTES_MAX);
        /* Block by block: for longer pieces gcc takes a string instruction, slow to start. */
        jm_wipe(stream->end, JM_STREAM_BLOCK_BYTES);
        jm_wipe(stream->end + JM_STREAM_BLOCK_BYTES, JM_STREAM_BLOCK_BYTES);
    }
}

/* The last line of a variant's file: defines jm_hmac_<primitive>_<variant> over the jm_streams_code
 * `code_`, which leaves all but batches to the implementation `single_`. */
#define JM_HMAC_STREAMS(primitive_, variant_, features_, target_, note_, digest_, code_, single_)  \
    target_ JM_INLINE jm_status streams_run(jm_streams *work, const jm_mac_message *messages,      \
                                            size_t count, size_t digest_bytes, uint64_t live) {    \
        (void)digest_bytes; /* `code_` writes the tags */                                          \
        return jm_hmac_streams(&(code_), work, messages, count, live);                             \
    }                                                                                              \
    JM_HMAC_BATCH(primitive_, variant_, features_, target_, note_, JM_STREAMS_MAX,                 \
                  JM_STREAM_BLOCK_BYTES, digest_, single_, jm_streams, streams_run,                \
                  jm_streams_wipe, JM_STREAMS_STACK_BYTES)

#endif
