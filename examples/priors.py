# %% [markdown]
# # Priors of your own: hierarchical and horseshoe, NUTS beside Gibbs
#
# The Gibbs step draws the weights whenever their prior is Normal. The mean and the scale of that
# prior may be numbers or other variables of the model. NUTS samples those other variables, in the
# same call of `pm.sample`. If the prior is not Normal, NUTS samples the weights too.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm

import pymc_medlda as med

settings = {
    "tune": 150,
    "draws": 150,
    "chains": 2,
    "cores": 2,
    "random_seed": 1,
    "progressbar": False,
}

# %% [markdown]
# ## A horseshoe, when few topics matter
#
# The response depends on two of eight planted topics and on none of the others. A horseshoe prior
# is a scale mixture of Normals, so the Gibbs step still draws `eta`.

# %%
truth = np.array([2.0, -2.0, 0, 0, 0, 0, 0, 0])
planted = med.datasets.make_planted(
    200, n_topics=8, n_words=200, response="real", eta=truth, noise=0.2, seed=2
)
loss = med.Gaussian(sigma=0.2)

with pm.Model() as horseshoe:
    z = med.TopicAssignments("z", planted.corpus, n_topics=8)
    tau = pm.HalfCauchy("tau", 0.5)
    local = pm.HalfCauchy("local", 1.0, dims="topic")
    eta = pm.Normal("eta", 0.0, tau * local, dims="topic")
    med.MaxMargin("y", z, eta, observed=planted.y, loss=loss)
    sparse = pm.sample(target_accept=0.9, **settings)

with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=8, loss=loss, nu=2.0):
    plain = pm.sample(**settings)

# %% [markdown]
# The two posteriors side by side, with topics matched to the planted ones:

# %%
figure, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
for name, run, shift in [("horseshoe", sparse, -0.12), ("Normal", plain, 0.12)]:
    matched, _ = med.align_topics(run, reference=planted.phi)
    weights = matched["posterior"]["eta"]
    low, middle, high = weights.quantile(
        [0.05, 0.5, 0.95], ("chain", "draw")
    ).values
    ax.errorbar(
        np.arange(8) + shift,
        middle,
        [middle - low, high - middle],
        fmt="o",
        label=name,
    )
    spread = np.abs(middle[2:]).mean()
    print(
        f"{name}: mean distance from zero of the six weights that are zero {spread:.3f}"
    )
ax.plot(np.arange(8), truth, "k_", markersize=14, label="planted")
ax.set(xlabel="topic", ylabel="eta, 90 % interval")
ax.legend(frameon=False)
plt.show()

# %% [markdown]
# ## A hierarchy over tasks
#
# Each document has four ratings, which depend on the topics in similar ways. Each topic has a mean
# weight over the tasks. `spread` says how far the tasks deviate from it, and is learned from the
# data.

# %%
rng = np.random.default_rng(4)
common = np.array([2.0, -2.0, 1.0, -1.0, 0.0])
tasks = ["polite", "helpful", "quick", "cheap"]
ratings = med.datasets.make_planted(
    200,
    n_topics=5,
    n_words=200,
    response="real",
    eta=common + 0.3 * rng.standard_normal((4, 5)),
    noise=0.2,
    seed=4,
)

with pm.Model(coords={"task": tasks}) as hierarchical:
    z = med.TopicAssignments("z", ratings.corpus, n_topics=5)
    mean = pm.Normal("mean", 0.0, 2.0, dims="topic")
    spread = pm.HalfNormal("spread", 1.0)
    eta = pm.Normal("eta", mean, spread, dims=("task", "topic"))
    med.MaxMargin("y", z, eta, observed=ratings.y, classes=tasks, loss=loss)
    shared = pm.sample(target_accept=0.9, **settings)

# %%
matched, _ = med.align_topics(shared, reference=ratings.phi)
print("mean weight of each topic over the tasks:")
print(matched["posterior"]["mean"].mean(("chain", "draw")).values.round(2))
print("planted:", common)
print(
    f"spread between tasks: {float(shared['posterior']['spread'].mean()):.2f}, planted 0.3"
)

# %% [markdown]
# Each step lists the variables that it draws:

# %%
with hierarchical:
    for step in [med.GibbsMedLDAStep(), pm.NUTS([mean, spread])]:
        print(type(step).__name__, [variable.name for variable in step.vars])

# %% [markdown]
# ## A prior that is not Normal
#
# With a Laplace prior the conditional of `eta` is no longer Gaussian. The Gibbs step still draws
# the topics, and NUTS samples `eta`. The target is still exact.

# %%
with pm.Model() as laplace:
    z = med.TopicAssignments("z", planted.corpus, n_topics=8)
    eta = pm.Laplace("eta", 0.0, 1.0, dims="topic")
    med.MaxMargin("y", z, eta, observed=planted.y, loss=loss)
    run = pm.sample(**settings)
matched, _ = med.align_topics(run, reference=planted.phi)
print(matched["posterior"]["eta"].mean(("chain", "draw")).values.round(2))
