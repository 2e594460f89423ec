"""Whom to ask: names, presets, prices and keys, and the clients of each provider."""
