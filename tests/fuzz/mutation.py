"""Tables, and ways to spoil them or any file."""

import bz2
import gzip
import io

import altered
import polars as pl

TABLE = altered.X.with_columns(pl.Series("risk", altered.RISK))
TOKENS = [
    *(b"\0", b'"', b"'", b",", b";", b"\n", b"\r", b"\r\n", b"\t", b"\xff", b"\xfe\xff"),
    *(b"\xef\xbb\xbf", b"\xed\xa0\x80", b"{", b"x" * 3000),
    *(b"1e400", b"-1e308", b"nan", b"inf", b"9007199254740993", b"99999999999999999999", b"0x1f"),
    *(b"2024-01-31", b"null", b"NULL", b"", b"age", b"risk", b"\x1b[31m"),
]  # fmt: skip
ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1"]
PACKERS = [gzip.compress, bz2.compress, lambda data: gzip.compress(gzip.compress(data))]
NAMES = ["", "risk", "age", "a\nb", 'q"q', "x" * 3000, "\x1b[2J", "<b>", "ß", "1", " age "]
VALUES = [None, "", "low", 0, -1, 1.5, 1e308, float("nan"), float("inf"), 2**53 + 1, "s\0", b"x"]


def spoil_bytes(data, random):
    """Flip, cut, double and insert a few things."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 5])):
        place, length = random.randrange(len(data) + 1), random.choice([1, 4, 40])
        how = random.randrange(5)
        if how == 0 and place < len(data):
            data[place] = random.randrange(256)
        elif how == 1:
            del data[place : place + length]
        elif how == 2:
            data[place:place] = data[place : place + length]
        elif how == 3:
            data[place:place] = random.choice(TOKENS)
        elif random.random() < 0.3:
            del data[place:]
    return bytes(data)


def spoil_table(frame, random):
    """Rename, replace, drop or empty a column, or take other rows."""
    name, how = random.choice(frame.columns), random.randrange(6)
    if how == 0:
        new = random.choice(NAMES)
        return frame if new in frame.columns else frame.rename({name: new})
    if how == 1:
        column = [random.choice(VALUES)] * frame.height
        return frame.with_columns(pl.Series(name, column, strict=False))
    if how == 2:
        return frame.drop(name)
    if how == 3:
        return frame.head(random.choice([0, 1, 2, 7]))
    if how == 4:
        return frame.with_columns(pl.col(name).cast(pl.String))
    chosen = [random.choice(VALUES) for _ in range(frame.height)]
    return frame.with_columns(pl.Series(name, [str(v) for v in chosen]))


def spoilt_csv(random):
    """A CSV file that is spoilt in its columns, its bytes or the way it is written."""
    frame = TABLE
    for _ in range(random.choice([0, 1, 2])):
        frame = spoil_table(frame, random) if frame.width > 1 else frame
    data = _as_csv(frame)
    how = random.random()
    if how < 0.7:
        return spoil_bytes(data, random)
    if how < 0.85:
        return data.decode("utf-8", "replace").encode(random.choice(ENCODINGS), "replace")
    return spoil_bytes(random.choice(PACKERS)(data), random)


def _as_csv(frame):
    texts = [
        pl.col(name).cast(pl.String) if dtype != pl.Binary else pl.lit("binary").alias(name)
        for name, dtype in frame.schema.items()
    ]
    return frame.select(texts).write_csv().encode()


def spoilt_parquet(random):
    """A Parquet file, spoilt likewise."""
    frame, file = TABLE, io.BytesIO()
    for _ in range(random.choice([0, 1, 2])):
        frame = spoil_table(frame, random) if frame.width > 1 else frame
    frame.write_parquet(file)
    return spoil_bytes(file.getvalue(), random) if random.random() < 0.8 else file.getvalue()
