"""The table and the verdict of `diagnose`."""

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pymc_medlda._compat.arviz import effective_sizes, get_group, with_group
from pymc_medlda.run.diagnosis import diagnose
from pymc_medlda.run.evidence import Evidence
from pymc_medlda.run.r_hat import r_hat
from pymc_medlda.run.verdict import judge
from tests.run.made_runs import sample_two_responses
from tests.sampled import planted, sample, sample_general


def with_statistics(idata, **series):
    """Put hand-made series (chain, draw) in place of the statistics, without warm-up."""
    shape = next(iter(series.values())).shape
    chains, draws = np.arange(shape[0]), np.arange(shape[1])
    rng = np.random.default_rng(8)
    names = ("loss", "score", "log_likelihood", "log_joint", "moved")
    values = {n: (("chain", "draw"), series.get(n, rng.standard_normal(shape))) for n in names}
    posterior = get_group(idata, "posterior").isel(draw=np.arange(shape[1]) % 12)
    posterior = posterior.isel(chain=chains % 2).assign_coords(chain=chains, draw=draws)
    bare = with_group(idata, "posterior", posterior)
    statistics = xr.Dataset(values, {"chain": chains, "draw": draws})
    empty = get_group(idata, "warmup_sample_stats").drop_vars("loss")
    return with_group(with_group(bare, "sample_stats", statistics), "warmup_sample_stats", empty)


def test_table_holds_what_arviz_computes():
    idata = sample()
    found = diagnose(idata).table
    loss = get_group(idata, "sample_stats")[["loss"]]
    assert found.loc["loss", "r_hat"] == pytest.approx(float(az.rhat(loss)["loss"]))
    assert found.loc["loss", "ess_bulk"] == pytest.approx(float(az.ess(loss)["loss"]))
    seconds = get_group(idata, "posterior").attrs["sampling_time"]
    per_second = found["ess_bulk"] / seconds
    np.testing.assert_allclose(found["ess_per_second"], per_second)
    assert found.index.tolist() == [
        "loss",
        "log_likelihood",
        "log_joint",
        "moved",
        "discriminant",
        "eta (aligned)",
    ]


def test_discriminants_are_those_of_the_training_documents():
    idata = sample()
    posterior, length = get_group(idata, "posterior"), planted().corpus.lengths
    document = np.repeat(np.arange(30), length)
    discriminant = np.zeros((2, 12, 30))
    for c in range(2):
        for s in range(12):
            weights = posterior["eta"].values[c, s][posterior["z"].values[c, s]]
            discriminant[c, s] = np.bincount(document, weights) / length
    of_entries, (bulk, tail) = r_hat(discriminant), effective_sizes(discriminant)
    row = diagnose(idata).table.loc["discriminant"]
    assert row["r_hat"] == pytest.approx(np.nanmax(of_entries))
    assert row["r_hat_median"] == pytest.approx(np.nanmedian(of_entries))
    assert row["below_1_05"] == pytest.approx(np.mean(of_entries < 1.05))
    assert row["ess_bulk"] == pytest.approx(np.nanmin(bulk))
    assert row["ess_tail"] == pytest.approx(np.nanmin(tail))


def test_labels_of_topics_change_no_diagnosis():
    """A chain whose topics have other labels is as good as before, the weights included."""
    idata, permutation = sample(), [2, 0, 1]
    posterior = get_group(idata, "posterior").copy(deep=True)
    posterior["z"].values[1] = np.argsort(permutation)[posterior["z"].values[1]]
    posterior["eta"].values[1] = posterior["eta"].values[1][:, permutation]
    assert not np.array_equal(posterior["eta"], get_group(idata, "posterior")["eta"])
    found = diagnose(with_group(idata, "posterior", posterior))
    pd.testing.assert_frame_equal(found.table, diagnose(idata).table)
    assert found.verdict == diagnose(idata).verdict


