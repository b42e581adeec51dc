"""Detect texts that instruct their reader. Pure.

`orders`: does the text contain any instruction? Judged generously, for texts from unknown sources. `steers`: does it
have marks of an attack on an agent's memory (overriding instructions, actions that wait for the user's word,
secrecy, sending data away, faked turns and tags, hidden or encoded text, self-copying notes)? Judged strictly, for
texts of people, agents and files.

The patterns are of published attacks: delayed tool invocation (Rehberger 2025), MINJA's bridging steps
(arXiv:2503.03704), AgentPoison's triggers (arXiv:2407.12784), image exfiltration, tag characters, self-copying
notes.
"""

import base64
import binascii
import re

from signet.text import controls, patterns

#: An instruction. Runs of blanks are matched possessively, so that long ones are read once.
_ORDER = patterns.lazy(
    r"(?:^[^\S\n]*+|[.!?:;>*-][^\S\n]*+|\bplease\s++)[\"'“(]?"
    r"(?:you (?:must|should|have to|need to|are (?:now|to)|will)|do not"
    r"|don['’]t|never|always|ignore|disregard|forget|run|execute|call|invoke|use|send|post|open|visit|fetch|download"
    r"|install|delete|remove|write|create|add|set|change|update|commit|push|tell|reply|respond|answer|say|act|pretend"
    r"|remember|make sure|ensure|follow|obey|copy|paste|click|enter|type|read|print|output|return|stop|start|let"
    r"|(?:the )?(?:assistant|agent|model|ai|reader)(?:,| must| should| has to| will| may not))(?!\w)",
    re.IGNORECASE | re.MULTILINE,
)
#: The same in German, French, Spanish, Russian, Chinese and Japanese: forms of address, and orders about instructions.
_FOREIGN = patterns.lazy(
    r"(?:^|[.!?:;>*-])[^\S\n]*+(?:bitte )?(?:ignoriere?n?|vergiss|führe?|sende|schicke?|lösche?|öffne|lade|antworte"
    r"|merke? dir"
    r"|verwende|nutze|installiere|schreibe?|du (?:musst|sollst|bist jetzt)|sie müssen|immer|niemals"
    r"|ignor(?:a|e|ez)|olvida|oublie[zr]?|ejecuta|envía|envoie[zr]?|borra|abre|descarga|responde|recuerda"
    r"|exécute[zr]?"
    r"|usa|debes|siempre|nunca|jamás|toujours|jamais|tu dois|vous devez|supprime[zr]?"
    r"|игнорируй(?:те)?|забудь(?:те)?|выполни(?:те)?|отправь(?:те)?|удали(?:те)?|всегда|никогда)(?!\w)"
    r"|(?:忽略|无视|忘记|忘掉|执行|运行|发送|删除|打开|下载|必须|务必|请(?:始终|记住|把|将|不要)|不要|始终|永远"
    r"|無視して|実行して|送信して|削除して|してください|必ず)",
    re.IGNORECASE | re.MULTILINE,
)

