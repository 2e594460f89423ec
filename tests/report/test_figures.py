from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from creaeval.errors import DataError
from creaeval.report.figures import (
    agreement_forest,
    calibration_curves,
    heat_maps,
    length_scatter,
    quotes_found,
    save,
    to_svg,
    value_matrix,
    variance_violins,
)
from creaeval.report.figures.frames import number
from creaeval.report.figures.style import DATA, GUIDE, INK, OTHER, is_dark, shades
from creaeval.report.figures.text import labels

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEAT = pd.DataFrame(
    [("creaeval", "step1.fluency", 1.0, 2.0, 3), ("creaeval", "step1.fluency", 2.0, 2.0, 5)],
    columns=["method", "dimension", "human", "judge", "count"],
)
FOREST = pd.DataFrame(
    [
        ("creaeval", "one", "AVG", "qwk", 0.6, 0.5, 0.7, 40),
        ("creaeval", "two", "AVG", "qwk", math.nan, math.nan, math.nan, 40),
        ("", "human-human", "AVG", "qwk", 0.8, 0.75, 0.85, 40),
    ],
    columns=["method", "judge", "dimension", "metric", "value", "low", "high", "n"],
)
LEVELS = pd.DataFrame(
    [
        ("one", "step1.fluency", 1.0, 4, 1.5, math.nan, math.nan),
        ("one", "step1.fluency", 3.0, 8, 2.0, 1.25, 2.75),
        ("one", "step1.fluency", math.nan, 12, 1.83, 1.0, 2.5),
    ],
    columns=["scorer", "dimension", "level", "n", "mean_human", "low", "high"],
)
GRID = pd.DataFrame(
    [("a", "x", 0.1, 9), ("a", "y", 0.6384, 9), ("b", "x", math.nan, 9)],
    columns=["row", "column", "value", "n"],
)
QUOTES = pd.DataFrame(
    [("qwen", "step1", "step1.fluency", 8, 4, 2, 1, 1), ("qwen", "step2", "step2.focus", 0, 0, 0, 0, 0)],
    columns=["analyst", "step", "dimension", "quotes", "exact", "nearly", "elsewhere", "not_found"],
)
LENGTHS = pd.DataFrame(
    [(f"R{n}", "direct", "one", 100 * n, 3.0 * n) for n in range(1, 5)],
    columns=["response_id", "method", "judge", "words", "score"],
)
VERBOSITY = pd.DataFrame(
    [
        ("direct", "one", "pearson", 1.0, math.nan, math.nan, -0.0581, 4),
        ("direct", "one", "partial_pearson", 0.1, -0.2, 0.4, math.nan, 3),
    ],
    columns=["method", "judge", "measure", "value", "low", "high", "change", "n"],
)


def variances(**given: list[float]) -> pd.DataFrame:
    rows = [
        (method, f"R{n}", "step1.fluency", value)
        for method, of in given.items()
        for n, value in enumerate(of)
    ]
    return pd.DataFrame(rows, columns=["method", "response_id", "dimension", "variance"])


def panel(figure: Figure, place: int = 0) -> Axes:
    return figure.axes[place]


def texts(figure: Figure) -> str:
    """All words of a figure, a formula's dollars as they are read."""
    from matplotlib.text import Text

    found = figure.findobj(Text)
    return "\n".join(one.get_text().replace(r"\$", "$") for one in found if isinstance(one, Text))


def lines_at(axes: Axes) -> list[list[list[float]]]:
    collections = [one for one in axes.collections if isinstance(one, LineCollection)]
    return [np.asarray(segment).tolist() for one in collections for segment in one.get_segments()]


