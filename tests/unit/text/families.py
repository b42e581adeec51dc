# ruff: noqa: E501
"""Texts with a secret each, as templates: families of vendors' keys, and forms in which people and programs write secrets.

`{w40}` stands for forty letters and digits, made anew in every run, so that no scanner of repositories finds one here.
A `~` in a template is nothing: it parts the prefixes that such scanners know. `⏎` is a line end, `·` and `¬` are unseen.
"""

import random
import re
import string
from typing import NamedTuple

_ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "u": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "U": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "d": string.digits,
    "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
_WORDS = "acorn banjo cobalt dagger ember fjord gravel hazel ivory jigsaw kettle lagoon meadow nickel orchid pebble".split()
_PLACE = re.compile(r"\{([whHubUlda])(\d+)\}|\{(p|simple|words|pin|uuid)\}")
_SIGNS = str.maketrans("⏎·¬⎋", "\n\u200b\u00ad\x1b")

#: Tokens of issuers.
TOKENS = r"""
gh~p_{w36}
gho_~{w36}
ghu_~{w36}
ghs_~{w36}
ghr_~{w76}
github_~pat_{w22}_{w59}
glpat~-{u20}
glpat~-{u27}.01.{l9}
gloas~-{h64}
gldt~-{u20}
glrt~-{u20}
glrtr~-{u20}
glcbt~-1_{u20}
glptt~-{h40}
glft~-{u20}
glimt~-{l25}
glagent~-{u50}
glsoat~-{u20}
glffct~-{u20}
glwt~-{u26}
BBDC~-{b44}
ATATT~3xFfGF0{u180}=1A2B3C4D
npm_~{w36}
pypi-~AgEIcHlwaS5vcmc{u120}
rubygems_~{h48}
oy2~{l43}
cio~{w32}
packagist_~ort_{h68}
CLOJARS_~{h60}
dckr_~pat_{u27}
dckr_~oat_{w32}
AKCp~8{w68}
cmVmd~{w59}
bkua_~{h40}
CCIPAT_~{w22}_{h40}
pat.~{u22}.{h24}.{w20}
API-~{U30}
squ_~{h40}
sqp_~{h40}
sgp_~local_{h40}
pnu_~{w36}
pul-~{h40}
expo_~{u40}
sk-ant-~api03-{u93}AA
sk-ant-~admin01-{u93}AA
sk-ant-~sid01-{u86}-{u8}
sk-or-~v1-{h64}
sk-~proj-{u74}T3BlbkFJ{u73}
sk-~svcacct-{u74}T3BlbkFJ{u58}
sk-~{w20}T3BlbkFJ{w20}
sk-~{h32}
sess-~{w40}
AIza~Sy{u33}
AQ.~Ab8{u47}
ya29.~{u180}
GOCSPX~-{u28}
1//0~g{u70}
hf_~{w34}
r8_~{w37}
gsk_~{w52}
xai-~{w80}
pplx-~{h48}
pa-~{u43}
tgp_~v1_{u43}
sk_~{h48}
jina_~{h32}{u28}
fw_~{w24}
csk-~{l48}
nvapi-~{u64}
pcsk_~{w6}_{w60}
lsv2_~pt_{h32}_{h10}
ls__~{h32}
tvly-~dev-{w32}
fc-~{h32}
e2b_~{h40}
bb_live_~{u27}
ak-~{w22}
esecret_~{l26}
wandb_v1_~{w77}
AKIA~{a16}
ASIA~{a16}
ABSK~QmVkcm9ja0FQSUtleS{b90}
FwoGZX~IvYXdzE{b300}
amzn.mws.~{uuid}
LTAI~5t{w18}
AKID~{w32}
dop_~v1_{h64}
HRKU-~AA{u58}
fo1_~{u43}
fm2_~{b80}
nfp_~{w36}
vcp_~{w56}
cfk_~{w40}{h8}
cfut_~{w40}{h8}
cfat_~{w40}{h8}
v1.0-~{h24}-{h146}
rnd_~{w28}
tskey-~auth-{w16}-{w32}
hvs.~{u95}
sha256~~{u43}
dp.st.~prd.{w43}
ops_~eyJ{w250}
A3-~{U6}-{U6}-{U5}-{U5}-{U5}-{U5}
AGE-SECRET-~KEY-1{U58}
nsec1~{l58}
dapi~{h32}
dose~{h32}
dbtc_~{w40}
pscale_~tkn_{u43}
sbp_~{h40}
sb_~secret_{u31}
napi_~{w64}
AVNS_~{u19}
4b1d~{w38}
cflt~{b60}
glsa_~{w32}_{h8}
glc_~eyJ{w120}
eyJrIjoi~{w70}
NRAK-~{U27}
sntrys_~eyJ{w100}
dt0c01.~{U24}.{U64}
hcaik_~{l58}
xaat-~{uuid}
phx_~{w43}
sdk-~{uuid}
xox~b-{d12}-{d13}-{w24}
xox~p-{d12}-{d12}-{d13}-{h32}
xapp-~1-{U11}-{d13}-{h64}
xoxe.~xoxp-1-{w160}
SG.~{u22}.{u43}
xkeysib-~{h64}-{w16}
key-~{h32}
{h32}-{h8}-{h8}
md-~{u22}
mlsn.~{h64}
re_~{w8}_{w24}
SK~{h32}
sk_~live_{w24}
rk_~test_{w99}
whsec_~{w32}
sq0~atp-{u22}
EAAAE~{u60}
access_token$~production${l16}${h32}
access-~production-{uuid}
pdl_~live_apikey_{l26}_{w22}_{w3}
polar_~oat_{w43}
EZAK~{w54}
FLWSECK_TEST~-{h32}-X
rzp_~live_{w14}
live_~{w30}
shippo_~live_{h40}
duffel_~live_{u43}
shpat_~{h32}
shptka_~{h32}
lin_~api_{w40}
ntn_~{w46}
secret_~{w43}
pat~{w14}.{h64}
pat-na1-~{uuid}
1/~{d16}:{h32}
pk_~{d8}_{U32}
figd_~{u40}
sl.~u.{u130}
CFPAT-~{u43}
PMAK-~{h24}-{h34}
fio-u-~{u64}
AQVN~{u36}
y0_~AgAAAA{u55}
aio_~{w28}
p8e-~{w32}
sk.~eyJ{w60}.{u22}
00D~{w12}!AQ{w90}
EAA~{w180}
AAAAAAAAAAAAAAAAAAAAA~{w40}%2FU%3D{w40}
oauth:~{l30}
{d9}:AA~{u33}
AAAA{w7}:~APA91b{u134}
M{w23}.{u6}.{u38}
{h32}-us~12
{w3}8Q~~{w34}
{w76}AZDO{w4}
{w52}JQQJ99{w26}
{w14}.~atlasv1.{u64}
2{w26}_~{w21}
{h10}msh{h15}p1{h5}jsn{h12}
{w6}_{w29}_mmk
https://hooks.~slack.com/services/T0AAA1/B0BBB2/{w24}
https://discord.~com/api/webhooks/{d18}/{u68}
https://contoso.~webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{h32}/{uuid}
https://hooks.~zapier.com/hooks/catch/{d7}/{l7}
"""
#: What programs, files and shells hold.
FORMS = r"""
AZURE_DEVOPS_PAT={l52}
Authorization: SSWS 00{u40}
X-Auth-Key: {h37}
X-API-KEY: {w40}
curl -H "X-Auth-Key: {h37}" https://api.example.org/v4
x-functions-key: {u54}
Ocp-Apim-Subscription-Key: {h32}
Authorization: GenieKey {uuid}
Authorization: Splunk {uuid}
Authorization: Basic {b40}==
Proxy-Authorization: Basic {b32}=
Private-Token: {u20}
client-key-data: LS0tLS1CRUdJTiBSU0Eg{b300}==
    client-key-data: {b400}
ALGOLIA_ADMIN_KEY={h32}
DD_APP_KEY={h40}
SECRET_KEY = 'django-insecure-({w20}%{w10}^&{w10}'
SECRET_KEY='django-insecure-{w8}$({w12}!{w20}'
app.secret_key = b"_5#y2L\"F4{w8}Q8z\n\xec]/"
app.secret_key = b'{h48}'
app.config["SECRET_KEY"] = "{h32}"
SECRET_KEY_BASE: {h128}
APP_KEY=base64:{b43}=
private key 0x{h64}
PRIVATE_KEY=0x{h64}
privateKey: "{h64}"
the wallet's private key is {h64}
bob:$apr1${w8}${w22}
bob:{SHA}{b27}=
bob:$2y$10${w53}
root:$6${w16}${w86}:19000:0:99999:7:::
root:$y$j9T${w22}${w43}:19700:0:99999:7:::
password_hash = "pbkdf2_sha256$600000${w22}${b43}="
argon2: $argon2id$v=19$m=65536,t=3,p=4${b22}${b43}
scrypt:32768:8:1${w16}${h128}
Administrator:500:{h32}:{h32}:::
SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=
enable secret 5 $1${w4}${w22}
password: hunter2
password = "hunter22"
Password: dragon77
PASSWORD={d8}
db_password: {p}
mysql_root_password = {p}
DB_PASS={p}
SMTP_PW={p}
"dbPassword": "{p}"
{'user': 'bob', 'password': '{p}'}
password: str = "{p}"
String password = "{p}";
var pwd = `{p}`;
cfg.setPassword("{p}")
new Client({ password: '{p}' })
$db_pass = '{p}';
define( 'AUTH_KEY', '{p}{w20}' );
putenv("API_TOKEN={w32}")
<add key="ApiPassword" value="{p}" />
<property name="password" value="{p}"/>
<key>Password</key><string>{p}</string>
<password>{p}</password>
<SecretKey>{w40}</SecretKey>
- name: DB_PASSWORD⏎  value: {p}
- name: API_TOKEN⏎  value: "{w40}"
"name": "DB_PASSWORD", "value": "{p}"
password: >-⏎  {p}
password: |⏎    {p}
Password:⏎{p}
CREATE USER bob WITH PASSWORD '{p}';
CREATE USER 'bob'@'%' IDENTIFIED BY '{p}';
ALTER ROLE app PASSWORD '{p}'
machine api.internal login bob password {p}
db.internal:5432:shop:bob:{p}
psql "host=db user=bob password={p} dbname=x"
jdbc:postgresql://db/x?user=bob&password={p}
Server=db;Uid=sa;Pwd={p};
postgres://app:{p}@db/x
https://bob:{p}@nexus.internal/repo
redis://:{w32}@cache:6379
https://{w40}@github.com/a/b.git
git remote set-url origin https://x-access-token:{w40}@github.com/a/b.git
curl -u bob:{p} https://x.internal
curl --user 'bob:{p}' https://x.internal
curl -ubob:{p} https://x.internal
wget --password={p} ftp://x
mysql -u root -p{p} shop
sshpass -p {p} ssh bob@host
redis-cli -a {p} ping
mongosh -u bob -p {p} db
docker login -u bob -p {p} ghcr.io
echo '{p}' | docker login --password-stdin; docker login -p {p}
7z x -p{p} a.7z
openssl enc -aes-256-cbc -pass pass:{p} -in a
sqlcmd -S db -U sa -P {p}
helm install x --set auth.password={p}
kubectl create secret generic x --from-literal=password={p}
vault login -method=token token={u26}
export GITHUB_TOKEN={w40}
set FOO_SECRET={w40}
setx API_KEY "{w40}"
$env:API_KEY = '{w40}'
ENV API_KEY={w40}
ARG TOKEN={w40}
heroku config:set SECRET={w40}
//registry.npmjs.org/:_authToken={w40}
_auth={b44}=
{"auths": {"ghcr.io": {"auth": "{b40}=="}}}
Cookie: session={w40}; csrftoken={w32}
Set-Cookie: sid={w40}; Path=/; HttpOnly
GET /v1/items?api_key={h32}&page=2
https://files.example/a.pdf?sv=2022&sig={b43}%3D
https://app.example/cb#access_token={w60}&state=1
https://x.example/?code={w40}
otpauth://totp/x:bob?secret={a32}&issuer=x
token%3D~gh~p_{w36}
password%3D{p}
%22password%22%3A%22{p}%22
&quot;password&quot;:&quot;{p}&quot;
{\"password\": \"{p}\"}
"{\"api_key\":\"{h32}\"}"
first\ngh~p_{w36}\nlast
\u0022token\u0022:\u0022{w40}\u0022
Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=R;SharedAccessKey={b43}=
AccountKey={b86}==;EndpointSuffix=core.windows.net
PrivateKey = {b43}=
PresharedKey = {b43}=
"private_key_jwk": {"kty":"EC","d":"{u43}","x":"{u3}"}
wpa_passphrase={p}
psk="{p}"
[masked: password] and token={w40}
"""
#: What people say.
PROSE = r"""
The database password is {p}.
the database password is {p}
My password is {p}, please remember it.
the password for the staging server is {p}
the password of user bob on db1.internal is {p}
The password (prod) is {p}
password on the router is now {p}
I changed the password to {p}
the password has been reset to {p}
the root password was {p} before
pwd for the box = {p}
the wifi password is "{p}"
The admin password should be {p}
log in as bob with password {p}
user: bob, password: {p}
user bob password {p}
username admin and password {p}
The password is hunter2.
the password is "swordfish"
Password - {p}
password → {p}
das Passwort lautet {p}
Das Passwort für die Datenbank ist {p}.
Kennwort: {p}
das WLAN-Passwort ist jetzt {p}
le mot de passe est {p}
Le mot de passe de la base est {p}.
mot de passe : {p}
la contraseña es {p}
La contraseña de la base de datos es {p}
contraseña: {p}
la clave del servidor es {p}
a senha é {p}
A senha do banco é {p}
la password è {p}
La password del server è {p}
het wachtwoord is {p}
lösenordet är {p}
hasło to {p}
пароль: {p}
пароль от базы — {p}
пароль {p}
パスワードは{p}です
パスワードは「{p}」です。
パスワード：{p}
密码是{p}
密码：{p}
数据库的密码为 {p}
비밀번호는 {p}입니다
şifre: {p}
mật khẩu là {p}
the passphrase is {words}
Passphrase: {words}
the vault passphrase is "{words}"
password: "{words}"
seed phrase: {words} {words} {words}
recovery phrase: {words} {words} {words}
My PIN is {pin}.
the PIN for the card is {pin}
PIN: {pin}
Mon code PIN est {pin}
Die PIN lautet {pin}
El PIN es {pin}
the alarm code is {pin}
the door code is {pin}
the passcode is {pin}
the API key is {w40}
our api key for maps: {w40}
Der API-Schlüssel ist {w40}.
la clé API est {w40}
la clave API es {w40}
the token is {w40}
use the token {w40} for deploys
the bot token: {w40}
the secret is {w40}
the access key is {w40}
APIキーは {w40} です
API密钥是{w40}
токен: {w40}
ｐａｓｓｗｏｒｄ：{p}
ｇｈｐ_~{w36}
gh~p_{w20}·{w16}
g·hp_~{w36}
pass¬word: {p}
⎋[32mgh~p_{w36}⎋[0m
“password”: “{p}”
"""


