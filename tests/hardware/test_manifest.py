# SPDX-License-Identifier: Apache-2.0
"""joulemark.hardware.manifest: valid files of cores, and files that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.hardware.bench.port_table import padded
from joulemark.hardware.cores import swept_variants
from joulemark.hardware.manifest import read_core

MANIFEST = """\
name = "toy"
title = "A toy"
algorithm = "toy"
top = "toy_top"
clock = "clk_i"
sources = ["rtl/toy.sv"]
adapter = "tb/adapter.py"

[parameters.STAGES]
about = "stages"
default = 2
values = [1, 2, 4]

[parameters.KEEP]
about = "keeps"
default = 0
values = [0, 1]

[configurations.wide]
about = "four"
parameters = { STAGES = 4 }
clocks_per_block = 16
"""


USUAL = """\
[configurations.usual]
about = "four too"
parameters = { STAGES = 4 }

"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """The text of MANIFEST as a file with its one source beside it."""
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "toy.sv").write_text("module toy_top; endmodule\n", "utf-8")
    path = tmp_path / "toy.toml"
    path.write_text(MANIFEST, "utf-8")
    return path


def test_defaults_fill_what_is_not_given(manifest: Path) -> None:
    """All parameters have a value, in the manifest's order."""
    core = read_core(manifest)
    assert core.chosen({}) == {"STAGES": 2, "KEEP": 0}
    assert core.chosen(core.configurations["wide"].parameters) == {"STAGES": 4, "KEEP": 0}
    assert core.workload.blocks_per_message == 1


TABLE = """
[adapter]
protocol = "{protocol}"
block_bytes = {block}
padding = "{padding}"
ports = {{}}

[workload]
message_bytes = {size}
{blocks}
"""


@pytest.mark.parametrize(
    ("algorithm", "protocol", "padding", "block", "size", "given", "blocks"),
    [
        ("toy", "init_next", "none", 4, 8, None, 2),
        ("toy", "init_next", "none", 4, 8, 1, "1, and the adapter sends 2 for a message of 8"),
        ("toy", "init_next", "none", 4, 8, 2, 2),
        ("toy", "init_next", "sha2", 64, 56, None, 2),
        ("sha256", "init_next", "sha2", 64, 55, 2, "2, and the adapter sends 1 for .* 55 bytes"),
        ("toy", "init_next", "md5", 128, 112, None, 2),
        ("toy", "start_done", "zero", 16, 0, None, 1),
        ("toy", "valid_ready", "zero", 4, 9, None, 3),
        # The core may pad by itself, its words may be parts of a block, and HMAC has blocks that
        # are no part of the message.
        ("sha256", "valid_ready", "none", 64, 64, 2, 2),
        ("toy", "valid_ready", "none", 4, 16, None, 1),
        ("siphash-2-4", "valid_ready", "zero", 4, 7, 1, 1),
        ("hmac-sha1", "init_next", "sha2", 64, 29, 2, 2),
    ],
)
def test_blocks_of_a_message_are_those_that_are_sent(
    manifest, algorithm, protocol, padding, block, size, given, blocks
):
    """Another number would give figures of a message as those of a block."""
    line = "" if given is None else f"blocks_per_message = {given}"
    text = MANIFEST.replace('adapter = "tb/adapter.py"\n', "").replace('"toy"', f'"{algorithm}"')
    table = TABLE.format(protocol=protocol, block=block, padding=padding, size=size, blocks=line)
    manifest.write_text(text.replace(f'name = "{algorithm}"', 'name = "toy"') + table, "utf-8")
    if isinstance(blocks, int):
        assert read_core(manifest).workload.blocks_per_message == blocks
        if given is None and protocol != "valid_ready":
            assert len(padded(bytes(size), block, padding)) in {blocks * block, size}
    else:
        with pytest.raises(UsageError, match=rf"workload.blocks_per_message is {blocks}"):
            read_core(manifest)


