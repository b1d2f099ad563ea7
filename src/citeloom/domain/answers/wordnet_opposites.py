"""Pairs of English words with opposite meanings: antonyms of WordNet 3.0, of the frequent senses of
single words, that the lists of `word_groups` do not have.
"""

# This software and database is being provided to you, the LICENSEE, by
# Princeton University under the following license.  By obtaining, using
# and/or copying this software and database, you agree that you have
# read, understood, and will comply with these terms and conditions.:
#
# Permission to use, copy, modify and distribute this software and
# database and its documentation for any purpose and without fee or
# royalty is hereby granted, provided that you agree to comply with
# the following copyright notice and statements, including the disclaimer,
# and that the same appear on ALL copies of the software, database and
# documentation, including modifications that you make for internal
# use or for distribution.
#
# WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.
#
# THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON
# UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR
# IMPLIED.  BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON
# UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANT-
# ABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE
# OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT
# INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR
# OTHER RIGHTS.
#
# The name of Princeton University or Princeton may not be used in
# advertising or publicity pertaining to distribution of the software
# and/or database.  Title to copyright in this software, database and
# any associated documentation shall at all times remain with
# Princeton University and LICENSEE agrees to preserve same.

from __future__ import annotations

ANTONYMS = """
    abactinal | actinal; abaxial | adaxial; abaxially | adaxially; abducent | adducent; abduct |
    adduct; abience | adience; abient | adient; abnormal | normal; abnormality | normality; abolish
    | establish; aborad | orad; aboral | oral; abruptness | gradualness; absolute | relative;
    absolve | blame; absorbable | adsorbable; abstain | consume; abstemious | gluttonous; abstract
    | concrete; abstractly | concretely; abstractness | concreteness; abundance | scarcity;
    acatalectic | hypercatalectic; accelerate | decelerate; acceleration | deceleration; accentual
    | quantitative; accentual | syllabic; acceptance | rejection; acceptive | rejective;
    accidentally | deliberately; accordant | discordant; accusatorial | inquisitorial; achiever |
    loser; acidic | amphoteric; acidify | alkalize; acidity | alkalinity; acquaintance | stranger;
    acquit | convict; acquittal | conviction; acrocarp | pleurocarp; acrocarpous | pleurocarpous;
    acropetal | basipetal; acroscopic | basiscopic; act | refrain; actinomorphic | zygomorphic;
    action | inaction; activator | inhibitor; actual | potential; acute | obtuse; acutely |
    chronically; acuteness | obtuseness; adaptive | maladaptive; add | subtract; addition |
    subtraction; additive | subtractive; adjective | substantive; adjusted | maladjusted; admit |
    exclude; adnate | connate; adopted | native; adoptive | biological; adroit | maladroit;
    adroitly | maladroitly; adscript | subscript; adscript | superscript; adult | juvenile;
    adulterating | purifying; advance | recede; aestivate | hibernate; afferent | efferent;
    affinity | consanguinity; affirm | negate; affirmative | negative; afloat | aground; aft |
    fore; age | rejuvenate; aggrade | degrade; agitate | calm; agitation | calmness; agonist |
    antagonist; algorithmic | heuristic; align | skew; aliquant | aliquot; alkaline | amphoteric;
    allochthonous | autochthonous; allogamy | autogamy; allogeneic | xenogeneic; allopathic |
    homeopathic; allopathy | homeopathy; allopatric | sympatric; allopatry | sympatry; alphabetic |
    analphabetic; alternate | opposite; altricial | precocial; altruism | egoism; altruistic |
    egoistic; amateur | professional; amateurishly | expertly; ambiversion | extraversion;
    ambiversion | introversion; ambiversive | extroversive; ambiversive | introversive; ametropic |
    emmetropic; amicable | hostile; amphibious | aquatic; amphibious | terrestrial; amphitropous |
    anatropous; ample | meager; amply | meagerly; anabatic | katabatic; anabolic | catabolic;
    anabolism | catabolism; anaclinal | cataclinal; anadromous | catadromous; anadromous |
    diadromous; anal | oral; analogous | heterologous; analogous | homologous; analogue | digital;
    analytic | synthetic; analyze | synthesize; anamorphism | katamorphism; anaphrodisia |
    aphrodisia; anaphrodisiac | aphrodisiac; anapsid | diapsid; anastalsis | peristalsis;
    anastigmatic | astigmatic; ancestor | descendant; androgynous | female; androgynous | male;
    anemophilous | entomophilous; anestrous | estrous; anestrus | estrus; angular | rounded;
    angularity | roundness; anhydrous | hydrous; anionic | cationic; anisotropic | isotropic;
    anisotropy | isotropy; annual | biennial; annual | perennial; anode | cathode; anodic |
    cathodic; anonymous | onymous; anovulation | ovulation; antagonist | synergist; antagonistic |
    conciliatory; antagonistic | synergistic; antapex | apex; antecedent | subsequent; antemeridian
    | postmeridian; antemortem | postmortem; anteriority | posteriority; anterograde | retrograde;
    anti | pro; anticlinal | synclinal; antonym | synonym; antonymous | synonymous; antrorse |
    retrorse; aphelion | perihelion; apoapsis | periapsis; apocarpous | syncarpous; apocrine |
    eccrine; apogee | perigee; apojove | perijove; apolune | perilune; apophatism | cataphatism;
    aposelene | periselene; applaud | boo; applied | theoretical; appointive | elective; appreciate
    | depreciate; approbate | reprobate; apropos | malapropos; apteral | peripteral; aquatic |
    terrestrial; aqueous | igneous; arenaceous | argillaceous; arm | disarm; armed | armless; armed
    | unarmed; arming | disarming; arrive | leave; artesian | subartesian; artful | artless;
    artfulness | artlessness; artificial | natural; artificially | naturally; asleep | awake;
    assent | dissent; asset | liability; assimilate | dissimilate; associate | dissociate; atomism
    | holism; atomistic | holistic; atrophied | hypertrophied; attachable | detachable; attend |
    miss; attractive | repulsive; attributive | predicative; augmentation | diminution; aunt |
    uncle; autoecious | heteroecious; autogamous | endogamous; autogamous | exogamous; autogenous |
    heterogenous; autologous | heterologous; autologous | homologous; automatic | manual;
    autotrophic | heterotrophic; autumnal | summery; autumnal | vernal; autumnal | wintry; avoid |
    confront; away | home; awed | unawed; awkward | graceful; awkwardness | gracefulness; awned |
    awnless; backed | backless; background | foreground; backhand | forehand; backward | forward;
    badness | goodness; bar | unbar; bare | covered; basic | incidental; beaked | beakless;
    beautiful | ugly; beautify | uglify; beauty | ugliness; bedded | bedless; beginning | middle;
    behave | misbehave; bellied | bellyless; bend | straighten; beneficence | maleficence;
    beneficent | maleficent; benevolence | malevolence; benevolently | malevolently; benign |
    malign; benignancy | malignancy; benignity | malignity; bequeath | disinherit; beseeching |
    imperative; bettering | worsening; bibbed | bibless; bicameral | unicameral; bidirectional |
    unidirectional; biennial | perennial; bigness | littleness; bimodal | unimodal; binaural |
    monaural; binaurally | monaurally; binucleate | mononuclear; binucleate | trinucleate; biped |
    quadruped; bipedal | quadrupedal; bipolar | unipolar; bisexual | heterosexual; bisexual |
    homosexual; bivalent | multivalent; bivalent | univalent; bivalve | univalve; black | white;
    blacken | whiten; bless | curse; blessed | cursed; blind | sighted; blond | brunet; bloodily |
    bloodlessly; bloodless | bloody; blur | focus; bodied | unbodied; boil | freeze; bold | timid;
    boldness | timidity; boneless | bony; bore | interest; borrow | lend; borrower | lender;
    bottlefeed | breastfeed; bottomed | bottomless; bound | free; bowed | plucked; box | unbox; boy
    | girl; boycott | patronise; boycott | patronize; brachycephalic | dolichocephalic; bracteate |
    ebracteate; branchless | branchy; brave | cowardly; brave | timid; break | repair; breasted |
    breastless; breathing | breathless; bright | dull; brighten | darken; brightness | dullness;
    broken | unbroken; brother | sister; brotherly | sisterly; buried | unburied; busy | idle;
    cacodemon | eudemon; cacophonous | euphonious; caducous | persistent; calcicolous |
    calcifugous; calm | stormy; campylotropous | orthotropous; capitalism | socialism; capitalistic
    | socialistic; captor | liberator; cardinal | ordinal; careful | careless; carefully |
    carelessly; carefulness | carelessness; carinate | ratite; carnivorous | herbivorous;
    carnivorous | insectivorous; carnivorous | omnivorous; catadromous | diadromous; catalectic |
    hypercatalectic; catarrhine | leptorrhine; catarrhine | platyrrhine; categorem | syncategorem;
    categorematic | syncategorematic; categoreme | syncategoreme; caudal | cephalic; ceilinged |
    floored; cenobite | eremite; cenobitic | eremitic; cenogenesis | palingenesis; cenogenetic |
    palingenetic; center | left; central | peripheral; centrality | marginality; centrally |
    peripherally; centrifugal | centripetal; cerebral | emotional; change | stay; changeableness |
    changelessness; cheer | complain; cheerful | depressing; cheerfully | cheerlessly; cheerfulness
    | cheerlessness; chromatic | diatonic; cismontane | tramontane; civilian | military; civilian |
    serviceman; claim | forfeit; clarify | obfuscate; clarity | obscurity; clarity | opacity;
    classicism | romanticism; classicist | romanticist; clean | dirty; cleanness | dirtiness; clear
    | opaque; clergy | laity; clergyman | layman; coarsely | finely; coastal | inland; coldhearted
    | warmhearted; coldness | hotness; collateral | lineal; collective | distributive; color |
    colorlessness; colorful | colorless; colourful | colourless; comedy | tragedy; commonality |
    individuality; compact | loose; competition | cooperation; complexity | simplicity; compliant |
    defiant; complicate | simplify; con | pro; concealing | revealing; concentrated | distributed;
    concentration | dilution; concentration | distribution; concentric | eccentric; concentricity |
    eccentricity; conception | misconception; concise | prolix; conductor | insulator; confidence |
    diffidence; confident | diffident; confined | invasive; conform | deviate; conjunct | disjunct;
    conjunctive | disjunctive; connotative | denotative; consecrate | desecrate; consecrated |
    desecrated; conservative | liberal; conserve | waste; consonant | vowel; consonantal | vocalic;
    construction | misconstruction; constructive | destructive; constructiveness | destructiveness;
    consumptive | generative; contemptible | estimable; continental | intercontinental; continual |
    sporadic; contracted | expanded; contraindicate | indicate; contraindication | indication;
    contralateral | ipsilateral; conventional | nuclear; converge | diverge; convergence |
    divergence; convergency | divergency; convergent | divergent; cooked | raw; coordinating |
    subordinating; correct | falsify; cortex | medulla; cosmopolitan | endemic; cosmopolitan |
    provincial; costive | laxative; counterfeit | genuine; courage | cowardice; cover | uncover;
    covert | overt; covertly | overtly; creditor | debtor; criticize | praise; crooked | straight;
    crookedness | straightness; crossbred | purebred; crosswise | lengthwise; cry | laugh; cubic |
    linear; cubic | planar; curdle | homogenise; curdle | homogenize; curliness | straightness;
    curly | straight; cursorial | fossorial; curtained | curtainless; cut | uncut; danger | safety;
    dangerousness | safeness; daughter | son; deaf | hearing; debilitating | invigorating;
    deciduous | evergreen; declarative | interrogative; declaratory | interrogatory; decline |
    improvement; decrement | increment; deductive | inductive; deepness | shallowness; defence |
    offence; defendant | plaintiff; defensive | offensive; defensively | offensively; deflate |
    inflate; deflation | disinflation; deflation | inflation; deflationary | inflationary; defuse |
    fuse; dejected | elated; delay | rush; delicate | rugged; demand | supply; demote | promote;
    demotion | promotion; demulsify | emulsify; depress | elate; depressant | stimulative;
    depression | elation; deprive | enrich; derivational | inflectional; descriptive |
    prescriptive; destroyed | preserved; deteriorate | recuperate; dethrone | enthrone; devolution
    | evolution; dextral | sinistral; dextrorotation | levorotation; diachronic | synchronic;
    diclinous | monoclinous; dicotyledonous | monocotyledonous; difference | sameness;
    differentiate | integrate; digitigrade | plantigrade; diligent | negligent; dimmed | undimmed;
    dioecious | monoecious; diploid | haploid; diploid | polyploid; directional | omnidirectional;
    discouragement | encouragement; discouragingly | encouragingly; disobey | obey; disparage |
    flatter; dissuade | persuade; dissuasion | persuasion; dissuasive | persuasive; distal |
    mesial; diurnal | nocturnal; diversify | specialise; diversify | specialize; divest | invest;
    divide | multiply; docile | stubborn; domestic | foreign; dominant | subordinate; domineering |
    submissive; dove | hawk; dovishness | hawkishness; downgrade | upgrade; downmarket | upmarket;
    downriver | upriver; downstage | upstage; downstairs | upstairs; downtick | uptick; downtime |
    uptime; downtown | uptown; downward | upward; downwardly | upwardly; downwards | upwards;
    downwind | upwind; draftee | volunteer; dramatic | lyric; drunkenness | soberness; dryness |
    wetness; dull | lively; dying | nascent; dysgenic | eugenic; dysgenics | eugenics; dysphemism |
    euphemism; dysphemistic | euphemistic; dysphoria | euphoria; dysphoric | euphoric; dystopia |
    utopia; dystopian | utopian; eager | uneager; eared | earless; earliness | lateness; early |
    middle; earthly | heavenly; easterly | westerly; easy | uneasy; ebb | tide; ecdemic | endemic;
    ecdemic | epidemic; ectomorphic | endomorphic; ectomorphic | mesomorphic; effector | receptor;
    efflux | influx; effortful | effortless; effortfulness | effortlessness; egalitarian | elitist;
    egress | ingress; emersion | immersion; emigrate | immigrate; employee | employer; emptiness |
    fullness; empty | fill; endemic | epidemic; endergonic | exergonic; endocentric | exocentric;
    endocrine | exocrine; endoergic | exoergic; endogamous | exogamous; endogamy | exogamy;
    endogenic | exogenic; endogenous | exogenous; endomorphic | mesomorphic; endotoxin | exotoxin;
    energetic | lethargic; enforce | exempt; enjoy | suffer; enrich | impoverish; entozoic |
    epizoic; environmentalism | hereditarianism; equatorial | polar; erase | record; esoteric |
    exoteric; estivate | hibernate; eucaryotic | procaryotic; eukaryote | prokaryote; eukaryotic |
    prokaryotic; eusporangiate | leptosporangiate; evilness | goodness; exaugural | inaugural;
    exclusion | inclusion; exclusive | inclusive; exculpatory | inculpatory; exhale | inhale; exon
    | intron; expatriate | repatriate; explicit | implicit; explicitly | implicitly; explode |
    implode; express | local; extant | extinct; extensive | intensive; extensor | flexor;
    extinguish | ignite; extracellular | intracellular; extramural | intramural; extraordinariness
    | ordinariness; extraordinary | ordinary; extrasensory | sensory; extraterritorial |
    territorial; extraversion | introversion; extrinsic | intrinsic; extrospective | introspective;
    extroversive | introversive; extrovert | introvert; extrusive | intrusive; eyed | eyeless;
    faced | faceless; facultative | obligate; faintheartedness | stoutheartedness; fair | foul;
    falsehood | truth; falsity | truth; fame | infamy; familiar | strange; fancy | plain; farness |
    nearness; farsighted | nearsighted; fat | thin; father | mother; fatness | leanness; fatty |
    nonfat; fauna | flora; fear | fearlessness; fearfully | fearlessly; fearfulness | fearlessness;
    federal | unitary; feed | starve; femaleness | maleness; feminine | neuter; femininity |
    masculinity; ferned | fernless; fertile | sterile; figurative | literal; figuratively |
    literally; filial | parental; filled | unfilled; fingered | fingerless; fire | hire; fit |
    unfit; fixed | unfixed; float | sink; flowering | flowerless; foe | friend; follower | leader;
    following | leading; folly | wisdom; foolish | wise; foolishly | wisely; footed | footless;
    forceful | forceless; foreign | native; foreignness | nativeness; formalism | imitation; former
    | latter; forte | piano; fortissimo | pianissimo; forward | reverse; fragrant | malodorous;
    frail | robust; fraternal | identical; free | unfree; freelance | salaried; fresh | stale;
    freshness | staleness; friendly | hostile; frivolity | seriousness; frivolous | serious; front
    | rear; frozen | unfrozen; fruitfully | fruitlessly; fruitfulness | fruitlessness; function |
    malfunction; functional | organic; functioning | malfunctioning; future | past; futurity |
    pastness; futurity | presentness; gabled | hipped; gaseous | liquid; gaseous | solid; gather |
    spread; generalist | specialist; generality | particularity; generalize | specify; generic |
    varietal; generosity | stinginess; generous | stingy; genuineness | spuriousness; geocentric |
    heliocentric; geographic | magnetic; geometrically | linearly; germfree | germy; glad | sad;
    gladden | sadden; gloved | gloveless; gracefully | gracelessly; gradual | steep; gradual |
    sudden; granter | withholder; grassless | grassy; gravitation | levitation; gravity | levity;
    green | ripe; greenness | ripeness; gross | net; guilt | innocence; guilty | innocent; gutless
    | gutsy; gutlessness | gutsiness; hairiness | hairlessness; hairless | hairy; handed |
    handless; handled | handleless; haploid | polyploid; happily | sadly; happiness | sadness;
    happy | unhappy; hardball | softball; hardhearted | softhearted; hardness | softness; hardware
    | software; hateful | lovable; hatless | hatted; headed | headless; heaviness | lightness;
    heavy | light; heedful | heedless; heedfulness | heedlessness; herbivorous | insectivorous;
    herbivorous | omnivorous; hereness | thereness; heterocercal | homocercal; heterodactyl |
    zygodactyl; heterogeneity | homogeneity; heterologous | homologous; heterosexual | homosexual;
    heterozygosity | homozygosity; heterozygous | homozygous; highland | lowland; highness |
    lowness; hipless | hipped; hollow | solid; hollowness | solidity; holophytic | holozoic; holy |
    unholy; hopeful | hopeless; hopefully | hopelessly; hopefulness | hopelessness; horizontal |
    inclined; horned | hornless; host | parasite; humble | proud; humility | pride; humorless |
    humorous; humorlessly | humorously; hungry | thirsty; hurried | unhurried; husband | wife;
    husbandly | wifely; hydric | mesic; hydric | xeric; hydrokinetic | hydrostatic; hydrophilic |
    hydrophobic; hypercalcemia | hypocalcemia; hypercapnia | hypocapnia; hyperglycemia |
    hypoglycemia; hyperkalemia | hypokalemia; hypernatremia | hyponatremia; hyperopia | myopia;
    hyperparathyroidism | hypoparathyroidism; hyperpigmentation | hypopigmentation; hyperpnea |
    hypopnea; hypersomnia | insomnia; hypertensive | hypotensive; hypertensive | normotensive;
    hyperthermia | hypothermia; hyperthyroidism | hypothyroidism; hypertonia | hypotonia;
    hypertonic | hypotonic; hypertonic | isotonic; hypertonicity | hypotonicity; hypertonus |
    hypotonus; hypervolemia | hypovolemia; hypotensive | normotensive; hypotonic | isotonic;
    idiographic | nomothetic; ignoble | noble; ignore | notice; illness | wellness; immanent |
    transeunt; immunocompetence | immunodeficiency; immunocompetent | immunodeficient; impure |
    pure; inboard | outboard; inbred | outbred; inclined | vertical; income | outgo; incoming |
    outgoing; indoor | outdoor; indoors | outdoors; induced | spontaneous; inferiority |
    superiority; infield | outfield; inflow | outflow; innocuous | noxious; inpatient | outpatient;
    insane | sane; insanely | sanely; insectivorous | omnivorous; inshore | offshore; inspan |
    outspan; instrumental | vocal; integrated | segregated; integration | segregation; intelligence
    | stupidity; intense | mild; intensifying | moderating; interdepartmental | intradepartmental;
    intermediate | terminal; international | national; internationalism | nationalism; interspecies
    | intraspecies; interstate | intrastate; intoxicated | sober; intrusive | protrusive; inward |
    outward; inwardly | outwardly; inwardness | outwardness; irritate | soothe; isometric |
    isotonic; jawed | jawless; joint | separate; joy | sorrow; joyful | sorrowful; joyfully |
    joylessly; joyless | joyous; juiceless | juicy; junior | senior; kern | kern; keyed | keyless;
    kinanesthesia | kinesthesia; king | queen; laced | unlaced; landed | landless; larboard |
    starboard; largeness | smallness; late | middle; lawfully | lawlessly; lax | tense; leafless |
    leafy; leeward | windward; legalise | outlaw; legalize | outlaw; legato | staccato; legged |
    legless; lentic | lotic; leptorrhine | platyrrhine; libertarian | necessitarian; lidded |
    lidless; lie | sit; lie | stand; limbed | limbless; linear | planar; lined | unlined; linger |
    rush; lipless | lipped; literalize | spiritualize; live | recorded; loamless | loamy; local |
    national; longness | shortness; loose | tight; loosen | stiffen; loosening | tightening; lose |
    win; loser | winner; losings | winnings; lossless | lossy; lost | saved; lost | won; loud |
    soft; louden | quieten; loudly | softly; loved | unloved; loving | unloving; lowborn | noble;
    lowercase | uppercase; lowland | upland; lumper | splitter; majuscule | minuscule; malnourished
    | nourished; manly | unmanly; manned | unmanned; married | unmarried; masculine | neuter;
    masochist | sadist; masochistic | sadistic; matched | mismatched; mated | unmated; maternal |
    paternal; matriarchal | patriarchal; maxi | midi; maxi | mini; meaningful | meaningless;
    meaningfulness | meaninglessness; meatless | meaty; medical | surgical; membered | memberless;
    mendacity | veracity; mental | physical; merciful | merciless; mercifulness | mercilessness;
    mesic | xeric; midi | mini; mined | unmined; minus | plus; misogyny | philogyny; mistrust |
    trust; mobile | stabile; molar | molecular; moneyed | moneyless; monism | pluralism;
    monochromatic | polychromatic; monoclinic | triclinic; monogamous | polygamous; monolingual |
    multilingual; mononuclear | trinucleate; monophonic | polyphonic; monophony | polyphony;
    monosemy | polysemy; monotheism | polytheism; monotheistic | polytheistic; monovalent |
    polyvalent; moonless | moonlit; move | stay; moved | unmoved; moving | nonmoving; moving |
    unmoving; multiculturalism | nationalism; multidimensional | unidimensional; multiform |
    uniform; multilateral | unilateral; multilaterally | unilaterally; multinucleate | uninucleate;
    multiparous | uniparous; multiply | singly; multivalent | univalent; mushroom | toadstool;
    nadir | zenith; naive | sophisticated; narrow | widen; narrowing | widening; narrowness |
    wideness; nastiness | niceness; nasty | nice; natural | supernatural; nay | yea; necessitate |
    obviate; necked | neckless; negative | neutral; negativeness | positiveness; negativity |
    positivity; nephew | niece; neutral | positive; newness | oldness; nidicolous | nidifugous;
    nobleman | noblewoman; noisily | quietly; noisy | quiet; nominative | oblique; nonunion |
    union; normal | paranormal; northernness | southernness; nosed | noseless; numerical | verbal;
    oblate | prolate; obligatorily | optionally; obligatory | optional; oblique | parallel; oblique
    | perpendicular; obscurity | prominence; occidentalise | orientalise; occidentalize |
    orientalize; odorless | odorous; offshore | onshore; offside | onside; offstage | onstage;
    oiled | unoiled; oldness | youngness; oleophilic | oleophobic; opacity | transparency;
    opisthognathous | prognathous; optimism | pessimism; optimist | pessimist; optimistically |
    pessimistically; otherworldliness | worldliness; outbid | underbid; overachievement |
    underachievement; overact | underact; overbid | underbid; overcharge | undercharge; overdress |
    underdress; overexpose | underexpose; overgarment | undergarment; overhand | underhand;
    overhead | subsurface; overhead | surface; overpay | underpay; overshoot | undershoot;
    overspend | underspend; overstate | understate; overstatement | understatement; overstock |
    understock; overvalue | undervalue; oviparous | ovoviviparous; oviparous | viviparous;
    ovoviviparous | viviparous; owned | unowned; pain | pleasure; painful | painless; painfully |
    painlessly; paradigmatic | syntagmatic; parallel | perpendicular; parallelogram | trapezium;
    passing | running; passionate | passionless; pastness | presentness; patterned | plain; paved |
    unpaved; pedunculate | sessile; perinatal | postnatal; perinatal | prenatal; permanently |
    temporarily; permissive | preventive; pin | unpin; plural | singular; pointed | pointless;
    porosity | solidity; posed | unposed; postdate | predate; posteriority | priority; postnatal |
    prenatal; postnuptial | prenuptial; postprandial | preprandial; postwar | prewar; potted |
    unpotted; poverty | wealth; power | powerlessness; powerful | powerless; powerfulness |
    powerlessness; precocious | retarded; prefix | suffix; privileged | underprivileged; proactive
    | retroactive; profane | sacred; profound | superficial; profundity | superficiality; progress
    | regress; progressive | regressive; pronation | supination; prospective | retrospective;
    proximate | ultimate; publicized | suppressed; punctuality | tardiness; puncturable |
    punctureless; punitive | rehabilitative; purge | rehabilitate; purposeful | purposeless;
    purposefulness | purposelessness; quantitative | syllabic; radiolucent | radiopaque; reassure |
    worry; recto | verso; refresh | tire; relax | tense; relaxed | tense; religious | secular;
    resist | surrender; rested | tired; restful | restless; retail | wholesale; ribbed | ribless;
    ride | walk; rigged | unrigged; rightfulness | wrongfulness; rightness | wrongness; rimless |
    rimmed; roofed | roofless; rotor | stator; roughen | smooth; roughness | smoothness; round |
    square; running | standing; rusted | rustless; rusticity | urbanity; scented | scentless;
    seamed | seamless; sedate | stimulate; seedless | seedy; sent | unsent; sessile | vagile; sexy
    | unsexy; short | tall; shout | whisper; shrink | stretch; silence | sound; sit | stand; sitter
    | stander; sized | unsized; skinless | skinned; sleep | wake; sleepiness | wakefulness;
    sleeping | waking; sleeved | sleeveless; smart | stupid; smokeless | smoky; sold | unsold;
    soled | soleless; sonic | subsonic; sonic | supersonic; sour | sweet; sour | sweeten; spineless
    | spinous; spirited | spiritless; spoken | written; starchless | starchy; starless | starry;
    stemless | stemmed; stifle | stimulate; styleless | stylish; subhuman | superhuman; subjacent |
    superjacent; subscript | superscript; subsonic | supersonic; subsurface | surface; succumb |
    survive; sugarless | sugary; summerize | winterize; summery | vernal; summery | wintry; sunrise
    | sunset; sure | unsure; taciturn | voluble; tactful | tactless; tactfully | tactlessly;
    tactfulness | tactlessness; tanned | untanned; tapped | untapped; tasteful | tasteless;
    tastefully | tastelessly; tastefulness | tastelessness; tasteless | tasty; tearful | tearless;
    technophile | technophobe; tender | tough; terseness | verboseness; thermoplastic |
    thermosetting; thicken | thin; thickness | thinness; thoughtful | thoughtless; thoughtfully |
    thoughtlessly; thoughtfulness | thoughtlessness; thrifty | wasteful; tidy | untidy; tie |
    untie; tied | untied; tipped | untipped; toed | toeless; toned | toneless; tongued |
    tongueless; toothed | toothless; topless | topped; tracked | trackless; tubed | tubeless; tune
    | untune; tuneful | tuneless; unguiculate | ungulate; unvaried | varied; unwary | wary; unwaxed
    | waxed; unwebbed | webbed; unwilling | willing; unwire | wire; unwitting | witting; unwritten
    | written; unyoke | yoke; useful | useless; usefully | uselessly; usefulness | uselessness;
    valgus | varus; valuable | worthless; vernal | wintry; virtuous | wicked; wane | wax; waning |
    waxing; weedless | weedy; weightless | weighty; wheeled | wheelless; wigged | wigless; winged |
    wingless; wired | wireless; worth | worthlessness; yang | yin
"""
"""Pairs of words, separated by semicolons; a bar parts the two."""
