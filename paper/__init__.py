"""The paper, reproduced: section 5 of Zhu, Chen, Perkins and Zhang (2014), with its rivals.

This folder is no part of the package. It is run from the root of the repository, with
``make paper``. It may import everything of `pymc_medlda`, and nothing imports it.
"""
