"""The one seam to the generations of PyMC, PyTensor and ArviZ that are supported.

Each module handles the differences of one library and imports no other room of this package. Only
`_compat.pytensor` and `_compat.pymc` import PyTensor or PyMC.
"""
