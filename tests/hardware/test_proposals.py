# SPDX-License-Identifier: Apache-2.0
"""Ports of strangers' cores get their parts by direction, width and name."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.catalogue import algorithms
from joulemark.errors import UsageError
from joulemark.hardware.flow.place import Port
from joulemark.hardware.proposing import Design, named_algorithm, read_design
from joulemark.hardware.proposing.roles import propose
from tool_marks import needs_yosys

STRANGERS = Path(__file__).parent / "strangers"


def design(top: str, inputs: str, outputs: str, **more) -> Design:
    """A design of ports such as `clk key:128`."""
    ports = [
        Port(name, direction, int(bits or 1))
        for text, direction in ((inputs, "input"), (outputs, "output"))
        for name, _, bits in (word.partition(":") for word in text.split())
    ]
    facts = {"clocks": (ports[0].name,), "resets": {}, "clocked_resets": {}} | more
    return Design(top, tuple(ports), **facts)


@pytest.mark.parametrize(
    ("inputs", "outputs", "algorithm", "protocol", "parts"),
    [
        (
            "clk rst_n load key:128 msg:128", "ready tag:128", "chaskey-12", "start_done",
            "start=load done=ready ready=ready key=key block=msg result=tag",
        ),
        (  # as of secworks' aes
            "clk reset_n encdec init next key:256 keylen block:128",
            "ready result:128 result_valid", "aes128", "start_done",
            ("key_init=init start=next done=result_valid key=key block=block result=result "
             "ready=ready"),
        ),
        (  # as of secworks' sha256
            "clk reset_n init next mode block:512", "ready digest:256 digest_valid",
            "sha256", "init_next",
            "init=init next=next ready=ready block=block digest=digest digest_valid=digest_valid",
        ),
        (  # as of asics.ws' aes
            "clk rst ld key:128 text_in:128", "done text_out:128", "aes128", "start_done",
            "start=ld done=done key=key block=text_in result=text_out",
        ),
        (  # as of SASEBO's cores
            "CLK RSTn EN Krdy Drdy Kin:128 Din:128", "Kvld Dvld BSY Dout:128",
            "aes128", "start_done",
            "key_init=Krdy key_ready=Kvld start=Drdy done=Dvld key=Kin block=Din result=Dout",
        ),
        (
            "aclk aresetn s_axis_tvalid s_axis_tdata:512 s_axis_tlast m_axis_tready",
            "s_axis_tready m_axis_tvalid m_axis_tdata:256", "sha256", "valid_ready",
            ("valid=s_axis_tvalid ready=s_axis_tready data=s_axis_tdata last=s_axis_tlast "
             "result_valid=m_axis_tvalid result_ready=m_axis_tready result_data=m_axis_tdata"),
        ),
        (  # a valid without a ready, and no end of a message: a block at a time
            "clk rst valid_in data_in:128 key:128", "valid_out data_out:128",
            "aes128", "start_done",
            "start=valid_in done=valid_out key=key block=data_in result=data_out",
        ),
    ],
)  # fmt: skip
def test_ports_get_their_parts(inputs, outputs, algorithm, protocol, parts):
    """Names of well-known cores, of streams, and of one output for ready and done."""
    made = propose(design("core", inputs, outputs), algorithms()[algorithm], None)
    assert made.protocol == protocol
    assert made.ports == dict(part.split("=") for part in parts.split())
    assert made.open == {}


def test_what_cannot_be_guessed_is_named():
    """A core with `busy` alone, without a name that tells the algorithm."""
    made = propose(design("core", "clk go d:64", "busy q:64", clocks=()), None, None)
    assert made.clock == "clk"
    assert made.ports == {"block": "d", "start": "go", "result": "q"}
    assert "give the top module an output of ~busy" in made.open["ports.done"]
    assert "joulemark list" in made.open["algorithm"]


@pytest.mark.parametrize("second", ["clk2", "s_axi_aclk"])
def test_a_second_clock_is_refused(second):
    """No trial is made of a core that half stands still; the clock of a test port may stand."""
    with pytest.raises(UsageError, match=f"core: clk and {second} both clock flip-flops"):
        _of_two_clocks(second)
    assert _of_two_clocks("tck").idle == {"tck": 0}


def _of_two_clocks(second):
    ports = f"clk {second} start block:32", "done result:32"
    return propose(design("core", *ports, clocks=("clk", second)), None, "toy")


@pytest.mark.parametrize(
    ("top", "inputs", "outputs", "expected"),
    [
        ("aes_core", "clk key:128 block:128", "result:128", "aes128"),
        ("aes_core", "clk key:256 block:128", "result:128", "aes256"),
        ("sha512_top", "clk block:1024", "digest:512", "sha512"),
        ("HmacSha256", "clk key:512 msg:512", "tag:256", "hmac-sha256"),
        ("siphash", "clk key:128 m:64", "tag:128", "siphash-2-4-128"),
        ("sha256", "clk key:128 block:512", "digest:256", None),
        ("present80", "clk key:80 block:64", "result:64", None),
    ],
)
def test_the_algorithm_is_named_by_the_module(top, inputs, outputs, expected):
    """An algorithm without a key is no guess for a core with a key."""
    found = named_algorithm(design(top, inputs, outputs), [top])
    assert (None if found is None else found.id) == expected


@needs_yosys
@pytest.mark.parametrize(
    ("edge", "test", "clocked", "level"),
    [
        ("or posedge r", "r", False, "high"),
        ("or negedge r", "!r", False, "low"),
        ("or posedge inner", "inner", False, "low"),  # inner = ~r
        ("", "r", True, "high"),
        ("", "!r", True, "low"),
    ],
)
def test_clock_and_reset_are_those_of_the_flip_flops(tmp_path, edge, test, clocked, level):
    """Whatever they are called; an inverter between does not matter."""
    source = tmp_path / "odd.v"
    source.write_text(
        "module odd (input c, input r, input [7:0] d, output reg [7:0] q);\n"
        f"wire inner = ~r;\nalways @(posedge c {edge}) if ({test}) q <= 8'd0; else q <= d;\n"
        "endmodule\n"
    )
    read = read_design([source], None, tmp_path / "work")
    assert read.clocks == ("c",)
    assert (read.clocked_resets if clocked else read.resets) == {"r": level}


@needs_yosys
def test_two_modules_that_none_uses_need_a_name(tmp_path):
    """Both are named in the refusal."""
    sources = [STRANGERS / "chaskey_core.v", STRANGERS / "HalfSip.sv"]
    with pytest.raises(UsageError, match="HalfSip, chaskey_core are used by no other module"):
        read_design(sources, None, tmp_path)
    assert read_design(sources, "HalfSip", tmp_path).resets == {"Reset": "high"}
