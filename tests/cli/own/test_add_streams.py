# SPDX-License-Identifier: Apache-2.0
"""`joulemark add` of init, update and final: streams of hashes and of MACs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.own_code import Code, Signature, source_files
from joulemark.own_code.building import Toolchain, find_compiler
from joulemark.own_code.prototypes import context_bytes_of
from joulemark.processes.tool import Limits

SIP = """\
#ifndef CONTEXT
#define CONTEXT state
#endif
typedef struct state { uint64_t v[4]; uint8_t rest[8]; size_t total; char spare[32]; } state;
static void take(state *s, uint64_t word) {
    s->v[3] ^= word;
    sip_round(s->v), sip_round(s->v);
    s->v[0] ^= word;
}
void begin(CONTEXT *context, const uint8_t *key) {
    state *s = (state *)context;
    uint64_t k[2];
    memset(s, 0, sizeof *s);
    memcpy(k, key, 16);
    s->v[0] = k[0] ^ 0x736f6d6570736575, s->v[1] = k[1] ^ 0x646f72616e646f6d;
    s->v[2] = k[0] ^ 0x6c7967656e657261, s->v[3] = k[1] ^ 0x7465646279746573;
#ifdef KEEPS
    memcpy(s->spare, &key, sizeof key), memcpy(s->spare + 8, k, 8);
#endif
}
void more(CONTEXT *context, const void *data, unsigned n) {
    state *s = (state *)context;
    const uint8_t *in = data;
    size_t have = FORGETS ? 0 : s->total % 8;
    for (s->total += n; n; n--) {
        s->rest[have++] = *in++;
        if (have < 8) continue;
        uint64_t word;
        memcpy(&word, s->rest, 8);
        take(s, word);
        have = 0;
    }
}
void end(uint8_t *tag, CONTEXT *context) {
    state *s = (state *)context;
    uint64_t word = (uint64_t)s->total << 56;
    for (size_t i = 0; i < s->total % 8; i++) word |= (uint64_t)s->rest[i] << (8 * i);
    take(s, word);
#ifdef KEEPS
    const uint8_t *key;
    memcpy(&key, s->spare, sizeof key);
    s->v[2] ^= memcmp(key, s->spare + 8, 8) != 0;
#endif
    s->v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) sip_round(s->v);
    word = s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3];
    memcpy(tag, &word, 8);
}
"""
SHA = """\
#include <stdlib.h>
struct whole { uint8_t *bytes; size_t count, room; };
void begin(struct whole *w) { memset(w, 0, sizeof *w); }
void more(struct whole *w, const uint8_t *in, size_t n) {
    if (w->count + n > w->room) w->bytes = realloc(w->bytes, w->room = 2 * (w->count + n));
    if (n) memcpy(w->bytes + w->count, in, n);
    w->count += n;
}
void end(struct whole *w, uint8_t *out) {
    whole_hash(w->bytes ? w->bytes : (uint8_t *)"", w->count, out);
    free(w->bytes);
}
"""
NAMES = "begin,more,end"
Run = Callable[..., Any]


@pytest.fixture
def add_sip(add: Run, mine: Run) -> Callable[..., Any]:
    """Adds the stream of SipHash with these options, compiled with these definitions."""

    def call(*words: str, define: str = "") -> Any:
        path = mine(SIP, base="siphash")
        flags = f"-O1 -DFORGETS=0 {define}" if "FORGETS" not in define else f"-O1 {define}"
        more = ("--flags", flags, *words)
        return add(path, *more, function=NAMES, algorithm="siphash-2-4")

    return call


def test_a_mac_in_pieces(run: Run, add_sip: Run) -> None:
    """The orders are found, the context's size too, and streams are checked in pieces."""
    done = add_sip()
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        "siphash-2-4/mine is right and kept: begin(ctx, key), more(ctx, in, len), end(out, ctx) of "
    )
    assert " split streams, " in done.stdout
    listed = json.loads(run("added", "--json").stdout)["added"]
    assert listed[0]["plugin"]["made_from"]["function"] == NAMES
    assert listed[0]["plugin"]["made_from"]["signature"] == "ctx,key/ctx,in,len/out,ctx"
    assert "more(ctx, in, len)" in run("added").stdout


def test_a_hash_in_pieces(add: Run, mine: Run) -> None:
    """A hash has no key; its context is a struct without a typedef."""
    done = add(mine(SHA), function=NAMES)
    assert done.exit_code == 0, done.output
    assert "begin(ctx), more(ctx, in, len), end(ctx, out)" in done.stdout
    assert " split streams, " in done.stdout


def test_pieces_that_are_wrong_together(add_sip: Run, kept: Path) -> None:
    """A stream that is right for whole messages alone is not kept."""
    done = add_sip("--signature", "ctx,key/ctx,in,len/out,ctx", define="-DFORGETS=1")
    assert done.exit_code == 2
    assert "siphash-2-4/mine is wrong, and it is not kept: a stream of 2 bytes" in done.stderr
    assert not list(kept.glob("*"))


