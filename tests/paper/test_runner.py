"""The runner keeps results and goes on; claims and figures work on what it returns."""

import json

import numpy as np
import pytest

import pymc_medlda as med
from paper import claims, data, kinds, methods, ours
from paper.figures import choices, fig01, fig02, fig06
from paper.figures.tables import as_table
from paper.runner import Bar, Runner, job
from paper.settings import FULL, QUICK
from paper.style import draw_curves, journal, move_apart, panels, save
from pymc_medlda.sampling.chains import start_uniformly


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """A runner whose jobs run in this process, and are counted."""
    performed = []

    def work(value):
        performed.append(value)
        return {"score": 2 * value}

    monkeypatch.setitem(kinds.KINDS, "double", work)
    own = Runner(tmp_path, workers=1, show=False)

    def run_missing(missing):
        for one in missing:
            result = kinds.KINDS[one.kind](**one.settings)
            own.store(one, result, 0.1)
        return {one: own.find(one) for one in missing}

    monkeypatch.setattr(own, "_run_missing", run_missing)
    return own, performed


def test_finished_jobs_are_not_run_again(runner):
    own, performed = runner
    first, second = job("double", value=1), job("double", value=2)
    assert own.run([first, first])[first] == {"score": 2}
    assert own.run([first, second]) == {first: {"score": 2}, second: {"score": 4}}
    assert performed == [1, 2]


def test_a_damaged_result_is_computed_again(runner):
    own, performed = runner
    one = job("double", value=3)
    own.run([one])
    (own.folder / one.file_name).write_text('{"result": ', encoding="utf-8")
    assert own.run([one])[one] == {"score": 6}
    assert performed == [3, 3]


def test_a_run_whose_output_is_no_terminal_writes_lines_with_an_estimate(
    tmp_path, monkeypatch, capsys
):
    own = Runner(tmp_path, workers=2)
    jobs = [job("double", value=value) for value in range(3)]
    bar = Bar(own, jobs)
    for done in jobs[:2]:
        own.store(done, {}, 120.0)
        monkeypatch.setattr("paper.runner.BETWEEN_LINES", 0.0 if done == jobs[1] else 60.0)
        bar.advance(done)
    bar.close()
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if " jobs, " in line] == ["2 of 3 jobs, about 1 minutes left"]


@pytest.mark.slow
def test_jobs_run_in_processes(tmp_path):
    own = Runner(tmp_path, workers=1, show=False)
    one = job("run", method="ours", corpus="drawn-two", n_topics=5, seed=0)
    result = own.run([one])[one]
    assert result["score"] > 0.7
    assert result["train_cpu"] > 0
    stored = json.loads((tmp_path / one.file_name).read_text(encoding="utf-8"))
    assert stored["settings"]["corpus"] == "drawn-two"


@pytest.mark.parametrize("method", [name for name in methods.FITS if name != "tomotopy sLDA"])
def test_every_method_runs_on_a_drawn_corpus(method):
    regression = method in ("vMedLDA regression", "sLDA")
    corpus = "drawn-values" if regression else "drawn-two"
    result = methods.run(method, corpus, n_topics=5, seed=1)
    assert result["score"] > (0.3 if regression else 0.65)


def test_burn_in_starts_at_random_topics():
    found = methods.burn_in("drawn-two", n_topics=5, seed=0, checkpoints=[0, 20])
    assert found["test_score"][1] > found["test_score"][0]
    assert found["train_cpu_at"][1] > found["train_cpu_at"][0]


def test_the_first_draw_has_the_topics_that_the_chain_starts_with():
    """As in the paper, the classifier after zero sweeps is drawn given random topics."""
    problem = data.load("drawn-two")
    loss = ours.choose_loss(problem.y)
    draws = ours.iterate_draws(problem.train, problem.y, n_topics=5, loss=loss, seed=1)
    first, second = next(draws), next(draws)
    model = med.GibbsMedLDA(problem.train, problem.y[:, 0], n_topics=5, loss=loss)
    np.testing.assert_array_equal(first.z, start_uniformly(model, 1).point["z"])
    assert (first.z != second.z).any()


def results_of(scale, grid, values):
    """Return made-up results for a grid: the values of each variant."""
    rng = np.random.default_rng(0)
    return {
        one: {name: value + 0.001 * rng.standard_normal() for name, value in values[key[0]].items()}
        for key, jobs in grid.items()
        for one in jobs
    }


def test_claims_are_measured_from_results():
    table = fig01.table(QUICK)
    ours_values = {"score": 0.8, "train_cpu": 0.1, "test_cpu": 0.1}
    rival = {"score": 0.7, "train_cpu": 7.0, "test_cpu": 0.3}
    values = {name: rival for name, _ in table} | {"GibbsMedLDA": ours_values}
    found = claims.measure(results_of(QUICK, table, values), QUICK)
    assert found["binary-over-vmedlda"].holds
    assert found["binary-test-gmedlda"].holds
    assert not found["binary-gmedlda-over-vmedlda"].holds
    assert "hotel-vmedlda" not in found
    assert "| **no** |" in claims.as_markdown(found)


