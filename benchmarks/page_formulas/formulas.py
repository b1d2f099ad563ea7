r"""Formulas, written in a small part of TeX, as MathML, as Typst's source, and as a line of text.

A letter or sign has a script as `x_(ij)^(2)`, what is above and below a bar stands about a slash,
rows in brackets are parted by semicolons. `plain` brings what was read to the same form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from citeloom_pdf.elements.scripts import RAISED_FORMS, plain_script

SIGNS = {
    **{name: chr(0x3B1 + at) for at, name in enumerate("alpha beta gamma delta".split())},
    "theta": "θ",
    "lambda": "λ",
    "mu": "μ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "omega": "ω",
    "psi": "ψ",
    "chi": "χ",
    "eta": "η",
    "kappa": "κ",
    "nu": "ν",
    "xi": "ξ",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Sigma": "Σ",
    "Omega": "Ω",
    "Phi": "Φ",
    "Lambda": "Λ",
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "approx": "≈",
    "equiv": "≡",
    "sim": "∼",
    "propto": "∝",
    "in": "∈",
    "subset": "⊂",
    "subseteq": "⊆",
    "cup": "∪",
    "cap": "∩",
    "emptyset": "∅",
    "times": "×",
    "cdot": "⋅",
    "pm": "±",
    "otimes": "⊗",
    "oplus": "⊕",
    "circ": "∘",
    "to": "→",
    "mapsto": "↦",
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "forall": "∀",
    "exists": "∃",
    "ll": "≪",
    "gg": "≫",
    "perp": "⊥",
    "lesssim": "≲",
    "gtrsim": "≳",
    "sum": "∑",
    "prod": "∏",
    "int": "∫",
    "oint": "∮",
    "bigcup": "⋃",
    "bigoplus": "⨁",
    "langle": "⟨",
    "rangle": "⟩",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "|": "‖",
    "mid": "|",
    "dots": "…",
    "ell": "ℓ",
    "hbar": "ℏ",
    "Rightarrow": "⇒",
    "{": "{",
    "}": "}",
    "cdots": "⋯",
    "prime": "′",
    "star": "⋆",
    "dagger": "†",
    "leftarrow": "←",
    "epsilon": "ϵ",
    "varepsilon": "ε",
    "phi": "ϕ",
    "varphi": "φ",
    "Re": "ℜ",
    "setminus": "∖",
}
NAMES = frozenset("sin cos log exp ln max min lim sup inf det arg dim ker Pr".split())
_BIG = frozenset("∑∏⋃⨁")
_INTEGRALS = frozenset("∫∮")
_LIMITED = frozenset("max min lim sup inf".split())
_ALPHABETS = {"mathbb": "DOUBLE-STRUCK", "mathcal": "SCRIPT", "mathfrak": "FRAKTUR"}
_EARLY = {"FRAKTUR": "BLACK-LETTER"}
_BOLD = ("mathbf", "boldsymbol")
_ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307", "vec": "\u20d7"}
_FENCES = {"cases": ("{", ""), "pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "aligned": ("", "")}
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|\s+|\d+(?:\.\d+)?|.", re.DOTALL)
_NUMBER = re.compile(r"\d+([.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula: a letter, a number or a sign, or of several parts."""

    kind: str
    text: str = ""
    parts: tuple[Node, ...] = ()


def formula(source: str) -> Node:
    """The formula that TeX would set."""
    node, _ = _row(_TOKEN.findall(source), 0, ())
    return node


def _row(tokens: Sequence[str], at: int, ends: Sequence[str]) -> tuple[Node, int]:
    parts: list[Node] = []
    while at < len(tokens) and tokens[at] not in ends:
        if tokens[at].isspace():
            at += 1
        elif tokens[at] in "^_'":
            sign = tokens[at]
            script, at = (Node("sign", "′"), at + 1) if sign == "'" else _atom(tokens, at + 1)
            base = parts.pop()
            name = "sub" if sign == "_" else "sup"
            if base.kind in ("sub", "sup") and base.kind != name:
                pair = (base.parts[1], script)[:: 1 if name == "sup" else -1]
                parts.append(Node("both", parts=(base.parts[0], *pair)))
            else:
                parts.append(Node(name, parts=(base, script)))
        else:
            part, at = _atom(tokens, at)
            parts.append(part)
    return (parts[0] if len(parts) == 1 else Node("row", parts=tuple(parts))), at


