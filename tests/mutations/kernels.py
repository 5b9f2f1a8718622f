"""Mutations of the kernels, each of which makes a sampler or a density wrong."""

from tests.mutations import Mutation

AUGMENTATION = ("tests/kernels/test_augmentation.py",)

MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "kernels/augmentation.py",
        "math.sqrt(y * (m + 0.25 * y))",
        "math.sqrt(y * (m + 0.26 * y))",
        AUGMENTATION,
        "the larger root no longer solves its equation",
    ),
)
