"""Real databases for the exported SQL: a table goes in, predictions come out."""

import contextlib
import functools
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import duckdb
import polars as pl

TABLE = 'my "people"'
ROW = "row number"
TYPES = {
    "sqlite": {pl.Float64: "REAL", pl.Int64: "INTEGER", pl.Boolean: "INTEGER", pl.String: "TEXT"},
    "duckdb": {
        pl.Float64: "DOUBLE",
        pl.Float32: "FLOAT",
        pl.Int64: "BIGINT",
        pl.Boolean: "BOOLEAN",
        pl.String: "VARCHAR",
    },
    "postgres": {
        pl.Float64: "float8",
        pl.Float32: "float4",
        pl.Int64: "bigint",
        pl.Boolean: "boolean",
        pl.String: "text",
    },
}


def in_sqlite(frame, sql):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        return _ask(connection, "sqlite", frame, sql)


@functools.cache
def _duckdb():
    return duckdb.connect(config={"threads": 1})


def in_duckdb(frame, sql):
    _duckdb().execute(f"DROP TABLE IF EXISTS {quoted(TABLE)}")
    return _ask(_duckdb(), "duckdb", frame, sql)


def _ask(connection, dialect, frame, sql):
    frame = frame.with_row_index(ROW).cast({ROW: pl.Int64})
    connection.execute(_create(frame, dialect))
    marks = ", ".join([f"({', '.join('?' * frame.width)})"] * frame.height)
    values = [value for row in frame.rows() for value in row]
    connection.execute(f"INSERT INTO {quoted(TABLE)} VALUES {marks}", values)
    return [row[0] for row in connection.execute(_ordered(sql)).fetchall()]


def _create(frame, dialect):
    columns = ", ".join(f"{quoted(n)} {TYPES[dialect][t]}" for n, t in frame.schema.items())
    return f"CREATE TABLE {quoted(TABLE)} ({columns})"


def _ordered(sql):
    return f'SELECT "prediction" FROM ({sql}) AS answers ORDER BY {quoted(ROW)}'


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Postgres:
    """A server of our own in a temporary folder, reached through a socket there."""

    def __init__(self, programs, folder, user):
        self.programs, self.folder, self.user = programs, folder, user

    def run(self, program, *arguments, stdin=None):
        done = subprocess.run(
            [self.programs / program, *arguments],
            input=stdin,
            stdout=subprocess.PIPE if program == "psql" else subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "psql" else subprocess.DEVNULL,
            encoding="utf-8",
            cwd=self.folder,
            **({"user": self.user, "extra_groups": []} if self.user else {}),
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def answers(self, questions):
        """Predictions for each pair of a table and a SELECT, in one session."""
        script = "\n".join(self._script(frame, sql) for frame, sql in questions)
        out = self.run(
            *("psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "tests"),
            *("-d", "postgres", "-f", "-"),
            stdin="SET client_encoding = 'UTF8';\nSET client_min_messages = warning;\n" + script,
        )
        return [json.loads(line) for line in out.splitlines()]

    def _script(self, frame, sql):
        frame = frame.with_row_index(ROW).cast({ROW: pl.Int64})
        rows = ",\n".join(f"({', '.join(map(_literal, row))})" for row in frame.rows())
        agg = f'json_agg("prediction" ORDER BY {quoted(ROW)})'
        return (
            f"{_create(frame, 'postgres')};\nINSERT INTO {quoted(TABLE)} VALUES {rows};\n"
            f"SELECT {agg} FROM ({sql}) AS answers;\nDROP TABLE {quoted(TABLE)};"
        )


def _literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


@contextlib.contextmanager
def running_postgres():
    """Start PostgreSQL where it is installed; yield None where it is not."""
    found = shutil.which("pg_ctl")
    programs = Path(found).resolve().parent if found else None
    # PostgreSQL does not run as root.
    user = "nobody" if hasattr(os, "geteuid") and os.geteuid() == 0 else None
    if programs is None or not all((programs / p).exists() for p in ("initdb", "psql")):
        yield None
        return
    folder = tempfile.mkdtemp()
    if user:
        shutil.chown(folder, user)
    server = Postgres(programs, folder, user)
    data = f"{folder}/data"
    settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    try:
        server.run("initdb", "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C")
        server.run("pg_ctl", "-D", data, "-o", settings, "-l", f"{folder}/log", "-w", "start")
        try:
            yield server
        finally:
            server.run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