def _atom(tokens: Sequence[str], at: int) -> tuple[Node, int]:
    while tokens[at].isspace():
        at += 1
    token = tokens[at]
    if token == "{":
        node, at = _row(tokens, at + 1, ("}",))
        return node, at + 1
    if not token.startswith("\\"):
        kind = "number" if token[0].isdigit() else "letter" if token.isalpha() else "sign"
        return Node(kind, {"-": "−", "*": "∗"}.get(token, token)), at + 1
    name, at = token[1:], at + 1
    if name in ("frac", "binom"):
        above, at = _atom(tokens, at)
        below, at = _atom(tokens, at)
        return Node(name, parts=(above, below)), at
    if name == "sqrt":
        degree: tuple[Node, ...] = ()
        if tokens[at] == "[":
            node, at = _row(tokens, at + 1, ("]",))
            degree, at = (node,), at + 1
        under, at = _atom(tokens, at)
        return Node("sqrt", parts=(under, *degree)), at
    if name in ("text", "mathrm"):
        end = tokens.index("}", at)
        return Node(name, "".join(tokens[at + 1 : end])), end + 1
    if name in (*_ALPHABETS, *_BOLD, *_ACCENTS, "overline"):
        inner, at = _atom(tokens, at)
        return Node(name, parts=(inner,)), at
    if name == "left":
        opening = tokens[at]
        inside, at = _row(tokens, at + 1, ("\\right",))
        closing = tokens[at + 1]
        parts = (Node("sign", _sign(opening)), inside, Node("sign", _sign(closing)))
        return Node("fence", parts=parts), at + 2
    if name == "begin":
        return _array(tokens, at)
    if name in NAMES:
        return Node("name", name), at
    if name in ",;:! ":
        return Node("space"), at
    return Node("letter" if SIGNS[name].isalpha() else "sign", SIGNS[name]), at


def _sign(token: str) -> str:
    return SIGNS.get(token[1:], token) if token.startswith("\\") else token


def _array(tokens: Sequence[str], at: int) -> tuple[Node, int]:
    end = tokens.index("}", at)
    name, at = "".join(tokens[at + 1 : end]), end + 1
    rows: list[Node] = []
    cells: list[Node] = []
    while True:
        cell, at = _row(tokens, at, ("&", "\\\\", "\\end"))
        cells.append(cell)
        if tokens[at] != "&":
            rows.append(Node("row", parts=tuple(cells)))
            cells = []
        if tokens[at] == "\\end":
            return Node(name, parts=tuple(rows)), tokens.index("}", at) + 1
        at += 1


# As a line of text


def said(node: Node) -> str:
    """What the formula says, in the form of `plain`."""
    return plain(_said(node))


def _said(node: Node) -> str:
    parts = node.parts
    texts = [_said(part) for part in parts]
    match node.kind:
        case "letter" | "number" | "sign" | "name" | "text" | "mathrm":
            return node.text
        case "space":
            return " "
        case "sup" | "sub":
            return f"{texts[0]}{'^' if node.kind == 'sup' else '_'}({texts[1]})"
        case "both":
            return f"{texts[0]}_({texts[1]})^({texts[2]})"
        case "frac":
            return f"({texts[0]})/({texts[1]}) "
        case "binom":
            return f"({texts[0]};{texts[1]})"
        case "sqrt":
            degree = "".join(map(_raised, texts[1])) if texts[1:] else ""
            return f"{degree}√({texts[0]})"
        case "overline":
            return "".join(f"{letter}\u0305" for letter in texts[0])
        case "cases" | "pmatrix" | "bmatrix" | "aligned":
            opening, closing = _FENCES[node.kind]
            rows = [" ".join(map(_said, row.parts)) for row in parts]
            return f"{opening}{(' ' if node.kind == 'aligned' else ';').join(rows)}{closing}"
    if node.kind in _ALPHABETS:
        return _styled(texts[0], _ALPHABETS[node.kind])
    if node.kind in _ACCENTS:
        return f"{texts[0]}{_ACCENTS[node.kind]}"
    return "".join(texts)


