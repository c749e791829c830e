# SPDX-License-Identifier: Apache-2.0
"""The C that makes a user's function into a plugin: two files of ours; the user's stay as they are.

The first is compiled behind the user's source, so that the compiler converts lengths and pointers
as the declaration asks. The second has the table of the plugin; no name of the user's is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from joulemark.own_code import STEPS
from joulemark.own_code.prototypes import Prototype

KEY_BYTES_MOST: Final = 256
"""Longest key of a function that takes any: longer than every block, beyond which HMAC hashes a
key first. A key state has room for it, and many of them must fit a cache."""
_QUIET: Final = (
    "-Wpointer-sign",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wunused-result",
    "-Wmissing-prototypes",
    "-Wcast-qual",
)
_CALL: Final = """\
int joulemark_own_call(const unsigned char *jm_given_key, __SIZE_TYPE__ jm_key_length,
                       const unsigned char *jm_message, __SIZE_TYPE__ jm_length,
                       unsigned char *jm_out);

int joulemark_own_call(const unsigned char *jm_given_key, __SIZE_TYPE__ jm_key_length,
                       const unsigned char *jm_message, __SIZE_TYPE__ jm_length,
                       unsigned char *jm_out) {{
    /* A message of no bytes may come without an address, which few functions expect. */
    static const unsigned char jm_nothing[1];
    {constant}unsigned char *jm_in =
        ({constant}unsigned char *)(jm_message ? jm_message : jm_nothing);
    {constant}unsigned char *jm_key = ({constant}unsigned char *)jm_given_key;
    (void)jm_key;
    (void)jm_key_length;
{limit}    {call};
    return 0;
}}
"""
_STREAM: Final = """\
int joulemark_own_init(void *jm_context, const unsigned char *jm_given_key,
                       __SIZE_TYPE__ jm_key_length);
int joulemark_own_update(void *jm_context, const unsigned char *jm_message,
                         __SIZE_TYPE__ jm_length);
int joulemark_own_final(void *jm_context, unsigned char *jm_out);

int joulemark_own_init(void *jm_context, const unsigned char *jm_given_key,
                       __SIZE_TYPE__ jm_key_length) {{
    {constant}unsigned char *jm_key = ({constant}unsigned char *)jm_given_key;
    (void)jm_key;
    (void)jm_key_length;
    {init};
    return 0;
}}

int joulemark_own_update(void *jm_context, const unsigned char *jm_message,
                         __SIZE_TYPE__ jm_length) {{
    /* A piece of no bytes may come without an address, which few functions expect. */
    static const unsigned char jm_nothing[1];
    {constant}unsigned char *jm_in =
        ({constant}unsigned char *)(jm_message ? jm_message : jm_nothing);
{limit}    {update};
    return 0;
}}

int joulemark_own_final(void *jm_context, unsigned char *jm_out) {{
    {final};
    return 0;
}}
"""
_REFUSED: Final = "return {call} ? 2 : 0"
_LIMIT: Final = "    if (jm_length > {most}ULL) return 1; /* its type of length holds no more */\n"


@dataclass(frozen=True, slots=True)
class PluginFacts:
    """The facts in the table of a plugin."""

    algorithm: str
    variant: str
    kind: str
    provider: str
    version: str
    note: str
    compiler: str
    flags: str
    block_bytes: int
    output_bytes: int
    key_bytes_min: int
    key_bytes_max: int
    key_bytes: int
    context_bytes: int = 0
    """Size of the context of a stream; 0 for one function."""


def call_source(
    function: str, prototype: Prototype, output_bytes: int, *, returns_zero: bool = False
) -> str:
    """The text of the file that calls the function; it is compiled behind the user's source.

    A stream has three functions, whose names have commas between them.

    With `returns_zero` a value other than 0 means that the function failed.
    """
    most = prototype.most_bytes
    if most is not None and "inbits" in prototype.signature.words:
        most //= 8
    lines = [f'#pragma GCC diagnostic ignored "{warning}"' for warning in _QUIET]
    filled = {
        "constant": "" if prototype.writable_inputs else "const ",
        "limit": "" if most is None else _LIMIT.format(most=most),
    }
    calls = [
        prototype.signature.call(name, output_bytes, place=place)
        for place, name in enumerate(function.split(","))
    ]
    if prototype.signature.is_stream:
        body = _STREAM.format(**filled, **dict(zip(STEPS, calls, strict=True)))
    else:
        call = _REFUSED.format(call=calls[0]) if returns_zero else calls[0]
        body = _CALL.format(**filled, call=call)
    return "\n".join([*lines, body])


def quoted(text: str) -> str:
    """A string of C; a sign that is not plain ASCII is written by its octal code."""
    plain = {
        ord(sign)
        for sign in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;_+-=/()"
    }
    codes = (chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode())
    return f'"{"".join(codes)}"'


_HASH: Final = """\
static jm_status digest(const jm_implementation *self, const uint8_t *message,
                        size_t message_bytes, uint8_t *digest) {
    (void)self;
    return status_of(joulemark_own_call(NULL, 0, message, message_bytes, digest));
}

