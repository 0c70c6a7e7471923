"""Deployment: a network as a C library, C sources or a Python package that need neither sol nor a framework."""
