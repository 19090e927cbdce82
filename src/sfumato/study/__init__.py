"""Experiments and descriptions: raw risk, workloads, before and after."""
