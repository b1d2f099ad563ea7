"""`citeloom zotero …`: a look into the researcher's Zotero."""

from __future__ import annotations

import typer

from citeloom.infrastructure.interfaces.cli.zotero import browse_commands as collections_command
from citeloom.infrastructure.interfaces.cli.zotero import browse_commands as items_command
from citeloom.infrastructure.interfaces.cli.zotero import browse_commands as tags_command
from citeloom.infrastructure.interfaces.cli.zotero import maintenance_commands as doctor_command
from citeloom.infrastructure.interfaces.cli.zotero import maintenance_commands as download_command

app = typer.Typer(
    name="zotero",
    help="Browse Zotero; nothing is ever written to it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("collections")(collections_command.collections)
app.command("items")(items_command.items)
app.command("recent")(items_command.recent)
app.command("tags")(tags_command.tags)
app.command("doctor")(doctor_command.doctor)
app.command("download")(download_command.download)
