# The public names and where they live: read by type checkers and, at import, by lazy_loader.
from . import datasets as datasets
from .corpus import Corpus as Corpus
from .estimators import GibbsMedLDAClassifier as GibbsMedLDAClassifier
from .estimators import GibbsMedLDARegressor as GibbsMedLDARegressor
from .estimators.one_vs_all import OneVsAll as OneVsAll
from .losses import EpsilonInsensitive as EpsilonInsensitive
from .losses import Gaussian as Gaussian
from .losses import Hinge as Hinge
from .losses import Logistic as Logistic
from .losses import Standardised as Standardised
from .model.assignments import TopicAssignments as TopicAssignments
from .model.gibbs_medlda import GibbsMedLDA as GibbsMedLDA
from .model.max_margin import MaxMargin as MaxMargin
from .plots import plot_alignment as plot_alignment
from .plots import plot_burn_in as plot_burn_in
from .plots import plot_class_profile as plot_class_profile
from .plots import plot_eta_forest as plot_eta_forest
from .plots import plot_topic_words as plot_topic_words
from .plots import plot_uncertainty as plot_uncertainty
from .plots import to_pyldavis as to_pyldavis
from .prediction.evaluation import evaluate as evaluate
from .prediction.perplexity import perplexity as perplexity
from .prediction.predicting import predict as predict
from .run.alignment import align_topics as align_topics
from .run.augmentation import draw_augmentation as draw_augmentation
from .run.coherence import coherence as coherence
from .run.diagnosis import diagnose as diagnose
from .run.files import read_run as read_run
from .run.joining import join_runs as join_runs
from .run.topics import doc_topics as doc_topics
from .run.topics import top_words as top_words
from .run.topics import topic_words as topic_words
from .sampling.annealing import annealed_starts as annealed_starts
from .sampling.starting_points import last_points as last_points
from .sampling.step import GibbsMedLDAStep as GibbsMedLDAStep

__version__: str
