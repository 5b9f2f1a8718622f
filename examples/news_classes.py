# %% [markdown]
# # Several classes, and the topics of each
#
# The classic corpus for several classes is 20 Newsgroups, which `datasets.fetch_20newsgroups`
# downloads. Here the classes are five Python packages, and the documents are their docstrings,
# which need no download. The steps are the same.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm

import pymc_medlda as med

packages = ["numpy", "pandas", "scipy", "xarray", "pymc"]
documents = med.datasets.load_docstrings(
    packages, n_documents_per_package=400, seed=1
)
train, test = med.datasets.train_test_split(documents, test_fraction=0.3, seed=1)
pd.Series(train.y).value_counts()

# %% [markdown]
# ## One task per class, shared topics
#
# Five class names in `y` give five tasks, one per class, which share the topics. The decision is
# the class with the largest discriminant.

# %%
with med.GibbsMedLDA(
    train.corpus, train.y, n_topics=15, alpha=5.0, loss=med.Hinge(margin=8.0)
) as model:
    idata = pm.sample(
        tune=150,
        draws=100,
        chains=2,
        cores=2,
        random_seed=1,
        progressbar=False,
        compute_convergence_checks=False,
    )
print(dict(idata["posterior"]["eta"].sizes))

# %% [markdown]
# ## The profile of each class
#
# The picture shows the average topic proportions of the documents of each class. Topics are ordered
# by the class in which they are strongest, so a model that separates the classes shows a staircase.

# %%
med.plot_class_profile(idata)
plt.show()

# %% [markdown]
# The words of the topic with the largest weight for each class:

# %%
eta = idata["posterior"]["eta"].sel(chain=0).mean("draw")
words = med.top_words(idata, n=8).filter(like="word")
for name in eta["task"].values:
    topic = int(eta.sel(task=name).argmax())
    print(f"{name:>7}: {', '.join(words.loc[topic])}")

# %% [markdown]
# ## Held-out documents

# %%
idata = med.predict(idata, test.corpus, thin=5, random_seed=1, progressbar=False)
accuracy = med.evaluate(idata, test.y)["accuracy"]
majority = max(np.mean(test.y == name) for name in packages)
print(f"held-out accuracy {accuracy:.3f} (majority class: {majority:.3f})")

# %%
decision = pd.Series(idata["predictions"]["decision"].values, name="decision")
pd.crosstab(pd.Series(test.y, name="package"), decision)

# %%
med.plot_uncertainty(idata, y=test.y)
plt.show()