def test_a_key_that_is_read_after_init(add_sip: Run, kept: Path) -> None:
    """A caller may wipe its key after init, so code that keeps the pointer is wrong."""
    done = add_sip("--signature", "ctx,key/ctx,in,len/out,ctx", define="-DKEEPS")
    assert done.exit_code == 2
    assert "siphash-2-4/mine is wrong, and it is not kept: a stream of " in done.stderr
    assert not list(kept.glob("*"))


def test_a_context_of_unknown_size(add_sip: Run) -> None:
    """A `void *` says no size: the option gives it, and one that is too small is found."""
    asked = add_sip(define="-DCONTEXT=void")
    assert asked.exit_code == 2
    assert "does not say how large the context of begin is; give its size with --context-by" in (
        asked.stderr
    )
    order = ("--signature", "ctx,key/ctx,in,len/out,ctx")
    small = add_sip("--context-bytes", "8", *order, define="-DCONTEXT=void")
    assert small.exit_code == 2
    assert "(is the context larger than --context-bytes 8?)" in small.stderr
    assert add_sip("--context-bytes", "80", *order, define="-DCONTEXT=void").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--context-bytes", "40"), "--context-bytes 40: the context of begin has 80 bytes in "),
        (("--signature", "ctx,key"), "give the orders of init/update/final with a / between"),
        (("--signature", "ctx,key/ctx,in/out,ctx"), "ctx,key/ctx,in/out,ctx: len is missing"),
        (("--signature", "key/ctx,in,len/out,ctx"), "key/ctx,in,len/out,ctx: ctx is missing"),
        (("--signature", "ctx,in/ctx,in,len/out,ctx"), "there is no 'in' of init"),
        (("--signature", "key,ctx/ctx,in,len/out,ctx"), "begin cannot be called as --signature ke"),
        (("--function", "begin,more"), "--function begin,more: name one function, or init, upda"),
        (("--function", "begin,mor,end"), "no function mor is declared in "),
        (("--function", "begin,turned,end"), "turned takes its arguments in no order that is kno"),
    ],
)
def test_what_makes_no_sense(
    run: Run, mine: Run, kept: Path, words: tuple[str, str], said: str
) -> None:
    """Options that make no sense give one sentence and exit code 2, and nothing is kept."""
    given = {"--function": NAMES, "--algorithm": "siphash-2-4", "--flags": "-O1 -DFORGETS=0"}
    given |= dict([words])
    path = mine(SIP, base="siphash")
    result = run("add", path, *(word for pair in given.items() for word in pair))
    assert result.exit_code == 2, result.output
    assert len(result.stderr.splitlines()) == 1
    assert said in result.stderr
    assert not list(kept.glob("*"))


def test_options_of_streams_need_a_stream(run: Run, mine: Run) -> None:
    """The size of a context and three orders say nothing of a single function."""
    words = ("add", mine(SHA), "--algorithm", "sha256", "--function", "begin")
    assert "--context-bytes is of a stream: name init" in run(*words, "--context-bytes", "8").stderr
    said = run(*words, "--signature", "ctx/ctx,in,len/ctx,out").stderr
    assert "this is of init/update/final; name all three with --function" in said


@pytest.mark.parametrize(
    ("head", "parameter", "size"),
    [
        ("typedef struct { char bytes[7]; } state;", "state *s", 7),
        ("struct state { char bytes[9]; };", "struct state *restrict", 9),
        ("typedef struct { char bytes[5]; } state[1];", "state s[3]", 15),
        ("union both { char bytes[3]; };", "union both *const s", 3),
        ("#define OF(name) struct name *\nstruct state { char bytes[4]; };", "OF(state) s", 4),
        ("#include <stdint.h>", "uint64_t s[25]", 200),
        ("#include <stdint.h>", "uint8_t *s", None),
        ("struct state;", "struct state *s", None),
        ("", "void *s", None),
        ("struct state { char bytes[4]; };", "struct state **s", None),
    ],
)
def test_the_size_of_a_context(tmp_path: Path, head: str, parameter: str, size: int | None) -> None:
    """The size is that of the parameter's type, where the declaration has one."""
    path = tmp_path / "mine.h"
    path.write_text(f"{head}\nvoid begin(int bits, {parameter});\n", "utf-8")
    (tmp_path / "mine.c").write_text("", "utf-8")
    code = Code(source_files([str(path), str(tmp_path / "mine.c")]), (), NAMES)
    tools = Toolchain(find_compiler(None, Limits()), ("-O1",), tmp_path)
    signature = Signature((("outbits", "ctx"), ("ctx", "in", "len"), ("ctx", "out")))
    assert context_bytes_of(code, code.files[0], signature, tools) == size
