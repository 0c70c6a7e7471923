"""A compiled network that runs: memory, packed weights, threads. ``torch`` and ``numpy`` are what their users call."""
