"""What a run left behind: its stored record, topics, alignment, burn-in and diagnosis.

Start at `run.run.Run`. May import `losses`, `corpus`, `kernels`. Needs the stored object or its
file, and no PyMC.
"""
