"""Compiled networks as modules of torch, and as a backend of ``torch.compile``."""
