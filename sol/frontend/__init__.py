"""Turns framework models into graphs of sol's ops: `import_module`, `import_exported`, `import_graph_module`."""

from sol.frontend.export import import_exported, import_graph_module, import_module
from sol.frontend.imported import Imported, InputLeaf, Mutation, OutputLeaf, SymbolSource, TorchCall

__all__ = ["Imported", "InputLeaf", "Mutation", "OutputLeaf", "SymbolSource", "TorchCall", "import_exported", "import_graph_module",
           "import_module"]  # fmt: skip
