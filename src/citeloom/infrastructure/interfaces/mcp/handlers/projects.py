"""Projects and Zotero: what there is, what it holds, and whether it is sound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from citeloom.application.zotero.browse import Browse, ListedAnnotation, ListedItem
from citeloom.domain.retrieval.passage import trim
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.answers.zotero import ItemEntry
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    DOCUMENT,
    ENTRY,
    FINDING,
    DocumentItem,
    DocumentList,
    Findings,
    FoundAnnotation,
    FoundCollection,
    FoundTag,
    ItemInShort,
    Part,
    ProjectContents,
    ProjectList,
    ServedProject,
    ShownFinding,
    ZoteroEntries,
    ZoteroEntry,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    DocumentArguments,
    OfProject,
    Tool,
    ToolCall,
    ValidateArguments,
    ZoteroArguments,
    for_assistants,
)
from citeloom.infrastructure.interfaces.request_models import Arguments

# Projects: which there are, what they hold, and whether they are sound.


@partial(
    Tool,
    title="List projects",
    answer=Part.of(ProjectList, "projects"),
    text=reading.projects_text,
    limit="inspect_seconds",
)
def list_projects(call: ToolCall[Arguments]) -> ProjectList:
    """Every other tool needs the id of one."""
    projects = (
        filled(ServedProject, project, hybrid=project.sparse_model is not None)
        for project in call.library.projects()
        if call.only in {None, project.id}
    )
    return ProjectList(projects=tuple(projects))


@partial(
    Tool,
    title="List documents",
    answer=Part.of(DocumentList, "total next_offset items"),
    parts=(DOCUMENT,),
    text=reading.documents_text,
    limit="inspect_seconds",
)
def list_documents(call: ToolCall[DocumentArguments]) -> DocumentList:
    """A project's documents by path: titles, authors, states."""
    arguments, project = call.arguments, call.project
    documents = project.documents(arguments.asked())
    some = documents[arguments.offset : arguments.offset + arguments.limit]
    return DocumentList(
        project=project.project.id,
        total=len(documents),
        offset=arguments.offset,
        items=tuple(map(DocumentItem.of, some)),
    )


@partial(
    Tool,
    title="Describe a project",
    answer=Part.of(ProjectContents, "models chunks documents_by_status"),
    text=reading.collection_text,
    limit="inspect_seconds",
)
def inspect_collection(call: ToolCall[OfProject]) -> ProjectContents:
    """A project's models and counts."""
    inspection = call.project.inspect()
    collection = inspection.description.collection
    return ProjectContents(
        project=inspection.project.id,
        collection=collection.name,
        models={"dense": collection.dense_model, "sparse": collection.sparse_model},
        chunks=inspection.description.points,
        chunks_by_kind=inspection.by_kind,
        documents_by_status=inspection.by_status,
    )


@partial(
    Tool,
    title="Check a project",
    answer=Part.of(Findings, "passed findings"),
    parts=(FINDING,),
    text=reading.validation_text,
    limit="hybrid_seconds",
    heavy=True,
)
def validate(call: ToolCall[ValidateArguments]) -> Findings:
    """Faults of index and references; changes nothing."""
    arguments = call.arguments
    report = call.project.validate(
        only=frozenset(map(str, arguments.check)),
        skip=frozenset(map(str, arguments.skip)),
        cancellation=call.cancellation,
    )
    findings = (
        filled(
            ShownFinding,
            finding,
            severity=finding.severity.value,
            hint=for_assistants(finding.hint),
        )
        for finding in report.findings
    )
    return filled(Findings, report, findings=tuple(findings))


# Zotero, read only.

_ABSTRACT, _TEXT = 500, 2000


@partial(
    Tool,
    title="Search Zotero",
    answer=Part.of(ZoteroEntries, "total next_offset items"),
    parts=(ENTRY,),
    text=reading.zotero_text,
    limit="hybrid_seconds",
    reaches_out=True,
)
def zotero_search(call: ToolCall[ZoteroArguments]) -> ZoteroEntries:
    """What Zotero has, within the project's selection."""
    arguments, project = call.arguments, call.project.project
    entries = _KINDS[arguments.what](
        call.library.zotero(), project.zotero or ZoteroSelection(), arguments
    )
    some = entries[arguments.offset : arguments.offset + arguments.limit]
    return ZoteroEntries(
        project=project.id, total=len(entries), offset=arguments.offset, items=tuple(some)
    )


def _items(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[ZoteroEntry]:
    longest = _TEXT if arguments.item else _ABSTRACT
    return [_item(one, longest) for one in _found(browse, selection, arguments)]


def _annotations(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[ZoteroEntry]:
    annotations = browse.annotations(
        selection,
        search=arguments.text or None,
        collection=arguments.collection,
        item=arguments.item,
    )
    return [_annotation(annotation) for annotation in annotations]


def _tags(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[ZoteroEntry]:
    return [*map(FoundTag.of, browse.tags(selection, search=arguments.text or None))]


def _collections(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[ZoteroEntry]:
    every = map(FoundCollection.of, browse.collections(selection, selected_only=True))
    text = arguments.text.casefold()
    return [one for one in every if text in str([*one.path]).casefold()]


_KINDS = {
    "items": _items,
    "tags": _tags,
    "collections": _collections,
    "annotations": _annotations,
}


def _found(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[ListedItem]:
    return browse.items(
        selection,
        search=arguments.text or None,
        collection=arguments.collection,
        item=arguments.item,
    )


def _item(one: ListedItem, longest: int) -> ItemInShort:
    return filled(
        ItemInShort,
        ItemEntry.of(one),
        abstract=trim(one.item.fields.get("abstractNote", ""), longest)[0],
        has_file=any(attachment.exists for attachment in one.attachments),
        annotations=one.annotations,
    )


def _annotation(one: ListedAnnotation) -> FoundAnnotation:
    mark = one.annotation
    return filled(
        FoundAnnotation,
        mark,
        item=one.item.key,
        citekey=one.item.citekey or None,
        title=one.item.title,
        page=mark.page_label,
        text=trim(mark.text, _TEXT)[0],
        comment=trim(mark.comment, _TEXT)[0],
        tags=tuple(tag.name for tag in mark.tags),
    )
