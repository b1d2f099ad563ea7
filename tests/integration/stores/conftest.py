from tests.contract.conftest import memory_folder

__all__ = ["memory_folder"]
