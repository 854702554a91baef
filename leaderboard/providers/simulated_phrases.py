"""The sentences that simulated contestants write, and the marks by which a simulated judge recognises them.

Slots: {w} and {v} are words of the prompt, {a} and {b} small numbers, {c} a product, right or wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "nl"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's grammar. `points` make a point, `slips` are wrong, `asides` say nothing, `chatter` is informal."""

    points: tuple[str, ...]
    slips: tuple[str, ...]
    asides: tuple[str, ...]
    chatter: tuple[str, ...]
    formal: tuple[str, ...]
    topic: tuple[str, ...]
    common: frozenset[str]


ENGLISH = Phrases(
    points=(
        "First, write down what {w} has to achieve and for whom.",
        "First, separate the part about {w} from the part about {v}.",
        "Next, look at {v} and note what is still missing.",
        "Next, put the steps around {w} in the order in which they are needed.",
        "After that, test {w} on a small case before going further.",
        "Finally, compare the result with {w} and correct what differs.",
        "Finally, agree on who looks after {v} from now on.",
        "This works because {w} depends directly on {v}.",
        "Start with {w}, because a mistake there spreads to everything else.",
        "It pays to be careful with {v}, since repairs afterwards cost more.",
        "A short plan helps because it shows where {w} can go wrong.",
        "Attention to {v} is worth the time, since most questions begin there.",
        "For example, a beginner who skips {w} usually has to start again.",
        "For example, one page on {v} often says more than a long report.",
        "For example, a small group can try {w} for a week and then decide.",
        "For example, change only {w} and leave {v} as it was.",
        "Therefore it is sensible to treat {w} and {v} together.",
        "As a result, less time is lost on {v}.",
        "As a result, the people involved can check {w} themselves.",
        "This means that {w} deserves a clear description up front.",
        "By contrast, doing nothing about {v} makes the next step harder.",
        "By contrast, a quick fix for {w} rarely lasts.",
        "Compared with {v}, the role of {w} is easy to underestimate.",
        "On the other hand, too much detail about {w} hides the main point.",
        "On the other hand, some readers only need the part about {v}.",
        "With {a} rounds of {b} items for {w} the total is {a} x {b} = {c}.",
        "Counting {a} parts of {b} for {v} gives {a} x {b} = {c}.",
        "A week with {a} sessions of {b} minutes on {w} comes to {a} x {b} = {c} minutes.",
    ),
    slips=(
        "With {a} groups of {b} for {w} that makes {a} x {b} = {c}.",
        "Adding it up for {v}: {a} x {b} = {c}, which settles the matter.",
        "The cost of {w} follows at once, as {a} x {b} = {c}.",
        "For this purpose {w} always matters, although {w} never matters.",
        "Here {v} always decides, although {v} never decides.",
        "In practice {w} always helps, although {w} never helps.",
        "A simple count of {v} shows {a} x {b} = {c} cases.",
    ),
    asides=(
        "The question about {w} comes up often.",
        "Many people have an opinion on {v}.",
        "There is much to say about {w}.",
        "It is good to think about {v} for a moment.",
        "That is the picture as far as {w} goes.",
        "Opinions on {v} will differ.",
    ),
    chatter=(
        "Honestly, {w} is kind of a thing.",
        "Well, you know, {v} is just {v}.",
        "Anyway, {w} is pretty much what it is, you know.",
        "Honestly, no idea why everybody talks about {v}.",
    ),
    formal=("Please note that {w} is described here in general terms.", "In summary, {v} has been addressed above."),
    topic=("the matter", "the question"),
    common=_words(
        "about above after again against before being below between could doing during every explain first further "
        "give having itself might other please short should their there these thing think those three through under "
        "until using want what when where which while with would write your"
    ),
)

