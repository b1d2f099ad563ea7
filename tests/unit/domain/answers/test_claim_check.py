"""Whether sentences of a model agree with their quotes, are to be compared, or contradict them."""

from __future__ import annotations

import pytest

from citeloom.domain.answers.answer import Agreement, Fault
from citeloom.domain.answers.claim_check import ClaimCheck, check_claim, differences, only_connects
from citeloom.domain.answers.claim_words import alike, opposed, statement, stem
from citeloom.domain.answers.quotes import is_quotation

FERRY = (
    "The Orla ferry carried 340 passengers in its first week, twice as many as the old boat, and "
    "its crew of nine earned 12 % more."
)
MILL = "No grain was ground in the mill after 1904, because the stream that drove it had dried up."
TIDE = "Crabs that were fed at high tide grew faster than crabs that were fed at low tide."
LEASE = "The tenant may end the lease if the owner has failed to mend the roof."
BEES = "Most of the hives lost a few bees, but only the eastern ones lost their queen."
DYE = "Madder turns wool red, and the mordant fixes the dye within 30 minutes at 80 °C."
KEY = "A brass key is kept by the porter; without one, the cellar stays locked."
BUOYS = "The buoy measures salinity but not depth."
GUESTS = "Guests may use the boats, but they may not lend them."
FROST = "Neither the frost nor the hail harmed the vines."
CHANNEL = "Pilots rely on the harbour master for the depth of the channel."


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        (FERRY, FERRY),
        ("The Orla ferry carried 340 passengers in its first week.", FERRY),
        ("In its first week the Orla ferry transported 340 passengers.", FERRY),
        ("Its crew of nine earned 12 percent more.", FERRY),
        ("The ferry carried double as many passengers as the old boat.", FERRY),
        ("Grain was not ground in the mill after 1904, since the stream had dried up.", MILL),
        ("Crabs fed at low tide grew slower than crabs fed at high tide.", TIDE),
        ("The lease may be ended by the tenant if the owner did not mend the roof.", LEASE),
        ("Wool is turned red by madder.", DYE),
        ("According to the authors, madder turns wool red.", DYE),
        ("Overall, madder turns wool red.", DYE),
        ("The mordant fixes the dye in the wool.", "The mordant fixes the dye in wool."),
        (
            "Telephone interviews made the survey less costly than the last.",
            "The survey was cheaper than the last, as interviews took place by telephone.",
        ),
        (
            "The keeper does his round without effort.",
            "The keeper does his round in an effortless way.",
        ),
        (
            "The Orla-built ferry carried 340 passengers.",
            "The ferry built at Orla carried 340 passengers.",
        ),
        ("A tenant must mend the roof.", "It is necessary that a tenant mends the roof."),
        ("The pump stops within n strokes.", "The pump stops after at most n strokes."),
        ("The roof was maintained by the tenant.", "Maintenance of the roof was up to the tenant."),
        ("The two barns were built of oak.", "Both barns were built of oak."),
        ("The pump is 5 m deep.", "The pump is 5 metres deep."),
        ("The crew works without effort.", "The crew works in an effortless way."),
        ("The buoy measures salinity, but it does not measure depth.", BUOYS),
        ("The vines were harmed neither by the frost nor by the hail.", FROST),
        ("For the depth of the channel, pilots rely on the harbour master.", CHANNEL),
        (
            "The depth is not known, as the buoy did not work.",
            "The buoy did not work, so the depth is not known.",
        ),
        ("The main gates are watched.", "The primary gates are watched."),
        ("Gates are watched all the time.", "Gates are constantly watched."),
        ("Gulls nest on every ledge.", "Gulls nest at all ledges."),
        (
            "How many eggs each nest had was written down.",
            "The number of eggs of each nest was written down.",
        ),
        ("Rowers need not bail.", "Rowers row instead of having to bail."),
        ("The clerk books the tickets.", "The clerk/porter books the tickets."),
        ("The keeper\u02bcs lamp went out.", "The keeper's lamp went out."),
    ],
)
def test_what_says_the_same_agrees(sentence: str, quote: str) -> None:
    assert check_claim(sentence, [quote]) == ClaimCheck(Agreement.AGREES)


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Crabs fed at high tide grew faster than those fed at low tide.", TIDE),
        ("A few bees were lost in most of the hives.", BEES),
        (
            "The rate of decay is missing from the report.",
            "The report does not mention the rate of decay.",
        ),
        ("The cause of the fire remained unknown.", "We could not find the cause of the fire."),
        (
            "Wheat is given to the hens each day.",
            "Hens are not only given wheat each day but also barley.",
        ),
        ("Hens like wheat above all.", "Hens like wheat most."),
        (
            "Of the 40 beams measured, 3 cracked under the load.",
            "We measured 40 beams, of which 3 cracked under the load.",
        ),
        ("Guards watch the gate and ring the bell.", "Guards ring the bell and watch the gate."),
        ("For a wide gate, two guards are needed.", "If the gate is wide, two guards are needed."),
        ("Gulls were counted there.", "Some gulls were counted there."),
        ("The ferry was late by nothing but a minute.", "The ferry was late by only a minute."),
    ],
)
def test_what_says_the_same_less_closely_is_to_be_compared(sentence: str, quote: str) -> None:
    assert check_claim(sentence, [quote]) == ClaimCheck(Agreement.COMPARE)


