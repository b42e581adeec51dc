"""English word lists that tell a name from an ordinary capitalised word.

`FUNCTION` words never belong to the edge of a name. `OPENERS` are ordinary words that sentences begin with, so they
are cut from the front of a name at a sentence start. `PLAIN` words are no name when they stand alone.
"""


def words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


FUNCTION = words(
    "whenever wherever whoever whichever a an the and or but nor so yet if then else of to in on "
    "at by for from with without as into onto over under about after before between during "
    "through until till since because while although though unless whether than i me my mine "
    "myself you your yours yourself he him his she her hers it its we us our ours they them "
    "their theirs this that these those there here who whom whose which what when where why how "
    "all any both each every few many more most much some several such no not none only own same "
    "too very just also even still already again ever never always often sometimes usually is am "
    "are was were be been being do does did done doing have has had having will would shall "
    "should can could may might must let lets im ive id ill youre weve dont doesnt didnt isnt "
    "arent wasnt cant cannot wont shouldnt per via versus dr mr mrs ms prof"
)

_INTERJECTIONS = words(
    "hi hey hello howdy bye goodbye thanks thank yes yeah yep yup nope nah ok okay sure cool wow "
    "whoa oh ooh ah aw aww awesome great nice good fine right well actually basically honestly "
    "frankly anyway anyways btw fyi asap lol haha hahaha omg gosh congrats congratulations "
    "please dear sorry welcome cheers absolutely definitely certainly totally exactly indeed perfect "
    "perfectly amazing excellent fantastic wonderful brilliant lovely glad happy excited hmm hm "
    "um uh alright gotcha agreed understood done got hopefully maybe perhaps probably possibly "
    "luckily unfortunately fortunately sadly apparently obviously clearly seriously really "
    "speaking sounds looks seems feels ugh yay woohoo woah hooray phew ouch yikes"
)

_ADVERBS = words(
    "now today tonight tomorrow yesterday currently recently lately finally eventually first "
    "firstly second secondly third thirdly fourth fifth last lastly next previously later "
    "earlier afterwards meanwhile once twice however therefore thus hence moreover furthermore "
    "additionally instead otherwise besides nevertheless nonetheless overall generally typically "
    "normally specifically particularly especially mainly mostly initially originally ultimately "
    "similarly likewise alternatively conversely consequently accordingly together apart along "
    "across around above below behind beyond near inside outside within despite except given "
    "regarding concerning according based depending due thanks like unlike plus minus quite "
    "rather pretty almost nearly soon daily weekly monthly quarterly yearly annually immediately "
    "quickly slowly simply easily somehow somewhere anywhere everywhere nowhere someone anyone "
    "everyone nobody something anything everything nothing another other others either neither "
    "one two three four five six seven eight nine ten eleven twelve hundred thousand million "
    "half double lots tons loads heaps plenty various different certain enough less least"
)

_IMPERATIVES = words(
    "add allow apply ask assume avoid be begin bring build call change check choose clean clear "
    "click close combine compare complete configure connect consider continue convert copy "
    "create debug decide define delete deploy describe design disable discuss do double download "
    "drop edit enable end ensure enter exclude execute expect explain explore export fetch find "
    "finish fix follow force forget format generate get give go grab handle help hold identify "
    "ignore implement import improve include increase initialize insert inspect install "
    "integrate join keep kill know learn leave limit link list load lock log look maintain make "
    "manage mark mean measure merge migrate mind move name need note notice offer open optimize "
    "order organize paste pause perform pick plan play practice prefer prepare prevent print "
    "prioritize process provide publish pull push put raise reach read rebase rebuild recall "
    "receive record reduce refactor refer reload remember remind remove rename repeat replace "
    "report request require reset resolve restart restore resume return reuse review revert "
    "rewrite roll rotate run save say schedule search see select send separate serve set setup "
    "share show sign skip sleep sort specify split squash start stay stick stop store submit "
    "suggest support switch sync take talk tell test think throw track translate treat trigger "
    "trim trust try turn type understand undo uninstall update upgrade upload use validate "
    "verify view visit wait want watch work wrap write migrated switched decided chose picked "
    "settled adopted moved went used fixed added removed updated changed created found learned "
    "discovered noticed tried made wrote built ran prefers uses likes loves hates wants needs "
    "adjust adapt analyze analyse assign attend celebrate clarify collect communicate contact "
    "delegate develop document draft emphasize encourage engage enjoy establish evaluate examine "
    "experiment fill focus foster gather highlight incorporate involve introduce invest invite "
    "launch listen measure mention monitor obtain outline outsource participate print refine "
    "reflect research revise share simplify summarize survey tackle target tailor utilize "
    "works lives runs requires depends"
)

