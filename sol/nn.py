"""``sol.nn``: layers of our own for models of torch."""

from sol.runtime.torch.custom import Custom

__all__ = ["Custom"]
