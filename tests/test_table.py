"""Reading, coding, setting aside and refusing."""

from __future__ import annotations

import io
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from strategies import coded_tables

from dagmass import InputError, Table

PLAIN = "rain,wet\nyes,1\nno,0\nyes,1\n"


TEN_WORDS = list("abcdefghij")


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", PLAIN),
        ("crlf.csv", PLAIN.replace("\n", "\r\n")),
        ("bom.csv", b"\xef\xbb\xbf" + PLAIN.encode()),
        ("utf16.csv", PLAIN.encode("utf-16")),
        ("semicolon.csv", PLAIN.replace(",", ";").replace(";1", ";1,0").replace(";0", ";0,0")),
        ("tabs.tsv", PLAIN.replace(",", "\t")),
        ("quoted.csv", PLAIN.replace("yes", '"yes"')),
        ("blanks.csv", PLAIN.replace(",", ", ")),
        ("last_line.csv", PLAIN.rstrip()),
        ("rownames.csv", ",rain,wet\n1,yes,1\n2,no,0\n3,yes,1\n"),
        ("trailing.csv", "rain,wet\nyes,1,\nno,0,\nyes,1,\n"),
        ("excel.csv", "sep=;\nrain;wet\nyes;1\nno;0\nyes;1\n"),
        ("r_table.csv", "rain,wet\n1,yes,1\n2,no,0\n3,yes,1\n"),
        ("r_table_2.csv", '"rain";"wet"\n"1";"yes";1\n"2";"no";0\n"3";"yes";1\n'),
        ("spaced.csv", "rain,wet\n\nyes,1\n\nno,0\nyes,1\n"),
    ],
)
def test_files_that_mean_the_same(tmp_path: Path, name: str, content: str | bytes) -> None:
    table = Table.read(write(tmp_path / name, content))
    assert table.variables == ("rain", "wet")
    assert table.levels == (("no", "yes"), ("0", "1"))
    assert table.codes.tolist() == [[1, 0, 1], [1, 0, 1]]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("size, in m, of x;rain\nlow;yes\nhigh;no\n", ("size, in m, of x", "rain")),
        ("a;b;c,d\n1,2\n2,1\n", ("a;b;c", "d")),
        ("a|b\tc\n1;2,3\t0\n4;5,6\t1\n", ("a|b", "c")),
        ('"a,b,c";d\n"1,2";x\n"2,1";y\n', ("a,b,c", "d")),
    ],
)
def test_header_and_first_row_agree_on_the_separator(tmp_path: Path, content: str, names: tuple[str, ...]) -> None:
    assert Table.read(write(tmp_path / "a.csv", content), discrete=names).variables == names


def test_decimal_commas_between_tabs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "a\tb\tc\n1,5\t1,000\t1,0\n2,000\t2,000\t2,0\n1,5\t1,000\t1,0\n")
    assert Table.read(path, discrete="a").levels == (("1.5", "2"), ("1,000", "2,000"), ("1", "2"))


def test_row_names_and_latin_1_are_said(tmp_path: Path) -> None:
    assert "row names" in Table.read(write(tmp_path / "a.csv", ",rain,wet\n1,yes,1\n2,no,0\n")).notes[0]
    table = Table.read(write(tmp_path / "b.csv", "größe,b\nklein,1\ngroß,2\n".encode("latin-1")))
    assert table.variables[0] == "größe"
    assert "Latin-1" in table.notes[0]


def test_strange_names_survive(tmp_path: Path) -> None:
    table = Table.read(write(tmp_path / "a.csv", '"a, b","c ""d""","e|[f]"\n1,2,1\n2,1,1\n1,1,2\n'))
    assert table.variables == ("a, b", 'c "d"', "e|[f]")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN.encode())))
    assert Table.read("-").num_rows == 3