def _styled(letters: str, alphabet: str) -> str:
    def styled(letter: str) -> str:
        case = "CAPITAL" if letter.isupper() else "SMALL"
        for name in (
            f"MATHEMATICAL {alphabet} {case} {letter}",
            f"{_EARLY.get(alphabet, alphabet)} {case} {letter}",
        ):
            try:
                return unicodedata.lookup(name)
            except KeyError:
                continue
        return letter

    return "".join(map(styled, letters))


def _raised(letter: str) -> str:
    return next(form for form in RAISED_FORMS if plain_script(form) == letter)


_ALIKE = str.maketrans(
    {
        "·": "⋅",
        "-": "−",
        "–": "−",
        "∙": "⋅",
        "∣": "|",
        "∥": "‖",
        "µ": "μ",
        "Ω": "Ω",
        "…": "...",
        "∆": "Δ",
        "*": "∗",
        "ˆ": "^",
        "⃗": "\u20d7",
        "¯": "\u0304",
        "〈": "⟨",
        "〉": "⟩",
        "'": "′",
        "⩽": "≤",
        "⩾": "≥",
        "⋯": "...",
        "ε": "ϵ",
        "φ": "ϕ",
        "~": "∼",
        "ℏ": "ħ",
        "″": "′′",
        **dict.fromkeys("\u2061\u2062\u2063\u2064", ""),
    }
)
_SUPER = {form: plain_script(form) for form in RAISED_FORMS}
_SUB = {form: plain_script(form) for form in "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"}
_RUN = re.compile(f"(?<!√)([{RAISED_FORMS}]+)(?!√)|([{''.join(_SUB)}]+)")
_SHORT = re.compile(r"([\^_])([^(\s])")
_PRIMES = re.compile("′+")
_BRACED = re.compile(
    r"(?<=[/√])\(([^\W\d_]|\d+(?:[.,]\d+)*)\)|(?<![\w^)\]}])\(([^\W\d_]|\d+)\)(?=/)"
)


def plain(text: str) -> str:
    """A formula without differences of form: each script in brackets behind its sign, the lower
    one first, no brackets about a single letter of a fraction or under a root, no spaces.
    """
    text = unicodedata.normalize("NFD", _RUN.sub(_scripted, text))
    text = "".join(map(_unstyled, text)).translate(_ALIKE).replace("h\u0304", "ħ")
    text = _SHORT.sub(r"\1(\2)", text.replace("^(′)", "′"))
    text = _lower_first(_PRIMES.sub(r"^(\g<0>)", re.sub(r"\s+", "", text)))
    while (bare := _BRACED.sub(lambda part: part[1] or part[2], text)) != text:
        text = bare
    return text


def _scripted(run: re.Match[str]) -> str:
    if run[1]:
        return f"^({''.join(map(_SUPER.__getitem__, run[1]))})"
    return f"_({''.join(map(_SUB.__getitem__, run[2]))})"


def _unstyled(letter: str) -> str:
    """A letter in italics or bold as a plain one; double-struck and the like are others."""
    if "\U0001d400" <= letter <= "\U0001d7ff":
        name = unicodedata.name(letter, "")
        if not re.search("DOUBLE-STRUCK|SCRIPT|FRAKTUR", name):
            return unicodedata.normalize("NFKC", letter)
        return unicodedata.lookup(name.replace("BOLD ", "")) if "BOLD " in name else letter
    return "h" if letter == "ℎ" else letter


def _lower_first(text: str) -> str:
    """The text, of two scripts of one letter the lower one first."""
    groups = list(_groups(text))
    for at in range(len(groups) - 1):
        if groups[at].startswith("^(") and groups[at + 1].startswith("_("):
            groups[at : at + 2] = groups[at + 1], groups[at]
    return "".join(groups)


def _groups(text: str) -> Iterator[str]:
    """The scripts of a text, and what stands between."""
    at = 0
    while at < len(text):
        start = at
        if text[at] in "^_" and text[at + 1 : at + 2] == "(":
            depth, at = 1, at + 2
            while at < len(text) and depth:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
            yield text[start : start + 2] + _lower_first(text[start + 2 : at])
        else:
            at += 1
            yield text[start:at]


