# SPDX-License-Identifier: Apache-2.0
"""Groups of options: the command gets the group, the command line has its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from joulemark.cli.shared.command import Command, with_option_groups
from joulemark.errors import UsageError


@dataclass(frozen=True, slots=True)
class Colours:
    """A group of two options."""

    ink: Annotated[str, typer.Option(help="Of the letters.")] = "black"
    paper: Annotated[str, typer.Option("--sheet", help="Of the paper.")] = "white"


@dataclass(frozen=True, slots=True)
class Sheet(Colours):
    """A derived group with one more option, a switch."""

    thick: Annotated[bool, typer.Option("--thick")] = False


@dataclass(frozen=True, slots=True)
class Page:
    """A group with another group in it."""

    number: Annotated[int, typer.Option()]
    colours: Colours


def run(*words: str) -> tuple[int, str]:
    """Runs a command with a group between an argument and an option."""
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @with_option_groups
    def draw(
        *,
        name: Annotated[str, typer.Argument()],
        sheet: Sheet,
        count: Annotated[int, typer.Option(help="How many.")] = 1,
    ) -> None:
        """Draws."""
        typer.echo(f"{name} {sheet} {count}")

    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


def test_defaults_are_those_of_the_group() -> None:
    """Without options the command gets the defaults of the group."""
    assert run("a") == (0, "a Sheet(ink='black', paper='white', thick=False) 1\n")


def test_what_is_given_reaches_the_group() -> None:
    """Options reach the group by the names of its fields, and of those of its base class."""
    words = ("a", "--ink", "red", "--sheet", "blue", "--thick", "--count", "2")
    assert run(*words) == (0, "a Sheet(ink='red', paper='blue', thick=True) 2\n")


def test_help_shows_the_fields_in_their_place() -> None:
    """Help shows the fields in the order of the parameters."""
    code, text = run("--help")
    places = [text.index(word) for word in ("Draws.", "--ink", "--sheet", "--thick", "--count")]
    assert (code, places) == (0, sorted(places))


def test_a_group_may_have_a_group() -> None:
    """The options of the inner group reach it, and stand in its place in the help."""
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @with_option_groups
    def draw(*, page: Page, thick: Annotated[bool, typer.Option("--thick")] = False) -> None:
        typer.echo(f"{page} {thick}")

    result = CliRunner().invoke(app, ["--sheet", "blue", "--number", "7"])
    inner = "Colours(ink='black', paper='blue')"
    assert result.output == f"Page(number=7, colours={inner}) False\n"
    text = CliRunner().invoke(app, ["--help"]).output
    places = [text.index(word) for word in ("--number", "--ink", "--sheet", "--thick")]
    assert places == sorted(places)


def test_two_options_of_a_name_are_a_fault() -> None:
    """Two options with the same name are refused, since one of them would be lost."""

    def draw(*, first: Colours, ink: str) -> None:
        """Draws."""

    with pytest.raises(TypeError, match="two options named ink"):
        with_option_groups(draw)


def numbers(
    size: Annotated[list[int] | None, typer.Option()] = None,
    share: Annotated[float, typer.Option(min=0)] = 0.5,
    name: Annotated[str, typer.Option()] = "",
) -> None:
    """Takes numbers."""
    typer.echo(f"{size} {share} {name}")


@pytest.mark.parametrize("once", [False, True])
def test_numbers_are_written_in_plain_digits(*, once: bool) -> None:
    """Python reads 1_0 and the digits of every script; a name may have any sign."""
    app = typer.Typer(rich_markup_mode=None)
    Command(numbers, (), options_once=once).add_to(app, "numbers", "")
    done = CliRunner().invoke(app, ["--size", "10", "--share", "1e-1", "--name", "1_\u0663"])
    assert done.output == "[10] 0.1 1_\u0663\n"
    for words in (("--size", "1_0"), ("--share", "0.\u0663"), ("--share=1_0",)):
        error = CliRunner().invoke(app, ["--name", "a", *words]).exception
        assert isinstance(error, UsageError)
        assert "give a number in plain digits" in str(error)