class Case(NamedTuple):
    """A text, and what must not be left of it."""

    text: str
    secrets: tuple[str, ...]


def cases(seed: int = 30) -> list[Case]:
    """Return a text of each template, other secrets for another seed."""
    chance = random.Random(seed)
    lines = [line for group in (TOKENS, FORMS, PROSE) for line in group.strip().split("\n")]
    return [_case(line, chance) for line in lines]


def _case(template: str, chance: random.Random) -> Case:
    secrets: list[str] = []

    def made(place: re.Match[str]) -> str:
        kind, count, word = place.groups()
        if kind:
            value = "".join(chance.choice(_ALPHABETS[kind]) for _ in range(int(count)))
        elif word == "words":
            value = " ".join(chance.sample(_WORDS, 4))
        elif word == "pin":
            value = str(chance.randrange(1000, 9999))
        elif word == "uuid":
            digits = "".join(chance.choice("0123456789abcdef") for _ in range(32))
            value = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        else:
            value = f"{chance.choice('KTMZ')}r{chance.choice('aeiou')}b9{chance.choice('!%*+')}{chance.choice('xyz')}{chance.randrange(10, 99)}L"
        if len(value) > 3:
            secrets.append(value)
        return value

    text = template.translate(_SIGNS)
    text = _PLACE.sub(made, text.replace("~~", "\1").replace("~", "").replace("\1", "~"))
    return Case(text, tuple(secrets) or _written(text))


def _written(text: str) -> tuple[str, ...]:
    """Return the secret of a template that has it written out."""
    return tuple(re.findall(r"hunter\d+|dragon\d+|swordfish", text))