@pytest.mark.parametrize(
    ("sentence", "quote", "fault"),
    [
        (
            "The mill ground grain for the abbey in the hands of monks.",
            "The mill ground grain for the abbey.",
            Fault.OTHER_WORDS,
        ),
        (
            "The hens of all farms were counted.",
            "The hens of many farms were counted, and none was ill.",
            Fault.SCOPE,
        ),
        ("The pump stops within m strokes.", "The pump stops within n strokes.", Fault.OTHER_NAMES),
        (
            "Hens that were not fed laid more eggs than hens that were.",
            "Hens that were fed laid more eggs than hens that were not.",
            Fault.NEGATION,
        ),
        ("The Elba ferry carried 340 passengers in its first week.", FERRY, Fault.OTHER_NAMES),
        ("The RMS ferry carried 340 passengers.", FERRY, Fault.OTHER_NAMES),
        ("The Orla ferry carried 430 passengers.", FERRY, Fault.OTHER_NUMBERS),
        ("The Orla ferry carried nine passengers in its first week.", FERRY, Fault.OTHER_NUMBERS),
        ("The Orla ferry carried 340 passengers in its second week.", FERRY, Fault.OTHER_NUMBERS),
        ("Its crew of nine earned 12 kg more.", FERRY, Fault.OTHER_NUMBERS),
        ("The dye is fixed by the mordant within 30 hours.", DYE, Fault.OTHER_NUMBERS),
        ("The mordant fixes the dye within 80 minutes.", DYE, Fault.OTHER_NUMBERS),
        ("Its crew of nine earned 12 % less.", FERRY, Fault.NEGATION),
        ("Grain was ground in the mill after 1904.", MILL, Fault.NEGATION),
        ("No grain was ground in the mill before 1904.", MILL, Fault.NEGATION),
        ("Grain was ground in the mill, which did not depend on the stream.", MILL, Fault.NEGATION),
        (
            "Crabs that were fed at low tide grew faster than crabs fed at high tide.",
            TIDE,
            Fault.NEGATION,
        ),
        ("Madder turns wool red and makes it soft.", DYE, Fault.OTHER_WORDS),
        ("The tenant must end the lease if the owner failed to mend the roof.", LEASE, Fault.SCOPE),
        ("All of the hives lost a few bees.", BEES, Fault.SCOPE),
        ("The western hives lost their queen.", BEES, Fault.NEGATION),
        ("The buoy measures salinity and depth.", BUOYS, Fault.NEGATION),
        ("Both the frost and the hail harmed the vines.", FROST, Fault.NEGATION),
        ("The hail harmed the vines.", FROST, Fault.NEGATION),
        ("Guards always ring the bell.", "Guards ring the bell at all.", Fault.SCOPE),
    ],
)
def test_other_names_numbers_negations_and_limits_contradict(
    sentence: str, quote: str, fault: Fault
) -> None:
    check = check_claim(sentence, [quote])
    assert check.agreement is Agreement.CONTRADICTS
    assert fault in check.faults


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The pump stops after at least n strokes.", "The pump stops after at most n strokes."),
        ("The frost killed the bees.", "It is possible that the frost killed the bees."),
        ("The frost killed the bees.", "Whether the frost killed the bees, is uncertain."),
        ("Its crew is paid well.", "If the river is high, its crew is paid well."),
        ("The ferry was always absent at dawn.", "The ferry was always present at dawn."),
        (
            "The tenant mended the outer wall.",
            "Last year a tenant with his son mended the inner wall.",
        ),
        ("The map shows the plants of the moor.", "The map shows the birds."),
        ("The grazing season ends in May.", "In this valley the hunting season ends in May."),
        (
            "The ferryman did not steer by lights.",
            "On moonless nights the ferryman steered by lights.",
        ),
        ("The abstract rules were taught.", "The concrete rules were taught."),
        ("Its crew of 340 earned 12 % more.", FERRY),
        ("Wool turns madder red.", DYE),
        ("Madder turns linen red.", DYE),
        ("The tenant may end the lease.", LEASE),
        ("The hives lost a few bees.", BEES),
        ("With a brass key, the cellar stays locked.", KEY),
        ("The buoy measures depth but not salinity.", BUOYS),
        ("Guests may use and lend the boats.", GUESTS),
        ("The harbour master relies on pilots for the depth of the channel.", CHANNEL),
        (
            "The custom of the harbour and the tides rely on the pilot.",
            "In fog, the pilot relies on the custom of the harbour and the tides.",
        ),
        (
            "Wide gates need guards, whereas narrow ones need a chain.",
            "Narrow gates need guards, whereas wide ones need a chain.",
        ),
        (
            "Two oars were lost in spring, and nine in autumn, by the crews.",
            "Nine oars were lost in spring, and two in autumn, by the crews.",
        ),
        (
            "This is the least important gate of the harbour.",
            "This is the most important gate of the harbour.",
        ),
        ("Two guards watch wide gates.", "Two guards watch gates if they are wide."),
        (
            "A tarred rope made the buoys last longer in summer.",
            "It had less to do in winter, when five of the twelve roped buoys still lasted at the "
            "end, so that the median of 66 days is a lower bound.",
        ),
    ],
)
def test_what_may_say_something_else_never_agrees(sentence: str, quote: str) -> None:
    assert check_claim(sentence, [quote]) == ClaimCheck(Agreement.COMPARE)


