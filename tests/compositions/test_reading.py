"""Whatever a model is made of, its run can be read, predicted from and diagnosed."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from tests.compositions.table import CORPUS, D, X
from tests.compositions.test_log_joint import build

# Of the compositions that leave something to NUTS, which takes seconds to compile, a few suffice.
WITH_NUTS = ("scale_free", "sigma_free", "weights_laplace", "nested_models")
WITHOUT_NUTS = (
    "binary",
    "classes",
    "several_labels_some_missing",
    "real_values_some_missing",
    "plain_lda",
    "wide_prior",
    "offset_for_each_task",
    "offset_observed",
    "offset_of_data",
    "frozen",
    "offset_replaced_by_do",
    "alpha_and_beta_observed",
    "alpha_of_data_for_each_topic",
    "mean_and_scale_observed",
    "weights_observed",
    "weights_replaced_by_do",
    "weights_of_data",
    "sigma_observed",
    "c_for_each_document_and_task",
    "c_for_each_class",
    "margin_observed_for_each_document",
    "loss_of_a_user",
    "loss_of_a_user_that_is_called_hinge",
    "two_responses",
    "first_response_in_the_offset_of_the_second",
    "topics_observed",
    "topics_replaced_by_do",
    "topics_have_names",
    "coordinates_changed",
)


def sample(model):
    """Return a short run of a model."""
    options = {"draws": 5, "tune": 2, "chains": 2, "cores": 1, "random_seed": 2}
    with model:
        return pm.sample(**options, progressbar=False, compute_convergence_checks=False)


def topics_and_responses(model):
    """Return the names of the responses of a model, by the name of their topics."""
    steps = med.GibbsMedLDAStep(model=model)
    blocks = [step.conditionals for step in getattr(steps, "methods", [steps])]
    return {block.z_name: [r.name for r in block.responses] for block in blocks}


def with_offset(predict):
    """Predict, with an offset for the new documents if the model asks for one."""
    try:
        return predict(offset=None)
    except ValueError as error:
        if "has an offset" not in str(error):
            raise
        return predict(offset=X)


@pytest.mark.parametrize("name", WITHOUT_NUTS + WITH_NUTS)
def test_a_run_is_read(name):
    model, _ = build(name)
    idata = sample(model)
    for topics, responses in topics_and_responses(model).items():
        words = med.top_words(idata, 3, topics=topics)
        assert np.isfinite(med.topic_words(idata, topics=topics)).all()
        assert words.size > 0
        for response in responses:
            predicted = with_offset(
                lambda offset, name=response: med.predict(
                    idata, CORPUS, response=name, offset=offset, random_seed=1
                )
            )
            discriminant = predicted["predictions"]["discriminant"]
            assert discriminant.sizes["document"] == D
            assert np.isfinite(discriminant).all()
        described = med.diagnose(idata, topics=topics).table
        assert described.loc["log_joint", "ess_bulk"] > 0
