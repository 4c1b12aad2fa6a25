"""Queries of sarraf's recordings, runs and studies, for the notebooks beside this file."""

import os
import subprocess
import tempfile
from pathlib import Path

import duckdb

PROJECT = Path(__file__).resolve().parents[2]


def sarraf(*arguments: str) -> None:
    """Runs `sarraf` in the project's folder. What it says is shown; a failure ends the notebook."""
    subprocess.run(["npx", "sarraf", *arguments], cwd=PROJECT, check=True)


def ask(query: str) -> duckdb.DuckDBPyRelation:
    """
    The answer of `sarraf sql`, as a relation of DuckDB. Money comes as decimals, exactly. SARRAF_DATA and
    SARRAF_CATALOGUE name other folders than those of the project.
    """
    folder = tempfile.TemporaryDirectory()
    answer = Path(folder.name) / "answer.parquet"
    places = [
        part
        for option, variable in (("--data", "SARRAF_DATA"), ("--catalogue", "SARRAF_CATALOGUE"))
        if variable in os.environ
        for part in (option, os.environ[variable])
    ]
    sarraf("sql", query, "--out", str(answer), *places)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE answer AS FROM read_parquet(?)", [str(answer)])
    folder.cleanup()
    return connection.table("answer")
