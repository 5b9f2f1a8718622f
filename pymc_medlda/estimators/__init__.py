"""scikit-learn estimators: document-term matrices in, predictions and topics out.

They are a thin face: `GibbsMedLDA` is the model, `GibbsMedLDAStep` draws, `predict` predicts. This
is the only part of the package that needs scikit-learn, with `Corpus.from_texts`.
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        'the estimators need scikit-learn: pip install "pymc-medlda[sklearn]"'
    ) from error

from pymc_medlda.estimators.classifier import GibbsMedLDAClassifier
from pymc_medlda.estimators.regressor import GibbsMedLDARegressor

__all__ = ["GibbsMedLDAClassifier", "GibbsMedLDARegressor"]