_DATES = words(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays mon tue tues wed thu thur thurs fri sat sun january "
    "february march april may june july august september october november december jan feb mar "
    "apr jun jul aug sep sept oct nov dec spring summer autumn fall winter morning afternoon "
    "evening night noon midnight day week month year weekend q1 q2 q3 q4 am pm utc gmt est pst "
    "cet bc ad"
)

_LABELS = words(
    "key fact facts preference preferences event events relationship relationships current "
    "status summary result results update updates note notes todo todos overview detail details "
    "context unknown n/a user users assistant system human ai bot agent example examples step "
    "steps part section chapter item items title heading topic question questions answer answers "
    "input output option options pros cons warning error errors info information important "
    "critical urgent tip tips hint hints goal goals task tasks action actions issue issues bug "
    "bugs problem problems solution solutions cause reason reasons decision decisions rule rules "
    "requirement requirements background introduction conclusion reference references version "
    "source sources target date time name names type description value values table figure image "
    "photo link file files folder code data text message response reply request url id ids ok "
    "tbd tba wip faq etc v1 v2 v3 v4 p0 p1 p2 p3 h1 h2 h3 eta diy aka eg ie nb ps re cc"
)

_NOUNS = words(
    "mom mum mama mommy dad daddy papa grandma grandpa grandmother grandfather mother father "
    "brother sister son daughter wife husband uncle aunt aunty cousin kid kids child children "
    "baby family friend friends guy guys girl boy man men woman women people person folks buddy "
    "dude bro sir madam team teams company boss colleague colleagues customer customers client "
    "clients server servers database databases table tables column columns row rows query "
    "queries index indexes cache caches queue queues job jobs worker workers service services "
    "app apps application applications api apis ui ux cli gui sdk ide os cpu gpu ram url urls "
    "http https html css sql json xml yaml csv pdf regex schema schemas migration migrations "
    "deployment deployments deploy deploys build builds release releases branch branches commit "
    "commits merge merges pr prs test tests testing lint linting logging logs config "
    "configuration configurations settings environment environments variable variables function "
    "functions class classes method methods module modules package packages library libraries "
    "framework frameworks tool tools script scripts command commands endpoint endpoints route "
    "routes token tokens password passwords secret secrets user username email emails account "
    "accounts session sessions login logout authentication authorization security performance "
    "latency memory storage backup backups monitoring metrics alerts dashboard frontend backend "
    "production staging development developer developers engineer engineers manager designer "
    "project projects product products feature features design architecture documentation docs "
    "page pages book books movie movies music song songs game games art food dinner lunch "
    "breakfast coffee tea water wine beer bread pizza cake dog dogs cat cats pet pets car cars "
    "bike bus train plane flight trip travel vacation holiday holidays beach park mountain "
    "mountains lake river sea ocean forest garden home house apartment room kitchen office "
    "school college university course lesson homework work life love hope luck money budget "
    "price cost costs tax taxes health exercise yoga running hiking swimming painting reading "
    "writing cooking camping dancing singing gaming volunteering meditation nature weather rain "
    "snow sunshine world country city town street place thing things stuff idea ideas way ways "
    "kind lot bit bunch side end start point case cases fun joy peace progress success change "
    "growth support care self new old big small little long short high low hot cold best better "
    "worse worst early late full empty free busy easy hard simple complex real true false main "
    "final next previous whole red blue green black white yellow orange purple pink brown gray "
    "grey dark light god christmas easter thanksgiving halloween birthday wedding party "
    "anniversary dear internet web online offline null none undefined yes and not or xor to do "
    "the in on at is it be by for from with master select insert where join left right inner "
    "outer group super stoked limit desc asc strong major minor peer appropriate whenever gonna "
    "wanna gotta adventure basketball football soccer baseball tennis creativity kindness "
    "confidence self-acceptance self-care community thrift fresh regular direct indirect proper "
    "effective efficient consistent common local global public private personal professional "
    "social digital modern traditional basic advanced initial average potential additional "
    "multiple specific general particular similar popular famous favorite classic original "
    "special unique extra actual entire recent future past present physical mental emotional "
    "natural cultural financial legal medical technical creative active closed young older "
    "younger bold bright deep wide strange weird funny sad scary cozy warm quick slow fast"
)

