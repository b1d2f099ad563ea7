"""What the pages say: sentences about formulas, displayed formulas, and scripts in plain text."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from benchmarks.page_formulas.formulas import Node, formula
from benchmarks.page_statements.phrases import Writer

# the formulas of the half that decides, and of the other one
_INLINE = (
    r"""
    x^{2} + y^{2} = r^{2}
    \sigma_{2} = 0.5
    a_{ij}^{2} \le b_{k}
    \frac{a+b}{c}
    \frac{1}{2}
    \frac{x_{1}+x_{2}}{2n}
    \binom{n}{k} = \frac{n!}{k!(n-k)!}
    \sqrt{x+1} > y
    \sqrt{2}
    \sqrt[3]{n}
    \sum_{i=1}^{n} x_{i}
    \prod_{j} p_{j}^{k}
    \int_{0}^{1} f(x)\,dx
    f'(x) = 2x
    f''(0)
    \hat{\theta}_{n} \to \theta
    \bar{x} = 3.4
    \tilde{y}_{t}
    \vec{v} \cdot \vec{w}
    \|u\|_{2} \le 1
    |z|^{2} = 1
    \lim_{n \to \infty} a_{n}
    \max_{i} x_{i}
    x \in \mathbb{R}^{n}
    \mathcal{F}(u)
    \mathfrak{g} \subset \mathfrak{h}
    A \otimes B
    p \lesssim q
    \boldsymbol{\beta}^{2}
    \mathbf{x}_{t} \ne 0
    e^{-x^{2}}
    e^{i\pi}
    2^{n_{k}}
    x_{i_{j}}
    x_{\mathrm{max}} - x_{\mathrm{min}}
    10^{-3}\,\mathrm{m}\,\mathrm{s}^{-1}
    \Delta E_{ab} = \hbar \omega
    \frac{\partial u}{\partial t}
    \frac{dy}{dx} = ky
    a/b + c/d
    \langle \phi , \psi \rangle
    \lfloor x \rfloor
    \overline{AB}
    P(A \mid B) = \frac{P(A \cap B)}{P(B)}
    k_{B}T \ll 1
    y = \alpha + \beta x + \epsilon
    \left( \frac{a}{b} \right)^{2}
    x^{\frac{1}{2}}
    \sqrt{\frac{a}{b}}
    \frac{\sqrt{3}}{2}
    R^{*}
    A^{\dagger}
    n \mapsto n^{2}
    \begin{pmatrix} a & b \\ c & d \end{pmatrix}
    """,
    r"""
    p^{3} - q^{3} \ge 7
    \lambda_{1} = 4.25
    c_{kl}^{3} \ne d_{m}
    \frac{u-v}{w}
    \frac{3}{4}
    \frac{y_{0}-y_{1}}{3k}
    \binom{m}{r} \le 2^{m}
    \sqrt{p-q} < 5
    \sqrt{7}
    \sqrt[4]{k}
    \sum_{k=0}^{m} c_{k}
    \prod_{i=1}^{N} q_{i}
    \int_{a}^{b} g(t)\,dt
    g'(t) \le 0
    h''(x)
    \hat{\mu}_{k} = \mu
    \bar{y} = 0.71
    \tilde{\sigma}_{q}
    \vec{p} = \vec{q}
    \|A\|_{\infty} \ge 2
    |w|^{4} = 16
    \lim_{t \to 0} g(t)
    \min_{k} c_{k}
    \omega \in \mathbb{C}^{m}
    \mathcal{L}(w)
    \mathfrak{p} \subseteq \mathfrak{q}
    U \oplus V
    s \gtrsim t
    \boldsymbol{\gamma}^{3}
    \mathbf{w}_{k} = 1
    e^{-t/\tau}
    e^{x^{3}}
    3^{m_{r}}
    y_{k_{l}}
    v_{\mathrm{eff}} + v_{\mathrm{rms}}
    10^{6}\,\mathrm{kg}\,\mathrm{m}^{-3}
    \Gamma_{kl} \approx \kappa
    \frac{\partial^{2} w}{\partial s^{2}}
    \frac{dT}{dt} = -rT
    p/q - r/s
    \langle u , v \rangle = 0
    \lceil t \rceil
    \overline{CD}
    Q(x) = \frac{x^{2}-1}{x+1}
    m_{e}c^{2} \gg 1
    z = \rho + \tau w - \xi
    \left( \frac{p}{q} \right)^{3}
    t^{\frac{2}{3}}
    \sqrt{\frac{m}{k}}
    \frac{\sqrt{5}}{4}
    C^{*}
    B^{\dagger}
    t \mapsto t^{3}
    \begin{bmatrix} p & q \\ r & s \end{bmatrix}
    """,
)
_DISPLAYED = (
    r"""
    a_{n} = \sum_{i=1}^{n} b_{i}^{2}
    \int_{0}^{\infty} e^{-x^{2}} dx = \frac{\sqrt{\pi}}{2}
    f(x) = \begin{cases} x & x > 0 \\ 0 & x \le 0 \end{cases}
    A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}
    x = \frac{-b \pm \sqrt{b^{2}-4ac}}{2a}
    E = mc^{2}
    \binom{n}{k} = \frac{n!}{k!(n-k)!}
    \begin{aligned} y & = ax + b \\ z & = cx + d \end{aligned}
    \hat{\beta} = \frac{\sum_{i} x_{i} y_{i}}{\sum_{i} x_{i}^{2}}
    \lim_{x \to 0} \frac{\sin x}{x} = 1
    \nabla \times \vec{B} = \mu_{0} \vec{j}
    u_{t} = \alpha u_{xx} + f(u)
    s^{2} = \frac{1}{n-1} \sum_{i=1}^{n} (x_{i} - \bar{x})^{2}
    \max_{x \in X} g(x) = 4
    """,
    r"""
    S_{m} = \prod_{k=1}^{m} q_{k}^{3}
    \int_{0}^{a} e^{-t^{2}} dt = \frac{\sqrt{\pi}}{4}
    g(t) = \begin{cases} t^{2} & t \ge 1 \\ 1 & t < 1 \end{cases}
    M = \begin{bmatrix} p & q \\ r & s \end{bmatrix}
    t = \frac{-v \pm \sqrt{v^{2}+2gh}}{g}
    p = \rho gh
    \binom{m}{r} = \frac{m!}{r!(m-r)!}
    \begin{aligned} u & = pv + q \\ w & = rv + s \end{aligned}
    \hat{\gamma} = \frac{\sum_{k} w_{k} z_{k}}{\sum_{k} w_{k}^{3}}
    \lim_{h \to 0} \frac{g(t+h)-g(t)}{h} = g'(t)
    \nabla \cdot \vec{E} = \rho
    w_{s} = \kappa w_{yy} - h(w)
    r^{2} = \frac{1}{m-2} \sum_{k=1}^{m} (z_{k} - \bar{z})^{2}
    \min_{y \in Y} h(y) = 9
    """,
)
# scripts between circumflexes and tildes, no mathematics
_PLAIN = (
    (
        "an area of 5 m^2^", "a load of H~2~O", "some SO~4~^2−^ ions", "the isotope ^14^C",
        "a speed of 10^−3^ m s^−1^", "a claim of theirs.^2^",
        "the survey;^12^,^13^", "the word of Smith^3^", "a density of 7 g cm^−3^",
    ),
    (
        "a plot of 12 km^2^", "a tank of CO~2~", "some NH~4~^+^ ions", "the isotope ^235^U",
        "a rate of 10^−6^ kg h^−1^", "a theory of hers.^7^",
        "the harbour;^21^,^22^", "the book of Lee^9^", "a flow of 4 L s^−1^",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence that goes on behind a formula or a text with scripts; a displayed formula stands
    on a row of its own, with its number.
    """

    kind: str  # inline, display, plain
    source: str
    before: str
    after: str
    more: str
    number: str = ""

    @property
    def formula(self) -> Node:
        """The formula in its parts."""
        return formula(self.source)


def parts(*, decides: bool, seed: int) -> list[Part]:
    """The parts of one half, with sentences of their own."""
    half, writer = 0 if decides else 1, Writer(Random(seed))
    sources = [("inline", line.strip()) for line in _INLINE[half].strip().splitlines()]
    displayed = [("display", line.strip()) for line in _DISPLAYED[half].strip().splitlines()]
    plain = [("plain", text) for text in _PLAIN[half]]
    made: list[Part] = []
    for at, (kind, source) in enumerate([*sources, *displayed, *plain]):
        first, second, more = writer.sentences(3)
        number = f"({at + 3})" if kind == "display" and at % 2 else ""
        after = f"{second[0].lower()}{second[1:]}"
        made.append(Part(kind, source, first.removesuffix("."), after, more, number))
    return made
