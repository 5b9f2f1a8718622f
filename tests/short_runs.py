"""Shorten the chains of code that is written for readers: what is tested is that it runs."""

import inspect

import numpy as np
import pymc as pm

import pymc_medlda as med

SHORT = {"tune": 3, "draws": 10, "cores": 1}
QUIET = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}


def shorten_runs(monkeypatch):
    """Sample few draws, whatever the code asks for."""
    sample, anneal = pm.sample, med.annealed_starts

    def sample_shortly(draws=None, **given):
        return sample(**{**given, **SHORT, **QUIET})

    monkeypatch.setattr(pm, "sample", sample_shortly)
    monkeypatch.setattr(med, "annealed_starts", lambda n_sweeps, **given: anneal(20, **given))


def plant_docstrings(monkeypatch):
    """Put a small planted corpus in the place of the docstrings of packages."""
    signature = inspect.signature(med.datasets.load_docstrings)

    def plant(packages, **given):
        signature.bind(packages, **given)
        if len(packages) == 2:
            planted = med.datasets.make_planted(60, seed=1)
            labels = np.where(planted.y > 0, *packages)
        else:
            planted = med.datasets.make_planted(
                60, n_tasks=len(packages), response="multiclass", seed=1
            )
            labels = np.asarray(packages)[planted.y]
        return med.datasets.LabelledCorpus(planted.corpus, labels, tuple(packages))

    monkeypatch.setattr(med.datasets, "load_docstrings", plant)