#: Words that only German has: two of them make a text German.
GERMAN = words(
    "der und ist nicht ein eine einen einem mit von dem auf für zum zur bei beim vom nur wird sind noch oder aber vor "
    "nach aus immer dann kein keine wir ich sie uns unser wenn weil ohne jeden jede seit bis zwei drei vier fünf"
)
#: Times, money and measures of other languages, which write them with capitals or in names of theirs.
_UNITS = words(
    "sekunde sekunden minute minuten stunde stunden uhr tag tage tagen woche wochen monat monate monaten jahr jahre "
    "jahren montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober "
    "dezember morgen abend nacht anfang mitte ende franken rappen euro euros cent chf eur usd kb mb gb tb kib mib gib "
    "ms hz khz mhz ghz db dpi px grad prozent meter kilometer zentimeter millimeter liter gramm kilo kilogramm stück "
    "heure heures jour jours semaine semaines mois année années lundi mardi mercredi jeudi vendredi samedi dimanche "
    "janvier février mars avril juin juillet août septembre octobre novembre décembre lunes martes miércoles jueves "
    "viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)

OPENERS = FUNCTION | _INTERJECTIONS | _ADVERBS | _IMPERATIVES
PLAIN = OPENERS | _DATES | _LABELS | _NOUNS | _UNITS

#: Endings of words that are seldom names; `Testing`, `Deployment` at a sentence start.
ABSTRACT_ENDINGS = tuple(
    words(
        "ing ings tion tions sion sions ment ments ness ity ities ance ences ence ency ancy ism ship "
        "able ible less ful ously ally ully ely ily edly ingly"
    )
)

#: What stands right after a one-word name that opens a sentence: `Alice prefers`, `Signet stores`.
AFTER_SUBJECT = words(
    "is was has had does did will would can could should must may isn't wasn't doesn't didn't "
    "hasn't won't can't also always never still usually often really now currently already "
    "recently prefers preferred likes liked loves loved hates hated dislikes disliked enjoys "
    "enjoyed avoids avoided fears becomes became owns owned keeps kept goes went attends "
    "attended visits visited moves moved travels traveled travelled arrives arrived works worked "
    "studied researches researched teaches taught reads plays played runs ran cooks cooked "
    "thinks thought believes believed feels felt considers considered realized realised married "
    "dates dated divorced engaged grew lives lived plans planned intends intended wants wanted "
    "hopes hoped decides decided chose chooses said says told tells mentioned mentions asked "
    "asks uses used requires required needs needed stores stored depends depended supports "
    "supported replaces replaced manages managed leads led maintains maintained writes wrote "
    "builds built bought buys sells sold started starts stopped stops joined joins left leaves "
    "switched switches migrated migrates adopted adopts picked picks settled agreed agrees "
    "provides provided handles handled listens serves served returns returned exposes exposed "
    "contains contained includes included consists belongs speaks spoke knows knew got gets made "
    "makes took takes gave gives found finds learned learns fixed fixes broke breaks caused "
    "causes deployed deploys hosts hosted reports reported responds responded sends sent signed "
    "signs ships shipped shows showed"
)
