"""Frames of pandas, Polars and PyArrow, numpy arrays and dicts of columns, as raw columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.table.names import repeated_names
from dagmass.table.raw_column import RawColumn, from_categories, from_values


def raw_columns(frame: Any) -> Iterator[RawColumn]:
    """Yield the columns of whatever holds a table."""
    if isinstance(frame, np.ndarray):
        frame = _columns_of_array(frame)
    if hasattr(frame, "collect") and not isinstance(frame, Mapping):
        raise InputError("A lazy frame has to be collected first: frame.collect().")
    if isinstance(frame, Mapping):
        yield from _columns_of_mapping(frame)
        return
    import narwhals.stable.v2 as nw

    try:
        narwhal = nw.from_native(frame, eager_only=True)
        names = list(narwhal.columns)
    except TypeError:
        raise InputError(
            f"A table must be a pandas, Polars or PyArrow frame, a numpy array, a dict of columns or a path, got {type(frame).__name__}."
        ) from None
    except nw.exceptions.DuplicateError:
        raise InputError(repeated_names([str(name) for name in getattr(frame, "column_names", frame.columns)])) from None
    for position, name in enumerate(names):
        yield _column_of_series(str(name), narwhal[:, position])


def _columns_of_array(array: Any) -> dict[str, Any]:
    if array.dtype.names:
        return {name: array[name] for name in array.dtype.names}
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array)
        array = array.data.astype(object)
        array[masked] = None
    if array.ndim != 2:
        raise InputError(f"An array must have two dimensions, rows and columns, got {array.ndim}.")
    return {f"X{column + 1}": array[:, column] for column in range(array.shape[1])}


def _columns_of_mapping(columns: Mapping[Any, Any]) -> Iterator[RawColumn]:
    for name, values in columns.items():
        if not hasattr(values, "__len__") or isinstance(values, str | bytes | Set | Mapping):  # a set has no order
            raise InputError(f"Column {name!r} must be a list or an array of values, got {type(values).__name__}.")
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"All columns need the same number of rows, got {listed}.")
    for name, values in columns.items():
        yield _column_of_values(str(name), values)


def _column_of_values(name: str, values: Any) -> RawColumn:
    import narwhals.stable.v2 as nw

    series = nw.from_native(_as_series(values), series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _column_of_series(name, series)
    array = values if isinstance(values, np.ndarray) else _objects(list(values))
    if array.ndim != 1:
        raise InputError(f"Column {name!r} must have one dimension, got {array.ndim}.")
    return from_values(name, array)


def _as_series(values: Any) -> Any:
    """Put what declares its levels into a series, if it is none; leave anything else as it is."""
    import pandas as pd

    if isinstance(values, pd.Categorical | pd.CategoricalIndex):
        return pd.Series(values)
    if hasattr(values, "to_pylist"):
        import pyarrow as pa

        return pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    return values


def _objects(values: list[Any]) -> NDArray[Any]:
    """Return values as they are, also where they are lists of equal length."""
    return np.array([*values, None], dtype=object)[:-1]


def _column_of_series(name: str, series: Any) -> RawColumn:
    import narwhals.stable.v2 as nw

    if series.dtype in (nw.Categorical, nw.Enum):
        categories = series.cat.get_categories().to_list()
        position = {category: index for index, category in enumerate(categories)}
        return from_categories(name, categories, np.array([position.get(value, -1) for value in series.to_list()], dtype=np.int64))
    is_wide = series.dtype in (nw.Int128, nw.UInt128)  # numpy has no such numbers
    if series.dtype.is_numeric() and series.null_count() == 0 and not is_wide:
        return from_values(name, series.to_numpy())
    return from_values(name, _objects(series.to_list()))
