"""The command line: one file a command, each parses, calls one library function and prints."""

from __future__ import annotations

import signal
import sys
import warnings

import typer

from creaeval.cli import (
    agree,
    compare,
    data,
    demo,
    experiment,
    ledger,
    methods,
    models,
    report,
    runs,
    score,
    tasks,
    train,
)

app = typer.Typer(
    name="creaeval",
    help="Score creative work with language models as trained raters do: evidence first, then judgement.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score", help=score.HELP, epilog=score.EXAMPLE)(score.score)
app.command("agree", help=agree.HELP, epilog=agree.EXAMPLE)(agree.agree)
app.command("raters", help=agree.RATERS_HELP, epilog=agree.RATERS_EXAMPLE)(agree.raters)
app.command("compare", help=compare.HELP, epilog=compare.EXAMPLE)(compare.compare)
app.command("report", help=report.HELP, epilog=report.EXAMPLE)(report.report)
app.command("demo", help=demo.HELP, epilog=demo.EXAMPLE)(demo.demo)
app.add_typer(train.app, name="train")
app.add_typer(experiment.app, name="experiment")
app.add_typer(methods.app, name="methods")
app.add_typer(models.app, name="models")
app.add_typer(tasks.app, name="tasks")
app.add_typer(runs.app, name="runs")
app.add_typer(data.app, name="data")
app.add_typer(ledger.app, name="ledger")


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """Answer --version; commands do the rest."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"creaeval {installed('creaeval')}")
        raise typer.Exit


def _stop_as_on_ctrl_c(*_: object) -> None:
    """Handle SIGTERM, which batch systems send some seconds before they kill a job."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so in background jobs of a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


def _show_note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,  # noqa: ARG001 - the form that warnings.showwarning has
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Say what the user is warned of in one line, without the place in the program."""
    if category is UserWarning:
        typer.echo(f"Note: {message}", err=True)
    else:
        typer.echo(warnings.formatwarning(message, category, filename, lineno), err=True)


def main() -> None:
    """Run the command line; our own errors end with their message and exit code 1, never a traceback."""
    from creaeval.errors import CreaEvalError

    signal.signal(signal.SIGTERM, _stop_as_on_ctrl_c)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("default", category=UserWarning)
            warnings.showwarning = _show_note
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
