"""Methods: data and requirements in, a publication out. One file, one method."""
