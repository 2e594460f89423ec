"""Public data that ``creaeval data fetch`` gets: where they are, what is made of them, how it is checked."""

from creaeval.data.fetch.download import Progress
from creaeval.data.fetch.public_data import DATASETS, Fetched, data_folder, fetch

__all__ = ["DATASETS", "Fetched", "Progress", "data_folder", "fetch"]
