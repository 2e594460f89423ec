"""Write the prices in src/creaeval/llm/providers/models.yaml anew from genai-prices; `make prices`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from genai_prices import Usage, calc_price

FILE = Path(__file__).parents[1] / "src/creaeval/llm/providers/models.yaml"
# By our prefix: the provider's id there and the models. openai-responses costs what openai does.
MODELS = {
    "openai": ("openai", ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-4.1", "gpt-4o-mini", "o3"]),
    "anthropic": (
        "anthropic",
        ["claude-opus-5", "claude-opus-4-7", "claude-sonnet-5", "claude-sonnet-4-6", "claude-haiku-4-5"],
    ),
    "google": (
        "google",
        ["gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
    ),
    "deepseek": ("deepseek", ["deepseek-v4-pro", "deepseek-flash", "deepseek-chat"]),
    "mistral": ("mistral", ["mistral-large-latest", "mistral-medium-latest", "mistral-small-latest"]),
    "groq": ("groq", ["openai/gpt-oss-120b", "openai/gpt-oss-20b", "llama-3.3-70b-versatile"]),
    # genai-prices has no prices of DashScope itself, so these models stay without one.
}


def per_million(model: str, provider: str, **tokens: int) -> str:
    """Price a thousand tokens, which no tier of long prompts touches, and scale it up."""
    price = calc_price(Usage(**tokens), model, provider_id=provider).total_price
    return f"{float(price) * 1000:g}"


def main() -> None:
    lines = []
    for prefix, (provider, models) in MODELS.items():
        for model in models:
            fresh = per_million(model, provider, input_tokens=1000)
            cached = per_million(model, provider, input_tokens=1000, cache_read_tokens=1000)
            output = per_million(model, provider, output_tokens=1000)
            lines.append(f"  {prefix}:{model}: {{input: {fresh}, cached: {cached}, output: {output}}}\n")
    kept, _, _ = FILE.read_text().partition("prices_as_of:")
    today = datetime.now(UTC).date().isoformat()
    FILE.write_text(f"{kept}prices_as_of: {today}\nprices:\n{''.join(lines)}")


if __name__ == "__main__":
    main()
