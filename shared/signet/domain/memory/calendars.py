"""How other languages name times: tables that turn a phrase into its English one, which `dates` reads. Pure.

"La semaine dernière" becomes "last week", "14. März 2025" becomes "14 march 2025". So there is one set of rules for
what a time means, and a language is only words and the order they stand in.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

_PLAIN = {
    "day": r"(?P<day>[0-3]?\d)",
    "year": r"(?P<year>(?:19|20)\d\d)",
    "many": r"(?P<many>\d{1,3})",
}
_WORD = re.compile(r"[^\W\d_]+")
_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]'\"¿¡«»„“”’-", " "))
_BRACES = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Phrase:
    """One form of a language: its pattern, its English template, and whether it needs no "today"."""

    form: str
    template: str
    words: Mapping[str, Mapping[str, str]]
    is_absolute: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compile the form on first use: most processes never see most languages."""
        return re.compile(self.form, re.IGNORECASE)

    def english(self, match: re.Match[str]) -> str:
        """Return a match in English, without words that only fold to a known one, such as İ."""
        found = {
            name: self.words[name].get(" ".join(text.lower().split()), "")
            if name in self.words
            else text
            for name, text in match.groupdict("").items()
            if text
        }
        if "month" in found:  # in small letters "may" and "march" can be verbs
            found["month"] = found["month"].capitalize()
        return " ".join(_BRACES.sub(lambda name: found.get(name[1], ""), self.template).split())


@dataclass(frozen=True, slots=True)
class Calendar:
    """One language. Only texts with one of its `signs` are searched; without signs, any text that is not ASCII."""

    phrases: tuple[Phrase, ...]
    signs: frozenset[str]


def phrases(lowered: str) -> Iterator[Phrase]:
    """Yield the forms that may match a lower-case text, the most specific first."""
    words = set(lowered.translate(_MARKS).split())
    is_ascii = lowered.isascii()
    active = [
        one.phrases
        for one in _CALENDARS
        if (not one.signs.isdisjoint(words) if one.signs else not is_ascii)
    ]
    for forms in zip_longest(*active):
        yield from (one for one in forms if one is not None)


def _table(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.strip().splitlines())):
        english, _, listed = line.partition(":")
        found |= {word.strip(): english for word in listed.split(",")}
    return found


def _calendar(forms: str, also: str = "", *, is_spaced: bool = True, **tables: str) -> Calendar:
    """Return a language from its forms (`pattern => English`, `=` for what needs no "today") and tables of words."""
    words = {name: _table(text) for name, text in tables.items()}
    groups = dict(_PLAIN)
    for name, table in words.items():
        longest = sorted(table, key=len, reverse=True)
        listed = "|".join(longest).replace(" ", r"\s+")
        groups[name] = f"(?P<{name}>{listed})"
    made = []
    for line in filter(None, map(str.strip, forms.strip().splitlines())):
        pattern, _, template = line.partition(" => ")
        is_absolute = template.startswith("=")
        text = _BRACES.sub(lambda name: groups.get(name[1], name[0]), pattern)
        text = rf"\b(?:{text})(?!\w)" if is_spaced else text
        made.append(Phrase(text, template.lstrip("= "), words, is_absolute))
    signs = {part for table in words.values() for word in table for part in _WORD.findall(word)}
    signs |= set(also.split())
    return Calendar(tuple(made), frozenset(signs) if is_spaced else frozenset())


