"""Kernels, a family a module. `sol.codegen.kernels.families` tells which of them serves a region."""