# As MathML, in Typst and in eqn


def mathml(node: Node) -> str:
    """The formula for browsers."""
    parts = [mathml(part) for part in node.parts]
    row = f"<mrow>{''.join(parts)}</mrow>"
    match node.kind:
        case "letter":
            return f"<mi>{node.text}</mi>"
        case "number":
            return f"<mn>{node.text}</mn>"
        case "sign":
            return f"<mo>{escape(node.text)}</mo>"
        case "name":
            return f"<mi>{node.text}</mi>"
        case "mathrm":
            return f'<mi mathvariant="normal">{node.text}</mi>'
        case "text":
            return f"<mtext>{node.text.replace(' ', chr(0xA0))}</mtext>"
        case "space":
            return '<mspace width="0.2em"/>'
        case "sup" | "sub" | "both":
            return _scripts(node, parts)
        case "frac":
            return f"<mfrac>{parts[0]}{parts[1]}</mfrac>"
        case "binom":
            inner = f'<mfrac linethickness="0">{parts[0]}{parts[1]}</mfrac>'
            return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"
        case "sqrt":
            if len(parts) > 1:
                return f"<mroot>{parts[0]}{parts[1]}</mroot>"
            return f"<msqrt>{parts[0]}</msqrt>"
        case "cases" | "pmatrix" | "bmatrix" | "aligned":
            cells = "".join(
                f"<mtr>{''.join(f'<mtd>{mathml(cell)}</mtd>' for cell in line.parts)}</mtr>"
                for line in node.parts
            )
            opening, closing = _FENCES[node.kind]
            signs = [f"<mo>{sign}</mo>" if sign else "" for sign in (opening, closing)]
            return f"<mrow>{signs[0]}<mtable>{cells}</mtable>{signs[1]}</mrow>"
    if node.kind in _ALPHABETS:
        return f"<mi>{_styled(node.parts[0].text, _ALPHABETS[node.kind])}</mi>"
    if node.kind in _BOLD:
        return f'<mi mathvariant="bold">{node.parts[0].text}</mi>'
    if node.kind in _ACCENTS:
        accent = {"hat": "^", "tilde": "~", "bar": "¯", "dot": "˙", "vec": "→"}[node.kind]
        return f'<mover accent="true">{parts[0]}<mo stretchy="false">{accent}</mo></mover>'
    if node.kind == "overline":
        return f'<mover accent="true">{parts[0]}<mo stretchy="true">¯</mo></mover>'
    return row


def _scripts(node: Node, parts: Sequence[str]) -> str:
    base = node.parts[0].text
    above = base in _BIG or base in _LIMITED
    name = {
        ("sup", False): "msup",
        ("sub", False): "msub",
        ("both", False): "msubsup",
        ("sup", True): "mover",
        ("sub", True): "munder",
        ("both", True): "munderover",
    }[node.kind, above]
    return f"<{name}>{''.join(parts)}</{name}>"


_TYPST_NAMES = {"∑": "sum", "∏": "product", "∫": "integral", "∮": "integral.cont", "⋃": "union.big"}
_TYPST_ALPHABETS = {"mathbb": "bb", "mathcal": "cal", "mathfrak": "frak"}
_TYPST_ACCENTS = {"hat": "hat", "tilde": "tilde", "bar": "macron", "dot": "dot", "vec": "arrow"}


