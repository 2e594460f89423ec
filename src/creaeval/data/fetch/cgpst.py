"""The one CGPST booklet with its scenario and ratings that its authors released, as it is."""

from __future__ import annotations

from creaeval.data.fetch.dataset import Check, DataSet, Original

_REPOSITORY = "Jaong/TeamLLM-anonymous"
_FIRST = "9706183b5a92b666c343dc4f870101ff8b75ae81"
_SECOND = "a0d8d5734ed7b0fab1fcb4b48bacd1bc328fb640"

_NOTICE = """\
# CGPST sample

The released part of the benchmark of "TeamLLM: A Human-Like Team-Oriented Collaboration Framework for
Multi-Step Contextualized Tasks": one scenario (FS10) and one response (A05_FS10, by a team of language
models) with the scores of two raters. Files are unchanged; human_scores_table.xlsx is called "Tabel
1(Team).xlsx" there.

The repository names no licence, so the files are yours to read and compare with, not to pass on.
"""

#: By the name that a file gets here: the commit and where it is there.
_ORIGINALS = {
    "data_A.json": (_SECOND, "Datasets/data_A.json"),
    "future_scenarios_en.json": (_FIRST, "Datasets/future_scenarios_en.json"),
    "A05_FS10.docx": (_SECOND, "Answers/Answer/A05/A05_FS10.docx"),
    "human_scores_table.xlsx": (_FIRST, "Results/Tabel 1(Team).xlsx"),
}
_SHA256 = {
    "data_A.json": "228af0efc6d50751de3260dc1f12d0d31c533dc3e4ed2848d6395a87f7bbe6a2",
    "future_scenarios_en.json": "d1ce18d394ee34fb796c4ad8c0cb1888ead0c0645d4f48394750e130002333c0",
    "A05_FS10.docx": "a2fcf314ae9027d029268ce6c27364d7751a290a1993378972a3934198a86851",
    "human_scores_table.xlsx": "4ec43c924ad9782216258e3856ee73844ad52877e6d092f43cbf7c56e0656a45",
}

CGPST = DataSet(
    folder="cgpst",
    originals={
        name: Original(_REPOSITORY, commit, path, _SHA256[name])
        for name, (commit, path) in _ORIGINALS.items()
    },
    convert=dict,
    checks=tuple(Check(name, digest) for name, digest in _SHA256.items()),
    notice=_NOTICE,
)
