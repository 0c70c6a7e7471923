"""The commands of the ``sol`` program, one file each."""
