"""The stored record: descriptions by name, versions, and what is refused."""

import dataclasses
import json

import pytest

from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.run import record
from pymc_medlda.run.reading import read_response
from pymc_medlda.run.reading_topics import read_topics
from pymc_medlda.run.record import ResponseRecord, TopicsRecord
from pymc_medlda.run.run import Run
from pymc_medlda.run.words import match_words
from tests import sampled
from tests.reviews import reviews

ORDER = record.order_of(["a", "b"])
TOPICS = TopicsRecord(z="z", words="words", has_vocabulary=True, documents=ORDER)
RESPONSE = ResponseRecord("y", "z", "eta", "Hinge", {"c": 1.0, "margin": 2.0}, "binary", False)


OF_TEXTS = dataclasses.replace(TOPICS, texts=TextRecipe(stop_words=("der", "für")).to_dict())
FEATURED = dataclasses.replace(RESPONSE, features="words", feature_weights="w")


def test_earlier_releases_refuse_features_and_read_all_else():
    assert json.loads(record.encode(FEATURED))["version"] == 2
    for described in (TOPICS, OF_TEXTS, RESPONSE):
        stored = json.loads(record.encode(described))
        assert stored["version"] == 1
        assert not {"features", "feature_weights"} & set(stored)


@pytest.mark.parametrize("described", [TOPICS, OF_TEXTS, RESPONSE, FEATURED])
def test_what_is_written_is_read(described):
    found = record.decode(record.encode(described))
    assert dataclasses.asdict(found) == dataclasses.asdict(described)


def test_a_description_of_an_earlier_release_does_not_tell_the_order():
    stored = json.loads(record.encode(TOPICS))
    del stored["documents"]
    assert record.decode(json.dumps(stored)).documents is None


def test_a_description_without_version_and_with_other_fields_is_read():
    stored = json.loads(record.encode(RESPONSE))
    assert stored.pop("version") == 1
    assert record.decode(json.dumps({**stored, "added": 1})) == RESPONSE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": record.VERSION + 1}, f"in version {record.VERSION + 1} of the format"),
        ({"version": "soon"}, "damaged description"),
        ({"role": "other"}, "damaged description of its model: role 'other'"),
        ({"eta": None}, "it lacks eta"),
        ({"features": "other"}, "features is 'other', where one of words, dense, sparse"),
        ({"role": "topics", "words": "w", "has_vocabulary": True, "documents": 3}, "documents is"),
        ({"role": "topics", "words": "w", "has_vocabulary": True, "texts": 3}, "texts is 3"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(change, message):
    stored = {**json.loads(record.encode(RESPONSE)), **change}
    text = json.dumps({key: value for key, value in stored.items() if value is not None})
    with pytest.raises(ValueError, match=message):
        record.decode(text)


@pytest.mark.parametrize("text", ["", "7", "[]", "{", "null"])
def test_text_that_is_no_description_is_refused(text):
    with pytest.raises(ValueError, match="damaged description"):
        record.decode(text)


def test_parameters_of_a_loss_are_read_by_name():
    run = Run(sampled.sample("binary"))
    (described,) = run.response_records
    turned = dict(reversed(described.parameters.items()))
    assert list(turned) != list(described.parameters)
    found = read_response(dataclasses.replace(described, parameters=turned), run.group)
    assert found.loss_at(0, 0) == run.response().loss_at(0, 0)
    for wrong in ({"c": 1.0}, {**turned, "more": 1.0}):
        other = read_response(dataclasses.replace(described, parameters=wrong), run.group)
        with pytest.raises(ValueError, match="was stored with the parameters"):
            other.loss_at(0, 0)


def test_a_run_of_texts_holds_the_recipe_and_another_does_not():
    assert Run(reviews()).topics().recipe.ngram_range == (1, 2)
    assert Run(sampled.sample("binary")).topics().recipe is None


def test_a_damaged_recipe_is_refused_only_where_texts_are_given():
    (described,) = Run(reviews()).topics_records
    damaged = dataclasses.replace(described, texts={"ngram_range": [2, 1]})
    topics = read_topics(damaged, Run(reviews()).group)
    assert topics.mean_phi().shape[1] == 2
    with pytest.raises(ValueError, match="ngram_range must be two whole numbers"):
        match_words(topics, ["a text"])