def test_the_rest_of_a_sentence_with_a_condition_is_no_quotation_of_it() -> None:
    assert not is_quotation(
        "Its crew is paid well.", ["If the river is high, its crew is paid well."]
    )
    assert is_quotation("Its crew is paid well.", ["The river is high, its crew is paid well."])


def test_a_clause_of_two_quotes_agrees_with_neither() -> None:
    quotes = ["Owls hunt at night.", "Voles eat grass."]
    assert check_claim("Voles hunt at night.", quotes).agreement is Agreement.COMPARE
    both = check_claim("Owls hunt at night, and voles eat grass.", quotes)
    assert both.agreement is Agreement.AGREES


def test_a_quote_cut_short_of_what_governs_it_supports_nothing() -> None:
    quote, sentence = "the yield fell", "We do not believe that the yield fell."
    assert check_claim("The yield fell.", [quote]).agreement is Agreement.AGREES
    denied = check_claim("The yield fell.", [quote], [sentence])
    assert denied.agreement is not Agreement.AGREES
    hedged = "It is possible that the yield may have fallen after the frost."
    check = check_claim(
        "After the frost the yield fell.", ["yield may have fallen after the frost"], [hedged]
    )
    assert check.agreement is Agreement.COMPARE


def test_a_sentence_about_something_else_is_left_out() -> None:
    check = check_claim("Hens lay fewer eggs in winter.", [DYE])
    assert check == ClaimCheck(Agreement.CONTRADICTS, (Fault.OTHER_WORDS,))


