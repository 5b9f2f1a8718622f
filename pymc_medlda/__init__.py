"""Max-margin supervised topic models (Gibbs MedLDA) as a PyMC plugin.

Build a `Corpus`, put it in a `GibbsMedLDA` model (or in parts: `TopicAssignments`, `MaxMargin`),
sample with ``pm.sample``, then `predict`, `top_words`, `diagnose`.

Names are imported when they are first used; ``__init__.pyi`` lists them with their modules.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