EXCLUDED = """
[[excluded]]
about = "too wide to keep"
parameters = { STAGES = [2, 4], KEEP = [1] }
"""


def test_values_that_do_not_go_together_are_refused(manifest: Path) -> None:
    """Combinations and sweeps leave such values out; a request by name is told the reason."""
    with manifest.open("a", encoding="utf-8") as file:
        file.write(EXCLUDED)
    core = read_core(manifest)
    assert len(list(core.combinations())) == 4
    assert [entry["STAGES"] for _, entry in swept_variants(core, ["STAGES=1,2,4", "KEEP=1"])] == [1]
    with pytest.raises(UsageError, match="STAGES=4, KEEP=1 do not go together: too wide to keep"):
        core.chosen({"STAGES": 4, "KEEP": 1})
    with pytest.raises(UsageError, match="STAGES=2, KEEP=1 do not go together"):
        swept_variants(core, ["KEEP=1"])


def test_an_exclusion_names_parameters_of_the_core(manifest: Path) -> None:
    """A misspelt parameter would exclude nothing, so it is refused."""
    with manifest.open("a", encoding="utf-8") as file:
        file.write(EXCLUDED.replace("KEEP", "KEPT"))
    with pytest.raises(UsageError, match="excluded: there is no parameter KEPT"):
        read_core(manifest)


def test_combinations_are_all_of_them(manifest: Path) -> None:
    """Three values by two occur once each; the last parameter changes fastest."""
    found = list(read_core(manifest).combinations())
    assert len(found) == 6
    assert found[:2] == [{"STAGES": 1, "KEEP": 0}, {"STAGES": 1, "KEEP": 1}]


