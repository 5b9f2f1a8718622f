"""The list of mutations fits the source, so that `python -m tests.mutations` tries all of them."""

import ast

import pytest

from tests.mutations import PACKAGE, REPOSITORY, collect, known_survivors

MUTATIONS = [mutation for _, mutation in collect()]


def test_there_are_many_mutations_and_none_twice():
    assert len(MUTATIONS) >= 200
    assert len({(m.file, m.old, m.new) for m in MUTATIONS}) == len(MUTATIONS)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.file}: {m.old[:40]}")
def test_a_mutation_changes_one_place_and_names_tests_that_exist(mutation):
    source = (REPOSITORY / PACKAGE / mutation.file).read_text(encoding="utf-8")
    assert source.count(mutation.old) == 1
    changed = source.replace(mutation.old, mutation.new)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
    assert mutation.tests
    for test in mutation.tests:
        path, _, name = test.partition("::")
        assert (REPOSITORY / path).exists()
        function = name.partition("[")[0]
        assert not name or f"def {function}(" in (REPOSITORY / path).read_text(encoding="utf-8")


def test_only_mutations_of_the_list_are_known_to_survive():
    places = {(mutation.file, mutation.old) for mutation in MUTATIONS}
    assert set(known_survivors()) <= places
    assert all(known_survivors().values())
