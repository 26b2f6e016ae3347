"""Options become what the readers take."""

import argparse

import pytest

from bandsvm._tables.options import ReadOptions
from bandsvm.cli._options import add_data_options, add_disk_option, read_options


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    add_data_options(parser)
    add_disk_option(parser)
    return read_options(parser.parse_args(arguments))


def test_options_that_are_not_given_have_the_defaults_of_the_readers():
    assert parsed() == ReadOptions()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--target", "y", "--format", "arff"], ReadOptions(target="y", format="arff")),
        (["--drop", "a", "--drop", "b"], ReadOptions(drop=("a", "b"))),
        (["--id", "a", "--keep", "b"], ReadOptions(id=("a",), keep=("b",))),
        (["--header"], ReadOptions(header=True)),
        (["--no-header"], ReadOptions(header=False)),
        (["--zero-based", "--categorical", "c"], ReadOptions(zero_based=True, categorical=("c",))),
        (["--skip-unlabelled", "--on-disk"], ReadOptions(skip_unlabelled=True, on_disk=True)),
    ],
)
def test_options_become_fields(arguments, expected):
    assert parsed(*arguments) == expected
