# %% [markdown]
# # A Bayesian workflow, and a run that converges
#
# The corpus is planted: its words are drawn from five known topics, and its labels from known
# weights. Therefore each step of the workflow, from the prior to the choice of the number of
# topics, can be compared with the truth. The run in the middle of the page is long enough for
# `diagnose` to say that it has converged.

# %%
import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm

import pymc_medlda as med

planted = med.datasets.make_planted(
    400, n_topics=5, n_words=200, length=60, noise=0.3, seed=3
)
n_train = 280
train, y_train = planted.corpus[:n_train], planted.y[:n_train]
test, y_test = planted.corpus[n_train:], planted.y[n_train:]
settings = {"chains": 4, "cores": 2, "random_seed": 1, "progressbar": False}
# PyMC's checks would compare topics that are not aligned; `diagnose` aligns them first.
settings["compute_convergence_checks"] = False


def build(n_topics: int) -> med.GibbsMedLDA:
    return med.GibbsMedLDA(
        train, y_train, n_topics=n_topics, loss=med.Hinge(margin=1.0)
    )


# %% [markdown]
# ## What the prior says
#
# The prior already says how many topics a document uses and how certain its label is. Draws from
# the prior show what it says.

# %%
with build(5) as model:
    prior = pm.sample_prior_predictive(draws=100, random_seed=1)
z = prior["prior"]["z"].values.reshape(100, -1)
used = [np.unique(draw[: train.lengths[0]]).size for draw in z]
share = (prior["prior_predictive"]["y"] > 0).mean("document").values.ravel()
print(
    f"topics in the first document: {np.mean(used):.1f} on average, at most {max(used)}"
)
print(f"share of positive labels: from {share.min():.2f} to {share.max():.2f}")

# %% [markdown]
# A document uses about three of the five topics. The labels may be almost all alike or evenly
# split. The prior is wide enough for the data to decide.
#
# ## Sampling, with the warm-up kept
#
# The chains start where annealing ended, so that they do not remain in the modes in which random
# starts would leave them. Successive sweeps resemble each other, so every tenth is stored: this
# gives more independent draws in the same memory.

# %%
with model:
    starts = med.annealed_starts(2000, chains=4, random_seed=1, progressbar=False)
    idata = pm.sample(
        initvals=starts,
        step=med.GibbsMedLDAStep(sweeps_per_draw=10),
        tune=100,
        draws=500,
        discard_tuned_samples=False,
        **settings,
    )
med.plot_burn_in(idata)
plt.show()

# %% [markdown]
# ## Alignment
#
# Topics have no order. Topic 0 of one chain may be topic 3 of another, so R-hat of the weights
# would compare different topics. `align_topics` matches the topics of the chains by their word
# distributions.

# %%
med.plot_alignment(idata)
plt.show()

# %%
aligned, alignment = med.align_topics(idata)
print(alignment)
for name, run in {"as stored": idata, "aligned": aligned}.items():
    r_hat = np.asarray(az.rhat(run["posterior"]["eta"].to_dataset())["eta"]).max()
    print(f"largest R-hat of eta, {name}: {r_hat:.2f}")

# %% [markdown]
# ## Diagnosis
#
# Losses, likelihoods and discriminants do not depend on how topics are numbered. `diagnose` reports
# them first, and the aligned weights after them.

# %%
print(med.diagnose(idata))

# %% [markdown]
# The run has converged: R-hat is at most 1.01 and the effective sample size is at least 100 per
# chain, for every quantity in the table. All chains have found the same five topics. With every
# sweep stored instead of every tenth, the same number of draws would have been too few, and
# `diagnose` would have said how many are needed.
#
# The truth is known here, so we can check the weights: after the topics are matched to the planted
# ones, do the weights have the planted order?

# %%
to_truth, match = med.align_topics(idata, reference=planted.phi)
eta = to_truth["posterior"]["eta"]
print(f"cosine to the planted topics: {match.mean:.3f}")
pd.DataFrame(
    {
        "planted": planted.eta,
        "posterior mean": eta.mean(("chain", "draw")).values,
        "5 %": eta.quantile(0.05, ("chain", "draw")).values,
        "95 %": eta.quantile(0.95, ("chain", "draw")).values,
    }
).round(2)

# %% [markdown]
# The margin sets the scale of the weights, so it differs from the planted scale: a hinge loss uses
# only the sign of a label, and asks for a distance of 1 here. The order of the weights can be
# recovered.
#
# ## Posterior predictive check
#
# Labels of the training documents are drawn again, from the law that the model gives them:

# %%
with model:
    replicated = pm.sample_posterior_predictive(
        idata, var_names=["y"], random_seed=1, progressbar=False
    )
y_replicated = replicated["posterior_predictive"]["y"]
agree = (y_replicated == y_train).mean("document").values.ravel()
print(
    f"replicated labels that equal the given ones: {agree.mean():.3f} ± {agree.std():.3f}"
)
positive = (y_replicated > 0).mean("document").values.ravel()
print(
    f"share of positive ones: {positive.mean():.3f}, in the data {np.mean(y_train > 0):.3f}"
)

# %% [markdown]
# ## Comparing K on held-out documents
#
# Perplexity measures how well the words are predicted, and accuracy how well the labels are.

# %%
rows = []
for n_topics in [2, 3, 5, 8, 12]:
    with build(n_topics):
        run = pm.sample(
            tune=150,
            draws=100,
            **settings,
        )
    run = med.predict(run, test, thin=5, random_seed=1, progressbar=False)
    rows.append(
        {
            "K": n_topics,
            "perplexity": float(med.perplexity(run, test)),
            "accuracy": med.evaluate(run, y_test)["accuracy"],
        }
    )
scores = pd.DataFrame(rows).set_index("K")
print(scores.round(3))

# %%
figure, axes = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
for ax, column in zip(axes, scores, strict=True):
    ax.plot(scores.index, scores[column], "o-")
    ax.set(xlabel="number of topics", ylabel=f"{column}, held out")
plt.show()

# %% [markdown]
# Perplexity falls until the planted number of topics is reached, and does not improve after it.
# With so few held-out documents an accuracy is uncertain by a few hundredths, so it says less
# about K.
