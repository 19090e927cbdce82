"""Benchmarks: time, memory and loss, beside targets and beside other tools."""
