"""Tests of sol. What is set here reaches the processes that tests start, and is set before anything imports torch or numpy.

That this user has built ``torch.device("sol")`` changes nothing for tests: those of the device build their own. Several processes run tests
at once: threads of torch or numpy that spin while they wait would take from one what the other needs, and make it several times as slow.
"""

import os

os.environ.setdefault("SOL_DEVICE_NOTE", os.devnull)
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
