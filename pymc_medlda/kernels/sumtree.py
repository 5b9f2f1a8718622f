"""A tree of sums over topic weights: draw, change or leave out one weight in O(log topics).

Layout: the leaves are ``tree[size:]`` with ``size`` a power of two, and the level of ``h`` nodes
is ``tree[h:2h]``, each the sum of two nodes ``h`` apart of the level below. So a whole level is
one vector addition, and node ``b`` of level ``h`` covers the leaves that are ``b`` modulo ``h``.

Every node is the sum of its children and never a running difference: no error builds up, and the
sum without one leaf is added from the others instead of subtracted, so it keeps all its digits
even if that leaf outweighs the rest by 1e16.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import Index, kernel


@kernel
def build_tree(tree: np.ndarray) -> None:
    """Sum the leaves up to the root."""
    half = tree.size // 4
    while half > 0:
        left, right = tree[2 * half : 3 * half], tree[3 * half : 4 * half]
        level = tree[half : 2 * half]
        for b in range(half):
            level[b] = left[b] + right[b]
        half //= 2


@kernel
def set_leaf(tree: np.ndarray, k: Index, value: float) -> None:
    """Change the weight of leaf ``k``."""
    half = tree.size // 4
    tree[2 * half + k] = value
    while half > 0:
        k &= half - 1
        tree[half + k] = tree[2 * half + k] + tree[3 * half + k]
        half >>= 1


@kernel
def sum_without(tree: np.ndarray, k: Index, level: int) -> float:
    """Return the sum of the leaves below leaf k's node of ``level``, leaf k left out."""
    total = 0.0
    half = tree.size // 4
    while half >= level:
        total += tree[2 * half + ((k & (2 * half - 1)) ^ half)]
        half >>= 1
    return total


@kernel
def find_leaf(tree: np.ndarray, node: Index, level: int, x: float) -> Index:
    """Return the leaf at which the cumulated weight below a node passes ``x``.

    Rounding never leads to a leaf of weight zero as long as the node's weight is positive.
    """
    half = level
    size = tree.size // 2
    while half < size:
        left = tree[2 * half + node]
        right = tree[3 * half + node]
        if right > 0.0 and x >= left:
            x -= left
            node += half
        half *= 2
    return node