def made_evidence(n_chains, **rows):
    """Return evidence with (R-hat, ESS, separation) of each quantity, without trends or topics."""
    columns = ["r_hat", "ess_bulk", "separation"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    table = table.assign(r_hat_median=np.nan, below_1_05=np.nan)
    agreement = pd.DataFrame({"r_hat_median": []})
    return Evidence(table, agreement, {}, n_chains, 500, 0, pd.DataFrame(), 0, 0)


@pytest.mark.parametrize(
    ("n_chains", "rows", "verdict"),
    [
        (2, {"loss": (1.005, 300, 1), "log_joint": (1.0, 250, 1)}, "Converged"),
        (2, {"loss": (1.005, 300, 99), "log_joint": (1.0, 250, 99)}, "Converged"),
        (2, {"loss": (1.02, 300, 1), "log_joint": (1.0, 250, 1)}, "Usable"),
        (2, {"loss": (1.0, 150, 1), "log_joint": (1.0, 250, 1)}, "Usable"),
        (1, {"loss": (1.0, 150, 1), "log_joint": (1.0, 250, 1)}, "Usable"),
        (1, {"loss": (1.0, 250, 1), "log_joint": (1.0, 250, 1)}, "This chain is steady"),
        (4, {"loss": (1.0, 300, 1), "log_joint": (1.0, 500, 1)}, "Usable"),
        (4, {"loss": (1.0, 450, 1), "log_joint": (1.0, 500, 1)}, "Converged"),
        (2, {"loss": (1.02, 300, 1), "log_joint": (1.3, 250, 99)}, "The chains agree on predict"),
        (2, {"loss": (1.02, 300, 1), "log_joint": (1.3, 250, 9)}, "Too few draws: R-hat of log_j"),
        (4, {"loss": (1.02, 300, 1), "log_joint": (1.3, 250, 12)}, "The chains agree on predict"),
        (2, {"log_joint": (1.3, 250, 99)}, "Not converged"),
        (2, {"loss": (1.2, 300, 99), "log_joint": (1.3, 250, 99)}, "Not converged"),
        (
            2,
            {"loss": (1.02, 300, 1), "discriminant": (1.2, 90, 99), "log_joint": (1.3, 250, 99)},
            "Not converged: R-hat of discriminant is 1.2",
        ),
        (2, {"loss": (np.nan, np.nan, np.nan)}, "Too few draws to judge"),
    ],
)
def test_the_worst_quantity_decides(n_chains, rows, verdict):
    """One verdict for each side of every threshold."""
    assert judge(made_evidence(n_chains, **rows)).text.startswith(verdict)


def test_documents_are_judged_by_their_median_and_by_their_share():
    found = made_evidence(4, discriminant=(1.4, 500, 99))
    for median, below, state in (
        (1.004, 0.95, "converged"),
        (1.02, 0.95, "few draws"),
        (1.04, 0.8, "modes"),
        (1.2, 0.1, "modes"),
    ):
        table = found.table.assign(r_hat_median=median, below_1_05=below)
        verdict = judge(found._replace(table=table))
        assert verdict.state == state
        assert verdict.text.startswith("Nearly converged") == (median == 1.04)


def test_the_draws_to_take_are_those_that_reach_the_effective_size():
    """With ESS in proportion to the draws, rounded up to hundreds, and twice as many at least."""
    for ess, more in ((50, 2000), (90, 1200), (199, 1000)):
        said = judge(made_evidence(2, loss=(1.0, ess, 1))).text
        assert f"about {more} draws per chain" in said


def test_verdict_asks_for_more_burn_in_while_a_chain_drifts(rng):
    drift = np.linspace(0, 9, 60) + 0.1 * rng.standard_normal((2, 60))
    found = diagnose(with_statistics(sample(), log_joint=drift))
    assert found.recommended_burn_in is None
    assert found.state == "drifting"
    assert "log_joint rises in 2 of 2 chains" in found.verdict
    assert "tune=300 or more" in found.verdict  # four times six tuning steps and 60 draws


@pytest.mark.parametrize("response", ["multiclass", "multilabel", "real", None])
def test_every_kind_of_response_is_diagnosed(response):
    found = diagnose(sample(response))
    supervised = response is not None
    assert ("discriminant" in found.table.index) == supervised
    assert ("loss" in found.table.index) == supervised
    assert np.isfinite(found.table["ess_bulk"]).all()


def test_one_chain_and_few_draws():
    single = sample("binary", chains=1)
    found = diagnose(single)
    assert "One chain cannot show" in found.verdict
    assert np.isfinite(found.table.loc["log_joint", "r_hat"])
    few = diagnose(sample("binary", draws=3, tune=0))
    assert few.verdict.startswith("Too few draws to judge")
    assert few.table["r_hat"].isna().all()
    assert "-" in repr(few)


def test_several_responses_are_told_apart():
    idata = sample_two_responses()
    rows = diagnose(idata).table.index.tolist()
    assert rows[4:] == [
        "discriminant of label",
        "discriminant of value",
        "eta_label (aligned)",
        "eta_value (aligned)",
    ]
    only = diagnose(idata, response="value").table.index.tolist()
    assert only[4:] == ["discriminant", "eta_value (aligned)"]
    with pytest.raises(ValueError, match=r"response must be one of .*'label', 'value'.*got 'y'"):
        diagnose(idata, response="y")


def test_printed_and_in_notebooks():
    found = diagnose(sample_general())
    assert found.verdict in repr(found)
    assert "discriminant" in repr(found)
    assert found._repr_html_().count("<p>") == len(found.verdict.splitlines())
    assert found._repr_html_().count("<table") == repr(found).count("r_hat_median") == 2
    single = diagnose(sample("binary", chains=1))  # has nothing to compare
    assert single._repr_html_().count("<table") == repr(single).count("r_hat_median") == 1


def test_a_file_is_diagnosed_as_the_object(tmp_path):
    idata = sample()
    idata.to_netcdf(tmp_path / "run.nc")
    read = diagnose(az.from_netcdf(tmp_path / "run.nc"))
    pd.testing.assert_frame_equal(read.table, diagnose(idata).table)
    assert read.verdict == diagnose(idata).verdict


def test_a_run_of_another_step_is_refused():
    idata = sample()
    statistics = get_group(idata, "sample_stats")[["moved"]].rename(moved="accept")
    with pytest.raises(ValueError, match="no sample_stats of GibbsMedLDAStep"):
        diagnose(with_group(idata, "sample_stats", statistics))
