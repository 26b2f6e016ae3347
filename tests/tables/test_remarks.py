"""What readers say about a file, in the words of each surface."""

import pickle

import pytest

from bandsvm._system.advice import AdvisedError, literal
from bandsvm._tables.remarks import DataFileError, Remark
from bandsvm._workflow.naming import page_name, shell_name
from tests.helpers.tables import read


def test_options_are_named_as_a_surface_calls_them():
    remark = Remark("t.csv has one class", "name the column of labels with {target}")
    assert remark.render() == "t.csv has one class; name the column of labels with target."
    assert remark.render(shell_name).endswith("with --target.")
    assert remark.render(page_name).endswith("with “Target”.")


def test_braces_of_a_file_name_no_options():
    error = DataFileError("{target}.csv is odd", "leave out " + literal("{drop}"))
    assert error.render(shell_name) == "{target}.csv is odd; leave out {drop}."


@pytest.mark.parametrize("text", ["It ends.", "Did you mean it?", "It has no end"])
def test_sentences_end_once(text):
    assert Remark(text).render() in (text, f"{text}.")
    assert not Remark(text).render().endswith(("..", "?."))


def test_errors_are_advice_and_can_be_pickled(tmp_path):
    (tmp_path / "t{x}.csv").write_text("a,y\n1,0\n2,1\n")
    with pytest.raises(DataFileError) as caught:
        read(tmp_path / "t{x}.csv", drop=("{b}",))
    assert isinstance(caught.value, AdvisedError)
    told = caught.value.render(shell_name)
    assert "t{x}.csv has no column '{b}'; --drop takes a name, or a number from 1 to 2." in told
    assert pickle.loads(pickle.dumps(caught.value)).render(shell_name) == told
