"""Maps from discriminants to probabilities and intervals, fitted on out-of-fold discriminants.

May import NumPy and SciPy only. Each map has few parameters, and stays finite for tiny data and
for classes that are separated perfectly.
"""
