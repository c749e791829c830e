# SPDX-License-Identifier: Apache-2.0
"""The memory that an implementation adds to a program, by linking alone, without a simulator."""

from __future__ import annotations

from joulemark.firmware.programs.build import bench_program, empty_program
from joulemark.firmware.programs.kernel_sources import KernelSources
from joulemark.firmware.programs.sizes import program_sizes, state_bytes_of
from joulemark.firmware.programs.target import Target
from joulemark.records.firmware import Footprint

__all__ = ["footprint"]


def footprint(target: Target, kernel: KernelSources) -> Footprint:
    """The sizes of a program with the implementation less those of a program without it.

    Raises:
        UnavailableError: a tool is missing, or the implementation does not fit or has no code for
            this target.
        ImplementationError: the implementation does not compile.
    """
    program = bench_program(target, kernel, (0,))
    whole, rest = program_sizes(program), program_sizes(empty_program(target))
    variables = whole.variables - rest.variables
    in_ram = target.memory.constants_in_ram
    # No kernel has a variable, so the initialised RAM of such a target holds constants.
    constants = whole.read_only - rest.read_only + (variables if in_ram else 0)
    return Footprint(
        code_bytes=whole.code - rest.code,
        constant_bytes=constants,
        static_ram_bytes=variables + whole.zeroed - rest.zeroed,
        state_bytes=state_bytes_of(program, kernel),
    )
