"""How other languages name times: tables that turn a phrase into its English one, which `dates` reads. Pure.

"La semaine dernière" becomes "last week", "14. März 2025" becomes "14 march 2025". So there is one set of rules for
what a time means, and a language is only words and their order.
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


#: The English words that a table lists in this order.
_ENGLISH = {
    "near": (
        "the day before yesterday, yesterday evening, yesterday morning, yesterday afternoon, last night, yesterday,"
        " this morning, this afternoon, this evening, today"
    ),
    "month": "january, february, march, april, may, june, july, august, september, october, november, december",
    "weekday": "monday, tuesday, wednesday, thursday, friday, saturday, sunday",
    "season": "spring, summer, autumn, winter",
    "unit": "day, week, weekend, month, year",
    "number": "one, two, three, four, five, six, seven, eight, nine, ten, few",
}


def _table(name: str, text: str) -> dict[str, str]:
    """Map words to English: from lines such as `today: 今天, 今日`, else from words in the order of `_ENGLISH`.

    `/` separates words of one meaning, `_` is a blank, and `-` leaves a word out.
    """
    if ":" not in text:
        words = zip(_ENGLISH[name].split(", "), text.split(), strict=True)
        return {
            word.replace("_", " "): english
            for english, listed in words
            for word in listed.split("/")
            if word != "-"
        }
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.strip().splitlines())):
        english, _, listed = line.partition(":")
        found |= {word.strip(): english for word in listed.split(",")}
    return found


def _calendar(forms: str, also: str = "", *, is_spaced: bool = True, **tables: str) -> Calendar:
    """Return a language from its forms (`pattern => English`, `=` for what needs no "today") and tables of words."""
    words = {name: _table(name, text) for name, text in tables.items()}
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
    vorgestern gestern_abend gestern_früh/gestern_morgen gestern_nachmittag letzte_nacht/gestern_nacht gestern
    heute_morgen/heute_früh heute_nachmittag heute_abend heute
    """,
    month="""
    januar/jänner februar märz april mai juni juli august september oktober november dezember
    """,
    weekday="montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    season="frühling/frühjahr sommer herbst winter",
    unit="""
    tag/tage/tagen woche/wochen wochenende monat/monate/monaten/monats jahr/jahre/jahren/jahres
    """,
    number="einem/einer zwei drei vier fünf sechs sieben acht neun zehn ein_paar/einigen/wenigen",
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
    avant-hier hier_soir hier_matin hier_après-midi la_nuit_dernière/cette_nuit hier ce_matin cet_après-midi
    ce_soir aujourd'hui/aujourd’hui
    """,
    month="""
    janvier février/fevrier mars avril mai juin juillet août/aout septembre octobre novembre décembre/decembre
    """,
    weekday="lundi mardi mercredi jeudi vendredi samedi dimanche",
    season="printemps été/ete automne hiver",
    unit="jour/jours semaine/semaines week-end/weekend mois an/ans/année/années/annee",
    number="un/une deux trois quatre cinq six sept huit neuf dix quelques",
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
    anteayer/antes_de_ayer ayer_por_la_noche ayer_por_la_mañana ayer_por_la_tarde anoche ayer esta_mañana
    esta_tarde esta_noche hoy
    """,
    month="""
    enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
    """,
    weekday="lunes martes miércoles/miercoles jueves viernes sábado/sabado domingo",
    season="primavera verano otoño invierno",
    unit="día/días/dia/dias semana/semanas fin_de_semana mes/meses año/años",
    number="""
    un/una dos/un_par_de tres cuatro cinco seis siete ocho nueve diez unos/unas/algunos/algunas/pocos/pocas
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
    позавчера вчера_вечером вчера_утром вчера_днём/вчера_днем прошлой_ночью/вчера_ночью вчера сегодня_утром
    сегодня_днём/сегодня_днем сегодня_вечером сегодня
    """,
    month="""
    январь/января/январе февраль/февраля/феврале март/марта/марте апрель/апреля/апреле май/мая/мае
    июнь/июня/июне июль/июля/июле август/августа/августе сентябрь/сентября/сентябре октябрь/октября/октябре
    ноябрь/ноября/ноябре декабрь/декабря/декабре
    """,
    weekday="""
    понедельник/понедельника вторник/вторника среду/среды/среда четверг/четверга пятницу/пятницы/пятница
    субботу/субботы/суббота воскресенье/воскресенья
    """,
    season="весной/весны/весну летом/лета/лето осенью/осени/осень зимой/зимы/зиму",
    unit="""
    день/дня/дней неделю/неделе/недели/недель/неделя выходные/выходных месяц/месяца/месяцев/месяце
    год/года/году/лет
    """,
    number="один/одну два/две/пару три четыре пять шесть семь восемь девять десять несколько",
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
    一/月曜日/월요일 二/火曜日/화요일 三/水曜日/수요일 四/木曜日/목요일 五/金曜日/금요일 六/土曜日/토요일
    日/天/日曜日/일요일
    """,
    month="""
    1月/一月/1월 2月/二月/2월 3月/三月/3월 4月/四月/4월 5月/五月/5월 6月/六月/6월
    7月/七月/7월 8月/八月/8월 9月/九月/9월 10月/十月/10월 11月/十一月/11월
    12月/十二月/12월
    """,
    unit="天/日/일 周/个星期/星期/週間/주 - 个月/か月/ヶ月/カ月/개월/달 年/년",
    number="一/한 两/二/두 三/세 四/네 五/다섯 六 七 八 九 十 几/数/몇",
)
_CALENDARS = (_GERMAN, _FRENCH, _SPANISH, _RUSSIAN, _EAST_ASIAN)

#: Words in front of a time that open it to one side, as `when` knows them in English.
RELATIONS = {
    **dict.fromkeys(("vor", "avant", "antes de", "antes del", "до"), "before"),
    **dict.fromkeys(("nach", "après", "apres", "después de", "después del", "после"), "after"),
    **dict.fromkeys(("seit", "ab", "depuis", "desde", "с", "со"), "since"),
    **dict.fromkeys(("bis", "jusqu'en", "jusqu'au", "hasta"), "until"),
}
