"""``python -m selu`` is the ``selu`` command."""

from selu.cli import main

if __name__ == "__main__":
    main()
