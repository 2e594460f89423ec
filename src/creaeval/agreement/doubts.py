"""What makes an interval narrower than it should be, said beside the number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: From so much skewness on, and up to so many responses, intervals of 95% cover less than .92 in simulations
#: (docs/agreement.md; benchmarks/coverage.py).
SKEWED, FEW = 1.0, 500
#: How such a doubt begins.
TOO_NARROW = "the interval is too narrow"


def skewness(values: Floats) -> float:
    """Return the third standardized moment; 0 of values that do not vary."""
    centred = values - values.mean()
    variance = float((centred**2).mean())
    return float((centred**3).mean()) / variance**1.5 if variance > 0 else 0.0


def doubt_interval(x: Floats, y: Floats, names: tuple[str, str]) -> str:
    """Say that a bootstrap interval of two scorers is too narrow since their points are skewed; "" if not.

    Parameters
    ----------
    x, y : array of float, shape (n,)
        Points of the same responses; nan where there are none.
    names : tuple of str
        Who the two are.
    """
    import numpy as np

    both = ~(np.isnan(x) | np.isnan(y))
    if not 0 < both.sum() < FEW:
        return ""
    skews = [skewness(values[both]) for values in (x, y)]
    place = int(np.argmax(np.abs(skews)))
    if abs(skews[place]) < SKEWED:
        return ""
    return (
        f"{TOO_NARROW}: {names[place]}'s points are skewed ({skews[place]:.1f}) and responses "
        f"fewer than {FEW}"
    )
