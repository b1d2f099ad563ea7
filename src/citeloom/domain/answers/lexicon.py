"""English words that limit a statement, that carry no content, and that are numbers or units."""

from __future__ import annotations

UNIVERSAL = frozenset(
    """
    all every each always whole entire everyone everybody everything invariably
    """.split()
)
MOST = frozenset(
    """
    most mostly majority usually mainly generally typically largely primarily main predominantly
    often frequently commonly
    """.split()
)
SOME = frozenset(
    """
    some several certain sometimes occasionally partly partially
    """.split()
)
MANY = frozenset(
    """
    many numerous
    """.split()
)
FEW = frozenset(
    """
    few rarely seldom hardly scarcely
    """.split()
) | {"a few"}
ONLY = frozenset(
    """
    only solely exclusively
    """.split()
)
HEDGES = frozenset(
    """
    may might perhaps possibly potentially probably likely suggest suggests suggested suggesting
    seem seems seemed appear appears appeared hypothesise hypothesize hypothesised hypothesized
    assume assumed assumes believe believed believes expect expected expects propose proposed
    hint hints tentative tentatively presumably apparently could conceivably plausible plausibly
    whether uncertain unclear undecided possible
    """.split()
)
CERTAIN = frozenset(
    """
    must prove proves proved proven definitely certainly establish establishes exactly undoubtedly
    """.split()
)
PARTIAL = MANY | SOME | FEW
"""Words for a part of what `all` would be."""
STRONG = (UNIVERSAL, MOST, MANY, ONLY, CERTAIN, FEW)
"""Kinds of words that a sentence may have only where its quotes have one of the kind."""
HAVE_TO = frozenset(
    """
    necessary necessarily require requires required need needs needed essential obligatory
    compulsory mandatory
    """.split()
)
"""Words of quotes that bear out `must`."""
OFTEN = frozenset(
    """
    best common normally primary principal chief tend tends tended routinely predominant
    """.split()
)
"""Words of quotes that bear out `most` or `usually`."""
CONSTANT = frozenset("constantly constant continually continuously permanently once".split())
"""Words of quotes that bear out `always` or `every`."""
SEVERAL = frozenset("multiple various diverse countless range variety dozens hundreds".split())
"""Words of quotes that bear out `many`."""
CONDITIONS = frozenset(
    """
    if unless provided except assuming
    """.split()
)
CONDITIONAL = CONDITIONS | frozenset(
    """
    when whenever where wherever once while in with without under given depends depending would
    could may might can until before after as whose
    """.split()
)
"""Words of a sentence one of which keeps a condition of its quotes."""
LIMITS = UNIVERSAL | MOST | MANY | SOME | FEW | ONLY
UNIVERSAL_ANY = frozenset("any all every each".split())
NO_ONE = frozenset("none no nobody whole".split())
NO_QUANTITY = frozenset({("at", "all"), ("above", "all"), ("after", "all")})
"""Pairs of words in which `all` says nothing of how much."""
NO_NEGATION = frozenset("regardless nevertheless nonetheless wireless".split())
"""Words that end as a negation does."""
NEGATORS = frozenset(
    """
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts weder ohne kaum não nao
    nunca nenhum nenhuma nem sem jamais ninguém nada pas sans ni sin jamás ningún ninguna
    instead not no never none neither nor nobody nothing nowhere cannot without hardly barely
    scarcely fail failed fails failing lack lacks lacked lacking absent absence unable impossible
    unlike unlikely unnecessary unsupported unaffected refuse refused refuses unknown
    """.split()
)
DENIALS = frozenset("not cannot never neither nor".split())
"""Negations of the verb or word behind them."""
FUNCTION = frozenset(
    """
    aber alle auch auf aus bei dass dem den der des die diese dieser dieses durch eine einem einen
    einer eines ein für haben hat ist mit nach oder sich sind über und unter vom von war waren
    werden wird wurde zum zur im das zu als es er sie wie
    como com dos das ela ele eles essa esse esta este foi foram mais mas muito para pela pelo pelos
    por que são ser seu sua também uma umas uns um o os e em da do na no nas nos ao aos é
    a an the this that these those it its they them their he she his her we our us you your i my me
    who whom whose which what where when while whereas although though because since as if than then
    of in on at by for from to into onto with within without about against between among through
    during before after above below over under up down out off per via and or but nor yet so
    therefore thus hence however is are was were be been being am do does did done has have had
    having will would shall should can could may might must not no only also too very both either
    neither each every all any some such same other another others there here more most much many
    few less least own just even still again further once until unless whether one ones like upon
    towards toward across along around behind beside besides beyond despite except near instead
    how why well way ago else quite rather almost already ever never always often sometimes usually
    themselves itself himself herself ourselves myself yourself oneself
    respectively namely etc eg ie cf according due owing compared contrast unlike
    """.split()
)
GENERIC = frozenset(
    """
    show find use make take give get put come go see know think mean say set let keep become seem
    case fact thing way part result effect level value amount kind type form group number time
    happen occur appear involve regard concern relate depend belong exist matter refer consider
    respect term basis role point example instance example order total overall approximately
    described reported observed found given made used called known based able possible available
    study work paper authors researchers experiment analysis data method approach
    whenever wherever whatever anymore yet far close due thanks
    problem task step place side back world real little single general preceding best easily
    later guidance help must need needs needed thereby further additional additionally certain
    various particular specific common main today present currently hand turn start begin end
    together apart enough aim goal purpose manner means reason cause question answer idea issue
    difficulty failure success people person someone anyone everyone word name support serve
    provide allow enable let want wish try attempt matter practical good kept different same
    relation hard whole nothing something anything everything setting setup lot bit thanks percent
    low-level high-level one's
    """.split()
)
COMPARATIVES = frozenset(
    """
    better worse higher lower larger smaller bigger greater fewer later earlier faster slower longer
    shorter farther further stronger weaker older younger cheaper harder easier newer closer nearer
    deeper wider simpler sooner richer poorer warmer cooler heavier lighter quicker safer cleaner
    """.split()
)
IRREGULAR = dict(
    pair.split(":")
    for pair in """
    fell:fall fallen:fall rose:rise risen:rise grew:grow grown:grow lost:lose took:take taken:take
    came:come found:find gave:give given:give made:make slept:sleep sold:sell bought:buy built:build
    held:hold kept:keep led:lead left:leave met:meet ran:run said:say sent:send shown:show
    spent:spend stood:stand taught:teach told:tell thought:think won:win wrote:write written:write
    began:begin begun:begin broke:break broken:break brought:bring chose:choose chosen:choose
    drew:draw drawn:draw drove:drive driven:drive ate:eat eaten:eat got:get went:go gone:go
    knew:know known:know saw:see seen:see shrank:shrink sank:sink threw:throw thrown:throw
    understood:understand became:become felt:feel flew:fly flown:fly froze:freeze frozen:freeze
    mice:mouse children:child men:man women:woman feet:foot teeth:tooth wolves:wolf leaves:leaf
    analyses:analysis hypotheses:hypothesis criteria:criterion phenomena:phenomenon people:person
    halves:half better:good best:good worse:bad worst:bad dying:die died:die ground:grind
    """.split()
)
NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "dozen": 12.0,
}
ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
    )
}
FRACTIONS = {
    "half": 1 / 2,
    "halves": 1 / 2,
    "third": 1 / 3,
    "thirds": 1 / 3,
    "quarter": 1 / 4,
    "quarters": 1 / 4,
    "fifths": 1 / 5,
    "tenths": 1 / 10,
    "halved": 1 / 2,
    "halve": 1 / 2,
}
SUFFIXES = {"k": 1e3, "K": 1e3, "M": 1e6}
MULTIPLES = {
    "twice": 2.0,
    "double": 2.0,
    "doubled": 2.0,
    "doubles": 2.0,
    "doubling": 2.0,
    "thrice": 3.0,
    "triple": 3.0,
    "tripled": 3.0,
    "triples": 3.0,
}
UNITS = {
    alias: names.split()[0]
    for names in """
    % percent
    ms millisecond milliseconds
    s sec second seconds
    min minute minutes
    h hr hour hours
    day days
    week weeks
    month months
    year years
    nm nanometre nanometer
    µm um micrometre micrometer
    mm millimetre millimetres millimeter millimeters
    cm centimetre centimetres centimeter centimeters
    m metre metres meter meters
    km kilometre kilometres kilometer kilometers
    mg milligram milligrams
    g gram grams
    kg kilogram kilograms
    t tonne tonnes ton tons
    ml millilitre millilitres
    l litre litres liter liters
    hz hertz
    v volt volts
    w watt watts
    k kelvin
    °c celsius
    $ dollar dollars usd
    € euro euros eur
    """.strip().splitlines()
    for alias in names.split()
}
BOUNDS = (
    ("no farther than", "<"),
    ("no fewer than", ">"),
    ("not more than", "<"),
    ("no later than", "<"),
    ("greater than", ">"),
    ("no less than", ">"),
    ("no more than", "<"),
    ("minimum of", ">"),
    ("fewer than", "<"),
    ("maximum of", "<"),
    ("more than", ">"),
    ("exceeding", ">"),
    ("less than", "<"),
    ("precisely", "="),
    ("at least", ">"),
    ("exceeded", ">"),
    ("at most", "<"),
    ("exactly", "="),
    ("beyond", ">"),
    ("within", "<"),
    ("above", ">"),
    ("up to", "<"),
    ("under", "<"),
    ("below", "<"),
    ("over", ">"),
    ("only", "="),
)
"""Words before a number that make a bound of it, the longest first."""
CONNECTING = frozenset(
    """
    accordingly additionally again also alternatively and another as at be besides beyond but by
    comparison consequently contrast conversely during elsewhere example finally first for from
    further furthermore hand hence here how however in instance instead it its last lastly later
    likewise meanwhile moreover namely next now of on one other particular passage previously
    regarding same says second similarly so source specifically still subsequently summary that the
    then there therefore these third this those though thus to too turn what where whereas which
    while with work yet
    aber auch außerdem beispiel damit dagegen danach daraus dazu dem demnach denn der des dies diese
    dieser doch einerseits erstens ferner folglich hingegen im insbesondere jedoch schließlich so
    somit und vergleich weiter zudem zuerst zum zunächst zweitens
    além assim com comparação como contraste contudo disso do e em entanto exemplo finalmente isso
    logo mas mesmo no ou outro outra para particular por portanto porém primeiro segundo também
    """.split()
)
"""Words that join statements and state nothing, in English, German and Portuguese."""
