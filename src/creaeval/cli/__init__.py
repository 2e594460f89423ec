"""The command line: one file a command, each parses, calls one library function and prints."""

from __future__ import annotations

import signal
import sys

import typer

from creaeval.cli import demo, runs, score, tasks

app = typer.Typer(
    name="creaeval",
    help="Score creative work with language models as trained raters do: evidence first, then judgement.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score", help=score.HELP, epilog=score.EXAMPLE)(score.score)
app.command("demo", help=demo.HELP, epilog=demo.EXAMPLE)(demo.demo)
app.add_typer(tasks.app, name="tasks")
app.add_typer(runs.app, name="runs")


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """Answer --version; commands do the rest."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"creaeval {installed('creaeval')}")
        raise typer.Exit


def main() -> None:
    """Run the command line; our own errors end with their message and exit code 1, never a traceback."""
    from creaeval.errors import CreaEvalError

    # Batch systems end a job with SIGTERM some seconds before they kill it: stop as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        app()
    except CreaEvalError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("Stopped.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has gone: that is no fault.
        sys.stderr.close()
        sys.exit(0)
