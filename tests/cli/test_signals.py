from __future__ import annotations

import signal

import pytest

from creaeval.cli import _stop_as_on_ctrl_c


@pytest.mark.parametrize("before", [signal.SIG_IGN, signal.default_int_handler])
def test_a_batch_systems_signal_stops_as_ctrl_c_does_also_where_ctrl_c_is_ignored(before: object) -> None:
    # Shells start background jobs with SIGINT ignored; SIGTERM must get through all the same.
    kept = signal.signal(signal.SIGINT, before)  # type: ignore[arg-type]
    try:
        with pytest.raises(KeyboardInterrupt):
            _stop_as_on_ctrl_c(signal.SIGTERM, None)
    finally:
        signal.signal(signal.SIGINT, kept)
