"""Projects and Zotero: what there is, what it holds, and whether it is sound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from citeloom.application.documents import ListedDocument
from citeloom.application.options import DocumentOptions
from citeloom.application.zotero.browse import Browse, ListedAnnotation, ListedItem
from citeloom.domain.retrieval.passage import trim
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    CollectionAnswer,
    DocumentsAnswer,
    Json,
    ProjectsAnswer,
    ValidationAnswer,
    ZoteroAnswer,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    Arguments,
    DocumentArguments,
    OfProject,
    Tool,
    ToolCall,
    ValidateArguments,
    ZoteroArguments,
    for_assistants,
)
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.zotero import collection_json, item_json, tag_json

# Projects: which there are, what they hold, and whether they are sound.

_LONGEST = 500


@partial(
    Tool,
    title="List projects",
    answer=ProjectsAnswer,
    text=reading.projects_text,
    limit="inspect_seconds",
)
def list_projects(call: ToolCall[Arguments]) -> Json:
    """Every other tool needs the id of one."""
    return {
        "projects": [
            {
                "id": project.id,
                "documents": project.documents,
                "hybrid": project.sparse_model is not None,
            }
            for project in call.library.projects()
            if call.only in {None, project.id}
        ]
    }


@partial(
    Tool,
    title="List documents",
    answer=DocumentsAnswer,
    text=reading.documents_text,
    limit="inspect_seconds",
)
def list_documents(call: ToolCall[DocumentArguments]) -> Json:
    """A project's documents by path: titles, authors, states."""
    arguments, project = call.arguments, call.project
    documents = project.documents(**arguments.options(DocumentOptions))
    some = documents[arguments.offset : arguments.offset + arguments.limit]
    return {
        "project": project.project.id,
        "total": len(documents),
        "offset": arguments.offset,
        "items": [_document(one) for one in some],
    }


@partial(
    Tool,
    title="Describe a project",
    answer=CollectionAnswer,
    text=reading.collection_text,
    limit="inspect_seconds",
)
def inspect_collection(call: ToolCall[OfProject]) -> Json:
    """A project's models and counts."""
    inspection = call.project.inspect()
    collection = inspection.description.collection
    return {
        "project": inspection.project.id,
        "collection": collection.name,
        "models": {"dense": collection.dense_model, "sparse": collection.sparse_model},
        "chunks": inspection.description.points,
        "chunks_by_kind": inspection.by_kind,
        "documents_by_status": inspection.by_status,
    }


@partial(
    Tool,
    title="Check a project",
    answer=ValidationAnswer,
    text=reading.validation_text,
    limit="hybrid_seconds",
    heavy=True,
)
def validate(call: ToolCall[ValidateArguments]) -> Json:
    """Faults of index and references; changes nothing."""
    arguments = call.arguments
    report = call.project.validate(
        only=frozenset(map(str, arguments.check)),
        skip=frozenset(map(str, arguments.skip)),
        cancellation=call.cancellation,
    )
    return {
        "project": report.project,
        **UNTRUSTED,
        "passed": report.passed,
        "documents": report.documents,
        "chunks": report.chunks,
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity.value,
                "message": finding.message,
                "hint": for_assistants(finding.hint),
                "subject": finding.subject,
                "count": finding.count,
            }
            for finding in report.findings
        ],
    }


def _document(one: ListedDocument) -> Json:
    return {
        **UNTRUSTED,
        "title": trim(one.title, _LONGEST)[0],
        "authors": [trim(author, _LONGEST)[0] for author in one.authors[:10]],
        "year": one.year,
        "citekey": one.citekey,
        "path": one.path,
        "doc_id": one.doc_id,
        "pages": one.pages,
        "chunks": one.chunks,
        "state": one.state.value,
        "error": one.error and trim(one.error, _LONGEST)[0],
    }


# Zotero, read only.

_FIELDS = ("key", "citekey", "title", "year", "creators", "doi", "tags", "collections")
_ABSTRACT, _TEXT = 500, 2000


@partial(
    Tool,
    title="Search Zotero",
    answer=ZoteroAnswer,
    text=reading.zotero_text,
    limit="hybrid_seconds",
    reaches_out=True,
)
def zotero_search(call: ToolCall[ZoteroArguments]) -> Json:
    """What Zotero has, within the project's selection."""
    arguments, project = call.arguments, call.project.project
    entries = _KINDS[arguments.what](
        call.library.zotero(), project.zotero or ZoteroSelection(), arguments
    )
    some = entries[arguments.offset : arguments.offset + arguments.limit]
    return {
        "project": project.id,
        "total": len(entries),
        "offset": arguments.offset,
        "items": [{**UNTRUSTED, **one} for one in some],
    }


def _items(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[Json]:
    longest = _TEXT if arguments.item else _ABSTRACT
    return [_item(one, longest) for one in _found(browse, selection, arguments)]


def _annotations(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[Json]:
    annotations = browse.annotations(
        selection,
        search=arguments.text or None,
        collection=arguments.collection,
        item=arguments.item,
    )
    return [_annotation(annotation) for annotation in annotations]


def _tags(browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments) -> Sequence[Json]:
    return [{**tag_json(tag)} for tag in browse.tags(selection, search=arguments.text or None)]


def _collections(
    browse: Browse, selection: ZoteroSelection, arguments: ZoteroArguments
) -> Sequence[Json]:
    every = map(collection_json, browse.collections(selection, selected_only=True))
    text = arguments.text.casefold()
    return [{**one} for one in every if text in str(one["path"]).casefold()]


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


def _item(one: ListedItem, longest: int) -> Json:
    full: Mapping[str, object] = item_json(one)
    return {
        **{key: full[key] for key in _FIELDS},
        "abstract": trim(one.item.fields.get("abstractNote", ""), longest)[0],
        "has_file": any(attachment.exists for attachment in one.attachments),
        "annotations": one.annotations,
    }


def _annotation(one: ListedAnnotation) -> Json:
    mark = one.annotation
    return {
        "key": mark.key,
        "item": one.item.key,
        "citekey": one.item.citekey or None,
        "title": one.item.title,
        "page": mark.page_label,
        "text": trim(mark.text, _TEXT)[0],
        "comment": trim(mark.comment, _TEXT)[0],
        "color": mark.color,
        "tags": [tag.name for tag in mark.tags],
    }
