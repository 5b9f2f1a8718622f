# %% [markdown]
# # Quickstart: which package is this docstring from?
#
# The documents are docstrings of NumPy and pandas. Both packages are installed already, so there is
# nothing to download. The label of a docstring is its package. We fit a supervised topic model,
# look at the topics that tell the packages apart, and predict the labels of held-out docstrings.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm

import pymc_medlda as med

documents = med.datasets.load_docstrings(
    ["numpy", "pandas"], n_documents_per_package=600, seed=1
)
train, test = med.datasets.train_test_split(documents, test_fraction=0.3, seed=1)
train.corpus

# %% [markdown]
# ## The model
#
# `GibbsMedLDA` is a `pm.Model`. Two label values give the hinge loss. The margin sets how strongly
# the labels influence the topics: with the paper's 164 they outweigh the words, and with 10 the
# topics remain easy to read.

#
# A chain that starts at random topics stays in a mode near its start for very long.
# `annealed_starts` lets every chain forget where it started, before `pm.sample` begins.

# %%
with med.GibbsMedLDA(
    train.corpus, train.y, n_topics=10, alpha=5.0, loss=med.Hinge(margin=10.0)
) as model:
    starts = med.annealed_starts(3000, chains=2, random_seed=1, progressbar=False)
    idata = pm.sample(
        tune=100,
        draws=200,
        chains=2,
        cores=2,
        initvals=starts,
        step=med.GibbsMedLDAStep(sweeps_per_draw=5),
        discard_tuned_samples=False,
        random_seed=1,
        progressbar=False,
    )

# %% [markdown]
# ## The topics
#
# The table has one row per topic, from the most typical of NumPy (negative weight) to the most
# typical of pandas. `share` is the topic's share of all tokens.

# %%
words = med.top_words(idata, n=7).sort_values("eta")
pd.set_option("display.width", 120)
print(words.round(2).to_string())

# %%
med.plot_eta_forest(idata)
plt.show()

# %% [markdown]
# ## Prediction
#
# `predict` needs only the results. It predicts with every stored draw (here with every fifth), so
# each decision comes with the share of draws that agree with it.

# %%
idata = med.predict(idata, test.corpus, thin=5, random_seed=1, progressbar=False)
majority = max(np.mean(test.y == name) for name in test.names)
accuracy = med.evaluate(idata, test.y)["accuracy"]
print(f"held-out accuracy {accuracy:.3f} (majority class: {majority:.3f})")

# %%
predictions = idata["predictions"]
unsure = np.abs(predictions["agreement"].values[:, 1] - 0.5).argsort()[:5]
pd.DataFrame(
    {
        "document": predictions["document"].values[unsure],
        "package": test.y[unsure],
        "decision": predictions["decision"].values[unsure],
        "share of draws for pandas": predictions["agreement"]
        .values[unsure, 1]
        .round(2),
    }
)

# %% [markdown]
# Is the model wrong where its draws disagree? The picture shows documents in groups, with full
# agreement on the left:

# %%
med.plot_uncertainty(idata, y=test.y)
plt.show()

# %% [markdown]
# ## Can the run be trusted?
#
# The warm-up was kept, so the traces show how the chains settled. `diagnose` reports the checks in
# words.

# %%
med.plot_burn_in(idata)
plt.show()
print(med.diagnose(idata))
