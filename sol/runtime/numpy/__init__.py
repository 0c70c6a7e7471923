"""Compiled ONNX models as functions of numpy arrays, without torch."""
