"""The server behind the view “A model”."""

import io

import numpy as np
import pandas as pd

from bandsvm import load
from bandsvm.cli import main
from tests.helpers.explore_pages import connected, running
from tests.helpers.explore_requests import QUERY, ask, refusal, sent
from tests.helpers.iris_files import FILES, NAMES, SPECIES, X, Y


def test_model_files_are_described(file, tmp_path):
    model = tmp_path / "iris.bsvm"
    assert main(["fit", str(file), "--model", str(model), "--quiet"]) == 0
    with running(file=str(model)) as server, connected(server) as client:
        card = ask(client, "model.open", {})[0]["model"]
        assert card["classes"] == SPECIES.tolist()
        assert ask(client, "data.open", {})[0]["is_model"]
        key = sent(server, "<b>.bsvm", model.read_bytes())
        named = ask(client, "model.open", {"upload": key})[0]["model"]
        assert named["model"] == "<b>.bsvm"
        assert named["text"].splitlines()[1:] == card["text"].splitlines()[1:]
        damaged = sent(server, "half.bsvm", model.read_bytes()[:5000])
        words = refusal(client, "model.open", {"upload": damaged})
        assert words.startswith("half.bsvm ")
        words = refusal(client, "model.open", {"upload": sent(server, "a.csv", b"a,b\n1,2\n")})
        assert "is not a model file" in words


def test_data_through_a_model(file, tmp_path):
    model = tmp_path / "iris.bsvm"
    assert main(["fit", str(file), "--model", str(model), "--quiet"]) == 0
    with running(file=str(model)) as server, connected(server) as client:
        key = sent(server, "new.csv", FILES["iris.csv"]())
        assert "choose one first" in refusal(client, "model.data", {"upload": key})
        ask(client, "model.open", {})
        key = sent(server, "new.csv", FILES["iris.csv"]())
        answer = ask(client, "model.data", {"upload": key})[0]
        fitted = load(model)
        assert answer["overview"]["accuracy"] == np.mean(fitted.predict(frame(X)) == SPECIES[Y])
        assert "150 samples of new.csv" in answer["overview"]["role"]
        table = ask(client, "model.csv", {"part": "all", **QUERY, "sort": 0})[1]["content"]
        read = pd.read_csv(io.BytesIO(table.tobytes()))
        assert read["predicted"].tolist() == fitted.predict(frame(X)).tolist()
        for view in ("abstention", "overview"):
            assert ask(client, "model.view", {"view": view, "part": "all"})[0]
        # Without labels nothing tells what is right.
        lines = [line.rpartition(",")[0] for line in FILES["iris.csv"]().decode().splitlines()]
        key = sent(server, "bare.csv", "\n".join(lines).encode())
        answer = ask(client, "model.data", {"upload": key})[0]
        assert answer["overview"]["accuracy"] is None
        assert not answer["has_labels"]
        assert "no labels" in refusal(client, "model.view", {"view": "abstention"})
        key = sent(server, "other.csv", b"a,b\n1,2\n")
        assert "lacks the columns" in refusal(client, "model.data", {"upload": key})
        # Another model forgets the data.
        key = sent(server, "again.bsvm", model.read_bytes())
        ask(client, "model.open", {"upload": key})
        assert "No data file" in refusal(client, "model.view", {"view": "overview"})


def frame(X):
    return pd.DataFrame(X, columns=NAMES)


def test_data_views_without_a_model_show_none(client):
    assert ask(client, "model.open", {})[0]["model"] is None
