# SPDX-License-Identifier: Apache-2.0
"""Compares the stack that kernels overwrite with the frames that the compiler gave them.

    measure_frames.py --objdump objdump --folder BUILD OBJECT [OBJECT ...]

Each function of a MAC that sees a secret ends with JM_FORGET (kernels/common/secret.h), which
overwrites a number of bytes below the function's frame and notes that number in the section
`jm_forget_depths`. How deep the frames of the functions that it calls really are, only the compiler
knows. It writes the bytes of each frame to a file with the ending `.su` (-fstack-usage), and which
function calls or names which other one follows from the relocations (-ffunction-sections,
-fdata-sections: a section for each function and each table). Both need no run, so they hold for
each CPU, each architecture and each length of a message.

The depth of a function is its frame and the deepest of all functions that it can reach:

- a function whose address or name its code uses, also through a table of functions;
- a function that it calls through a pointer: a kernel gets such pointers from the `over` of the
  implementation that it serves, so all functions in reach of that `over` count. Where no table
  names the implementation (HMAC over a hash is made at run time), all functions of hashes count.

A function that ends with JM_FORGET itself counts with its own frame alone: it overwrites the rest.
Files of FORWARDING only call MACs, which forget by themselves, and hold no secret when they do.

This file needs Python's standard library and objdump alone: it runs when a user builds the C
library. Exit codes: 0, also where a frame is too deep: the report says so; 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

FORWARDING: Final = ("kernels/mac/", "kernels/engine/", "kernels/common/batch_variant.c")
_DEPTHS: Final = "jm_forget_depths"
_SHT_SYMTAB, _SHT_RELA, _SHT_REL = 2, 4, 9
_SHF_ALLOC, _SHF_EXECUTABLE = 2, 4
_INDIRECT: Final = {
    62: re.compile(r"\t(?:notrack |bnd )?(?:call|jmp)q?\s+\*"),
    3: re.compile(r"\t(?:notrack |bnd )?(?:call|jmp)l?\s+\*"),
    183: re.compile(r"\tblr?a?[abz]*\s+x\d|\tbr\s+x"),
    243: re.compile(r"\tj(?:al)?r\s+(?!ra\b)\w"),
    22: re.compile(r"\tbasr\s|\tbr\s+%r(?!14)"),
    40: re.compile(r"\tblx\s+(?:r\d|ip)|\tbx\s+(?:r\d|ip)"),
}
"""Calls through a register, by the number of the machine in an ELF header."""
_FROM_GOT: Final = re.compile(r"R_AARCH64_LD64_GOT_LO12_NC|R_390_GOTENT|R_RISCV_GOT_HI20|R_ARM_GOT")
"""Loads of the address of a function of the C library, which a call through a register follows:
-fno-plt has it so, that no linker binds the function late."""
_RELOCATED: Final = re.compile(r":\s+R_")
"""An instruction's relocation, a line below the instruction, by GNU's objdump and by LLVM's."""
_RED_ZONE: Final = re.compile(r"-(0x[0-9a-f]+|\d+)\(%rsp")
_REALIGNED: Final = re.compile(
    r"\tand[lq]?\s+\$-?\w+,\s*%[er]sp|\tand\s+sp,|\tandi\s+sp,|\tbfc\s+sp|\tbic\s+sp"
)
_REALIGNED_BYTES: Final = 128
"""Clang does not count the bytes that aligning a frame costs: 128 at most in these kernels."""

Node = tuple[str, str]
"""A section of an object: the path of the source, the section's name."""


_Served = frozenset[tuple[Node, int]]
"""Implementations: the table, and the place in it."""
_Call = tuple[Node, _Served]
_Depth = tuple[int, list[str]]
"""Bytes, and the functions on the way down with the bytes of each."""


class Relocation(NamedTuple):
    """A place of a section that the linker fills with an address."""

    at: int
    target: Node | str
    """A section, or the name of a symbol of another file."""


