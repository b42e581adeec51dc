"""Languages other than English: stop words and inflection endings. Pure.

The index stems English words only (`porter`). A word of a question in another language is looked for by its
beginning instead: `Mieten` as `miet*`, which also finds `Miete`. The endings are deliberately few: bm25 ranks, so a
beginning that matches a word too many costs little, and one that is too long finds nothing.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language: `stops` are lower-case stop words of questions.

    `endings` are tried in order, and one is taken off when at least `least` letters stay.
    """

    name: str
    stops: frozenset[str]
    endings: tuple[str, ...]
    least: int = 4

    def beginning(self, word: str) -> str:
        """Return the beginning of a word that its other forms share, the word itself where nothing comes off."""
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= self.least:
                return word[: -len(ending)]
        return word


def _language(name: str, stops: str, endings: str, least: int = 4) -> Language:
    plain = {unaccented(word) for word in stops.split()}
    longest = sorted(endings.split(), key=len, reverse=True)
    return Language(
        name=name, stops=frozenset(stops.split()) | plain, endings=tuple(longest), least=least
    )


class _Plain(dict[int, str]):
    """Each character without its marks, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        parts = unicodedata.normalize("NFD", chr(code))
        self[code] = "".join(part for part in parts if not unicodedata.combining(part))
        return self[code]


_PLAIN = _Plain()


def unaccented(word: str) -> str:
    """Return a word without the marks of its letters."""
    return word if word.isascii() else word.translate(_PLAIN)


GERMAN = _language(
    "German",
    """
    ab aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da
    damit
    dann das dass daß dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du
    durch ein eine einem einen einer eines er es etwas euch euer eure für gegen gerade gibt habe haben hast hat hatte
    hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes
    jetzt kann kannst können könnte man manche mein meine meinem meinen meiner mich mir mit muss muß musste nach nein
    nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sollen
    sollte sondern sonst über um und uns unser unsere unserem unseren unserer unter viel vom von vor wann während
    war waren
    warst warum was wegen weil welche welchem welchen welcher welches wem wen wenn wer werden wessen wie wieder wieso
    wieviel will wir wird wirst wo woher wohin womit worden worüber wovon wozu wurde wurden zu zum zur zwar zwischen
    """,
    "ungen ung innen enden ende sten test ten tet est ern end em en er es et st te e n s t",
)
FRENCH = _language(
    "French",
    """
    à ai aie as au aussi aux avait avec avez avoir avons c car ce ceci cela celle celles celui ces cet cette ceux chez
    ci combien comment d dans de depuis des dont du elle elles en entre est et étaient était été être eu eux fait
    faut il ils j jamais je l la là le lequel les leur leurs lui m ma mais me même mes moi mon n ne ni nos notre nous
    on ont ou où par parce pas pendant peut plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s
    sa sans se sera ses si soit son sont sous suis sur t ta te tes toi ton tous tout toute toutes très tu un une va
    vers vos votre vous y
    """,
    """
    issements issement ements ement ations ation eraient erait erons eront erez eras erai era aient antes ante ants
    ant
    irons iront ira ons ent aux ais ait ées ee ees és er ez es ir it is et s x e t i
    """,
)
SPANISH = _language(
    "Spanish",
    """
    a adónde ahora al algo alguien algún alguna algunos ante antes aquel aquella aquí así aunque cada casi como cómo
    con contra cual cuál cuales cuáles cualquier cuando cuándo cuanta cuánta cuanto cuánto cuantos cuántos de debe
    del desde donde dónde dos e el él ella ellas ellos en entre era eran eres es esa esas ese eso esos está estaba
    están estar estas este esto estos fue fueron ha había hace hacen hacer hacemos han has hasta hay he hemos la las
    le les lo los más me mi mis mucho muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otro
    para pero poco por porque porqué puede que qué quien quién quienes quiénes se ser si sí sido sin sobre son soy
    su sus también tan tanto te tengo tenemos tener tiene tienen toda todas todo todos tu tus tuvo un una uno unos
    usted va vamos van y ya yo
    """,
    """
    amientos amiento imientos imiento aciones acion iones ion aron ieron aban abas aba ando iendo adas ados ada ado
    idas idos ida ido amos emos imos aran eran ara era an en ar er ir as es os a e o s i
    """,
)
RUSSIAN = _language(
    "Russian",
    """
    а без более бы был была были было быть в вам вас ваш ваша ваше ваши весь во вот все всё всего всех всю вы где да
    даже для до его ее её ей ему если есть еще ещё же за здесь и из или им их к как какая какие каким каких какого
    какое какой каком какую ко когда кого кому который которые кто куда ли лишь между меня мне много может мои мой
    моя моё мы на над надо нам нас наш наша наше наши нашего нашей нашем нашему нашу не него нее неё ней нельзя нет
    ни них но ну о об обо один он она они оно от откуда очень перед по под после потому почему при про раз с сам
    своё свой свои свою себе себя сейчас сколько со так также такой там тебя тем теперь то тобой тогда того тоже той
    только том тот ту ты у уже хотя чего чей чем чему что чтобы чья чьи эта эти этим этих это этого этой этом этот
    эту я
    """,
    """
    иями ями ами иях ях ах ием ом ем ой ей ов ев ью ья ьи ье ьев ьям ьях ьями ия ии ию ие ий ый ая яя ое ее ые ого его
    ому ему ым им ых их ую юю ешь ишь ет ит ут ют ат ят ете ите аем аешь ает аете ают яем яет яют ал ала ало али ял
    яла
    яло яли ил ила ило или ел ела ели ать ять ить еть уть ена ено ены ения ение ению ан ана ано аны а я о е и ы у ю
    ь й
    """,
    3,
)
#: The reflexive suffix of a Russian verb follows its ending.
_REFLEXIVE = ("ся", "сь")

BY_SPACES = (GERMAN, FRENCH, SPANISH)

#: Pairs of characters that occur in questions about anything.
PAIRS = frozenset(
    """
    什么 什麼 怎么 怎麼 怎样 为什 為什 哪里 哪儿 哪个 哪些 哪天 哪种 多少 多久 几点 谁的 我们 我們 你们 他们 她们
    我的 你的 的是
    是什 是谁 是哪 请问 可以 现在 時候 时候 么时 麼時 有没 没有 这个 那个 一个 我在 是在 在哪 都是 的吗 了吗 告诉 诉我
    です ます した して する され ない った って いる ある から まで ので れる どこ どの どれ どち ちら いつ なに
    だれ 何で 何を
    何の 何が 何曜 何時 誰で いく くら らい ぐら です すか ます まし しま しょ てい たか るか のは のを のが とは
    には では
    に何 は何 は誰 はど はい こと もの それ これ とき でし てく くだ ださ さい 教え えて なっ どう うす すれ れば
    よい いい
    무엇 언제 어디 누구 어떻 떻게 어느 얼마 입니 니까 니다 습니 합니 하는 하나 나요 는지 있나 인가 인지 에서 우리
    """.split()
)

#: Words that say nothing in a question of any language.
SAY_NOTHING = PAIRS | RUSSIAN.stops

#: Short words that begin a question and are no English ones, and longer ones that are English, or names, as well.
_OPENERS = frozenset(("wer", "wie", "wem", "wen", "qui", "que", "où"))
_ENGLISH_TOO = frozenset(
    """
    alle alles also ante bist comment contra dort durch elle entre este esta estas fait gerade hasta hier hinter mais
    mich muss nada notre otto ours para pendant plus poco pour puis sans seine sera sien sobre soit sons sous toda todo
    tout tous tres uber vers viel waren will
    """.split()
)

_CYRILLIC = re.compile(r"[а-я]+")
#: How a French question turns verb and subject round.
_INVERTED = re.compile(
    r"-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|ce|moi|toi|les?|la|lui|leur|y|en)$"
)
_LETTERS = re.compile(r"[^\W\d_]+")


def of(words: Sequence[str], english: frozenset[str]) -> Language | None:
    """Return the language of a question by its stop words, None for English and unknown ones.

    One such word decides only where the question begins with it, and where it is no English word or name as well:
    "Wann Geburtstag?", but neither "the die was cast" nor "car insurance".
    """
    if not words:
        return None
    held = [len(one.stops.intersection(words)) for one in BY_SPACES]
    most = max(held)
    best = BY_SPACES[held.index(most)]
    if most <= len(english.intersection(words)):
        return None
    return best if most > 1 or (words[0] in best.stops and _opens(words[0])) else None


def _opens(word: str) -> bool:
    return word in _OPENERS or (len(word) > 3 and word not in _ENGLISH_TOO)


def is_russian(word: str) -> bool:
    """Return whether a word, in lower case, is of Cyrillic letters alone."""
    return _CYRILLIC.fullmatch(word) is not None


def bare(words: Sequence[str], language: Language | None) -> Sequence[str]:
    """Return words without the pronouns that a question adds: `préfère-t-elle` is `préfère`."""
    return [_INVERTED.sub("", word) for word in words] if language is FRENCH else words


def beginnings(words: Sequence[str], language: Language | None) -> Sequence[str]:
    """Return what to look for in place of words: see `beginning`; English ones stay."""
    if language is None and "".join(words).isascii():
        return words
    return [beginning(word, language) for word in words]


def beginning(word: str, language: Language | None) -> str:
    """Return what to look for in place of a word: it, with its beginning and `*` before it where endings inflect it."""
    if is_russian(word):
        plain = next(
            (word[:-2] for end in _REFLEXIVE if word.endswith(end) and len(word) > 5), word
        )
        found = RUSSIAN.beginning(plain)
    elif language and _LETTERS.fullmatch(word):
        plain = unaccented(word)
        found = language.beginning(plain)
    else:
        return word
    # The index stems English: a final y would become i, and be found no more.
    return f"{found}*{word}" if len(found) >= 3 and not found.endswith("y") else word
