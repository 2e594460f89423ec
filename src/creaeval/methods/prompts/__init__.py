"""Prompt templates, one folder a language; see :mod:`creaeval.methods.render`."""