class Promise(NamedTuple):
    """What a JM_FORGET says: bytes that it overwrites, where none of some functions was called."""

    stack_bytes: int
    without: frozenset[str]


@dataclass
class Objects:
    """What all object files say together."""

    pointer_bytes: int = 8
    machine: int = 0
    code: set[Node] = field(default_factory=set)
    data_bytes: dict[Node, int] = field(default_factory=dict)
    relocations: defaultdict[Node, list[Relocation]] = field(
        default_factory=lambda: defaultdict(list)
    )
    promises: defaultdict[Node, list[Promise]] = field(default_factory=lambda: defaultdict(list))
    defined: dict[str, Node] = field(default_factory=dict)
    indirect: set[Node] = field(default_factory=set)
    frame_bytes: dict[Node, int] = field(default_factory=dict)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


class ObjectFile:
    """The sections, symbols and relocations of an ELF object (System V ABI, chapter 4)."""

    def __init__(self, path: Path, source: str) -> None:
        self.path, self.source = path, source
        data = self.data = path.read_bytes()
        if data[:4] != b"\x7fELF":
            raise ValueError(f"{path} is no ELF object")
        self.wide, self.order = data[4] == 2, "<" if data[5] == 1 else ">"
        self.machine: int = self.unpack("H", 18)[0]
        table = self.unpack("Q", 40)[0] if self.wide else self.unpack("I", 32)[0]
        each, count, names = self.unpack("HHH", 58 if self.wide else 46)
        form = "IIQQQQIIQQ" if self.wide else "IIIIIIIIII"
        self.headers = [self.unpack(form, table + each * i) for i in range(count)]
        start = self.headers[names][4]
        self.names = [_text(data, start + header[0]) for header in self.headers]
        self.symbols = list(self._symbols())

    def unpack(self, form: str, at: int) -> tuple[int, ...]:
        """Numbers of `struct`'s form at an offset of the file, in the file's byte order."""
        return struct.unpack_from(self.order + form, self.data, at)

    def _symbols(self) -> Iterator[tuple[str, bool, int]]:
        for header in self.headers:
            if header[1] != _SHT_SYMTAB:
                continue
            names = self.headers[header[6]][4]
            form, size = ("IBBHQQ", 24) if self.wide else ("IIIBBH", 16)
            for at in range(header[4], header[4] + header[5], size):
                fields = self.unpack(form, at)
                info, section = (fields[1], fields[3]) if self.wide else (fields[3], fields[5])
                yield _text(self.data, names + fields[0]), info >> 4 != 0, section

    def node(self, section: int) -> Node:
        """The name that a section has among those of all files."""
        return (self.source, self.names[section])

    def relocations(self) -> Iterator[tuple[int, int, int]]:
        """The section that is changed, the offset there, the number of the symbol."""
        for header in self.headers:
            if header[1] not in (_SHT_REL, _SHT_RELA):
                continue
            form = ("QQq" if self.wide else "IIi")[: 3 if header[1] == _SHT_RELA else 2]
            size = struct.calcsize(self.order + form)
            for at in range(header[4], header[4] + header[5], size):
                offset, info = self.unpack(form, at)[:2]
                yield header[7], offset, info >> (32 if self.wide else 8)


def _add_object(objects: Objects, file: ObjectFile) -> None:
    objects.machine, objects.pointer_bytes = file.machine, 8 if file.wide else 4
    for i, header in enumerate(file.headers):
        if header[2] & _SHF_EXECUTABLE:
            objects.code.add(file.node(i))
        elif header[2] & _SHF_ALLOC and not file.names[i].startswith((".eh_frame", ".note")):
            objects.data_bytes[file.node(i)] = header[5]
    for name, is_global, section in file.symbols:
        if is_global and 0 < section < len(file.headers):
            objects.defined[name] = file.node(section)
    for section, offset, number in file.relocations():
        name, _, place = file.symbols[number]
        target = file.node(place) if 0 < place < len(file.headers) else name
        if file.names[section] == _DEPTHS:
            at = file.headers[section][4] + offset
            stack_bytes = file.unpack("Q" if file.wide else "I", at + objects.pointer_bytes)[0]
            without = _text(file.data, at + 2 * objects.pointer_bytes)
            assert isinstance(target, tuple)
            objects.promises[target].append(
                Promise(stack_bytes, frozenset(without.replace(",", " ").split()))
            )
        else:
            objects.relocations[file.node(section)].append(Relocation(offset, target))