#: A line that looks like a turn of a conversation; web pages cannot quote the user.
_TURN = patterns.lazy(
    r"(?:^[^\S\n]*+|[.!?…] )[*_>#]{0,4}(?:user|human|assistant|system)[*_]{0,3}[^\S\n]*+:",
    re.I | re.M,
)
#: The inside of a sentence, as written in the patterns below and as compiled: a dot before a letter does not end it.
_WITHIN, _COMPILED = r"[^.!?\n]", r"(?:[^.!?\n]|\.(?=\w))"
_GAP = r"[^.!?\n]{0,80}?"
_START = r"(?:^|[.!?:;,>*(-])[^\S\n]*+(?:please |and |then |also |now )?"
_WHOM = r"(?:ai|assistant|agent|model|llm|claude|codex|chatgpt|gpt|copilot)"
_RULES = r"(?:instructions?|rules?|guidelines?|prompts?|constraints?|directives?|guardrails?)"
_ACTS = (
    r"(?:call|invoke|run|execute|send|post|upload|forward|fetch|open|install|delete|save|store|update|append|include"
    r"|recommend|replace|redirect|reply|answer|tell|say|use|treat|push|merge|curl|tool|memory_\w+|https?:)"
)
#: Programs that download or decode, with arguments across shell line breaks, and programs that run their input.
_FETCH = r"(?:curl|wget|iwr|irm|invoke-(?:webrequest|restmethod)|base64|openssl|xxd|printf|echo)(?:\.exe)?"
_ARGUMENTS = r"[^\S\n][^\S\n]*+[^|\s](?:[^|\n\\]|\\[^|]){0,300}?(?:\|[^|\n]{1,80}){0,3}?"
_SHELL = (
    r"(?:(?:sudo|env|exec|nohup)[^\S\n]++){0,2}(?:/[\w/]{1,20}/)?"
    r"(?:(?:ba|z|k|da|fi|a)?sh\b(?![.\w/-])|pwsh\b|powershell\b|iex\b|(?:python[\d.]{0,4}|perl|ruby|node|php)(?=[^\S\n]*+-?[^\S\n]*+(?:[\"'`)&;|]|$)))"
)
#: Patterns, each with lower-case literals of which every match contains one.
_STEERS = tuple(
    (
        needles.split("|"),
        patterns.lazy(pattern.replace(_WITHIN, _COMPILED), re.IGNORECASE | re.MULTILINE),
    )
    for needles, pattern in (
        # Overrides.
        (
            "ignore|disregard|forget|override|bypass|new instruction|new prompt|new directive|system note|system update"
            "|system message|developer mode|god mode|dan mode|jailbreak mode|you are no",
            rf"\b(?:ignore|disregard|forget|override|bypass)\b{_GAP}\b(?:previous|prior|earlier|above|preceding|all"
            rf"|any|system|other|your|existing)\b{_GAP}\b{_RULES}\b"
            # "New rule:" is how people record decisions.
            r"|\bnew (?:instructions?|prompts?|directives?)[^\S\n]*+:"
            r"|\bsystem (?:override|note|update|message)[^\S\n]*+:|\b(?:developer|god|dan|jailbreak) mode\b"
            r"|\byou are (?:now|no longer) (?:an?|the|in|bound|restricted|free|allowed|unrestricted|required)\b",
        ),
        # Addressed to a program.
        (
            "assistant|agent|model|llm|claude|codex|gpt|copilot|ai,|ais,|ai must|ai should|ai ha|ai shall| ai|ais ",
            r"(?:^|[.!?:;>*(-])[^\S\n]*+(?:ai|assistant|agent|claude|codex|chatgpt|copilot)s?,[^\S\n]"
            rf"|\b{_WHOM}s? (?:must|should|has to|have to|shall)(?: always| never| immediately| also"
            rf"| first)? {_ACTS}\b"
            r"|\b(?:dear|hey|attention|note (?:to|for)|instructions? (?:to|for)|message (?:to|for)) (?:an? |any "
            rf"|all |every |the )?{_WHOM}s?\b",
        ),
        # An action that waits for a word of the user.
        (
            "user|human|owner|customer|someone|anyone",
            r"\b(?:when(?:ever)?|if|once|as soon as|(?:the next|every|each) time|after)\b[^.!?\n]{0,30}?\b(?:user"
            r"|human|owner|customer|someone|anyone)\b"
            rf"{_GAP}\b(?:says?|said|asks?|types?|writes?|mentions?|repl(?:y|ies)|confirms?|requests?|opens?"
            rf"|thanks?|quer(?:y|ies))\b[^!?\n]{{0,120}}?\b{_ACTS}",
        ),
        # Alleged wishes or consent of the user.
        (
            "that the user|that user|approve|authori|consent|whitelist|grant|no need|no reason|without tell"
            "|without mention|without inform",
            r"\b(?:remember|note|store|save|keep in mind"
            r"|memori[sz]e)\b[^.!?\n]{0,30}\bthat (?:the )?user (?:always |has |wants?|prefers?|agreed|trusts?"
            r"|approve)"
            r"|\buser (?:has |have )?(?:already |pre-?|explicitly |fully )*(?:approved|authori[sz]ed|consented"
            r"|whitelisted|granted)\b"
            r"|\bpre-?(?:approved|authori[sz]ed) (?:by the (?:user|owner)|all|any|every)\b|\bno (?:need"
            r"|reason) to (?:ask|confirm)[^.!?\n]{0,30}\b(?:user|them|again)\b|\bwithout (?:telling|mentioning"
            r"|informing) (?:the )?(?:user|human|owner|operator|customer|any(?:one|body)|them|him|her|it|this|that)\b",
        ),
        # Secrecy.
        (
            "user|human|anyone|owner|operator|secretly|silently|covertly|discreetly",
            r"\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|mention|mentioning|inform|informing|alert"
            r"|notify|reveal|disclose|warn)\b[^.!?\n]{0,40}?\b(?:user|human|anyone|owner|operator)\b"
            rf"|\b(?:secretly|silently|covertly|discreetly)\s+(?:[a-z]+ ){{0,2}}?{_ACTS}",
        ),
        # Commands that run what they fetch or decode, and shells for others.
        (
            "curl|wget|iwr|irm|invoke-|certutil|base64|openssl|xxd|printf|echo|powershell|pwsh|iex|/dev/tcp|mshta|b64decode"
            "|authorized_keys|crontab",
            rf"\b{_FETCH}\b{_ARGUMENTS}\|[^\S\n]*+{_SHELL}"
            rf"|\b(?:curl|wget)\b{_ARGUMENTS}(?:&&|;)[^\S\n]*+(?:{_SHELL}[^\S\n]|(?:sudo )?(?:chmod \+x|\./)\S)"
            rf"|(?:\b{_SHELL}|\bsource|\beval|\bexec|(?<!\S)\.)[^\S\n][^|\n]{{0,40}}?(?:<\(|\$\(|`)[^\n)`]{{0,40}}?\b{_FETCH}\b"
            r"|\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,80}[^\S\n][-/]e(?:nc|c|ncodedcommand)?[^\S\n]++[a-z0-9+/]{8}"
            r"|\biex[^\S\n]*+[\"'($&]|\bmshta[^\S\n]++\S{0,9}https?:|\bcertutil\b[^\n]{0,40}-(?:urlcache|decode)"
            r"|/dev/tcp/\S|\b(?:exec|eval)\(.{0,60}b64decode"
            r"|>>[^\n]{0,60}authorized_keys|\|[^\S\n]*+(?:sudo )?crontab\b",
        ),
        # Sending data away; images whose address contains known data; deletions.
        (
            "http|@|rm -r",
            rf"(?:{_START}|\b(?:always|must|should|to) )(?:send|post|upload|forward|exfiltrate|leak"
            rf"|e?mail(?![^\S\n]*+[:=*])|transmit)\b{_GAP}(?:https?://|\b[\w.+-]{{1,64}}@[\w-]{{1,64}}\.\w)"
            r"|!\[[^\]\n]{0,200}\]\(https?://[^)\s?]{0,300}\?[^)]{1,500}\)"
            r"|\brm -rf?[^\S\n]++(?:~|/|\$HOME)",
        ),
        # Faked turns, results and tags.
        (
            "system|developer|tool result|function result|<|[inst|[/inst|function_|tool_",
            r"^[^\S\n]*+(?:[*#]{1,6}[^\S\n]*+)?(?:system|developer|tool result"
            r"|function result)[*]{0,2}[^\S\n]*+:[^\S\n]*+\S"
            r"|(?<!\w)</?(?:\w{1,20}:)?(?:signet-|system[->]|user>|human>|assistant>|tool[_-](?:result|call|use)"
            r"|function[_>]|invoke\b|important>|instructions?>)"
            r"|<\|(?:im_|start|end|user|system|assistant)|\[/?INST\]|<</?SYS>>|\b(?:tool|function)_(?:result|output"
            r"|call|response)s?\b[^\S\n]*+[:=>]",
        ),
        # Tool calls; bridging steps.
        (
            "tool|mcp|memory_|redirected|replaced|substituted|saved under|stored under|mapped|answered"
            "|refers to|refer to|redirects to|redirect to|maps to|map to",
            rf"\b(?:call|invoke|trigger)\b{_GAP}\b(?:mcp|memory_\w+|tools?)\b"
            r"|\b(?:knowledge|information|data|records?|quer(?:y|ies)|questions?|requests?) (?:of|about|for"
            r"|to)\b[^.!?\n]{1,60}?\b(?:should be|must be|is|are) (?:now )?(?:redirected|replaced|substituted"
            r"|saved under|stored under|mapped|answered (?:by|with))\b"
            r"|\b(?:refers?|redirects?|maps?) to\b[^.!?\n]{1,60}?\b(?:instead|from now on|hereafter|going forward)\b",
        ),
        # Self-copying notes; text to be decoded and executed.
        (
            "this note|this memory|this message|this text|this paragraph|this instruction|this sentence|this line"
            "|this block|this entry|base64|base 64|rot13|rot 13|hex|decode",
            rf"\b(?:copy|repeat|include|append|add|insert|propagate|save|store|write)\b{_GAP}\bthis (?:note|memory"
            rf"|message|text|paragraph|instruction|sentence|line|block|entry)\b{_GAP}\b(?:every|all|each|any|other"
            r"|into|again)\b"
            r"|\b(?:base ?64|rot ?13|hex|decode)\b[^!?\n]{0,200}?\b(?:and|then) (?:run|execute|follow|obey|do"
            r"|eval)\b",
        ),
        # German.
        (
            "anweisung|regeln|befehle|vorgaben|instruktion|nutzer|anwender|sende|schick|leite|assistent",
            r"\b(?:ignoriere?n?|vergiss|missachte)\b[^.!?\n]{0,60}\b(?:anweisungen|regeln|befehle|vorgaben"
            r"|instruktionen)\b"
            r"|\b(?:sage?|erzähle?|verrate?)\b[^.!?\n]{0,40}\b(?:nutzer|benutzer"
            r"|anwender)\b[^.!?\n]{0,30}\b(?:nicht|nichts|nie)\b"
            r"|\b(?:wenn|sobald|falls)\b[^.!?\n]{0,20}\b(?:nutzer|benutzer|anwender)\b[^.!?\n]{0,60}\b(?:sagt|fragt"
            r"|schreibt|bittet|erwähnt)\b"
            r"|\b(?:sende|schicke?|leite)\b[^.!?\n]{0,80}(?:https?://|@[\w-]+\.\w)|\bder assistent (?:muss|soll)\b",
        ),
        # Spanish and French.
        (
            "instruc|reglas|órdenes|indicaciones|règles|consignes|usuario|utilisateur|envía|manda",
            r"\b(?:ignora|olvida|descarta)\b[^.!?\n]{0,60}\b(?:instrucciones|reglas|órdenes|indicaciones)\b"
            r"|\b(?:ignore|oublie)[zr]?\b[^.!?\n]{0,60}\b(?:instructions|règles|consignes)\b"
            r"|\bno (?:le )?(?:digas|menciones|informes|avises)\b[^.!?\n]{0,40}\busuario\b|\bne (?:dis"
            r"|dites)\b[^.!?\n]{0,30}\butilisateur\b"
            r"|\b(?:cuando|si)\b[^.!?\n]{0,20}\busuario\b[^.!?\n]{0,60}\b(?:diga|pida|pregunte|escriba|mencione)\b"
            r"|\b(?:envía|manda|reenvía)\b[^.!?\n]{0,80}(?:https?://|@[\w-]+\.\w)",
        ),
        # Chinese, Japanese and Russian.
        (
            "略|视|忘|告|通知|提|用户|使用者|送|传|发|無視|ない|забудь|игнориру|говори|сообщай",
            r"(?:忽略|无视|忘记|忘掉)[^。！？\n]{0,30}(?:指令|指示|规则|提示|要求)|(?:不要|别)(?:告诉|通知|提醒|提及)[^。！？\n]{0,10}(?:用户|使用者|任何人)"
            r"|(?:当|如果|每当|一旦)[^。！？\n]{0,8}(?:用户|使用者)[^。！？\n]{0,20}(?:说|问|提到|要求|输入)|(?:发送|上传"
            r"|转发)[^。！？\n]{0,40}(?:https?://|@[\w-]+\.)"
            r"|(?:指示|命令|ルール)[^。\n]{0,10}無視|ユーザー(?:に|へ)[^。\n]{0,12}(?:言わ|伝え|知らせ)ない"
            r"|(?:игнорируй(?:те)?|забудь(?:те)?)[^.!?\n]{0,40}(?:инструкци|правил|указани)|не (?:говори"
            r"|сообщай)(?:те)?[^.!?\n]{0,30}пользовател",
        ),
    )
)
#: Non-ASCII letters that match ASCII ones when case is ignored.
_LIKE_ASCII = {0x130: "i", 0x131: "i", 0x17F: "s"}
#: Characters that people do not type: tags (invisible ASCII), direction overrides, a zero-width mark inside a Latin
#: word.
_HIDDEN = patterns.lazy(
    r"[\U000e0020-\U000e007e]{2}|[\u202a-\u202e\u2066-\u2069]|[A-Za-z][\u200b-\u200d\u2060\ufeff]+[A-Za-z]"
    r"|\x1b[\]\[P_^]"
)
#: A run that may be a sentence in base64.
_ENCODED = patterns.lazy(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40,4000}={0,2}(?![A-Za-z0-9+/=_-])")
MOST_RUNS = 20