def typst_math(node: Node) -> str:
    """The formula in Typst's source."""
    parts = [typst_math(part) for part in node.parts]
    match node.kind:
        case "letter" | "number":
            return f"{node.text} "
        case "sign":
            return f"{_TYPST_NAMES.get(node.text) or _typst_sign(node.text)} "
        case "name":
            return f"{node.text} "
        case "mathrm":
            return f'upright("{node.text}") '
        case "text":
            return f'"{node.text}" '
        case "space":
            return "thin "
        case "sup" if node.parts[1].text == "′":
            return f"{parts[0].rstrip()}' "
        case "sup" | "sub":
            return f"{parts[0].rstrip()}{'^' if node.kind == 'sup' else '_'}({parts[1]}) "
        case "both":
            return f"{parts[0].rstrip()}_({parts[1]})^({parts[2]}) "
        case "frac":
            return f"frac({parts[0]}, {parts[1]}) "
        case "binom":
            return f"binom({parts[0]}, {parts[1]}) "
        case "sqrt":
            if len(parts) > 1:
                return f"root({parts[1]}, {parts[0]}) "
            return f"sqrt({parts[0]}) "
        case "fence":
            return f"lr({''.join(parts)}) "
        case "overline":
            return f"overline({parts[0]}) "
        case "cases":
            rows = ", ".join(" & ".join(map(typst_math, row.parts)) for row in node.parts)
            return f"cases({rows}) "
        case "pmatrix" | "bmatrix":
            rows = "; ".join(", ".join(map(typst_math, row.parts)) for row in node.parts)
            return f'mat(delim: "{"(" if node.kind == "pmatrix" else "["}", {rows}) '
        case "aligned":
            return " \\ ".join(" & ".join(map(typst_math, row.parts)) for row in node.parts)
    if node.kind in _TYPST_ALPHABETS:
        return f"{_TYPST_ALPHABETS[node.kind]}({parts[0]}) "
    if node.kind in _BOLD:
        return f"bold({parts[0]}) "
    if node.kind in _TYPST_ACCENTS:
        return f"{_TYPST_ACCENTS[node.kind]}({parts[0]}) "
    return "".join(parts)


def _typst_sign(sign: str) -> str:
    return f"\\{sign}" if sign in "/,;:#$_^&'\"" else sign


_EQN_NAMES = {"∑": "sum", "∏": "prod", "∫": "int", "∞": "inf", "∂": "partial", "′": "prime"}
_EQN_ACCENTS = {"hat": "hat", "tilde": "tilde", "bar": "bar", "dot": "dot", "vec": "vec"}


def eqn(node: Node) -> str:
    """The formula in the source of eqn."""
    parts = [eqn(part) for part in node.parts]
    match node.kind:
        case "letter" | "number" | "name":
            return f"{node.text} "
        case "sign":
            return f"{_EQN_NAMES.get(node.text) or _eqn_sign(node.text)} "
        case "mathrm" | "text":
            return f'roman "{node.text}" '
        case "space":
            return "^ "
        case "sup" | "sub" | "both":
            below, above = (
                ("from", "to")
                if node.parts[0].text in _BIG | _INTEGRALS | _LIMITED
                else ("sub", "sup")
            )
            words = {"sup": (above,), "sub": (below,), "both": (below, above)}[node.kind]
            scripts = " ".join(f"{word} {{ {part}}}" for word, part in zip(words, parts[1:]))
            return f"{{ {parts[0]}}} {scripts} "
        case "frac":
            return f"{{ {{ {parts[0]}}} over {{ {parts[1]}}} }} "
        case "binom":
            return f"left ( pile {{ {parts[0]} above {parts[1]} }} right ) "
        case "sqrt":
            degree = f"{{}} sup {{ {parts[1]}}} " if len(parts) > 1 else ""
            return f"{degree}sqrt {{ {parts[0]}}} "
        case "fence":
            return f"left {parts[0]} {parts[1]} right {parts[2]} "
        case "overline":
            return f"{{ {parts[0]}}} bar "
        case "cases" | "pmatrix" | "bmatrix" | "aligned":
            columns = zip(*(row.parts for row in node.parts))
            cells = [" above ".join(map(eqn, column)) for column in columns]
            matrix = f"matrix {{ {' '.join(f'ccol {{ {column} }}' for column in cells)} }} "
            opening, closing = _FENCES[node.kind]
            behind = f"right {closing} " if closing else ""
            return f"left {opening} {matrix}{behind}" if opening else matrix
    if node.kind in _ALPHABETS or node.kind in _BOLD:
        return f"bold {{ {parts[0]}}} "
    if node.kind in _EQN_ACCENTS:
        return f"{{ {parts[0]}}} {_EQN_ACCENTS[node.kind]} "
    return "".join(parts)


def _eqn_sign(sign: str) -> str:
    return f'"{sign}"' if sign in "{}^~" else sign
