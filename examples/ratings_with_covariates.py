# %% [markdown]
# # Ratings with covariates
#
# A rating depends on more than the words of its review: business travellers may be stricter, and
# hotels differ. Such effects enter the discriminant as an offset, which can be any PyTensor
# expression of other variables of the model. NUTS samples those variables, and the Gibbs step draws
# topics and weights.
#
# The data is planted, so the effects are known: the rating depends on the topics, business travel
# lowers it by 0.8, and each of six hotels has an effect of its own.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm

import pymc_medlda as med

rng = np.random.default_rng(5)
n_documents, n_hotels = 500, 6
planted = med.datasets.make_planted(
    n_documents,
    n_topics=6,
    n_words=300,
    length=50,
    response="real",
    eta=[2.0, 1.0, 0.0, 0.0, -1.0, -2.0],
    noise=0.3,
    seed=5,
)
business = rng.integers(0, 2, n_documents)
hotel = rng.integers(0, n_hotels, n_documents)
hotel_truth = 0.5 * rng.standard_normal(n_hotels)
rating = 3.0 + planted.y - 0.8 * business + hotel_truth[hotel]

train = np.arange(n_documents) < 0.7 * n_documents
test = ~train

# %% [markdown]
# ## The model
#
# The topic frequencies of a document sum to one, so an intercept and the mean of the weights cannot
# be told apart. We therefore subtract the mean rating instead of adding an intercept. The weight c
# of the epsilon-insensitive loss acts as an inverse noise scale.

# %%
mean_rating = rating[train].mean()

with pm.Model(coords={"hotel": np.arange(n_hotels)}) as model:
    z = med.TopicAssignments("z", planted.corpus[train], n_topics=6)
    eta = pm.Normal("eta", 0.0, 2.0, dims="topic")
    business_effect = pm.Normal("business_effect", 0.0, 1.0)
    hotel_scale = pm.HalfNormal("hotel_scale", 1.0)
    hotel_effect = pm.Normal("hotel_effect", 0.0, hotel_scale, dims="hotel")
    med.MaxMargin(
        "rating",
        z,
        eta,
        observed=rating[train] - mean_rating,
        loss=med.EpsilonInsensitive(c=2.0, epsilon=0.05),
        offset=business_effect * business[train] + hotel_effect[hotel[train]],
    )
    idata = pm.sample(
        tune=200,
        draws=200,
        chains=2,
        cores=2,
        target_accept=0.9,
        random_seed=1,
        progressbar=False,
    )

# %%
posterior = idata["posterior"]
effect = posterior["business_effect"].quantile([0.05, 0.5, 0.95]).values
print(
    "business travel: {1:.2f}, 90 % interval {0:.2f} to {2:.2f}, planted -0.80".format(
        *effect
    )
)

# %% [markdown]
# The effects of the hotels, as differences from their mean:

# %%
effects = posterior["hotel_effect"] - posterior["hotel_effect"].mean("hotel")
low, middle, high = effects.quantile([0.05, 0.5, 0.95], ("chain", "draw")).values
figure, ax = plt.subplots(figsize=(5.5, 2.8), layout="constrained")
ax.errorbar(
    np.arange(n_hotels),
    middle,
    [middle - low, high - middle],
    fmt="o",
    label="posterior",
)
ax.plot(
    np.arange(n_hotels), hotel_truth - hotel_truth.mean(), "kx", label="planted"
)
ax.set(xlabel="hotel", ylabel="effect on the rating")
ax.legend(frameon=False)
plt.show()

# %% [markdown]
# ## Prediction
#
# New documents have covariates of their own. `predict` takes an offset for each draw: an array with
# the dims chain, draw and document.

# %%
offset = (
    posterior["business_effect"].values[..., None] * business[test]
    + posterior["hotel_effect"].values[..., hotel[test]]
)
options = {"thin": 5, "random_seed": 1, "progressbar": False}
centred = rating[test] - mean_rating
full = med.predict(idata, planted.corpus[test], offset=offset, **options)
words_only = med.predict(
    idata, planted.corpus[test], offset=np.zeros(test.sum()), **options
)
print(f"R² with the covariates {med.evaluate(full, centred)['r2']:.3f}")
print(f"R² from the words alone {med.evaluate(words_only, centred)['r2']:.3f}")

# %%
predictions = full["predictions"]
figure, ax = plt.subplots(figsize=(4, 3.6), layout="constrained")
ax.plot(rating[test], predictions["decision"].values + mean_rating, ".", alpha=0.6)
ax.axline((3, 3), slope=1, color="0.6", linewidth=0.8)
ax.set(xlabel="rating", ylabel="predicted")
plt.show()
