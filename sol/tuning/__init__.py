"""Which of several kernels is fastest here: found by measuring, and kept. ``compile`` is the tour with what was measured."""
