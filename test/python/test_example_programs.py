"""The programs of examples/ reach what they claim, on part of their work."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

import morok
from morok import Tensor

ROOT = Path(__file__).resolve().parents[2]


def program(name):
    """The example as a module; skips where a package that it needs is missing."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("morok"):
            raise
        pytest.skip(f"{error.name} is not installed")
    return module


def test_every_program_is_listed_with_its_command():
    page = (ROOT / "docs" / "examples.md").read_text()
    names = [path.name for path in (ROOT / "examples").glob("*.py")]
    assert names and not [name for name in names if f"examples/{name}" not in page]


def test_convolutions_learn_digits():
    assert program("convolution").train(epochs=3) > 0.94


def test_ridge_regression_is_scikit_learns():
    r2, theirs, apart = program("tables").regression()
    assert apart < 1e-9 and r2 == pytest.approx(theirs, abs=1e-9) and r2 > 0.35


def test_logistic_regression_is_scikit_learns():
    accuracy, theirs, apart = program("tables").classification()
    assert apart < 1e-5 and accuracy == theirs and accuracy > 0.95


def test_clusters_and_components_are_scikit_learns():
    found = program("clusters").compare()
    assert found["inertia"] == pytest.approx(found["their inertia"], rel=1e-3)
    assert found["components"] < 1e-6 and abs(found["variance"]) < 1e-9


def test_pictures_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    program("clusters").draw(tmp_path / "new", program("clusters").load_digits().data, rng.random((10, 64)), np.eye(2, 64))
    assert all((tmp_path / "new" / name).read_bytes()[:4] == b"\x89PNG" for name in ("centres.png", "components.png"))


def test_pendulums_keep_their_energy_and_follow_scipy(monkeypatch):
    p = program("pendulums")
    monkeypatch.setattr(p, "STEPS_A_CALL", 1)
    begin = p.ensemble(8)
    end = p.integrate(begin, 1.0)
    assert np.abs(end[:, 0] - p.reference(begin[:, 0], 1.0)).max() < 1e-8
    assert (p.energy(Tensor(end)) - p.energy(Tensor(begin))).abs().max().item() < 1e-6


def test_a_small_transformer_beats_the_letters_frequencies(monkeypatch):
    c = program("characters")
    for name, value in (("BLOCKS", 1), ("WIDTH", 32), ("LENGTH", 32)):
        monkeypatch.setattr(c, name, value)
    model, text, bits = c.train(150)
    assert bits < text.unigram_bits() - 0.3
    written = c.sample(model, text, "The ", 12)
    assert written.startswith("The ") and len(written) == 16


def test_the_transformer_looks_at_nothing_behind(monkeypatch):
    c = program("characters")
    for name, value in (("BLOCKS", 1), ("WIDTH", 16), ("LENGTH", 8)):
        monkeypatch.setattr(c, name, value)
    model = c.Transformer(20)
    codes = np.arange(8)[None] % 20
    changed = codes.copy()
    changed[0, 5:] = 19
    with morok.no_grad():
        first, second = (model(Tensor(x)).numpy() for x in (codes, changed))
    np.testing.assert_array_equal(first[0, :5], second[0, :5])
    assert np.abs(first[0, 5:] - second[0, 5:]).max() > 1e-3


SIMILAR = ("A man is eating food.", "Someone has a meal.", "The central bank raised interest rates.")


@pytest.fixture(scope="module")
def sentences():
    s = program("sentences")
    try:
        s.folder()
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    return s, *s.load()


def test_sentence_vectors_are_those_of_a_float64_forward_pass(sentences):
    s, model, tokenizer = sentences
    pieces, mask = s.cut(tokenizer, SIMILAR)
    assert not mask.all()  # sentences of several lengths, so that the mask counts
    with morok.no_grad():
        vectors = model(Tensor(pieces), Tensor(mask)).numpy()
    weights = {name: t.numpy().astype(np.float64) for name, t in morok.load(s.folder() / "model.safetensors").items()}
    wanted = forward(weights, json.loads((s.folder() / "config.json").read_text()), pieces, mask)
    np.testing.assert_allclose(vectors, wanted, rtol=0, atol=1e-6)
    near = wanted @ wanted.T
    assert near[0, 1] > 0.5 > near[0, 2]


def forward(w, config, pieces, mask):
    """BERT with mean pooling as its paper has it, in NumPy."""
    erf = np.vectorize(math.erf, otypes=[float])

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + config["layer_norm_eps"]) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def heads(x):
        return x.reshape(*x.shape[:2], config["num_attention_heads"], -1).swapaxes(1, 2)
    e = "embeddings"
    x = w[f"{e}.word_embeddings.weight"][pieces] + w[f"{e}.position_embeddings.weight"][:pieces.shape[1]] + w[f"{e}.token_type_embeddings.weight"][0]
    x = norm(x, f"{e}.LayerNorm")
    for i in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{i}"
        q, k, v = (heads(linear(x, f"{at}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[-1])
        scores = np.where(mask[:, None, None] == 1, scores, -np.inf)
        chances = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (chances / chances.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(x.shape)
        x = norm(linear(mixed, f"{at}.attention.output.dense") + x, f"{at}.attention.output.LayerNorm")
        inner = linear(x, f"{at}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        x = norm(linear(inner, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
    mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)
