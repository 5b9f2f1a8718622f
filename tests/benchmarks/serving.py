"""What an exported model costs, and how close it is to `predict`, on real corpora.

    python -m tests.benchmarks.serving [20ng_religion | hotel_reviews] [--draws 10]

It fits the training part with ``med.fit``, exports the run, and prints

- the sizes of the run as NetCDF and of the exported model;
- the time of a new process that imports the package, loads the model and predicts one text, the
  least of several, and the time that Python itself takes to start;
- how far the exported model is from `predict` on the test part, and how far `predict` with one
  seed is from `predict` with another, with the scores of both.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.benchmarks import data

ONE_TEXT = """
import pymc_medlda as med
model = med.load({path!r})
print(model.predict([{text!r}]).decision)
"""


def as_frame(corpus, y):
    """Return documents as texts, whose words are separated by blanks."""
    words = corpus.vocabulary.astype(str)
    texts = [" ".join(words[own]) for own in np.split(corpus.words, corpus.starts[1:-1])]
    return pd.DataFrame({"text": texts, "label": y})


def fit(name, draws):
    corpus, y = data.load(name)
    is_real = name == "hotel_reviews"
    return med.fit(
        as_frame(corpus, y.astype(float) if is_real else y),
        text="text",
        label="label",
        values=is_real,
        tune=25,
        draws=draws,
        random_seed=1,
        progressbar=False,
        min_df=1,
        max_df=1.0,
        token_pattern=r"\S+",
    )


def best_time(program, repeats=7):
    """Return the shortest elapsed time of a new process."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return min(times)


def agreement(run, model, name):
    test, y = data.load(name, "test")
    is_real = model.kind == "real"
    wanted = ["discriminant", "decision"] + ([] if is_real else ["probability"])
    first, second = (
        get_group(med.predict(run, test, random_seed=s, var_names=wanted), "predictions")
        for s in (1, 2)
    )
    begin = time.perf_counter()
    answers = model.predict(test)
    seconds = time.perf_counter() - begin
    print(f"exported model: {1000 * seconds / test.n_documents:.1f} ms per document")
    if is_real:
        spread = first["decision"].values.std()
        for label, other in (("exported", answers.decision), ("second seed", second["decision"])):
            far = np.abs(np.asarray(other) - first["decision"].values)
            print(f"{label}: mean difference to predict {far.mean() / spread:.3f} of the spread")
        for label, value in (("predict", first["decision"].values), ("exported", answers.decision)):
            r2 = 1 - np.square(value - y).sum() / np.square(y - y.mean()).sum()
            print(f"{label}: R² {r2:.4f}")
        return
    chosen, p = first["decision"].values, first["probability"].values
    others = {
        "exported": (answers.decision, answers.probability),
        "second seed": (second["decision"].values, second["probability"].values),
    }
    for label, (decision, probability) in others.items():
        far, equal = np.abs(probability - p).mean(), (decision == chosen).mean()
        print(f"{label}: probabilities differ by {far:.4f}, decisions equal {equal:.4f}")
    for label, decision in (("predict", chosen), ("exported", answers.decision)):
        print(f"{label}: accuracy {(decision == y).mean():.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="20ng_religion")
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    run = fit(options.name, options.draws)
    folder = Path(tempfile.mkdtemp())
    run.to_netcdf(str(folder / "run.nc"))
    med.export(run, folder / "model.npz")
    large, small = ((folder / name).stat().st_size for name in ("run.nc", "model.npz"))
    print(f"run {large / 1e6:.2f} MB, exported {small / 1e6:.3f} MB: {100 * small / large:.1f} %")
    model = med.load(folder / "model.npz")
    text = " ".join(model.words[::200].tolist()[:60])
    program = ONE_TEXT.format(path=str(folder / "model.npz"), text=text)
    print(f"new process: {best_time(program):.2f} s, of which Python {best_time('pass'):.2f} s")
    agreement(run, model, options.name)


if __name__ == "__main__":
    main()
