"""Methods for sets of items."""
