"""``import sol.pytorch as sol``: the same public face."""

from sol import SolError, accelerate_cpu, cache, config, deploy, deployment, device, explain, fuse_optimizer, optimize, profile, verify

__all__ = [
    "SolError", "accelerate_cpu", "cache", "config", "deploy", "deployment", "device", "explain", "fuse_optimizer", "optimize",
    "profile", "verify",
]  # fmt: skip
