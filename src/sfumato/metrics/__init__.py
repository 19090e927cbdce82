"""How much of the data a release keeps: one metric, one formula, one number.

One rule holds throughout: a dropped record counts as if every one of its cells had been published
as the whole domain, so that dropping difficult records never makes a release look better. The
metrics about the groups themselves (their number, size and diameter) and distortion, for which a
dropped record has no value, count published records only and say so.
"""
