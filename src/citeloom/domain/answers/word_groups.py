"""English words with one meaning, and words with opposite ones, by their stems."""

from __future__ import annotations

from functools import cache

from citeloom.domain.answers.claim_words import stem
from citeloom.domain.answers.wordnet_opposites import ANTONYMS

_SAME = """
    show demonstrate reveal indicate find observe report display exhibit see detect note; use employ
    apply utilise utilize adopt rely; method approach technique procedure way; make create produce
    build construct generate form write; obtain get gain acquire receive achieve reach attain;
    examine investigate study analyse analyze explore assess evaluate test measure; need require
    demand necessitate call; contain hold include comprise have has had consist; change alter modify
    shift vary transform convert turn; affect influence impact; cause lead produce result trigger
    drive bring; keep maintain retain preserve remain stay continue; help assist aid support;
    explain account describe; begin start commence; end stop terminate finish halt cease; divide
    split separate partition break; decompose break decay disintegrate; withdraw drop leave quit;
    exclude omit leave; choose select pick; decide decision determine; think believe assume suppose
    expect hypothesise hypothesize; state say claim argue assert; transmit send; reject turn refuse
    decline; consent agree; disable switch; relax relieve ease release; crack fracture; deep depth;
    deeper below; foreign abroad; encourage promote foster stimulate; attract fly; avoid keep shun;
    vanish disappear; work run operate function; work employee worker; complete finish; people
    person individual participant subject; participant subject; student pupil; child children;
    amount quantity number; part portion share proportion fraction; rate speed frequency pace; error
    mistake; problem issue difficulty; result outcome finding; aim goal objective purpose; task job;
    place location site spot position; area region zone; kind type sort class; car vehicle; house
    building home; picture image; film movie; doctor physician; drug medicine medication; illness
    disease; survey questionnaire poll; experiment trial; article paper publication; dataset data;
    big large; size dimension; quick fast rapid; roughly about approximately around nearly almost
    some; mostly mainly primarily chiefly largely predominantly most majority main; several some;
    many numerous; enough sufficient; whole entire; different distinct; important significant
    relevant key; similar alike comparable; correct right accurate; join member membership;
    theme topic; licence
    license licensed; price cost; stop end terminate halt cease; return come reopen; inhibit block
    suppress; biofilm fouling; labelled annotated; seek look search; lack without; contrast unlike;
    speak talk; buy purchase; allow permit enable; join unite combine merge; grind ground; import
    bring; corrosion corroded corrode; nest nesting; closing close closed; handle process treat;
    read reading; heat warm; cool cooling; move shift transfer relocate; day daily; year yearly
    annual annually; month monthly; north northern; south southern; east eastern; west western; new
    fresh novel; suggest hint imply point; invest spend; expected unexpected anticipate anticipated
    surprise; frequent often commonly; rate account; explain account responsible; majority most;
    better improve outperform exceed surpass; worse underperform; slow slower sluggish; likely
    probable chance probability; handle manage cope; solve resolve manage; carry conduct perform
    execute undertake implement run; propose introduce present suggest offer; develop design devise
    create; rely depend base; combine integrate merge fuse couple; compare comparison contrast;
    predict forecast predictor prediction; estimate calculate compute determine; recommend advise;
    discover identify detect recognise recognize find uncover; establish set found; occur happen
    arise appear present; consist compose comprise contain; belong member; link associate associated
    relate correlate connect tie; depend rest hinge; differ vary diverge; spread distribute disperse
    scatter; cover span range extend; last endure persist take; require take need; select choose
    prefer; train teach instruct learn; test check verify validate; gather collect assemble compile;
    store save keep record hold; remove delete eliminate discard strip drop; add append attach
    include; replace substitute supersede exchange; repair fix mend; delay postpone defer; ensure
    guarantee secure; limit restrict constrain confine bound; focus concentrate centre center;
    concern involve regard; consider regard view treat; argue contend maintain; publish release
    issue; suffer experience undergo; survive live persist; kill destroy; die death mortality; eat
    feed consume diet; drink consume; weigh weight mass; heavy weight; tall height high; wide width
    breadth; long length duration last; old age; warm temperature heat hot; ill sick patient
    disease; cure heal treat therapy treatment; woman female women girl; man male men boy; adult
    grown; infant baby newborn; mother parent; worker employee staff labourer; teacher instructor
    lecturer; scientist researcher author investigator; user person people; citizen resident
    inhabitant; country nation state; city town urban; village rural; sea ocean marine; river stream
    water; forest wood tree; plant vegetation crop; soil ground earth; animal creature; gene
    genetic; brain neural; heart cardiac; kidney renal; liver hepatic; lung pulmonary; computer
    machine; software program application; code program; algorithm procedure method; model system;
    network net; memory storage; file document; text document writing; word term; sentence phrase;
    language linguistic; meaning semantic sense; question query; answer response reply; score mark
    grade point; accuracy precision; error fault mistake; failure fail breakdown; damage harm
    injury; danger risk hazard; benefit advantage gain; cost expense price; money fund funding;
    income earning salary wage; trade commerce; law legal legislation; rule regulation; crime
    offence; war conflict battle; power authority; government state; election vote; company firm
    business enterprise corporation; industry industrial; factory plant; product good; school
    education educational; university college academic; course class lesson; book volume; newspaper
    press; history historical past; period era phase stage; moment instant; night nocturnal; week
    weekly; hour hourly; always invariably; also additionally; about regarding concerning; despite
    although; because since due; gradually slowly steadily; suddenly abruptly; immediately instantly
    directly; entirely completely fully wholly totally; partly partially; slightly little
    marginally; strongly greatly considerably substantially markedly significantly; clear clearly
    evident obvious; exact exactly precise precisely; equal equally same; separate independent
    independently; necessary needed required essential; sufficient enough adequate; suitable
    appropriate fit; useful helpful valuable; reliable dependable; effective efficient; available
    accessible; existing current present; previous earlier former prior; following subsequent next;
    main chief principal; single one sole; double twice twofold; triple threefold; half halve;
    quarter fourth; ten decade; hundred century; reopen open; close shut shutdown; intact stable
    undamaged; decompose degrade break; transfer carry transport; convey communicate; inform tell
    notify; warn alert; agree consent concur; refuse decline; attempt try seek; intend plan aim;
    hope wish want; fear worry; enjoy like; attend attendance participate; travel journey; walk
    foot; sleep rest; fall drop decline decrease; rise increase climb; sharp steep; flat level; peak
    maximum highest; minimum lowest; average mean typical; total overall sum whole; share fraction
    proportion portion percentage; number count quantity; sample specimen; measurement measure
    reading; observation observe; evidence sign indication proof; hypothesis assumption; conclusion
    conclude; finding result; limitation limit shortcoming; cause reason why; purpose aim goal;
    consequence effect outcome result; influence affect shape; condition circumstance state;
    situation case; feature property characteristic attribute; structure form shape; process
    procedure; step stage; change shift transition; growth grow development; decline fall decrease;
    movement move motion; distance far away; speed velocity fast; force strength; light
    illumination; sound noise; colour color; smell odour; touch contact; surface top; edge border
    margin; centre middle center; back rear; inside interior; outside exterior;
    maintain maintenance; explain explanation; receive reception; describe description; assume
    assumption; decide decision; produce production; reduce reduction; permit permission; destroy
    destruction; acquire acquisition; retain retention; perceive perception; apply application; vary
    variation variety; imply implication; know knowledge; believe belief; prove proof; lose loss;
    choose choice; speak speech; think thought; behave behaviour behavior; succeed success; exceed
    excess; extend extension extent; expand expansion; divide division; provide provision; revise
    revision; include inclusion; conclude conclusion; invade invasion; submit submission; transmit
    transmission; admit admission; compress compression; technology technical technique; science
    scientific; theory theoretical; practice practical; compute computing computation computational
    computer; evolve evolution; solve solution; resolve resolution; respond response; defend
    defence; strong strength; wise wisdom; free freedom; difficult difficulty; easy ease; able
    ability; flexible flexibility; real reality; simple simplicity; complex complexity; efficient
    efficiency; robust robustness; clear clarity; vary variable; define definition; repeat
    repetition; compose composition; compete competition; detain detention; convert conversion;
    collide collision; erode erosion; explode explosion; persuade persuasion; interpret
    interpretation interpretability; deduce deduction; introduce
    introduction; interact interaction; consume consumption; absorb absorption; resume resumption;
    prescribe prescription; subscribe subscription; transcribe transcription; publish publication;
    classify classification; identify identification; qualify qualification; simplify
    simplification; verify verification; modify modification; specify specification; justify
    justification; quantify quantification; notify notification; young youth; poor poverty; true
    truth; warm warmth; broad breadth general; strong strengthen; short shorten; weak weaken
"""
"""Groups of words that may stand for one another in a paraphrase, separated by semicolons."""
_OPPOSITES = """
    increase rise grow raise climb gain expand enhance boost elevate double triple lift growth |
    decrease reduce reduction fall decline drop lower lowered lowering shrink diminish lose halve
    cut lessen reduction decay loss; high great large big more greater larger higher bigger | low
    small little less smaller lower fewer; improve better best superior well benefit | worsen worse
    worst inferior poor deteriorate harm degrade; fast quick rapid faster quicker early earlier soon
    | slow slower late later delayed delay; strong stronger robust powerful strengthen | weak weaker
    fragile feeble weaken; long longer lengthen extend | short shorter shorten; accept approve admit
    allow permit grant enable | reject refuse deny forbid prohibit ban prevent disable block;
    activate stimulate promote induce encourage facilitate support | inhibit suppress impede
    discourage deactivate hinder oppose silence; open opened | close closed shut; include included
    including | exclude excluded excluding omit; present presence exist appear occur emerge arise |
    absent absence disappear vanish; import imported | export exported; buy bought purchase | sell
    sold; join unite merge combine connect attach | split separate divide leave quit disconnect
    detach; attract attracted attraction | repel repelled avoid shun repulsion; internal inner
    inside interior within | external outer outside exterior beyond; above over upper top exceed |
    below under lower bottom beneath; before precede previous prior | after follow subsequent
    succeed; first initial begin start begun initiate | last final end finish terminate stop cease
    conclude; north northern | south southern; east eastern | west western; old older ancient
    elderly | new young younger recent modern novel; positive positively | negative negatively;
    major main important significant primary | minor unimportant insignificant negligible secondary;
    heat heating warm hot heated | cool cooling cold cooled; expensive costly dear | cheap cheaper
    inexpensive; win won victory victorious | defeat defeated; rich wealthy | poor; agree agreement
    consensus | disagree disagreement; confirm support corroborate verify | refute contradict
    disprove reject; easy simple easier simpler | difficult hard complex complicated harder; common
    frequent often usual widespread | rare infrequent seldom unusual rarely; same identical equal
    similar alike | different differ unequal dissimilar distinct opposite; public | private; male
    man men masculine | female woman women feminine; left | right; light bright | dark dim; thick
    wide broad wider | thin narrow narrower; deep deeper | shallow; dry arid | wet humid moist; hard
    rigid stiff | soft flexible; sharp | blunt; safe harmless | dangerous harmful unsafe toxic; true
    correct right accurate | false wrong incorrect inaccurate; success succeed successful | failure
    fail unsuccessful; arrive enter come return | depart exit go; push | pull; send transmit |
    receive; give provide supply | take remove withdraw; build construct create | destroy demolish;
    absorb | emit release; gain | lose; maximum maximise maximize maximal peak | minimum minimise
    minimize minimal; majority | minority; more | fewer less; dense | sparse; linear | nonlinear;
    static fixed constant stable stationary | dynamic variable unstable changing; active | passive
    inactive; local | global remote; symmetric | asymmetric; supervised | unsupervised; parallel |
    sequential serial; upstream | downstream; input | output; protect guard | expose endanger;
    attack | defend; day | night; winter | summer; spring | autumn; day daytime | nighttime; known
    familiar | unknown unfamiliar; dependent | independent; direct | indirect; encode | decode;
    encrypt | decrypt; compress | decompress; upload | download; teacher | pupil student; parent |
    child; employer | employee; predator | prey; cause | effect; cause lead produce generate create
    | prevent avert; hope | despair; optimistic | pessimistic; complete whole full | partial
    incomplete empty; visible | invisible hidden; wild | tame domestic; urban | rural; advantage
    benefit strength | disadvantage drawback weakness; near close nearby adjacent | far distant;
    overestimate | underestimate; oversample | undersample; proponent supporter | opponent critic;
    love like prefer | hate dislike; remember | forget; war | peace; credit | debit; surplus |
    deficit; profit | loss; abundant plentiful | scarce; acidic acid | alkaline basic; liquid |
    solid; solvent | solute; exothermic | endothermic; oxidise oxidize | reduce; melt thaw | freeze;
    evaporate | condense; ascend | descend; rough | smooth; convex | concave; clockwise |
    counterclockwise; vertical | horizontal; continuous | discrete; finite | infinite; odd | even;
    qualitative | quantitative; theoretical | practical empirical; subjective | objective; formal |
    informal; voluntary | compulsory mandatory obligatory; optional | required mandatory; temporary
    | permanent; reversible | irreversible; homogeneous | heterogeneous; benign | malignant; acute |
    chronic; dominant | recessive; aerobic | anaerobic; primary | secondary; proximal | distal;
    ventral | dorsal; anterior | posterior; systolic | diastolic; hypertension | hypotension;
    open free | proprietary closed; basic elementary | advanced; retain keep | lose delete discard;
    establish build | remove dismantle; fill | empty; precede | follow succeed replace;
    promote increase | reduce; beforehand | afterwards afterward; appear return | disappear vanish;
    significant large great | little slight negligible;
    healthy | ill sick diseased; alive survive live | dead die; birth born | death died
"""
"""Groups of words, left and right of a bar, of which one side says the opposite of the other."""
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "non-", "dis", "de", "a", "anti", "counter")
_LEAST_BEGINNING, _BEGINNING = 5, 0.6
"""Two words are forms of one if so many letters, and such a share of the longer, are the same."""


