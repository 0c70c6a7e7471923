"""A compiled network as one HTML page: graph, kernels against their roofline, memory plan, generated C."""
