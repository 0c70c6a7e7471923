"""The target of devices that run programs in OpenCL C: row-major values, one work item per element, products in tiles of local memory.

A graph without open sizes becomes a `GridPlan`: kernels, launches with their work items, buffers and weights. What has no kernel here is
a step of the host (``HostStep``).
"""
