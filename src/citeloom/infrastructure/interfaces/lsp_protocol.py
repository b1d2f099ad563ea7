"""The protocol of the language server, in which every request is answered, whatever it is."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pygls.workspace import TextDocument, Workspace

_log = logging.getLogger(__name__)
_OF_ANSWERS = frozenset({"result", "error"})
_NOT_JSON = (ValueError, RecursionError)
"""What the reader of JSON raises."""


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record of pygls is one that `report_server_error` does not make: that of a message
    which is not JSON has a traceback, and says nothing of the message.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, _NOT_JSON)


class AnsweringServer(LanguageServer):
    """A server whose own faults do not pop up before an author: its log has them."""

    protocol: AnsweringProtocol

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        logging.getLogger("pygls.server").addFilter(_is_news)
        super().start_io(stdin, stdout)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Answer what is not JSON, and log what else failed."""
        if isinstance(error, _NOT_JSON) and source is JsonRpcException:
            _log.warning("a message from the editor is not JSON: %s", error)
            self.protocol.refuse(None, JsonRpcParseError())
        else:
            _log.warning("%s: %s", type(error).__name__, error)


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol, in which a request that is wrong is answered with an error: one of wrong
    parameters, of no method or with an unusable id, one before the server is initialized or after
    it was shut down. Notifications and answers that are wrong are left alone.
    """

    def structure_message(self, data: Any) -> Any:
        """An object as it is received: only whole messages are read, by `handle_message`."""
        return data

    def handle_message(self, message: Any) -> None:
        try:
            read = self._read(message)
        except JsonRpcException as error:
            number = message.get("id") if isinstance(message, dict) else None
            self.refuse(number if _is_id(number) else None, error)
        else:
            if read is not None:
                super().handle_message(read)

    def refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer a message with an error, under the id of the request if it has one."""
        self._send_response(number, error=error.to_response_error())

    def _read(self, message: Any) -> Any:
        """A message in the types of the protocol; None for one that is wrong and needs no answer.
        Raises `JsonRpcException` for another that is.
        """
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest
        is_answer = "method" not in message and message.keys() & _OF_ANSWERS
        if "method" not in message and not is_answer:
            raise JsonRpcInvalidRequest
        if "id" in message and not is_answer:
            return self._request(message)
        with suppress(Exception):  # of several kinds, from within the converter
            if is_answer:
                return super().structure_message(message) if _is_id(message["id"]) else None
            read = self._structured(message, JsonRPCNotification)
            is_early = self._workspace is None and read.method != types.EXIT
            is_wrong = read.method == types.CANCEL_REQUEST and not _is_id(read.params.id)
            return None if is_early or is_wrong or self._changes_unopened(read) else read
        return None

    def _changes_unopened(self, message: Any) -> bool:
        """Whether it changes a document that the editor has not opened, which the log then says."""
        if self._workspace is None or message.method != types.TEXT_DOCUMENT_DID_CHANGE:
            return False
        uri = message.params.text_document.uri
        unopened = open_document(self._workspace, uri) is None
        if unopened:
            _log.warning("the editor changes a document that it has not opened: %s", uri)
        return unopened

    def _request(self, message: dict[str, Any]) -> Any:
        method = message.get("method")
        if not isinstance(method, str) or not _is_id(message["id"]) or self._shutdown:
            raise JsonRpcInvalidRequest
        if self._workspace is None and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized
        if self._workspace is not None and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest
        try:
            return self._structured(message, JsonRPCRequestMessage)
        except Exception as error:
            raise JsonRpcInvalidParams from error

    def _structured(self, message: dict[str, Any], other: type) -> Any:
        """A message as that of its method, or of one that is unknown."""
        kind = self.get_message_type(message["method"]) or other
        return self._converter.structure({"params": None, **message}, kind)

    def _send_response(
        self,
        msg_id: int | str | None,
        result: Any | None = None,
        error: types.ResponseError | None = None,
    ) -> None:
        """Send an answer; one of a fault has no traceback, which the log has."""
        if error is not None and error.code == JsonRpcInternalError.CODE:
            text = "the server failed; what it has written to stderr says how"
            error = JsonRpcInternalError(text).to_response_error()
        super()._send_response(cast("int", msg_id), result, error)


def open_document(workspace: Workspace, uri: str) -> TextDocument | None:
    """The document that the editor has open at an address; pygls keeps them without escapes."""
    return cast("TextDocument | None", workspace.text_documents.get(unquote(uri)))


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
