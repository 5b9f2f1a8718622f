"""One HTML file that tells what was fitted, how good it is, and why it decides as it does.

One small module per section. May import `explanation`, `plots`, `prediction`, `run`, `targets`,
`losses`, `corpus`, `kernels`. Needs no PyMC and no network, and the file needs none either.
"""
