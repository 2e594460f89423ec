"""CreaEval."""