def test_parquet_and_arrow(tmp_path: Path) -> None:
    arrow = pa.table({"rain": ["yes", "no", "yes"], "wet": [1, 0, 1]})
    pyarrow.parquet.write_table(arrow, tmp_path / "a.parquet")
    pyarrow.feather.write_feather(arrow, tmp_path / "a.arrow")
    with pa.ipc.new_stream(tmp_path / "stream.arrow", arrow.schema) as stream:
        stream.write_table(arrow)
    expected = Table.from_frame(arrow)
    assert Table.read(tmp_path / "stream.arrow") == expected
    assert Table.read(tmp_path / "a.parquet") == expected == Table.read(tmp_path / "a.arrow")
    with pytest.raises(InputError, match=r"not a readable \.parquet file"):
        Table.read(write(tmp_path / "b.parquet", b"nonsense"))
    with pytest.raises(InputError, match=r"not a readable \.arrow file"):
        Table.read(write(tmp_path / "b.arrow", b"nonsense"))
    pyarrow.parquet.write_table(pa.table([[0, 1], [1, 0], [0, 0]], names=["a", "b", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(InputError, match=r"^Column names must differ; 'a' is given more than once\.$"):
        Table.read(tmp_path / "twice.parquet")


COLUMNS = {"rain": ["yes", "no", "yes"], "wet": [1.0, 0.0, 1.0], "cold": [True, True, False]}


@pytest.mark.parametrize(
    "frame",
    [
        COLUMNS,
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).astype({"rain": "category", "wet": "Int64"}),
        pl.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS, schema_overrides={"rain": pl.Enum(["no", "yes"])}),
        pa.table(COLUMNS),
    ],
    ids=["dict", "pandas", "pandas categories", "polars", "polars enum", "pyarrow"],
)
def test_frames_that_mean_the_same(frame: object) -> None:
    table = Table.from_frame(frame)
    assert table.variables == ("rain", "wet", "cold")
    assert table.levels == (("no", "yes"), ("0", "1"), ("False", "True"))
    assert table.codes.tolist() == [[1, 0, 1], [1, 0, 1], [1, 1, 0]]


def test_arrays() -> None:
    assert Table.from_frame(np.array([[0, 1], [1, 1], [0, 2]])).variables == ("X1", "X2")
    with pytest.raises(InputError, match="two dimensions"):
        Table.from_frame(np.zeros(3))
    with pytest.raises(InputError, match="A table must be"):
        Table.from_frame(7)


def test_declared_levels() -> None:
    frame = pd.DataFrame({"size": pd.Categorical(["small", "large"], ["small", "medium", "large"]), "b": [0, 1]})
    table = Table.from_frame(frame)
    assert table.levels[0] == ("small", "large")
    assert "medium" in table.notes[0]
    kept = Table.from_frame(frame, levels={"size": ["small", "medium", "large"]})
    assert kept.levels[0] == ("small", "medium", "large")
    assert kept.codes[0].tolist() == [0, 2]
    with pytest.raises(InputError, match="not among the levels given: large"):
        Table.from_frame(frame, levels={"size": ["small", "medium"]})


@pytest.mark.parametrize(
    "values", [[1.0, 2.0, 1.0], [1, 2, 1], ["1", "2", "1"], pd.Categorical([1.0, 2.0, 1.0]), [Decimal(1), Decimal(2), Decimal(1)]]
)
@pytest.mark.parametrize("levels", [[1.0, 2.0, 3.0], (1, 2, 3), ["1", "2", "3"], np.arange(1, 4)])
def test_declared_levels_mean_the_values_whatever_their_type(values: object, levels: object) -> None:
    table = Table.from_frame(pd.DataFrame({"a": values, "b": [0, 1, 1]}), levels={"a": levels})  # type: ignore[dict-item]
    assert table.levels[0] == ("1", "2", "3")
    assert table.codes[0].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("01", "must be a list of its values in their order, got '01'"),
        (2, "must be a list .* got 2"),
        ({0, 1}, "must be a list .* got {0, 1}"),
        ([0, None], "None, which stands for a missing value"),
        ([0, 1.0, 1], "must differ, got 0, 1, 1"),
        (range(70_000), "70000 levels; at most 65535"),
    ],
)
def test_bad_levels_are_refused(levels: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Table.from_frame({"a": [0, 1], "b": [0, 1]}, levels={"a": levels})  # type: ignore[dict-item]


DECLARED = pd.Categorical(["small", "large", "small"], ["small", "medium", "large"])


@pytest.mark.parametrize(
    "values",
    [
        DECLARED,
        pd.Series(DECLARED, index=[3, 3, 5]),
        pd.Index(DECLARED),
        pl.Series(list(DECLARED), dtype=pl.Enum(["small", "medium", "large"])),
        pa.DictionaryArray.from_arrays([0, 2, 0], ["small", "medium", "large"]),
        pa.chunked_array([pa.DictionaryArray.from_arrays([0, 2, 0], ["small", "medium", "large"])]),
    ],
    ids=["categorical", "series", "index", "polars", "pyarrow", "chunked"],
)
def test_levels_declared_by_a_column_of_a_dict(values: object) -> None:
    table = Table.from_frame({"size": values, "b": [0, 1, 1]})
    assert table.levels[0] == ("small", "large")
    assert table.codes[0].tolist() == [0, 1, 0]
    assert "medium" in table.notes[0]


@pytest.mark.parametrize("values", [pd.array([1, None, 2], dtype="Int64"), pl.Series([1, None, 2]), pa.array([1, None, 2])])
def test_columns_of_a_dict_are_read_like_those_of_frames(values: object) -> None:
    with pytest.raises(InputError, match="by column: a 1"):
        Table.from_frame({"a": values, "b": [0, 1, 1]})
    assert Table.from_frame({"a": values[::2], "b": [0, 1]}).levels[0] == ("1", "2")  # type: ignore[index]


@pytest.mark.parametrize("kind", [pl.Int128, pl.UInt128])
def test_wide_numbers_of_polars(kind: type[pl.DataType]) -> None:
    frame = pl.DataFrame({"a": pl.Series([2**100, 1, 2**100 + 1, 1], dtype=kind), "b": [0, 1, 1, 0]})
    table = Table.from_frame(frame)
    assert table.levels[0] == ("1", str(2**100), str(2**100 + 1))
    assert table.codes[0].tolist() == [1, 0, 2, 0]
    with pytest.raises(InputError, match="At most 10000000 rows"):
        Table.from_frame(frame.with_columns(c=pl.Series([0, 1, 0, 1])), counts="a")


def test_an_index_of_pandas_without_a_name(tmp_path: Path) -> None:
    frame = pd.DataFrame({"rain": ["yes", "no", "yes"], "wet": [1, 0, 1]}, index=["mon", "tue", "mon"])
    for index in (frame.index, pd.MultiIndex.from_product([["x"], frame.index])):
        frame.set_axis(index).to_parquet(tmp_path / "a.parquet")
        for table in (Table.read(tmp_path / "a.parquet"), Table.from_frame(pyarrow.parquet.read_table(tmp_path / "a.parquet"))):
            assert table == Table.from_frame(frame)
            assert table.variables == ("rain", "wet")
            assert [note.split()[1] for note in table.notes] == [f"'__index_level_{level}__'" for level in range(index.nlevels)]
            assert "taken for row names and dropped" in table.notes[0]


def test_counts() -> None:
    frame = {"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "n": [3, 0, 2, 4]}
    table = Table.from_frame(frame, counts="n")
    assert table.variables == ("a", "b")
    assert table.num_rows == 9
    repeated = {name: np.repeat(frame[name], frame["n"]) for name in ("a", "b")}
    assert Table.from_frame(repeated) == table
    with pytest.raises(InputError, match="must hold counts"):
        Table.from_frame({"a": [0, 1], "b": [0, 1], "n": [1, -1]}, counts="n")


def test_columns_and_drop() -> None:
    frame = {"a": [0, 1], "b": [0, 1], "c": [1, 0]}
    assert Table.from_frame(frame, columns=["c", "a"]).variables == ("c", "a")
    assert Table.from_frame(frame, drop=["b"]).variables == ("a", "c")
    assert Table.from_frame(frame, drop="b", discrete="a").variables == ("a", "c")
    assert Table.from_frame({"ab": [0, 1], "a": [0, 1], "b": [0, 1]}, drop="ab").variables == ("a", "b")
    with pytest.raises(InputError, match="'ab'"):
        Table.from_frame(frame, columns="ab")
    with pytest.raises(InputError, match="Did you mean 'b'"):
        Table.from_frame(frame, drop=["B"])


def test_a_column_with_one_level_is_set_aside() -> None:
    table = Table.from_frame({"a": [0, 1], "b": [0, 1], "c": [5, 5]})
    assert table.set_aside == ("c",)
    assert table.variables == ("a", "b")
    with pytest.raises(InputError, match="with a single level: 'b', 'c'"):
        Table.from_frame({"a": [0, 1], "b": [1, 1], "c": [5, 5]})


@given(coded_tables())
def test_merged_rows_are_the_same_rows(table: Table) -> None:
    codes, weights = table.merged
    merged = dict(zip(map(tuple, codes.T.tolist()), weights.tolist(), strict=True))
    assert len(merged) == codes.shape[1]
    counted: dict[tuple[int, ...], int] = {}
    for row, weight in zip(map(tuple, table.codes.T.tolist()), table.weights.tolist(), strict=True):
        counted[row] = counted.get(row, 0) + weight
    assert merged == counted
    assert list(merged) == sorted(merged)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "no rows"),
        ("a\n1\n2\n", "two columns are needed"),
        ("a,a\n1,2\n2,1\n", "'a' is given more than once"),
        ("a,,b\n1,2,3\n2,1,3\n", "column 2 of .* has none"),
        (",a,,b\n1,1,2,3\n2,2,1,3\n", "column 3 of .* has none"),
        ("a,,b\n1,1,2,3\n2,2,1,3\n", "column 3 of .* has none"),
        (",a,b\n1,1,2\n1,2,1\n", "column 1 of .* has none. The values of column 1 repeat"),
        ("a,b\n1,2\n1,2,3\n", "Row 2 of .* has 3 fields and the header has 2"),
        ('a,b\n"1",2\n1\n', "Row 2 of .* has 1 fields"),
        ("a,b\n1.5,2\n2.5,1\n", "'a' holds numbers with fractions"),
        ("a,b,c\n1,?,1\n2,,NA\n2,NaN,3\n", "by column: b 3, c 1"),
        ("a,b\n" + "".join(f"{i % 33},{i % 2}\n" for i in range(99)), "'a' has 33 distinct values in 99 rows; whole numbers may have 30"),
        ("a,b\n" + "".join(f"x{i % 70},{i % 2}\n" for i in range(140)), "text may have 64"),
        ("id,b\n" + "".join(f"{i},{i % 2}\n" for i in range(20)), "looks like an identifier.*--drop id"),
        (b"\x00\x01\x02", "not a text file"),
        ("a,b\n1,2,3\n1,3,4\n", "Row 1 of .* has 3 fields and the header has 2"),
        ('a,b\nx,"u\n' + "y,v\n" * 9, "not closed"),
        ('a,b\nx,"2\ny,3\nz,"1\n', "not closed"),
        ('a,b\n"x"z,2\ny,3\n', "not closed or stands inside"),
        ("a,b\n" + "".join(f"{i % 7}.25,{i % 2}\n" for i in range(20)) + "null,1\n.,0\n", "by column: a 2"),
        ("a,b\n1,2\ninf,3\n", "'a' holds infinite numbers"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Table.read(write(tmp_path / "bad.csv", content))


def test_discrete_overrides(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n" + "".join(f"{i % 40 / 2},{i % 2}\n" for i in range(80)))
    assert len(Table.read(path, discrete=["a"]).levels[0]) == 40


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        Table.read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        Table.read(tmp_path)


def test_numbers_with_a_few_words_are_said(tmp_path: Path) -> None:
    table = Table.read(write(tmp_path / "a.csv", "a,b\n1,x\n2,y\n3,x\nmany,y\n"))
    assert table.levels[0] == ("1", "2", "3", "many")
    assert "numbers and words ('many')" in table.notes[0]


def test_large_whole_numbers_stay_different(tmp_path: Path) -> None:
    table = Table.read(write(tmp_path / "a.csv", "a,b\n9007199254740992,x\n9007199254740993,y\n9007199254740993,x\n"))
    assert table.levels[0] == ("9007199254740992", "9007199254740993")


def test_infinite_numbers_may_be_levels(tmp_path: Path) -> None:
    table = Table.read(write(tmp_path / "a.csv", "a,b\n1,x\ninf,y\n-Inf,x\n"), discrete=["a"])
    assert table.levels[0] == ("-inf", "1", "inf")


def test_values_are_shown_like_those_of_files() -> None:
    frame = pd.DataFrame(
        {
            "category": pd.Categorical([1.0, 2.0, 1.0]),
            "mixed": pd.Series([1.0, " many", 2.0], dtype=object),
            "decimal": [Decimal("1.0"), Decimal("2"), Decimal("1")],
            "blanks": pd.Categorical(["low ", "low", "high"]),
        }
    )
    table = Table.from_frame(frame)
    assert table.levels == (("1", "2"), ("1", "2", "many"), ("1", "2"), ("high", "low"))
    assert table.codes.tolist() == [[0, 1, 0], [0, 2, 1], [0, 1, 0], [1, 1, 0]]
    assert table.notes == ("Column 'mixed' holds numbers and words ('many'); all of them were taken for words.",)


def test_values_of_other_types_may_be_declared_discrete() -> None:
    frame = {"day": [date(2020, 1, 2), None, date(2020, 1, 1)], "list": [[1], [2], [1]], "b": [0, 1, 1]}
    table = Table.from_frame(frame, drop=["day"], discrete=["list"])
    assert table.levels[0] == ("[1]", "[2]")
    with pytest.raises(InputError, match="by column: day 1"):
        Table.from_frame(frame, discrete=["day", "list"])
    assert Table.from_frame({"day": frame["day"][::2], "b": [0, 1]}, discrete=["day"]).levels[0] == ("2020-01-01", "2020-01-02")


def test_masked_values_are_missing() -> None:
    masked = np.ma.masked_array([[0, 9], [1, 1], [1, 2]], mask=[[0, 1], [0, 0], [0, 0]])
    with pytest.raises(InputError, match="by column: X2 1"):
        Table.from_frame(masked)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [[1], [2]], "b": [0, 1]}, "'a' holds list values"),
        ({"a": [(1,), (2,)], "b": [0, 1]}, "'a' holds tuple values"),
        ({"a": [b"x", b"y"], "b": [0, 1]}, "'a' holds bytes values"),
        ({"a": np.array([1j, 2]), "b": [0, 1]}, "'a' holds complex128 values"),
        ({"a": [1, date(2020, 1, 1)], "b": [0, 1]}, "'a' holds date values, not .*discrete="),
        ({"a": np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]"), "b": [0, 1]}, "'a' holds Timestamp values"),
        (pd.DataFrame({"a": pd.to_timedelta([1, 2], unit="D"), "b": [0, 1]}), "'a' holds Timedelta values"),
        (pl.DataFrame({"a": [date(2020, 1, 1), date(2020, 1, 2)], "b": [0, 1]}), "'a' holds date values"),
        (pd.DataFrame({"a": [Decimal("1.5"), Decimal("2")], "b": [0, 1]}), "'a' holds numbers with fractions"),
        (pa.table({"a": [Decimal("1.5"), Decimal("2")], "b": [0, 1]}), "'a' holds numbers with fractions"),
        ({"a": [1.0, np.inf], "b": [0, 1]}, "'a' holds infinite numbers"),
        ({"a": ["x", "?", "y"], "b": [0, 1, 1]}, "by column: a 1"),
        (pd.DataFrame({"a": [1, "?", 2.5], "b": ["NA", 0, 1]}), "by column: a 1, b 1"),
        (pd.DataFrame({"a": pd.Categorical(["x", "?", "NA"]), "b": [0, 1, 1]}), "by column: a 2"),
        (pl.DataFrame({"a": ["x", "", "y"], "b": [0, 1, 1]}, schema_overrides={"a": pl.Categorical}), "by column: a 1"),
        ({"a": 3, "b": [0, 1]}, "'a' must be a list"),
        ({"a": {"x", "y"}, "b": [0, 1]}, "'a' must be a list .* got set"),
        ({"a": frozenset("xy"), "b": [0, 1]}, "'a' must be a list .* got frozenset"),
        ({"a": {0: "x", 1: "y"}, "b": [0, 1]}, "'a' must be a list .* got dict"),
        (pd.DataFrame({"id": pd.Categorical(TEN_WORDS), "b": [0, 1] * 5}), "'id' .* looks like an identifier"),
        (pl.DataFrame({"id": TEN_WORDS, "b": [0, 1] * 5}, schema_overrides={"id": pl.Categorical}), "'id' .* looks like an identifier"),
        (pa.table({"id": pa.array(TEN_WORDS).dictionary_encode(), "b": [0, 1] * 5}), "'id' .* looks like an identifier"),
        ({"a": np.zeros((2, 2)), "b": [0, 1]}, "'a' must have one dimension"),
        (pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), "must differ; 'a' is given"),
        (pl.LazyFrame({"a": [1, 2]}), "collected first"),
        ({"a": [0, 1], "b": [0, 1, 1]}, "same number of rows"),
    ],
)
def test_bad_frames_are_refused(frame: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Table.from_frame(frame)


def test_columns_are_given_once() -> None:
    with pytest.raises(InputError, match="'a' is given more than once"):
        Table.from_frame({"a": [0, 1], "b": [0, 1]}, columns=["a", "a"])
    assert Table.from_frame(pd.DataFrame([[0, 1, 1], [1, 0, 1]]), drop=[2]).variables == ("0", "1")


def test_names_that_are_numbers() -> None:
    frame = pd.DataFrame({0: [0, 1, 0], 1: [0.5, 1.5, 0.5], 2: [2, 3, 1], 3: [0, 0, 1]})
    table = Table.from_frame(frame, columns=[0, 1, 3], discrete=[1], levels={3: [0, 1, 2]}, counts=2)
    assert table.variables == ("0", "1", "3")
    assert table.levels == (("0", "1"), ("0.5", "1.5"), ("0", "1", "2"))
    assert table.num_rows == 6
    assert Table.from_frame(frame, columns=frame.columns[[0, 2]]).variables == ("0", "2")
    with pytest.raises(InputError, match="There is no column '7'"):
        Table.from_frame(frame, drop=[7], discrete=1)
    with pytest.raises(InputError, match="levels must be a dict of column names and lists"):
        Table.from_frame(frame, discrete=1, levels=[0, 1])  # type: ignore[arg-type]


def test_tables_made_by_hand_are_checked() -> None:
    levels, weights = (("0", "1"),) * 2, np.ones(2, dtype=np.uint32)
    with pytest.raises(InputError, match="position among the levels"):
        Table(("a", "b"), levels, np.array([[0, 5], [0, 1]], dtype=np.uint16), weights)
    with pytest.raises(InputError, match="codes of shape"):
        Table(("a", "b"), levels, np.array([[0, 1]], dtype=np.uint16), weights)


def test_equal_tables_are_equal() -> None:
    one, other = Table.from_frame({"a": [0, 1, 1], "b": [0, 0, 1]}), Table.from_frame({"a": [1, 0, 1], "b": [1, 0, 0]})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Table.from_frame({"a": [0, 1, 1], "b": [0, 1, 1]})
