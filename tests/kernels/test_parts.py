"""How is a kernel compiled that others call? With them; Python may call it too."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from eligo.kernels.compiled import IS_INTERPRETED, compiled_form_of, kernel, part

pytestmark = pytest.mark.skipif(IS_INTERPRETED, reason="Numba is switched off")


@kernel
def inner(array: Any) -> Any:
    return array[0] + 1


@kernel
def outer(array: Any) -> Any:
    return 2 * inner(array)


@part
def halved(number: Any) -> Any:
    return number // 2


def name_of_form() -> int:
    return 1


@compiled_form_of(name_of_form)
def _compiled_name_of_form() -> int:
    return 2


@kernel
def both(number: int) -> Any:
    return halved(number), name_of_form()


def test_a_part_is_called_by_kernels_and_by_python() -> None:
    array = np.arange(3, 6)
    assert outer(array) == 8
    assert inner(array) == 4  # compiled again, to be called
    assert outer(array) == 8


def test_kernels_of_others_can_call_ours() -> None:
    @numba.njit
    def foreign(array: Any) -> Any:
        return inner(array) + halved(9)

    assert foreign(np.arange(4.0)) == 5.0


def test_python_calls_a_part_as_it_is() -> None:
    assert halved(9) == 4
    assert halved.__class__.__name__ == "function"
    assert both(9) == (4, 2)
    assert name_of_form() == 1
