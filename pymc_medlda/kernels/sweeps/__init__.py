"""Sweeps over the topic assignments, all equal in law, behind one interface (`interface.Sweep`).

`topic_sampler` holds the state and chooses a sweep by name: `plain`, `dense` (by `rows`) or
`sparse` (by `bounds`, or by `rows` for several tasks). May import `kernels.simd`, and from
`kernels` the counts and log densities.
"""
