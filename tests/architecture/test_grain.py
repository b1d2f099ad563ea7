"""The report on how finely the source is cut."""

from __future__ import annotations

from pathlib import Path

from scripts.print_grain import lone, read, used_once, walk


def write(folder: Path, **modules: str) -> None:
    folder.mkdir()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def test_a_small_module_with_one_importer_beside_it_is_counted(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    shared = "from shop.price import price\n"
    write(package, price="price = 1\n", tax="tax = 2\n", bill=f"{shared}from shop.tax import tax\n")
    (package / "order.py").write_text(shared, encoding="utf-8")
    assert lone(read(package)) == {"shop.tax"}


def test_a_private_function_that_is_used_once_is_counted(tmp_path: Path) -> None:
    text = "def _a(): ...\ndef _b(): ...\ndef c():\n    _a()\n    _b()\n    _b()\n"
    write(tmp_path / "shop", till=text)
    assert used_once(read(tmp_path / "shop")["shop.till"]) == 1


def test_a_walk_follows_calls_by_name_into_other_modules(tmp_path: Path) -> None:
    bill = "from shop.tax import rate\ndef total():\n    return _sum() * rate()\ndef _sum(): ...\n"
    write(tmp_path / "shop", bill=bill, tax="def rate(): ...\ndef unused(): ...\n")
    assert walk(read(tmp_path / "shop"), "shop.bill", "total") == (3, 2)
