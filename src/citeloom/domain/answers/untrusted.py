"""Instructions in documents, and markup in answers: neither is followed."""

from __future__ import annotations

import re

from citeloom.domain.text.tokens import sentence_spans

_ADDRESSED = re.compile(
    "|".join(
        (
            # Orders to a reader that has instructions to forget.
            r"\b(?:ignore|disregard|forget|override|overlook|skip)\b[^.!?\n]{0,40}"
            r"\b(?:above|previous|prior|earlier|preceding|foregoing|instructions?|prompts?|rules)\b",
            r"\b(?:ignorier|missacht|vergiss|vergesst|übergeh)\w*\b[^.!?\n]{0,40}"
            r"\b(?:anweisung\w*|vorherig\w*|obig\w*|bisherig\w*|regeln)\b",
            r"\b(?:ignor|desconsider|esque[çc])\w*\b[^.!?\n]{0,40}"
            r"\b(?:instru[çc][õo]es|anteriores|acima|regras|comandos)\b",
            r"\b(?:ignor|oubli|olvid|omit)\w*\b[^.!?\n]{0,40}"
            r"\b(?:consignes|instructions|instrucciones|r[èe]gles|reglas|anteriores|précédentes)\b",
            # Words for what a language model has and a reader has not.
            r"\b(?:system|hidden) (?:prompt|message|instructions?)\b",
            r"\bdeveloper (?:prompt|message)\b",
            r"\b(?:as|you are|du bist|sie sind|você é) (?:an? |eine? |um |uma )?"
            r"(?:ai|llm|language model|assistant|chatbot|ki|sprachmodell|assistent\w*|modelo de)\b",
            r"\b(?:dear |attention,? |note to |hinweis an |aten[çc][ãa]o,? )"
            r"(?:the |an? |die |das |o |a )*(?:ai|llm|language model|assistant|chatbot|model|"
            r"ki|sprachmodell|assistent\w*|modelo)\b",
            # Orders about the answer itself.
            r"\b(?:you|the assistant|the model|the ai) (?:must|should|shall|will|are to|have to) "
            r"(?:now |only |always |first )*(?:answer|reply|respond|say|write|output|print|cite|"
            r"state|tell|include|append|end|call|visit|send)\b",
            r"\b(?:answer|reply|respond|antworte\w*|responda) (?:only |now |always |nur |apenas |"
            r"sempre |to the user )*(?:with|that|by|mit|dass|com|que)\b",
            r"(?:^|[.!?;,:]\s|\b(?:and|then|please|now)\s|\b(?:und|bitte|e|ent[ãa]o|et|y)\s)\s*"
            r"(?:say|state|write|reply|respond|answer|mention|conclude|cite|append|"
            r"schreib\w*|sag\w*|antworte|escreva|diga|responda|dites|dis|contesta|di)\b[^.!?:\n]{0,40}:(?!:)",
            r"\b(?:end|begin|start|finish|close) (?:every|each|your|the) "
            r"(?:answer|reply|response|sentence)\b",
            r"\b(?:begin|start|end|close|finish)s? (?:\w+ )?with the words?\b",
            r"\b(?:include|append|add|insert|embed|render|display)\b[^.!?\n]{0,60}"
            r"\b(?:in|to|into|at the end of) (?:your|the|every|each) (?:answer|reply|response)\b",
            r"\b(?:tell|inform|ask|urge|instruct) the (?:user|reader) (?:to|that)\b",
            # Calls of tools, roles of a conversation, and pictures that carry something out.
            r"<\/?(?:tool_call|function_call|tool|invoke|system|assistant|user|im_start|im_end)\b",
            r"<\|[a-z_]+\|>|\[/?INST\]|###\s*(?:system|instruction|assistant)\b",
            r"[\"'](?:tool|function|tool_calls?|arguments|function_call)[\"']\s*:",
            r"\b(?:call|invoke|execute|use) the (?:[\w.]+ )?(?:tool|plugin)\b"
            r"(?= (?:with|to|and|now))",
            r"!\[[^\]\n]*\]\(|<\s*(?:img|script|iframe|object|embed|svg|link|meta|form)\b",
            r"\b(?:javascript|vbscript):[^\s:]|\bdata:\w+/\w",
        )
    ),
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_LINK = re.compile(r"\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_DEFINED = re.compile(r"^\s*\[[^\]\n]+\]:.*$", re.MULTILINE)
_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[/!?a-zA-Z][^<>]*(?:>|$)")
_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}:/{2,}|\bwww\.|\b(?:mailto|javascript|data|vbscript|tel):)\S*",
    re.IGNORECASE,
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_ACTIVE = re.compile(
    r"\](?:\(|\[|:)|<(?:a|[a-z]+:/?/?)\b|<[a-z]+\s[^<>]*(?:href|src)", re.IGNORECASE
)
REMOVED = "[link removed]"


def addresses_a_model(text: str) -> bool:
    """Whether a text gives orders to a language model, calls a tool, or carries active markup.

    It knows the forms that are in use, not all there could be.
    """
    return _ADDRESSED.search(" ".join(_UNSEEN.sub("", text).split())) is not None


def trusted_length(text: str) -> int:
    """How much of a text comes before the first sentence that gives orders to a language model."""
    for start, end in sentence_spans(text.replace("\n", " ")):
        if addresses_a_model(text[start:end]):
            return start
    return len(text)


def without_markup(text: str) -> str:
    """The words of a text without images, tags and addresses; links leave their words."""
    text = _SCRIPT.sub("", _UNSEEN.sub("", text))
    text = _LINK.sub(r"\1", _IMAGE.sub("", _DEFINED.sub("", text)))
    words = " ".join(_ADDRESS.sub(REMOVED, _TAG.sub("", text)).split())
    return words.replace("](", "] (")  # half a link, of which another text may be the other half


def inert(text: str) -> str:
    """The text as it is, or without markup if any of it would make a link or load something."""
    return without_markup(text) if _ACTIVE.search(text) else text
