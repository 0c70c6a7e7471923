"""C text → something that can be called: toolchain, build, cache, library, module."""
