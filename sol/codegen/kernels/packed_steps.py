"""How many inputs products take in a step, to which the packers of their weights pad."""

DIRECT_STEP = 2
"""Input channels of direct convolution; more make gcc hoist broadcasts and spill. The last input block is padded to whole steps."""
WINOGRAD_STEP = 4
"""Input channels of Winograd's products, which the last input block is padded to."""
WORD_STEP = 4
"""The same of Winograd's products of words, which are multiplied in pairs."""
BYTES = 4
"""Bytes of the reduction in one lane of integer products."""
