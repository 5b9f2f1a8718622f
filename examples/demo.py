"""Tell two Python packages apart by their docstrings, and say by which topics.

Run by ``make demo``. The documents are the docstrings of two installed packages, so nothing is
downloaded. Pictures are written to ``demo-output/``.
"""

import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pymc as pm

import pymc_medlda as med

PACKAGES = ("numpy", "pandas")
OUTPUT = Path("demo-output")


def main() -> None:
    mpl.use("Agg")
    start = time.perf_counter()
    documents = med.datasets.load_docstrings(
        PACKAGES, n_documents_per_package=700, seed=1
    )
    train, test = med.datasets.train_test_split(
        documents, test_fraction=0.3, seed=1
    )
    print(
        f"docstrings of {' and '.join(PACKAGES)}: {train.corpus}, {len(test.y)} held out"
    )

    # With a margin below the paper's 164 the labels do not outweigh the words, and topics stay
    # readable.
    loss = med.Hinge(margin=20.0)
    with med.GibbsMedLDA(
        train.corpus, train.y, n_topics=4, alpha=5.0, beta=0.1, loss=loss
    ):
        # Chains that start at random topics would end in different modes. With these settings one
        # mode holds nearly all of the posterior, and four candidates for each chain find it.
        starts = med.annealed_starts(2000, chains=2, candidates=4, random_seed=1)
        idata = pm.sample(
            tune=50,
            draws=400,
            chains=2,
            cores=2,
            initvals=starts,
            step=med.GibbsMedLDAStep(sweeps_per_draw=20),
            discard_tuned_samples=False,
            random_seed=1,
            progressbar=False,
            compute_convergence_checks=False,  # PyMC does not align topics; `diagnose` does
        )

    idata = med.predict(idata, test.corpus, random_seed=1)
    print(
        "\nTopics, from the most typical of one package to the most typical of the other:"
    )
    words = med.top_words(idata, n=8)
    print(words.sort_values("eta").to_string(index=False))

    majority = max(np.mean(test.y == name) for name in PACKAGES)
    accuracy = med.evaluate(idata, test.y)["accuracy"]
    print(f"\nheld-out accuracy {accuracy:.3f} (majority class: {majority:.3f})")
    diagnosis = med.diagnose(idata)
    r_hat = diagnosis.table.loc["discriminant of new documents", "r_hat_median"]
    print(f"\nmedian R-hat of the discriminants of held-out documents {r_hat:.3f}")
    print(f"\nconvergence: {diagnosis.verdict}")

    OUTPUT.mkdir(exist_ok=True)
    pictures = {
        "burn_in": med.plot_burn_in(idata),
        "weights": med.plot_eta_forest(idata),
        "topics": med.plot_topic_words(idata),
        "uncertainty": med.plot_uncertainty(idata, y=test.y),
        "alignment": med.plot_alignment(idata),
    }
    for name, axes in pictures.items():
        figure = np.atleast_1d(axes).ravel()[0].figure
        figure.savefig(OUTPUT / f"{name}.png", dpi=110, bbox_inches="tight")
    print(
        f"\npictures: {', '.join(str(OUTPUT / f'{name}.png') for name in pictures)}"
    )
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