@pytest.mark.parametrize(
    ("text", "value", "kind", "unit"),
    [
        ("thirty-one hens", 31, "count", ""),
        ("two hundred and more", 200, "count", ""),
        ("1,250 hens", 1250, "count", ""),
        ("4.2 million hens", 4_200_000, "count", ""),
        ("5k hens", 5000, "count", ""),
        ("62 per cent of them", 0.62, "fraction", ""),
        ("three quarters of them", 0.75, "fraction", ""),
        ("twice as many", 2, "multiple", ""),
        ("the third day", 3, "ordinal", "day"),
        ("340 milliseconds", 340, "count", "ms"),
        ("40 kN", 40, "count", "kN"),
        ("at least three hens", 3, "count", ""),
        ("no more than 20 km", 20, "count", "km"),
        ("3 hens or more", 3, "count", ""),
        ("a decade", 10, "count", "year"),
    ],
)
def test_numbers_are_read_in_digits_and_in_words(
    text: str, value: float, kind: str, unit: str
) -> None:
    (found,) = statement(text).quantities
    assert (found.value, found.kind) == (value, kind)
    assert found.unit == unit


def test_forms_of_a_word_have_one_stem() -> None:
    forms = (
        ("reduce", "reduced"),
        ("fell", "falls"),
        ("study", "studies"),
        ("process", "processes"),
    )
    for one, other in forms:
        assert stem(one) == stem(other)
    assert alike(stem("picture"), stem("images"))
    assert opposed(stem("rose"), stem("fell"))
    assert opposed(stem("stable"), stem("unstable"))
    assert not opposed(stem("rose"), stem("grew"))


@pytest.mark.parametrize("sentence", ["", "!", "…", "123", "%", "a" * 2000, "Ünïcödé ☘ ﬁne"])
def test_any_text_can_be_checked(sentence: str) -> None:
    assert isinstance(check_claim(sentence, [FERRY]), ClaimCheck)
    assert isinstance(check_claim("Rye.", [sentence]), ClaimCheck)


@pytest.mark.parametrize(
    "words", ["However", "In contrast to this,", "Im Vergleich dazu", "No entanto"]
)
def test_words_that_join_claim_nothing(words: str) -> None:
    assert only_connects(words)


@pytest.mark.parametrize(
    "words", ["", "...", "Wrongly", "However, 3", "It is false that", "Not", "and so " * 5]
)
def test_other_words_claim_something(words: str) -> None:
    assert not only_connects(words)


@pytest.mark.parametrize(
    ("sentence", "source", "named"),
    [
        ("Rye was sown in 40 plots.", "Rye was sown in 25 plots.", [("40", "", "number")]),
        ("Rye was sown in Wales.", "Rye was sown in Kent.", [("Wales", "", "name")]),
        (
            "Rye is sown by hand and dried manually.",
            "Rye is sown by hand and dried automatically.",
            [("manually", "automatically", "opposite")],
        ),
        (
            "Sowing takes more time than reaping.",
            "Sowing takes less time than reaping.",
            [("more", "less", "opposite")],
        ),
        ("Rye can be sown late.", "Rye cannot be sown late.", [("", "cannot", "negation")]),
        ("Rye is not sown late.", "Rye is sown late.", [("not", "", "negation")]),
        (
            "Winter rye was sown late in the mountains.",
            "Winter rye was sown late in the valleys.",
            [("mountains", "", "")],
        ),
        ("People put rye into the earth in autumn.", "Winter rye was sown in September.", []),
        ("Winter rye was sown late.", "Winter rye was sown late.", []),
    ],
)
def test_the_words_by_which_a_sentence_may_say_something_else_are_named(
    sentence: str, source: str, named: list[tuple[str, str, str]]
) -> None:
    assert [
        (change.quote, change.work, "".join(change.remarks))
        for change in differences(sentence, source)
    ] == named