def orders(text: str) -> bool:
    """Return whether a text instructs its reader; generous, because missing one is harmful."""
    shown = controls.clean(text)
    return any(rule.search(shown) for rule in (_ORDER, _FOREIGN, _TURN))


def steers(text: str) -> bool:
    """Return whether a text has marks of an attack, including hidden and encoded text."""
    if (not text.isascii() or "\x1b" in text) and _HIDDEN.search(text):
        return True
    shown = controls.clean(text)
    # A speaker precedes a turn; `_LIKE_ASCII` letters are treated as the patterns treat them.
    low = shown.translate(_LIKE_ASCII).lower().removeprefix("assistant:")
    for words, rule in _STEERS:
        for one in words:
            if one in low:
                if rule.search(shown):
                    return True
                break
    return _hides_orders(shown)


def _hides_orders(text: str) -> bool:
    """Return whether a run of base64 is a sentence that instructs its reader."""
    runs = (found[0] for found, _ in zip(_ENCODED.finditer(text), range(MOST_RUNS), strict=False))
    return any(orders(said) or steers(said) for said in map(_decoded, runs) if said)


def _decoded(run: str) -> str:
    """Return the text of a run of base64, "" if it is not text."""
    whole = run.rstrip("=")
    try:
        said = base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return said if said.isprintable() and " " in said else ""
