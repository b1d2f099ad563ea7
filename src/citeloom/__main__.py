"""`python -m citeloom` is the command line."""

from citeloom.infrastructure.interfaces.cli.app import main

if __name__ == "__main__":
    main()
