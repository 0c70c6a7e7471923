"""C text → something that can be called: toolchain, compilation, the cache of what was made, loading."""
