"""Models, presets, prices and checks as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.llm.providers.table import PROVIDERS
from creaeval.llm.settings import SETTING_WORDS
from creaeval.report.progress import cost_text

if TYPE_CHECKING:
    from creaeval.llm.checkup import Checkup
    from creaeval.llm.providers.book import ModelBook


def models_text(book: ModelBook) -> str:
    """Write out what models there are and what can be set."""
    lines = ["Models (a name to type, whose it is, where its key is read from)"]
    lines.append("local\tthe built-in small model, or local:FILE.gguf\tno key")
    for provider in PROVIDERS.values():
        key = "no key needed" if provider.own else "no key set"
        if book.variable(*provider.keys):
            key = "key found"
        address = f"; {provider.url_variables[0]} for another address than {provider.url}"
        variables = " or ".join(provider.keys)
        lines.append(f"{provider.prefix}:NAME\t{provider.title}\t{variables} ({key}){address}")
    lines += ["", "Presets"]
    for name, preset in book.presets.items():
        shown = ", ".join(
            f"{key}={'default' if value is None else value}" for key, value in preset.settings.items()
        )
        lines.append(f"{name}\t{preset.model}\t{shown}")
    lines += ["", f"Prices in US dollars for a million tokens, as of {book.prices_as_of} (yours first)"]
    for name, price in sorted(book.prices.items(), key=lambda entry: entry[0] not in book.own_prices):
        lines.append(f"{name}\tinput {price.input:g}\tcached {price.cached:g}\toutput {price.output:g}")
    lines += ["", "Settings, for --set NAME=VALUE, or analyst.NAME=VALUE, judge.NAME=VALUE"]
    lines += [f"{name}\t{words}" for name, words in SETTING_WORDS.items()]
    return "\n".join(lines)


def checkup_text(checkup: Checkup) -> str:
    """Write out what came of a check."""
    signs = {"yes": "ok", "no": "no", "not asked": "-"}
    lines = [f"{checkup.model}: {'works' if checkup.works else 'does not work'}"]
    lines += [f"{signs[finding.state]}\t{finding.name}\t{finding.words}" for finding in checkup.findings]
    if checkup.usage.input:
        cost = cost_text(checkup.cost_usd or 0.0, int(checkup.cost_usd is None))
        lines.append(
            f"{checkup.usage.input} tokens in, {checkup.usage.output} out, {checkup.seconds:.1f} s, {cost}"
        )
    return "\n".join(lines)
