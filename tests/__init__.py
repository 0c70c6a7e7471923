"""Tests of sol. That this user has built ``torch.device("sol")`` changes nothing for them: tests of the device build their own."""

import os

os.environ.setdefault("SOL_DEVICE_NOTE", os.devnull)  # before anything imports torch