_GERMAN = _calendar(
    r"""
    {day}\.\s*{month}(?:\s+{year})? => ={day} {month} {year}
    {month}\s+{year} => ={month} {year}
    {near} => {near}
    vor\s+{number}\s+{unit} => {number} {unit}s ago
    vor\s+{many}\s+{unit} => {many} {unit}s ago
    (?:die|den|der)?\s*letzten\s+{number}\s+{unit} => last {number} {unit}s
    (?:die|den|der)?\s*letzten\s+{many}\s+{unit} => last {many} {unit}s
    (?:letzte|vergangene|vorige)[nrsm]?\s+{unit} => last {unit}
    diese[nrsm]?\s+{unit} => this {unit}
    (?:nächste|kommende)[nrsm]?\s+{unit} => next {unit}
    (?:letzte|vergangene|vorige)[nm]?\s+{weekday} => last {weekday}
    (?:letzte|vergangene|vorige)[nrm]?\s+{month} => last {month}
    (?:letzte|vergangene|vorige)[nsm]?\s+{season} => last {season}
    am\s+(?P<span>{weekday}) => on {weekday}
    seit\s+(?P<span>{weekday}) => on {weekday}
    (?:im\s+)?{season}\s+{year} => ={season} {year}
    im\s+(?P<span>{season}) => in the {season}
    (?:im|seit|bis|ab|vor|nach|anfang|mitte|ende|seit\s+dem|zum)\s+(?P<span>{month}) => in {month}
    (?:im\s+jahr|seit|bis|vor|nach|in|ab|anfang|ende|mitte)\s+(?P<span>{year}) => =in {year}
    """,
    "seit vor nach bis",
    near="""
    the day before yesterday: vorgestern
    yesterday evening: gestern abend
    yesterday morning: gestern früh, gestern morgen
    yesterday afternoon: gestern nachmittag
    last night: letzte nacht, gestern nacht
    yesterday: gestern
    this morning: heute morgen, heute früh
    this afternoon: heute nachmittag
    this evening: heute abend
    today: heute
    """,
    month="""
    january: januar, jänner
    february: februar
    march: märz
    april: april
    may: mai
    june: juni
    july: juli
    august: august
    september: september
    october: oktober
    november: november
    december: dezember
    """,
    weekday="""
    monday: montag
    tuesday: dienstag
    wednesday: mittwoch
    thursday: donnerstag
    friday: freitag
    saturday: samstag, sonnabend
    sunday: sonntag
    """,
    season="spring: frühling, frühjahr\nsummer: sommer\nautumn: herbst\nwinter: winter",
    unit="""
    day: tag, tage, tagen
    week: woche, wochen
    weekend: wochenende
    month: monat, monate, monaten, monats
    year: jahr, jahre, jahren, jahres
    """,
    number="""
    one: einem, einer
    two: zwei
    three: drei
    four: vier
    five: fünf
    six: sechs
    seven: sieben
    eight: acht
    nine: neun
    ten: zehn
    few: ein paar, einigen, wenigen
    """,
)
_FRENCH = _calendar(
    r"""
    {day}(?:er)?\s+{month}(?:\s+{year})? => ={day} {month} {year}
    {month}\s+{year} => ={month} {year}
    {near} => {near}
    il\s+y\s+a\s+{number}\s+{unit} => {number} {unit}s ago
    il\s+y\s+a\s+{many}\s+{unit} => {many} {unit}s ago
    (?:les|ces|des)\s+{number}\s+derni[eè]re?s\s+{unit} => last {number} {unit}s
    (?:les|ces|des)\s+{many}\s+derni[eè]re?s\s+{unit} => last {many} {unit}s
    {unit}\s+(?:derni[eè]re?|pass[ée]e?|pr[ée]c[ée]dente?) => last {unit}
    (?:ce|cet|cette)\s+{unit} => this {unit}
    {unit}\s+prochaine? => next {unit}
    {weekday}\s+(?:dernier|pass[ée]) => last {weekday}
    (?:depuis|ce)\s+(?P<span>{weekday}) => on {weekday}
    (?:en\s+)?{month}\s+dernier => last {month}
    {season}\s+(?:dernier|pass[ée]) => last {season}
    (?:[àa]\s+l'|en\s+|au\s+|l')?{season}\s+(?:de\s+)?{year} => ={season} {year}
    (?:en|au|l'|cet|cette|depuis\s+l')\s*(?P<span>{season}) => in the {season}
    (?:en|depuis|avant|apr[eè]s|jusqu'en|d[ée]but|fin|mi-?|d[eè]s)\s*(?P<span>{month}) => in {month}
    (?:en|depuis|avant|apr[eè]s|jusqu'en|d[ée]but|fin|l'ann[ée]e)\s+(?P<span>{year}) => =in {year}
    """,
    "depuis avant après apres",
    near="""
    the day before yesterday: avant-hier
    yesterday evening: hier soir
    yesterday morning: hier matin
    yesterday afternoon: hier après-midi
    last night: la nuit dernière, cette nuit
    yesterday: hier
    this morning: ce matin
    this afternoon: cet après-midi
    this evening: ce soir
    today: aujourd'hui, aujourd’hui
    """,
    month="""
    january: janvier
    february: février, fevrier
    march: mars
    april: avril
    may: mai
    june: juin
    july: juillet
    august: août, aout
    september: septembre
    october: octobre
    november: novembre
    december: décembre, decembre
    """,
    weekday="""
    monday: lundi
    tuesday: mardi
    wednesday: mercredi
    thursday: jeudi
    friday: vendredi
    saturday: samedi
    sunday: dimanche
    """,
    season="spring: printemps\nsummer: été, ete\nautumn: automne\nwinter: hiver",
    unit="""
    day: jour, jours
    week: semaine, semaines
    weekend: week-end, weekend
    month: mois
    year: an, ans, année, années, annee
    """,
    number="""
    one: un, une
    two: deux
    three: trois
    four: quatre
    five: cinq
    six: six
    seven: sept
    eight: huit
    nine: neuf
    ten: dix
    few: quelques
    """,
)
_SPANISH = _calendar(
    r"""
    {day}\s+de\s+{month}(?:\s+(?:de|del)\s+{year})? => ={day} {month} {year}
    {month}\s+(?:de|del)\s+{year} => ={month} {year}
    {near} => {near}
    hace\s+{number}\s+{unit} => {number} {unit}s ago
    hace\s+{many}\s+{unit} => {many} {unit}s ago
    (?:los|las)\s+[uú]ltim[oa]s\s+{number}\s+{unit} => last {number} {unit}s
    (?:los|las)\s+[uú]ltim[oa]s\s+{many}\s+{unit} => last {many} {unit}s
    {unit}\s+(?:pasad[oa]|anterior) => last {unit}
    (?:[uú]ltim[oa]|pasad[oa])\s+{unit} => last {unit}
    (?:este|esta)\s+{unit} => this {unit}
    {unit}\s+que\s+viene => next {unit}
    pr[oó]xim[oa]\s+{unit} => next {unit}
    {weekday}\s+pasado => last {weekday}
    pasado\s+{weekday} => last {weekday}
    (?:desde\s+)?el\s+(?P<span>{weekday}) => on {weekday}
    {season}\s+pasad[oa] => last {season}
    {season}\s+(?:de|del)\s+{year} => ={season} {year}
    (?:en|este|esta)\s+(?:el\s+|la\s+)?(?P<span>{season}) => in the {season}
    (?:en|desde|hasta|antes\s+de|después\s+de|a\s+principios\s+de|a\s+finales\s+de)\s+(?P<span>{month}) => in {month}
    (?:en|desde|hasta|antes\s+de|después\s+de|el\s+año)\s+(?P<span>{year}) => =in {year}
    """,
    "desde hasta antes después despues",
    near="""
    the day before yesterday: anteayer, antes de ayer
    yesterday evening: ayer por la noche
    last night: anoche
    yesterday morning: ayer por la mañana
    yesterday afternoon: ayer por la tarde
    yesterday: ayer
    this morning: esta mañana
    this afternoon: esta tarde
    this evening: esta noche
    today: hoy
    """,
    month="""
    january: enero
    february: febrero
    march: marzo
    april: abril
    may: mayo
    june: junio
    july: julio
    august: agosto
    september: septiembre, setiembre
    october: octubre
    november: noviembre
    december: diciembre
    """,
    weekday="""
    monday: lunes
    tuesday: martes
    wednesday: miércoles, miercoles
    thursday: jueves
    friday: viernes
    saturday: sábado, sabado
    sunday: domingo
    """,
    season="spring: primavera\nsummer: verano\nautumn: otoño\nwinter: invierno",
    unit="""
    day: día, días, dia, dias
    week: semana, semanas
    weekend: fin de semana
    month: mes, meses
    year: año, años
    """,
    number="""
    one: un, una
    two: dos, un par de
    three: tres
    four: cuatro
    five: cinco
    six: seis
    seven: siete
    eight: ocho
    nine: nueve
    ten: diez
    few: unos, unas, algunos, algunas, pocos, pocas
    """,
)
_RUSSIAN = _calendar(
    r"""
    {day}(?:-го)?\s+{month}(?:\s+{year}(?:\s*(?:года|г\.?))?)? => ={day} {month} {year}
    {month}\s+{year}(?:\s*(?:года|г\.?))? => ={month} {year}
    {near} => {near}
    {number}\s+{unit}\s+назад => {number} {unit}s ago
    {many}\s+{unit}\s+назад => {many} {unit}s ago
    {unit}\s+назад => one {unit} ago
    последн\w+\s+{number}\s+{unit} => last {number} {unit}s
    последн\w+\s+{many}\s+{unit} => last {many} {unit}s
    (?:прошл|минувш|предыдущ)\w+\s+{unit} => last {unit}
    эт(?:ой|ом|у|от|и)\s+{unit} => this {unit}
    (?:следующ|будущ)\w+\s+{unit} => next {unit}
    (?:прошл|минувш)\w+\s+{weekday} => last {weekday}
    (?:в|во|с)\s+(?P<span>{weekday}) => on {weekday}
    (?:прошл)\w+\s+{month} => last {month}
    (?:прошл)\w+\s+{season} => last {season}
    {season}\s+{year}(?:\s+года)? => ={season} {year}
    {season} => in the {season}
    (?:в|с|до|после|к|начале|конце)\s+(?P<span>{month}) => in {month}
    (?:в|с|до|после|к)\s+(?P<span>{year}\s+год[ауе]?) => =in {year}
    """,
    near="""
    the day before yesterday: позавчера
    yesterday evening: вчера вечером
    yesterday morning: вчера утром
    yesterday afternoon: вчера днём, вчера днем
    last night: прошлой ночью, вчера ночью
    yesterday: вчера
    this morning: сегодня утром
    this afternoon: сегодня днём, сегодня днем
    this evening: сегодня вечером
    today: сегодня
    """,
    month="""
    january: январь, января, январе
    february: февраль, февраля, феврале
    march: март, марта, марте
    april: апрель, апреля, апреле
    may: май, мая, мае
    june: июнь, июня, июне
    july: июль, июля, июле
    august: август, августа, августе
    september: сентябрь, сентября, сентябре
    october: октябрь, октября, октябре
    november: ноябрь, ноября, ноябре
    december: декабрь, декабря, декабре
    """,
    weekday="""
    monday: понедельник, понедельника
    tuesday: вторник, вторника
    wednesday: среду, среды, среда
    thursday: четверг, четверга
    friday: пятницу, пятницы, пятница
    saturday: субботу, субботы, суббота
    sunday: воскресенье, воскресенья
    """,
    season="""
    spring: весной, весны, весну
    summer: летом, лета, лето
    autumn: осенью, осени, осень
    winter: зимой, зимы, зиму
    """,
    unit="""
    day: день, дня, дней
    week: неделю, неделе, недели, недель, неделя
    weekend: выходные, выходных
    month: месяц, месяца, месяцев, месяце
    year: год, года, году, лет
    """,
    number="""
    one: один, одну
    two: два, две, пару
    three: три
    four: четыре
    five: пять
    six: шесть
    seven: семь
    eight: восемь
    nine: девять
    ten: десять
    few: несколько
    """,
)
_TENS, _ONES = ("", "十", "二十", "三十"), ("", *"一二三四五六七八九")
_NTH = "\n".join(f"{day}: {_TENS[day // 10]}{_ONES[day % 10]}" for day in range(1, 32))
#: Chinese, Japanese and Korean, which share the form of a date.
_EAST_ASIAN = _calendar(
    r"""
    {year}\s*[年년]\s*{month}\s*{day}\s*[日号號일] => ={day} {month} {year}
    {year}\s*[年년]\s*{month} => ={month} {year}
    {month}\s*{day}\s*[日号號일] => ={day} {month}
    {year}\s*[年년] => =in {year}
    {month}\s*{nth}\s*[日号號] => ={nth} {month}
    {which}{weekday} => {which} {weekday}
    {near} => {near}
    {many}\s*{unit}\s*(?:前|전) => {many} {unit}s ago
    {number}\s*{unit}\s*(?:前|전) => {number} {unit}s ago
    """,
    is_spaced=False,
    nth=_NTH,
    near="""
    the day before yesterday: 前天, 一昨日, おととい, 그저께, 그제
    last night: 昨晚, 昨夜, 昨夜, ゆうべ, 어젯밤
    yesterday: 昨天, 昨日, きのう, 어제
    this morning: 今早, 今天早上, 今朝, 오늘 아침
    this evening: 今晚, 今夜, 오늘 저녁
    today: 今天, 今日, 오늘
    last week: 上周, 上星期, 上个星期, 上礼拜, 先週, 지난주, 지난 주
    this week: 这周, 这个星期, 本周, 今週, 이번 주
    last month: 上个月, 上月, 先月, 지난달, 지난 달
    this month: 这个月, 本月, 今月, 이번 달
    last year: 去年, 昨年, 작년, 지난해
    this year: 今年, 올해
    """,
    which="last: 上周, 上星期, 先週の, 지난주\nthis: 这周, 本周, 今週の, 이번 주",
    weekday="""
    monday: 一, 月曜日, 월요일
    tuesday: 二, 火曜日, 화요일
    wednesday: 三, 水曜日, 수요일
    thursday: 四, 木曜日, 목요일
    friday: 五, 金曜日, 금요일
    saturday: 六, 土曜日, 토요일
    sunday: 日, 天, 日曜日, 일요일
    """,
    month="""
    january: 1月, 一月, 1월
    february: 2月, 二月, 2월
    march: 3月, 三月, 3월
    april: 4月, 四月, 4월
    may: 5月, 五月, 5월
    june: 6月, 六月, 6월
    july: 7月, 七月, 7월
    august: 8月, 八月, 8월
    september: 9月, 九月, 9월
    october: 10月, 十月, 10월
    november: 11月, 十一月, 11월
    december: 12月, 十二月, 12월
    """,
    unit="""
    day: 天, 日, 일
    week: 周, 个星期, 星期, 週間, 주
    month: 个月, か月, ヶ月, カ月, 개월, 달
    year: 年, 년
    """,
    number="""
    one: 一, 한
    two: 两, 二, 두
    three: 三, 세
    four: 四, 네
    five: 五, 다섯
    six: 六
    seven: 七
    eight: 八
    nine: 九
    ten: 十
    few: 几, 数, 몇
    """,
)
_CALENDARS = (_GERMAN, _FRENCH, _SPANISH, _RUSSIAN, _EAST_ASIAN)

#: Words in front of a time that open it to one side, as `when` knows them in English.
RELATIONS = {
    **dict.fromkeys(("vor", "avant", "antes de", "antes del", "до"), "before"),
    **dict.fromkeys(("nach", "après", "apres", "después de", "después del", "после"), "after"),
    **dict.fromkeys(("seit", "ab", "depuis", "desde", "с", "со"), "since"),
    **dict.fromkeys(("bis", "jusqu'en", "jusqu'au", "hasta"), "until"),
}