def _told_frames(path: Path) -> tuple[dict[str, int], bool]:
    """The bytes of each function's frame in a `.su` file, and whether Clang wrote the file.

    Clang writes no file for a source without functions.
    """
    by_name: dict[str, int] = {}
    clang = False
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        place, frame_bytes, _ = line.rsplit("\t", 2)
        where, name = place.rsplit(":", 1)
        clang = clang or where.count(":") < 2  # GCC names the column too
        by_name[name] = max(by_name.get(name, 0), int(frame_bytes))
    return by_name, clang


def _add_frames(objects: Objects, file: ObjectFile, objdump: str) -> None:
    """Reads the compiler's `.su` file, and from the instructions what that file leaves out."""
    by_name, clang = _told_frames(file.path.with_suffix(".su"))
    more: defaultdict[str, int] = defaultdict(int)
    red_zone: defaultdict[str, int] = defaultdict(int)
    through_register: defaultdict[str, int] = defaultdict(int)
    listing = subprocess.run(
        [objdump, "-dr", "--no-show-raw-insn", file.path],
        capture_output=True, encoding="utf-8", check=True,
    ).stdout.splitlines()  # fmt: skip
    section = ""
    for i, line in enumerate(listing):
        if line.startswith("Disassembly of section "):
            section = line[23:-1]
        elif objects.machine == 62 and (found := _RED_ZONE.search(line)) and "lea" not in line:
            red_zone[section] = max(red_zone[section], int(found[1], 0))
        elif clang and _REALIGNED.search(line):
            more[section] = _REALIGNED_BYTES
        elif _INDIRECT[file.machine].search(line):
            near = listing[i - 1 : i] + listing[i + 1 : i + 2]
            through_register[section] += not any(_RELOCATED.search(other) for other in near)
        elif _FROM_GOT.search(line):
            through_register[section] -= 1
    objects.indirect |= {
        (file.source, name) for name, count in through_register.items() if count > 0
    }
    if clang:  # GCC counts the return address
        more = defaultdict(lambda: objects.pointer_bytes, {k: v + 8 for k, v in more.items()})
    for section in file.names:
        name = re.sub(r"^\.text\.(?:unlikely\.|hot\.|startup\.|exit\.)?", "", section)
        clone = re.sub(r"\.\d+", "", name)  # GCC names a clone without its number there
        found_bytes = by_name.get(name, by_name.get(clone, by_name.get(name.split(".")[0])))
        if found_bytes is not None:
            objects.frame_bytes[file.source, section] = (
                0 if ".cold" in name else found_bytes + more[section] + red_zone[section]
            )


