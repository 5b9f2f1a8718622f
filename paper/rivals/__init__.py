"""The methods that the paper compares with, and two that came later.

Every rival is a function ``fit(corpus, y, *, n_topics, seed, ...)``. ``y`` has one column per task:
±1 for labels, real values for regression. It returns an object with
``discriminants(corpus, seed)``, which has one row per document and one column per task. The inner
loops are compiled by numba, as ours are, so that times can be compared.
"""