DUTCH = Phrases(
    points=(
        "Eerst schrijf je op wat {w} moet opleveren en voor wie.",
        "Eerst haal je het deel over {w} en het deel over {v} uit elkaar.",
        "Daarna kijk je naar {v} en noteer je wat er nog ontbreekt.",
        "Vervolgens zet je de stappen rond {w} in de volgorde waarin ze nodig zijn.",
        "Daarna probeer je {w} uit op een klein geval.",
        "Ten slotte leg je de uitkomst naast {w} en verbeter je wat afwijkt.",
        "Ten slotte spreek je af wie voortaan op {v} let.",
        "Dit werkt omdat {w} rechtstreeks van {v} afhangt.",
        "Begin bij {w}, want een fout daar werkt overal in door.",
        "Wees zorgvuldig met {v}, want herstellen kost achteraf meer.",
        "Een kort plan helpt omdat je dan ziet waar {w} mis kan gaan.",
        "Aandacht voor {v} loont, want daar beginnen de meeste vragen.",
        "Bijvoorbeeld: wie {w} overslaat, moet meestal opnieuw beginnen.",
        "Bijvoorbeeld: één bladzijde over {v} zegt vaak meer dan een dik rapport.",
        "Bijvoorbeeld: een kleine groep probeert {w} een week en beslist dan.",
        "Bijvoorbeeld: verander alleen {w} en laat {v} zoals het was.",
        "Daarom is het verstandig om {w} en {v} samen te bekijken.",
        "Daardoor gaat er minder tijd verloren aan {v}.",
        "Daardoor kunnen de betrokkenen {w} zelf nagaan.",
        "Dat betekent dat {w} vooraf een heldere beschrijving verdient.",
        "Daarentegen maakt niets doen aan {v} de volgende stap lastiger.",
        "Daarentegen houdt een snelle oplossing voor {w} zelden lang stand.",
        "Vergeleken met {v} wordt de rol van {w} snel onderschat.",
        "Aan de andere kant verbergt te veel detail over {w} de hoofdzaak.",
        "Aan de andere kant hebben sommige lezers alleen iets aan {v}.",
        "Met {a} rondes van {b} stuks voor {w} kom je op {a} x {b} = {c}.",
        "Tel je {a} delen van {b} voor {v}, dan krijg je {a} x {b} = {c}.",
        "Een week met {a} keer {b} minuten voor {w} is {a} x {b} = {c} minuten.",
    ),
    slips=(
        "Met {a} groepen van {b} voor {w} wordt dat {a} x {b} = {c}.",
        "Opgeteld voor {v}: {a} x {b} = {c}, en daarmee is het klaar.",
        "De kosten van {w} volgen meteen uit {a} x {b} = {c}.",
        "Hiervoor telt {w} altijd mee, al telt {w} nooit mee.",
        "In dit geval telt {v} altijd mee, al telt {v} nooit mee.",
        "Volgens velen telt {w} altijd mee, al telt {w} nooit mee.",
        "Een simpele telling van {v} geeft {a} x {b} = {c} gevallen.",
    ),
    asides=(
        "De vraag over {w} komt vaak langs.",
        "Veel mensen hebben een mening over {v}.",
        "Over {w} valt veel te zeggen.",
        "Het is goed om even stil te staan bij {v}.",
        "Dat is het beeld wat {w} betreft.",
        "Over {v} zullen de meningen verschillen.",
    ),
    chatter=(
        "Eerlijk gezegd is {w} best wel een ding.",
        "Nou ja, {v} is zeg maar gewoon {v}.",
        "Hoe dan ook, {w} is zeg maar wat het is.",
        "Eerlijk gezegd geen idee waarom iedereen het over {v} heeft.",
    ),
    formal=("Wellicht ten overvloede: {w} is hier in algemene zin beschreven.", "Kortom, {v} is hiermee behandeld."),
    topic=("het onderwerp", "de vraag"),
    common=_words(
        "alleen andere altijd bent beschrijf daarna deze dezelfde dingen eens eerst geef gebruik hebben heeft hierin "
        "iemand kunnen leg maak maar meer minder moeten onder schrijf tussen twee uitleg volgende voor waarom wanneer "
        "welke worden wordt zijn zonder zoals zoveel zullen"
    ),
)

PHRASES: Mapping[Language, Phrases] = {"en": ENGLISH, "nl": DUTCH}

DUTCH_WORDS = _words("de het een en van niet wat hoe je met voor dat zijn is er op aan ik waarom leg uit geef")
ENGLISH_WORDS = _words("the a an and of not what how you with for that are is there on to i why explain give")

POINT_MARKS: Mapping[str, re.Pattern[str]] = {
    "step": re.compile(r"^(first|next|then|after that|finally|eerst|daarna|vervolgens|ten slotte)\b", re.I),
    "example": re.compile(r"^(for example|for instance|bijvoorbeeld)\b", re.I),
    "effect": re.compile(r"^(therefore|as a result|this means|daarom|daardoor|dat betekent)\b", re.I),
    "contrast": re.compile(
        r"^(by contrast|compared with|on the other hand|daarentegen|vergeleken met|aan de andere kant)\b", re.I
    ),
    "reason": re.compile(r"\b(because|since|omdat|want)\b", re.I),
}
CONTRADICTION = re.compile(
    r"\b(?P<what>[\w-]+) always (?P<does>\w+), although (?P=what) never (?P=does)\b"
    r"|\btelt (?P<wat>[\w-]+) altijd mee, al telt (?P=wat) nooit mee\b",
    re.I,
)
EQUATION = re.compile(r"(?<![\w.,])(\d{1,6}) ?([x*+×-]) ?(\d{1,6}) ?= ?(-?\d{1,12})(?![\w]|[.,]\d)")
INFORMAL = re.compile(r"\b(honestly|you know|kind of|pretty much|eerlijk gezegd|zeg maar|best wel|nou ja)\b", re.I)
FORMAL = re.compile(r"\b(please note|in summary|wellicht ten overvloede|kortom)\b", re.I)


def language_of(text: str) -> Language:
    """Dutch if its small words outnumber the English ones."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    dutch = sum(word in DUTCH_WORDS for word in words)
    english = sum(word in ENGLISH_WORDS for word in words)
    return "nl" if dutch > english else "en"
