"""The `beebread` command: its groups, its help, and the edge at which every error becomes a message and an exit code."""

from __future__ import annotations

import sys

import click

from beebread import __version__
from beebread.errors import BeebreadError, codes
from beebread.faces.cli import bench, demo, install, key, mcp, meaning, memories, recall, runs, serve, states
from beebread.faces.cli.options import utf8
from beebread.faces.cli.tree import Branch
from beebread.settings import load

HELP = """Beebread: the memory of AI agents. 智能体的记忆。

\b
Start here:
  beebread demo                             see the whole path on a bundled run
  beebread import run.jsonl --user u1       bring in a transcript
  beebread query "怎么通知我?" --user u1    find the right past, with reasons
  beebread context "继续上次的任务" --user u1 --budget 2000

Exit codes: 0 ok, 1 not found or empty, 2 usage, 3 refused, 4 unavailable.
"""


class Root(Branch):
    """The root, whose help also says where the memory is."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        try:
            where = f"The memory is in {load().folder}"  # whole on its line, to be copied
        except BeebreadError as error:  # help is read most of all when something is wrong
            where = f"Where the memory is cannot be said: {error}"
        formatter.write_paragraph()
        formatter.write(f"{where}\n")


@click.group(cls=Root, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="beebread")
def beebread_command() -> None:
    """The root of the command tree; the help above is what people see."""


for _command in (
    demo.demo, runs.import_, memories.query, memories.context, memories.write, memories.get, memories.list_, memories.update,
    memories.forget, memories.history, memories.purge, runs.sessions, runs.trace, states.state, memories.health, bench.bench,
    key.key, serve.serve, mcp.mcp, install.install, *meaning.COMMANDS,
):  # fmt: skip
    beebread_command.add_command(_command)
bench.bench.add_command(recall.recall)


def main() -> None:
    """Entry point of the `beebread` command."""
    utf8()
    try:
        beebread_command(prog_name="beebread")
    except BeebreadError as error:  # of a command that has no door
        click.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(codes(error).exit)