def lightness(colour: str | tuple[float, float, float]) -> float:
    """CIE L*, 0 to 100, of an sRGB colour (IEC 61966-2-1, CIE 15)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_files_parse_and_the_data_beside_them_equal_the_input(tmp_path: Path) -> None:
    pdf, svg, csv = save(heat_maps(HEAT), HEAT, tmp_path / "heat.v1")
    assert (pdf.name, svg.name, csv.name) == ("heat.v1.pdf", "heat.v1.svg", "heat.v1.csv")
    written = pdf.read_bytes()
    assert written.startswith(b"%PDF-")
    assert b"/FontFile2" in written
    assert b"/Type3" not in written
    assert ElementTree.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314
    pd.testing.assert_frame_equal(pd.read_csv(csv), HEAT, check_dtype=False)


def test_the_same_data_make_the_same_bytes_and_nobodys_settings_change() -> None:
    with matplotlib.rc_context({"font.size": 23.0, "axes.facecolor": "red"}):
        before = dict(matplotlib.rcParams)
        first = to_svg(agreement_forest(FOREST, measures=["qwk"]))
        assert dict(matplotlib.rcParams) == before
    figure = agreement_forest(FOREST, measures=["qwk"])
    assert to_svg(figure) == to_svg(figure) == first
    assert "<dc:date>" not in first


def test_squares_of_a_heat_map_hold_the_counts() -> None:
    figure = heat_maps(HEAT)
    (squares,) = (one for one in panel(figure).collections if isinstance(one, PolyCollection))
    counts = squares.get_array()
    assert counts is not None
    assert counts.tolist() == [3, 5]
    # People's points run to the right, the method's upwards; a cell is one point wide.
    corners = [np.asarray(path.vertices)[:4].mean(axis=0).tolist() for path in squares.get_paths()]
    assert corners == [[1.0, 2.0], [2.0, 2.0]]
    assert "n = 8" in panel(figure).get_title()
    assert "points of creaeval" in texts(figure)


def test_points_that_are_neither_whole_nor_half_are_drawn_at_the_nearest_whole_one() -> None:
    thirds = HEAT.assign(human=[1.3333, 0.6667], judge=[2.0, 2.0])
    (squares,) = (one for one in panel(heat_maps(thirds)).collections if isinstance(one, PolyCollection))
    counts = squares.get_array()
    assert counts is not None
    assert counts.tolist() == [8]


def test_a_method_without_pairs_of_a_dimension_keeps_its_panel() -> None:
    nothing = pd.DataFrame([("direct", "step1.fluency", math.nan, math.nan, 0)], columns=HEAT.columns)
    figure = heat_maps(pd.concat([HEAT, nothing], ignore_index=True))
    assert "no pairs" in texts(figure)
    assert "direct" in texts(figure)


def test_intervals_of_the_forest_end_where_the_data_say() -> None:
    figure = agreement_forest(FOREST, measures=["qwk"])
    assert lines_at(panel(figure)) == [[[0.5, 0.0], [0.7, 0.0]], [[0.75, 2.0], [0.85, 2.0]]]
    assert "undefined" in texts(figure)
    assert "n = 40 responses" in texts(figure)
    names = [one.get_text() for one in panel(figure).get_yticklabels()]
    assert names == ["one", "two", "human-human"]


def test_titles_of_the_forest_fit_their_panels_and_a_judge_of_its_own_name_is_named_once() -> None:
    means = FOREST.assign(judge=[one if one == "human-human" else f"{one}: {one}" for one in FOREST["judge"]])
    means["method"] = ["" if one == "human-human" else one for one in FOREST["judge"]]
    figure = agreement_forest(means, measures=["qwk", "pearson", "icc", "bias"])
    # Two lines, of a title that is longer than a quarter of the figure.
    assert figure.axes[3].get_title() == "bias (scorer minus\nrater, in points)"
    names = [one.get_text() for one in panel(figure).get_yticklabels()]
    assert names == ["one", "two", "human-human"]


def test_a_measure_that_is_not_in_the_data_is_said_to_be_missing() -> None:
    assert "not measured" in texts(agreement_forest(FOREST, measures=["qwk", "icc"]))


def test_calibration_curves_show_means_intervals_and_few_pairs_hollow() -> None:
    figure = calibration_curves(LEVELS)
    assert lines_at(panel(figure)) == [[[3.0, 1.25], [3.0, 2.75]]]
    marks = {
        line.get_markerfacecolor(): np.asarray(line.get_xydata()).tolist()
        for line in panel(figure).lines
        if line.get_marker() == "o"
    }
    assert marks == {DATA: [[3.0, 2.0]], "white": [[1.0, 1.5]]}
    assert "n = 12" in panel(figure).get_title()
    assert "points of one (same scale)" in texts(figure)


def test_a_grid_is_coloured_and_labelled_by_its_values() -> None:
    figure = value_matrix(GRID, rows="analyst", columns="judge", values="QWK")
    (mesh,) = (one for one in panel(figure).collections if isinstance(one, QuadMesh))
    values = mesh.get_array()
    assert values is not None
    np.testing.assert_array_equal(
        np.ma.filled(values, np.nan).reshape(2, 2), [[0.1, 0.6384], [math.nan, math.nan]]
    )
    cells = [one.get_text() for one in panel(figure).texts]
    assert cells[:4] == [".100\nn = 9", ".638\nn = 9", "–\nn = 9", "–"]


def test_a_grid_with_a_cell_twice_is_refused() -> None:
    with pytest.raises(DataError, match="row 'a', column 'x' is there twice"):
        value_matrix(pd.concat([GRID, GRID]))


def test_violins_name_median_and_n_and_few_values_are_drawn_one_by_one() -> None:
    many = [0.5 * n for n in range(11)]  # median 2.5
    figure = variance_violins(variances(many=[*many, math.nan], few=[1.0, 2.0, 6.0], none=[math.nan]))
    said = [one.get_text() for one in panel(figure).texts]
    assert said == [
        "median 2.50\nn = 11 of 12",
        "median 2.00\nn = 3",
        "undefined\nn = 0 of 1",
    ]
    strips = [np.sort(np.asarray(line.get_xdata())).tolist() for line in panel(figure).lines]
    assert [1.0, 2.0, 6.0] in strips
    assert sum(isinstance(one, PolyCollection) for one in panel(figure).collections) == 1


def test_each_dimension_has_a_panel_of_its_own_scale() -> None:
    fluency = variances(one=[1.0, 2.0, 6.0], two=[0.0, 1.0])
    figure = variance_violins(
        pd.concat([fluency, fluency.assign(dimension="step1.wide", variance=[90.0] * 5)])
    )
    assert [axes.get_title() for axes in figure.axes] == ["step1.fluency", "step1.wide"]
    said = [[one.get_text() for one in axes.texts] for axes in figure.axes]
    assert said == [
        ["median 2.00\nn = 3", "median .50\nn = 2"],
        ["median 90.0\nn = 3", "median 90.0\nn = 2"],
    ]
    assert panel(figure).get_xlim()[1] < 10 < panel(figure, 1).get_xlim()[1]
    assert [label.get_text() for label in panel(figure).get_yticklabels()] == ["one", "two"]
    # Seven panels are three rows, whose first panel has the names.
    seven = pd.concat([fluency.assign(dimension=f"step1.d{n}") for n in range(7)])
    named = [any(one.get_text() for one in axes.get_yticklabels()) for axes in variance_violins(seven).axes]
    assert named == [True, False, False, True, False, False, True]


def test_equal_values_make_no_violin() -> None:
    figure = variance_violins(variances(same=[0.0] * 20))
    assert not panel(figure).collections
    assert "median .00\nn = 20" in texts(figure)


def test_length_and_score_stand_with_their_correlations() -> None:
    figure = length_scatter(LENGTHS, VERBOSITY)
    title = panel(figure).get_title()
    # -5.81% as the paper writes a change; the partial correlation with its interval.
    assert title.splitlines()[1:] == ["r = 1.00, n = 4", "−6% v direct", "partial .10 [−.20, .40], n = 3"]
    points, line = panel(figure).lines
    assert np.asarray(points.get_xydata()).tolist() == LENGTHS[["words", "score"]].to_numpy(float).tolist()
    # score = 0.03 words
    np.testing.assert_allclose(np.asarray(line.get_ydata()), [3.0, 12.0])


def test_bars_are_shares_of_quotes_and_no_quotes_have_none() -> None:
    figure = quotes_found(QUOTES)
    bars = [bar for bar in panel(figure).patches if isinstance(bar, Rectangle)]
    # Of eight quotes 4, 2 and 1, end to end.
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [(0.0, 0.5), (0.5, 0.25), (0.75, 0.125)]
    assert [one.get_text() for one in panel(figure).texts] == ["4 + 2 + 1 of 8", "no quotes"]
    assert panel(figure).get_title() == "qwen\n4 + 2 + 1 of 8"


@pytest.mark.parametrize(
    "figure",
    [
        lambda: heat_maps(HEAT[:0]),
        lambda: heat_maps(HEAT.assign(count=0)),
        lambda: agreement_forest(FOREST[:0]),
        lambda: calibration_curves(LEVELS.assign(mean_human=math.nan)),
        lambda: value_matrix(GRID[:0]),
        lambda: quotes_found(QUOTES[:0]),
        lambda: length_scatter(LENGTHS[:0], VERBOSITY[:0]),
        lambda: variance_violins(variances(one=[math.nan])),
    ],
)
def test_without_data_a_figure_says_so(figure: object) -> None:
    assert callable(figure)
    made = figure()
    assert not made.axes
    assert texts(made).startswith(("No ", "There "))


def test_one_value_is_enough_for_a_figure() -> None:
    to_svg(heat_maps(HEAT[:1]))
    to_svg(value_matrix(GRID[:1]))
    to_svg(length_scatter(LENGTHS[:1], VERBOSITY[:0]))
    to_svg(calibration_curves(LEVELS[:1]))
    to_svg(variance_violins(variances(one=[0.0])))


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match="heat maps: column 'human' is missing"):
        heat_maps(HEAT.drop(columns="human"))


@pytest.mark.parametrize(
    "name",
    [
        r"$\frac{1}$",
        "a$b$c",
        r"\$x$",
        "<b>&amp;\x00\x1b[31m",
        "\u202eevil\u2066",
        "方法",
        "\ud800",
        "\n",
        "x" * 500,
    ],
)
def test_names_are_text_and_no_formula_markup_or_missing_letter(name: str) -> None:
    grid = GRID.assign(row=name, column=[name, "y", "z"])
    ElementTree.fromstring(to_svg(value_matrix(grid, rows=name)))  # noqa: S314


def test_a_name_between_dollars_is_read_as_it_stands() -> None:
    assert "$x^2$ and $y$" in texts(value_matrix(GRID[:1].assign(row="$x^2$ and $y$")))


def test_labels_fit_differ_and_keep_both_ends() -> None:
    names = ["provider/qwen2.5-coder-1.5b-instruct-q4", "provider/qwen2.5-coder-1.5b-instruct-q5", "short"]
    made = labels(names, 12, 2)
    assert len(set(made.values())) == 3
    for label in made.values():
        assert len(label.splitlines()) <= 2
        assert max(map(len, label.splitlines())) <= 12
    assert made["short"] == "short"
    alike = labels(["a" * 40 + "b" * 40, "a" * 40 + "c" + "b" * 39], 10, 2)
    assert len(set(alike.values())) == 2
    assert labels(["x"], 10)["x"] == "x"


def test_numbers_are_written_as_in_the_paper() -> None:
    assert [number(v) for v in (0.6384, -0.01, 1.0, -0.0001, 12.34, math.nan)] == [
        ".638", "−.010", "1.000", ".000", "12.3", "–",
    ]  # fmt: skip


def test_shades_darken_all_the_way_and_inks_differ_in_grey() -> None:
    steps = [lightness((r, g, b)) for r, g, b, _ in shades()(np.linspace(0, 1, 64))]
    assert all(later < earlier for earlier, later in pairwise(steps))
    assert steps[0] - steps[-1] > 60
    inks = sorted(map(lightness, (INK, DATA, OTHER, GUIDE)))
    assert min(np.diff(inks)) >= 13


def test_text_on_a_shade_can_be_read() -> None:
    # WCAG 2 asks for a contrast of 4.5; the better of black and white always has that.
    for colour in shades()(np.linspace(0, 1, 32)):
        y = float(np.dot([0.2126, 0.7152, 0.0722], [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]
        ]))  # fmt: skip
        contrast = 1.05 / (y + 0.05) if is_dark(tuple(colour)) else (y + 0.05) / 0.05
        assert contrast >= 4.5
