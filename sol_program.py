"""Where the ``sol`` program starts: an interrupt ends it without a traceback even before its own code is read."""

import os
import signal


def main() -> None:
    """Run ``sol.cli``."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from sol.cli import main as program

    program()


if __name__ == "__main__":
    main()
