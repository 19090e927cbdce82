"""Methods for graphs."""