def known(word: str) -> bool:
    """Whether the lists have a word with this stem."""
    return word in _groups()


@cache
def alike(first: str, second: str) -> bool:
    """Whether two stems are forms of one word, or have one meaning."""
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= 4 and longer.startswith(shorter[: max(4, round(0.7 * len(longer)))]):
        return True
    shared = next((n for n, (a, b) in enumerate(zip(first, second)) if a != b), len(shorter))
    if shared >= _LEAST_BEGINNING and shared >= _BEGINNING * len(longer):
        return True
    return bool(_groups().get(first, frozenset()) & _groups().get(second, frozenset()))


@cache
def opposed(first: str, second: str) -> bool:
    """Whether two stems have opposite meanings, by the list or by a prefix."""
    if (first, second) in _opposites():
        return True
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= 4 and any(
        longer.startswith(prefix) and _same_beginning(longer.removeprefix(prefix), shorter)
        for prefix in _PREFIXES
    )


def _same_beginning(first: str, second: str) -> bool:
    return first == second or (len(second) >= _LEAST_BEGINNING and first[:5] == second[:5])


@cache
def _groups() -> dict[str, frozenset[int]]:
    """The groups of words with one meaning that a stem is in."""
    groups: dict[str, set[int]] = {}
    sides = [side for pair in _OPPOSITES.split(";") for side in pair.split("|")]
    for number, words in enumerate([*_SAME.split(";"), *sides]):
        for word in words.split():
            groups.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


@cache
def _opposites() -> frozenset[tuple[str, str]]:
    pairs: set[tuple[str, str]] = set()
    for line in [*_OPPOSITES.split(";"), *ANTONYMS.split(";")]:
        left, right = ([*map(stem, side.split())] for side in line.split("|"))
        pairs |= {pair for a in left for b in right for pair in ((a, b), (b, a))}
    return frozenset(pair for pair in pairs if pair[0] != pair[1])
