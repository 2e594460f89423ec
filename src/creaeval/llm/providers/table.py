"""The providers that come with the package: protocol, address, and where their keys are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from creaeval.llm.chat import Settings

Api = Literal["chat", "responses", "anthropic", "google", "groq", "mistral"]
Dialect = Literal["openai", "deepseek", "qwen", "plain"]

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Provider:
    """One provider.

    Parameters
    ----------
    prefix : str
        What stands before the colon in a model's name.
    title : str
        Its name for people.
    api : str
        The protocol.
    url : str
        Its address.
    keys : tuple of str
        Variables that may hold the key; the first is the one to name.
    url_variables : tuple of str
        Variables that may hold another address.
    dialect : str
        Who else's chat completions it speaks: how schemas, limits and reasoning are written.
    own : bool
        A server of one's own: it needs no key and its calls cost nothing.
    takes_seed : bool
        Whether a seed can be sent.
    logprobs : bool
        Whether token probabilities can be asked for.
    alternatives : int
        Of how many tokens at each place they can be asked for at most.
    package : str
        The client's Python package, where the package needs an extra of the prefix's name.
    """

    prefix: str
    title: str
    api: Api
    url: str
    keys: tuple[str, ...]
    url_variables: tuple[str, ...]
    dialect: Dialect = "openai"
    own: bool = False
    takes_seed: bool = True
    logprobs: bool = False
    alternatives: int = 20
    package: str = ""

    @property
    def defaults(self) -> Settings:
        """What is sent where the user says nothing."""
        return Settings() if self.takes_seed else Settings(seed=None)

    @property
    def schema_untouched(self) -> bool:
        """Whether schemas go out just as they are given."""
        return self.api == "chat" and self.dialect == "plain"


OPENAI = Provider(
    "openai",
    "OpenAI, chat completions",
    "chat",
    OPENAI_URL,
    ("OPENAI_API_KEY",),
    ("OPENAI_BASE_URL",),
    logprobs=True,
)
# Any server that speaks OpenAI's protocol but is not OpenAI.
COMPATIBLE = Provider(
    "openai",
    "a server that speaks OpenAI's protocol",
    "chat",
    "",
    ("OPENAI_API_KEY",),
    ("OPENAI_BASE_URL",),
    dialect="plain",
    logprobs=True,
)
PROVIDERS = {
    provider.prefix: provider
    for provider in (
        OPENAI,
        Provider(
            "openai-responses",
            "OpenAI, Responses",
            "responses",
            OPENAI_URL,
            ("OPENAI_API_KEY",),
            ("OPENAI_BASE_URL",),
            takes_seed=False,
            logprobs=True,
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "anthropic",
            "https://api.anthropic.com",
            ("ANTHROPIC_API_KEY",),
            ("ANTHROPIC_BASE_URL",),
            takes_seed=False,
            package="anthropic",
        ),
        Provider(
            "google",
            "Google Gemini",
            "google",
            "https://generativelanguage.googleapis.com",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            ("GOOGLE_GEMINI_BASE_URL",),
            logprobs=True,
            package="google.genai",
        ),
        Provider(
            "deepseek",
            "DeepSeek",
            "chat",
            "https://api.deepseek.com",
            ("DEEPSEEK_API_KEY",),
            ("DEEPSEEK_BASE_URL",),
            dialect="deepseek",
            logprobs=True,
        ),
        Provider(
            "qwen",
            "Qwen (Alibaba Cloud, DashScope)",
            "chat",
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            ("DASHSCOPE_API_KEY", "ALIBABA_API_KEY"),
            ("DASHSCOPE_BASE_URL",),
            dialect="qwen",
            logprobs=True,
            alternatives=5,
        ),
        Provider(
            "mistral",
            "Mistral",
            "mistral",
            "https://api.mistral.ai",
            ("MISTRAL_API_KEY",),
            ("MISTRAL_BASE_URL",),
            package="mistralai",
        ),
        Provider(
            "groq",
            "Groq",
            "groq",
            "https://api.groq.com",
            ("GROQ_API_KEY",),
            ("GROQ_BASE_URL",),
            package="groq",
        ),
        *(
            Provider(
                prefix,
                f"{title}, on a machine of one's own",
                "chat",
                url,
                (f"{prefix.upper()}_API_KEY",),
                (f"{prefix.upper()}_BASE_URL",),
                dialect="plain",
                own=True,
                logprobs=True,
            )
            for prefix, title, url in (
                ("vllm", "vLLM", "http://localhost:8000/v1"),
                ("ollama", "Ollama", "http://localhost:11434/v1"),
                ("llamacpp", "llama.cpp", "http://localhost:8080/v1"),
            )
        ),
    )
}