def test_a_claim_that_stops_holding_is_noticed(tmp_path, monkeypatch, capsys):
    expected = tmp_path / "expected.json"
    expected.write_text('{"quick": ["a", "b"], "full": []}', encoding="utf-8")
    monkeypatch.setattr(claims, "EXPECTED", expected)
    found = {"a": claims.Found("", True), "b": claims.Found("", False)}
    assert claims.check(found, quick=True) == 1
    assert "b" in capsys.readouterr().out
    assert claims.check(found, quick=False) == 0


def test_claims_have_names_of_their_own_and_expectations_name_them():
    names = [claim.name for claim in claims.CLAIMS]
    assert len(names) == len(set(names)) >= 20
    expected = json.loads(claims.EXPECTED.read_text(encoding="utf-8"))
    assert set(expected["quick"]) | set(expected["full"]) <= set(names)


def test_figures_plan_jobs_that_differ(tmp_path):
    assert len(set(fig01.jobs(FULL))) == len(fig01.jobs(FULL)) == 155
    assert len(set(fig06.jobs(FULL))) == 15


def test_a_figure_is_saved_as_pdf_and_png(tmp_path):
    with journal():
        figure, (ax,) = panels(1)
        curves = {
            "GibbsMedLDA": ([5, 10], [[0.8, 0.82], [0.81, 0.83]]),
            "vMedLDA": ([5, 10], [[0.7], [0.7]]),
        }
        draw_curves(ax, curves, x="K", y="accuracy")
        save(figure, tmp_path, "figure")
    assert {path.name for path in tmp_path.iterdir()} == {"figure.pdf", "figure.png"}
    assert {text.get_text() for text in ax.texts} == {"GibbsMedLDA", "vMedLDA"}
    heights = [text.xy[1] for text in ax.texts]
    assert abs(heights[0] - heights[1]) > 0.08


def test_labels_move_apart_as_little_as_needed_and_stay_below_the_top():
    assert move_apart([0.2, 0.6], 0.1) == [0.2, 0.6]
    np.testing.assert_allclose(move_apart([0.2, 0.5, 0.5], 0.1), [0.2, 0.45, 0.55])
    np.testing.assert_allclose(move_apart([0.98, 0.99, 1.0], 0.1), [0.8, 0.9, 1.0])
    # Two groups that touch become one.
    found = move_apart([0.4, 0.4, 0.55, 0.55], 0.1)
    np.testing.assert_allclose(np.diff(found), 0.1)
    np.testing.assert_allclose(np.mean(found), 0.475)


def test_a_table_says_how_many_seeds_each_row_has():
    table = fig02.table(FULL)
    values = {name: {"score": 0.5, "train_cpu": 1.0, "test_cpu": 0.1} for name, _ in table}
    lines = as_table(results_of(FULL, table, values), table).splitlines()
    for line in lines[2:]:
        name, seeds = (cell.strip() for cell in line.split("|")[1:3])
        assert int(seeds) == FULL.hotel_seeds[name]
        assert (" ± " in line) == (int(seeds) > 1)


def test_what_is_used_was_a_candidate_and_the_table_says_where_another_is_better():
    found = {}
    for choice in choices.choices():
        assert choice.used in choice.candidates
        for candidate in choice.candidates:
            score = 0.9 if candidate == choice.used else 0.8
            found |= {own: {"score": score} for own in choice.jobs(candidate)}
    assert "the best is" not in choices.describe(found, FULL)["choices"]
    first = choices.choices()[0]
    other = next(own for own in first.candidates if own != first.used)
    found |= {own: {"score": 0.95} for own in first.jobs(other)}
    assert choices.describe(found, FULL)["choices"].count("the best is") == 1


def test_cross_validation_never_sees_the_test_part(monkeypatch):
    problem = data.load("drawn-two")
    seen = []

    def look(part, method, **settings):
        seen.append(part)
        return {"score": float(len(seen))}

    monkeypatch.setattr(methods, "run_on", look)
    everything = methods.cross_validate("ours", "drawn-two", n_topics=5, seed=0)
    assert everything == {"score": 3.0}
    assert sum(part.test.n_documents for part in seen) == problem.train.n_documents
    assert methods.cross_validate("ours", "drawn-two", n_topics=5, seed=0, only=1) == {"score": 6.0}


def test_folds_part_the_training_documents():
    problem = data.load("drawn-two")
    part = problem.part(np.arange(problem.train.n_documents) % 2 == 0)
    assert part.train.n_documents + part.test.n_documents == problem.train.n_documents
    np.testing.assert_array_equal(part.truth, problem.y[1::2])
