"""Max-margin supervised topic models (Gibbs MedLDA) as a PyMC plugin."""

__version__ = "0.1.0"
