"""Checkpoints of `bandsvm fit`: whose they are, when they are used, and when they are removed."""

import os
import sys

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

import bandsvm
from bandsvm import BandedSVC
from bandsvm.cli import main

if sys.platform == "win32":
    pytest.skip("owners and pipes are those of POSIX", allow_module_level=True)

X, Y = load_iris(return_X_y=True)
STRANGER = 12345


@pytest.fixture
def fit(folder):
    """Return a function that runs the command in a folder with training data."""
    dump_svmlight_file(X, Y, "iris.svm", zero_based=False)
    return lambda *more: main(["fit", "iris.svm", "--model", "m.bsvm", "--quiet", *more])


def write_checkpoint(path, C1=7.0):
    bandsvm.save(BandedSVC(C1=C1).fit(X, Y), path)


def test_a_fit_leaves_files_alone_that_it_did_not_write(fit, folder):
    checkpoint = folder / "m.bsvm.checkpoint"
    checkpoint.write_bytes(b"notes of mine")
    assert fit() == 0
    assert checkpoint.read_bytes() == b"notes of mine"


def test_a_fit_removes_the_checkpoint_that_it_went_on_from(fit, folder):
    checkpoint = folder / "m.bsvm.checkpoint"
    write_checkpoint(checkpoint)
    assert fit("--resume") == 0
    assert bandsvm.load("m.bsvm").C1 == 7.0
    assert not checkpoint.exists()


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_a_fit_removes_the_checkpoint_that_it_wrote(fit, folder):
    (folder / "m.bsvm.checkpoint").write_bytes(b"of a fit that was killed")
    assert fit() == 0
    assert sorted(os.listdir(folder)) == ["iris.svm", "m.bsvm"]


def test_a_model_that_is_younger_than_its_checkpoint_is_the_one_to_go_on_with(fit, folder):
    checkpoint = folder / "m.bsvm.checkpoint"
    write_checkpoint(checkpoint)
    os.utime(checkpoint, ns=(0, 0))
    write_checkpoint(folder / "m.bsvm", C1=3.0)
    assert fit("--resume") == 0
    assert bandsvm.load("m.bsvm").C1 == 3.0
    assert checkpoint.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_checkpoints_of_strangers_are_refused(fit, folder, capsys):
    checkpoint = folder / "m.bsvm.checkpoint"
    write_checkpoint(checkpoint)
    os.chown(checkpoint, STRANGER, STRANGER)
    assert fit("--resume") == 1
    assert "m.bsvm.checkpoint: it is a link or belongs to another user" in capsys.readouterr().err
    assert checkpoint.exists()
    assert not (folder / "m.bsvm").exists()


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_checkpoints_that_are_no_files_are_refused(kind, fit, folder, capsys):
    checkpoint = folder / "m.bsvm.checkpoint"
    if kind == "link":
        write_checkpoint(folder / "elsewhere")
        checkpoint.symlink_to(folder / "elsewhere")
    else:
        os.mkfifo(checkpoint)
    assert fit("--resume") == 1
    assert "it is a link or belongs to another user" in capsys.readouterr().err
    assert checkpoint.lstat()


def test_a_checkpoint_of_other_data_is_refused(fit, folder, capsys):
    bandsvm.save(BandedSVC().fit(X[:90], Y[:90]), folder / "m.bsvm.checkpoint")
    assert fit("--resume") == 1
    assert "--resume needs the training data of the model" in capsys.readouterr().err
    assert (folder / "m.bsvm.checkpoint").exists()
    assert np.all(bandsvm.load(folder / "m.bsvm.checkpoint").classes_ == [0, 1])