def test_sources_are_relative_to_the_manifest(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder in which the command starts does not matter."""
    core = read_core(manifest)
    monkeypatch.chdir("/")
    assert core.source_paths() == [manifest.parent / "rtl" / "toy.sv"]


@pytest.mark.parametrize(
    ("given", "said"),
    [({"STAGE": 1}, "toy has no parameter 'STAGE'; it has STAGES, KEEP"),
     ({"STAGES": 3}, "toy: STAGES=3 is not supported; give one of 1, 2, 4")],
)  # fmt: skip
def test_unknown_parameters_are_refused(manifest: Path, given: dict[str, int], said: str) -> None:
    """The message says which parameters and values there are."""
    with pytest.raises(UsageError, match=f"^{said}$"):
        read_core(manifest).chosen(given)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [('name = "toy"', "name = toy", "is no TOML file"),
     ('name = "toy"', 'name = "1 toy"', "name: string should match pattern"),
     ('clock = "clk_i"', "", "clock: field required"),
     ('title = "A toy"', 'title = "A toy"\ncolour = "red"', "colour: extra inputs"),
     ('"rtl/toy.sv"', '"rtl/none.sv"', r"there is no source .*none\.sv"),
     ('sources = ["rtl/toy.sv"]', "sources = []", "sources: list should have at least 1"),
     ("default = 2", "default = 3", "STAGES: its default is not among its values"),
     ("STAGES = 4", "STAGES = 5", "STAGES=5 is not supported")],
)  # fmt: skip
def test_a_wrong_manifest_is_refused(manifest: Path, old: str, new: str, said: str) -> None:
    """The message is one sentence that names the place."""
    assert old in MANIFEST
    manifest.write_text(MANIFEST.replace(old, new, 1), "utf-8")
    with pytest.raises(UsageError, match=said) as caught:
        read_core(manifest)
    assert "\n" not in str(caught.value)


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    """The message has the path."""
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: No such file"):
        read_core(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"rtl/toy.sv"', f'"{"x" * 300}"', "sources.0: value error, no file has so long a name"),
        ('"rtl/toy.sv"', '"rtl/\\u0000"', "sources.0: value error, this is no name of a file"),
        ('"rtl/toy.sv"', '"rtl/\\u001b[2J"', "sources.0: value error, this is no name of a file"),
        ('"tb/adapter.py"', f'"{"x" * 5000}"', "no file has so long a name"),
        ("default = 2", f"default = {'9' * 5000}", "is no TOML file"),
        ("values = [1, 2, 4]", f"values = {'[' * 5000}", "is nested too deeply"),
        ('"A toy"', '"\x00"', "is no TOML file"),
        ("STAGES = 4", "STAGES = 3", "configurations.wide: toy: STAGES=3 is not supported"),
        (
            "[configurations.wide]",
            USUAL + "[configurations.wide]",
            "configurations.wide: it has the parameters of 'usual'",
        ),
    ],
)
def test_what_no_manifest_holds(manifest: Path, old: str, new: str, says: str) -> None:
    """The message is one sentence with file and field, without control characters."""
    assert old in MANIFEST
    manifest.write_text(MANIFEST.replace(old, new, 1), "utf-8")
    with pytest.raises(UsageError) as refused:
        read_core(manifest)
    assert str(refused.value).startswith(str(manifest))
    assert says in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_manifest_without_end() -> None:
    """A device is refused before it is read."""
    with pytest.raises(UsageError, match="it is a device"):
        read_core(Path("/dev/zero"))


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A folder with two parts beside the toy; the manifest of one part uses the other."""
    folder = tmp_path / "shared"
    folder.mkdir()
    for name in ("low", "high"):
        (folder / f"{name}.sv").write_text(f"module {name}; endmodule\n", "utf-8")
    (folder / "low.toml").write_text('title = "Low"\nsources = ["low.sv"]\n', "utf-8")
    (folder / "high.toml").write_text(
        'title = "High"\ntop = "high"\nuses = ["low.toml"]\nsources = ["high.sv"]\n', "utf-8"
    )
    return folder


def _using(manifest: Path, *names: str) -> None:
    uses = ", ".join(f'"{name}"' for name in names)
    manifest.write_text(MANIFEST.replace("sources", f"uses = [{uses}]\nsources", 1), "utf-8")


@pytest.mark.parametrize("uses", [["high"], ["high", "low"], ["low", "high"]])
def test_used_sources_come_first_and_once(manifest: Path, parts: Path, uses: list[str]) -> None:
    """Sources come after those that they use, each once, whatever the order in `uses`."""
    _using(manifest, *(f"shared/{name}.toml" for name in uses))
    assert read_core(manifest).source_paths() == [
        parts / "low.sv", parts / "high.sv", manifest.parent / "rtl" / "toy.sv",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("high", "said"),
    [
        (
            'title = "High"\nuses = ["../toy.toml"]\nsources = ["high.sv"]',
            "uses: .*toml uses itself",
        ),
        (
            'title = "High"\nuses = ["high.toml"]\nsources = ["high.sv"]',
            "uses: .*high.toml uses itself",
        ),
        ('title = "High"\nuses = ["none.toml"]\nsources = ["high.sv"]', "none.toml cannot be read"),
        ('title = "High"\nsources = []', "high.toml: sources: list should have at least 1"),
        ('title = "High"\nsources = ["none.sv"]', "there is no source .*none.sv"),
    ],
)
def test_what_is_used_must_be_there(manifest: Path, parts: Path, high: str, said: str) -> None:
    """Each fault, a circle of manifests too, gives one sentence."""
    (parts / "high.toml").write_text(high, "utf-8")
    _using(manifest, "shared/high.toml")
    with pytest.raises(UsageError, match=said) as caught:
        read_core(manifest)
    assert "\n" not in str(caught.value)


def test_a_chain_of_manifests_has_an_end(manifest: Path, parts: Path) -> None:
    """A chain of more than 16 manifests is refused before it is read to its end."""
    for n in range(40):
        (parts / f"{n}.toml").write_text(
            f'title = "N"\nuses = ["{n + 1}.toml"]\nsources = ["low.sv"]\n', "utf-8"
        )
    _using(manifest, "shared/0.toml")
    with pytest.raises(UsageError, match="more than 16 manifests in a chain"):
        read_core(manifest)