@BEGIN@static const jm_hash_functions functions = {
@MEMBERS@    .digest = digest,
};
"""
_MAC: Final = """\
typedef struct kept_key {
    size_t bytes;
    uint8_t key[KEY_BYTES_MAX];
} kept_key;

static jm_status set_key(const jm_implementation *self, void *key_state, const uint8_t *key,
                         size_t key_bytes) {
    kept_key *kept = key_state;
    if (key_bytes < self->key_bytes_min || key_bytes > self->key_bytes_max)
        return JM_ERR_KEY_BYTES;
    kept->bytes = key_bytes;
    if (key_bytes) memcpy(kept->key, key, key_bytes);
    return JM_OK;
}

static jm_status copy_key(const jm_implementation *self, void *to, const void *from) {
    const kept_key *kept = from;
    (void)self;
    memcpy(to, from, offsetof(kept_key, key) + kept->bytes);
    return JM_OK;
}

static void wipe_key(const jm_implementation *self, void *key_state) {
    volatile uint8_t *bytes = key_state;
    (void)self;
    for (size_t i = 0; i < sizeof(kept_key); i++) bytes[i] = 0;
}

static jm_status tag(const jm_implementation *self, const void *key_state, const uint8_t *message,
                     size_t message_bytes, uint8_t *tag) {
    const kept_key *kept = key_state;
    (void)self;
    return status_of(joulemark_own_call(kept->key, kept->bytes, message, message_bytes, tag));
}

@BEGIN@static const jm_mac_functions functions = {
@MEMBERS@    .key_state_bytes = sizeof(kept_key),
    .set_key = set_key,
    .copy_key = copy_key,
    .wipe_key = wipe_key,
    .tag = tag,
};
"""
_CONTEXT: Final = """\
typedef struct context {
    _Alignas(JM_STATE_ALIGN) uint8_t bytes[CONTEXT_BYTES];
} context;

int joulemark_own_init(void *context, const unsigned char *key, size_t key_bytes);
int joulemark_own_update(void *context, const unsigned char *message, size_t message_bytes);
int joulemark_own_final(void *context, unsigned char *output);

static void wipe_context(void *state) {
    volatile uint8_t *bytes = state;
    for (size_t i = 0; i < CONTEXT_BYTES; i++) bytes[i] = 0;
}

int joulemark_own_call(const unsigned char *key, size_t key_bytes, const unsigned char *message,
                       size_t message_bytes, unsigned char *output) {
    context whole;
    int said = joulemark_own_init(&whole, key, key_bytes);
    if (!said) said = joulemark_own_update(&whole, message, message_bytes);
    return said ? said : joulemark_own_final(&whole, output);
}

static jm_status stream_update(const jm_implementation *self, void *state, const uint8_t *message,
                               size_t message_bytes) {
    (void)self;
    return status_of(joulemark_own_update(state, message, message_bytes));
}

