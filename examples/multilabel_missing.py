# %% [markdown]
# # Several labels per document, many of them missing
#
# Labelling takes work, and often a document has been checked for some of the labels only. A missing
# entry (`NaN`) adds no factor to the posterior: nothing is imputed, and the words of the document
# still help to learn the topics. Here we plant four labels, hide most of them, and measure how much
# the predictions lose.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm

import pymc_medlda as med

labels = ["sport", "money", "europe", "weather"]
planted = med.datasets.make_planted(
    500,
    n_topics=8,
    n_words=400,
    length=60,
    n_tasks=4,
    response="multilabel",
    noise=0.2,
    seed=7,
)
n_train = 300
corpus, test = planted.corpus[:n_train], planted.corpus[n_train:]
y, y_test = planted.y[:n_train].astype(float), planted.y[n_train:]
rng = np.random.default_rng(7)


def hide(y: np.ndarray, share: float) -> np.ndarray:
    """Make this share of the entries missing."""
    return np.where(rng.random(y.shape) < share, np.nan, y)


pd.DataFrame(hide(y, 0.7), columns=labels).head()

# %% [markdown]
# ## Sampling and scores, by the share of missing labels

# %%
rows, runs = [], {}
for share in [0.0, 0.5, 0.8, 0.95]:
    with med.GibbsMedLDA(
        corpus,
        hide(y, share),
        n_topics=8,
        classes=labels,
        loss=med.Hinge(margin=4.0),
    ):
        run = pm.sample(
            tune=150,
            draws=100,
            chains=2,
            cores=2,
            random_seed=1,
            progressbar=False,
            compute_convergence_checks=False,
        )
    runs[share] = med.predict(run, test, thin=5, random_seed=1, progressbar=False)
    rows.append({"missing": share, **med.evaluate(runs[share], y_test)})
scores = pd.DataFrame(rows).set_index("missing")
print(scores.round(3))

# %%
ax = scores[["f1", "exact"]].plot(marker="o", figsize=(5, 3), ylim=(0, 1))
ax.set(
    xlabel="share of labels that are missing", ylabel="score on held-out documents"
)
plt.tight_layout()
plt.show()

# %% [markdown]
# ## How certain each decision is
#
# `agreement` is the share of draws that set a label. When there are few labels to learn from, the
# draws agree less:

# %%
for share, run in runs.items():
    p = run["predictions"]["agreement"].values
    uncertain = np.mean((p > 0.05) & (p < 0.95))
    print(f"{share:.0%} missing: {uncertain:.0%} of the decisions are uncertain")

# %% [markdown]
# ## Which topics carry a label

# %%
med.plot_eta_forest(runs[0.0])
plt.show()
