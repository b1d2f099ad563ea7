"""What converts documents loads no pandas, and has it for who wants a table as a data frame."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from pathlib import Path

from citeloom.application.ports.conversion import ConverterOptions
from citeloom.infrastructure.wiring.conversion import open_file_converter

for suffix in (".pdf", ".docx"):
    open_file_converter(suffix, ConverterOptions(windows=Path("windows")))
print(*sys.modules)

from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.table.table_data import TableCell, TableData

places = (dict(start_row_offset_idx=n, end_row_offset_idx=n + 1) for n in range(2))
cells = [
    TableCell(text=text, start_col_offset_idx=0, end_col_offset_idx=1, column_header=not n, **place)
    for n, (text, place) in enumerate(zip(("depth", "3 cm"), places))
]
document = DoclingDocument(name="rye")
table = document.add_table(data=TableData(table_cells=cells, num_rows=2, num_cols=1))
frame = table.export_to_dataframe(document)

import pandas

assert isinstance(frame, pandas.DataFrame), type(frame)
print(frame["depth"][0])
"""


def test_converters_load_no_pandas_and_a_table_is_a_data_frame_all_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded, cell = done.stdout.splitlines()
    assert "docling_core.types.doc" in loaded.split()
    assert not {"pandas", "pyarrow"} & {*loaded.split()}
    assert cell == "3 cm"
