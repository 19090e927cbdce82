"""Experiments of papers, repeated: one study a paper, listed in the catalogue."""