static jm_status stream_finish(const jm_implementation *self, void *state, uint8_t *output) {
    const int said = output ? joulemark_own_final(state, output) : 0;
    (void)self;
    wipe_context(state);
    return status_of(said);
}
"""
_HASH_STREAM: Final = """\
static jm_status init(const jm_implementation *self, void *state) {
    (void)self;
    return status_of(joulemark_own_init(state, NULL, 0));
}
"""
_MAC_STREAM: Final = """\
static jm_status stream_begin(const jm_implementation *self, void *state, const void *key_state) {
    kept_key passing;
    copy_key(self, &passing, key_state);
    const int said = joulemark_own_init(state, passing.key, passing.bytes);
    /* A caller may wipe its key after init, so code that reads it later must not find it. */
    memset(passing.key, 0x5a, passing.bytes);
    __asm__ volatile("" : : "r"(&passing) : "memory");
    return status_of(said);
}
"""
_FUNCTIONS: Final[Mapping[str, str]] = {"hash": _HASH, "mac": _MAC}
_STREAMS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "hash": (
        _HASH_STREAM,
        ("state_bytes = sizeof(context)", "init = init", "update = stream_update",
         "final = stream_finish"),
    ),
    "mac": (
        _MAC_STREAM,
        ("stream_bytes = sizeof(context)", "stream_begin = stream_begin",
         "stream_update = stream_update", "stream_finish = stream_finish"),
    ),
}  # fmt: skip
"""Kind -> the function that begins a stream, and the members of the table that a stream has."""
_TABLE: Final = """\
static const jm_implementation implementation = {{
    .algorithm = {algorithm},
    .variant = {variant},
    .note = {note},
    .kind = JM_KIND_{kind},
    .lanes = 1,
    .block_bytes = {block_bytes},
    .output_bytes = {output_bytes},
    .key_bytes_min = {key_bytes_min},
    .key_bytes_max = {key_bytes_max},
    .key_bytes = {key_bytes},
    .{member} = &functions,
}};

static const char *version(void) {{
    return {version};
}}

JM_API const jm_plugin *joulemark_plugin(void);

JM_API const jm_plugin *joulemark_plugin(void) {{
    static const jm_implementation *const list[] = {{&implementation}};
    static const jm_plugin plugin = {{
        .abi_version = JM_ABI_VERSION,
        .provider = {provider},
        .library_version = version,
        .compiler = {compiler},
        .flags = {flags},
        .count = 1,
        .implementations = list,
    }};
    return &plugin;
}}
"""
_HEAD: Final = """\
#include <joulemark/kernel.h>
#include <string.h>

#define KEY_BYTES_MAX {key_bytes_max}
#define CONTEXT_BYTES {context_bytes}

int joulemark_own_call(const unsigned char *key, size_t key_bytes, const unsigned char *message,
                       size_t message_bytes, unsigned char *output);

static jm_status status_of(int said) {{
    return said == 0 ? JM_OK : said == 1 ? JM_ERR_MESSAGE_BYTES : JM_ERR_LIBRARY;
}}
"""


def table_source(facts: PluginFacts) -> str:
    """The text of the file with the table, which calls the function of the other file."""
    values: dict[str, str | int] = {
        name: quoted(value) if isinstance(value, str) else value
        for name, value in asdict(facts).items()
    }
    table = _TABLE.format_map(values | {"kind": facts.kind.upper(), "member": facts.kind})
    head = _HEAD.format(key_bytes_max=facts.key_bytes_max, context_bytes=facts.context_bytes)
    begin, members = _STREAMS[facts.kind] if facts.context_bytes else ("", ())
    functions = _FUNCTIONS[facts.kind].replace("@BEGIN@", begin and f"{begin}\n")
    functions = functions.replace("@MEMBERS@", "".join(f"    .{each},\n" for each in members))
    context = [_CONTEXT] if facts.context_bytes else []
    return "\n".join([head, *context, functions, table])