@dataclass
class Depths:
    """The depth of every function that ends with JM_FORGET."""

    objects: Objects
    implementations: dict[tuple[Node, int], dict[str, Node]] = field(default_factory=dict)
    members: defaultdict[Node, set[tuple[Node, int]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    hashes: set[Node] = field(default_factory=set)
    named_by: defaultdict[Node, set[Node]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        pointer = self.objects.pointer_bytes
        # struct jm_implementation, joulemark/kernel.h: `hash`, `mac`, `cipher` and `over` are last,
        # but for `live`, a number of 8 bytes.
        first = (3 * pointer + 16 + pointer - 1) // pointer * pointer + 5 * pointer
        whole = first + 4 * pointer + 8
        places = {first + i * pointer: name for i, name in enumerate(("hash", "mac", "cipher"))}
        for node, relocations in self.objects.relocations.items():
            for relocation in relocations:
                target = self._section(relocation.target)
                if target is not None:
                    self.named_by[target].add(node)
            size = self.objects.data_bytes.get(node, 0)
            if size and size % whole == 0:
                self._add_implementations(node, whole, places | {first + 3 * pointer: "over"})
        for implementation, fields in self.implementations.items():
            for name in ("hash", "mac", "cipher"):
                for function in self._functions(fields.get(name)):
                    self.members[function].add(implementation)
                    if name == "hash":
                        self.hashes.add(function)

    def _section(self, target: Node | str) -> Node | None:
        return target if isinstance(target, tuple) else self.objects.defined.get(target)

    def _add_implementations(self, node: Node, whole: int, places: dict[int, str]) -> None:
        for relocation in self.objects.relocations[node]:
            target, name = self._section(relocation.target), places.get(relocation.at % whole)
            if target is not None and name is not None:
                key = (node, relocation.at // whole)
                self.implementations.setdefault(key, {})[name] = target

    def _functions(self, table: Node | None) -> Iterator[Node]:
        if table is not None:
            for relocation in self.objects.relocations[table]:
                target = self._section(relocation.target)
                if target in self.objects.code:
                    yield target

    def served(self, function: Node) -> _Served:
        """The implementations whose tables name the function, or a function that names it."""
        found, seen, waiting = set(), {function}, [function]
        while waiting:
            node = waiting.pop()
            if self.members[node]:
                found |= self.members[node]
                continue
            fresh = {n for n in self.named_by[node] if n in self.objects.code} - seen
            seen |= fresh
            waiting += fresh
        return frozenset(found)

    def named(self, node: Node) -> Iterator[Node]:
        """Functions that a section names, directly or through tables."""
        seen, waiting = {node}, [node]
        are_tables = {table for table, _ in self.implementations}
        while waiting:
            for relocation in self.objects.relocations[waiting.pop()]:
                target = self._section(relocation.target)
                if target is None or target in seen:
                    continue
                seen.add(target)
                if target in self.objects.code:
                    yield target
                elif target not in are_tables:
                    waiting.append(target)

    def through(self, served: _Served) -> set[tuple[Node, _Served]]:
        """Functions that a pointer may call, with the implementations that they then serve."""
        if not served:
            return {(function, self.served(function)) for function in self.hashes}
        found = set()
        for implementation in served:
            over = self.implementations[implementation].get("over")
            if over is None:
                continue
            below = [key for key in self.implementations if key[0] == over]
            for key in below:
                for name in ("hash", "mac", "cipher"):
                    for function in self._functions(self.implementations[key].get(name)):
                        found.add((function, frozenset({key})))
            if not below:
                found |= {(function, frozenset({implementation})) for function in self.named(over)}
        return found

    def measure(self) -> dict[Node, dict[Promise, _Depth]]:
        """For each function with JM_FORGET the depth below it and the functions on the way down."""
        found: dict[Node, dict[Promise, _Depth]] = {}
        searches: dict[frozenset[str], _Search] = {}
        for node, promises in self.objects.promises.items():
            served = self.served(node)
            found[node] = {}
            for promise in set(promises):
                search = searches.setdefault(promise.without, _Search(self, promise.without))
                found[node][promise] = search.below((node, served))[:2]
        return found


@dataclass
class _Search:
    """The deepest way down from a function, over functions that a promise does not exclude."""

    depths: Depths
    without: frozenset[str]
    known: dict[_Call, tuple[int, list[str]]] = field(default_factory=dict)
    above: list[_Call] = field(default_factory=list)

    def below(self, call: _Call) -> tuple[int, list[str], int]:
        """The bytes below a function's frame, the functions on the way, and where a circle was cut.

        The last is a place in `above`: a depth that was cut there holds nowhere else.
        """
        if call in self.known:
            return *self.known[call], len(self.above)
        if call in self.above:
            return 0, [], self.above.index(call)
        node, served = call
        objects = self.depths.objects
        calls = {(other, served) for other in self.depths.named(node)}
        if node in objects.indirect and not node[0].startswith(FORWARDING):
            calls |= self.depths.through(served)
        here = len(self.above)
        self.above.append(call)
        deepest, way, highest_cut = objects.pointer_bytes, list[str](), here + 1
        for other, then_served in calls:
            name = other[1].removeprefix(".text.")
            if other == node or name.split(".")[0] in self.without:
                continue
            own = objects.frame_bytes.get(other, 0)
            down, way_down, cut = (
                (0, list[str](), here + 1)
                if other in objects.promises
                else self.below((other, then_served))
            )
            highest_cut = min(highest_cut, cut)
            if own + down > deepest:
                deepest, way = own + down, [f"{name}: {own}", *way_down]
        self.above.pop()
        if highest_cut >= here:
            self.known[call] = deepest, way
        return deepest, way, highest_cut


def _read(paths: Sequence[Path], objdump: str) -> Objects:
    objects = Objects()
    for path in paths:
        source = path.as_posix().split(".dir/", 1)[-1].removesuffix(".o")
        file = ObjectFile(path, source)
        _add_object(objects, file)
        _add_frames(objects, file, objdump)
    return objects


def _report(found: dict[Node, dict[Promise, _Depth]]) -> tuple[list[str], int]:
    """A line for each promise, and how many are not kept."""
    lines, broken = [], 0
    for node, promises in sorted(found.items()):
        for promise, (depth, way) in sorted(promises.items()):
            is_kept = depth <= promise.stack_bytes
            broken += not is_kept
            lines.append(
                f"{'kept' if is_kept else 'BROKEN'} {node[0]} {node[1].removeprefix('.text.')}: "
                f"{promise.stack_bytes} bytes overwritten, {depth} used"
                + (f" ({' > '.join(way)})" if not is_kept else "")
            )
    return lines, broken


def _doubt(objects: Objects, lines: Sequence[str], broken: int) -> str:
    """Why secrets may stay, or an empty text."""
    unknown = sorted(
        name for name in objects.code - set(objects.frame_bytes)
        if name[1] != ".text" and objects.relocations[name]
    )  # fmt: skip
    if not objects.promises:
        return "for this machine no code clears the registers and the stack by name"
    if unknown:
        return f"the compiler does not tell the frame of {unknown[0][1]} in {unknown[0][0]}"
    if broken:
        first = next(line for line in lines if line.startswith("BROKEN")).split(" (")[0]
        return (
            f"{broken} of {len(lines)} functions of this build use more stack than they overwrite; "
            f"the first is {first.removeprefix('BROKEN ')}"
        )
    return ""


def main() -> int:
    """Measures the objects and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--report", type=Path, help="write a line for each function to this file")
    parser.add_argument(
        "--fill", nargs=2, type=Path, action="append", default=[], metavar=("FROM", "TO"),
        help="copy FROM to TO with @JM_WIPING@ and @JM_WIPING_TEXT@ filled in",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true", help="exit with 1 where there is a doubt")
    parser.add_argument("objects", nargs="+", type=Path)
    given = parser.parse_args()
    objects = _read(given.objects, given.objdump)
    found = Depths(objects).measure() if objects.promises else {}
    lines, broken = _report(found)
    doubt = _doubt(objects, lines, broken)
    if given.report:
        given.report.write_text("".join(line + "\n" for line in lines), "utf-8")
    for template, filled in given.fill:
        text = template.read_text("utf-8").replace("@JM_WIPING@", doubt or "complete")
        in_c = f'"{doubt}"' if doubt else "NULL"
        filled.write_text(text.replace("@JM_WIPING_TEXT@", in_c), "utf-8")
    print(f"frames: {len(lines)} promises, {broken} not kept" + (f": {doubt}" if doubt else ""))
    return 1 if doubt and given.strict else 0


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    sys.exit(main())
