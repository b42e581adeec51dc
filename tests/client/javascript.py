"""Write the types of `@signetai/client`: `PYTHONPATH=tests python -m client.javascript`.

Those of the API are made from its OpenAPI description, those of the client by TypeScript from its sources.
Request fields are in camelCase, which the daemon accepts everywhere; answer fields are as it sends them.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support.http import an_api
from support.typescript import Schema, kind_of

PACKAGE = Path(__file__).parents[2] / "clients" / "javascript"
TYPES = PACKAGE / "types" / "api.d.ts"
FIELDS = PACKAGE / "src" / "fields.js"
#: The modules that users import from, directly or not.
PUBLIC = ("errors", "events", "index", "signet")
_TSC = PACKAGE / "node_modules" / ".bin" / "tsc"
TSC = _TSC if _TSC.exists() else None
_HEAD = "// Written from /openapi.json by `PYTHONPATH=tests python -m client.javascript`; not to be edited.\n"
_JSON = "application/json"


def described() -> Schema:
    """Return the OpenAPI description."""
    with tempfile.TemporaryDirectory() as folder, an_api(Path(folder) / "agents") as api:
        found: Schema = api.get("/openapi.json").body
    return found


def source(api: Schema) -> str:
    """Return the types: every route with a JSON answer, then the schemas that they name."""
    ways = [(path, how, way) for path, found in api["paths"].items() for how, way in found.items()]
    routes = [row for path, how, way in ways for row in _route(path, how, way)]
    schemas = api["components"]["schemas"]
    asked = [(way.get("requestBody"), way.get("parameters")) for *_, way in ways]
    sent = _named(schemas, asked)
    used = sent | _named(schemas, [way["responses"] for *_, way in ways])
    types = "".join(_type(name, schemas[name], is_sent=name in sent) for name in sorted(used))
    return f"{_HEAD}\n/** Every route with a JSON answer. */\nexport interface Routes {{\n{''.join(routes)}}}\n{types}"


def fields(api: Schema) -> str:
    """Return the names of the fields of each route that a method of the client calls."""
    sources = "".join(path.read_text("utf-8") for path in (PACKAGE / "src").glob("s*.js"))
    rows = []
    for path, how, way in (
        (path, how, way) for path, found in api["paths"].items() for how, way in found.items()
    ):
        route = f"{how.upper()} {path}"
        if not re.search(rf'this\.(?:request|#deliver)\("{re.escape(route)}"', sources):
            continue
        body = way.get("requestBody", {}).get("content", {}).get(_JSON, {}).get("schema", {})
        names = [one["name"] for one in way.get("parameters", ()) if one["in"] == "query"]
        for schema in re.findall(r"schemas/(\w+)", json.dumps(body)) if how != "get" else ():
            names += api["components"]["schemas"][schema].get("properties", ())
        rows.append(f'  "{route}": "{" ".join(sorted({camel(name) for name in names}))}",\n')
    kind = "/** @type {Record<string, string | undefined>} */"
    return f"{_HEAD}\n{kind}\nexport const FIELDS = {{\n{''.join(rows)}}}\n"


def camel(name: str) -> str:
    """Return `agentId` for `agent_id`."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def _named(schemas: Schema, places: Iterable[object]) -> set[str]:
    """Return the names of the schemas that are reachable from places."""
    found: set[str] = set()
    waiting = [*places]
    while waiting:
        fresh = {*re.findall(r"schemas/(\w+)", json.dumps(waiting.pop()))} - found
        found |= fresh
        waiting += [schemas[name] for name in fresh]
    return found


def _route(path: str, how: str, way: Schema) -> Iterator[str]:
    answer = next(
        (
            content[_JSON]["schema"]
            for status, one in way["responses"].items()
            if status.startswith("2") and _JSON in (content := one.get("content", {}))
        ),
        None,
    )
    if answer is None:
        return
    yield _comment(way.get("description"), "  ")
    yield f'  "{how.upper()} {path}": {{\n'
    parameters = [one for one in way.get("parameters", ()) if one["in"] in ("path", "query")]
    in_path = "".join(f"{one['name']}: string; " for one in parameters if one["in"] == "path")
    if in_path:
        yield f"    path: {{ {in_path}}};\n"
    if queries := [one for one in parameters if one["in"] == "query"]:
        mark = "" if any(one["required"] for one in queries) else "?"
        yield f"    query{mark}: {{\n"
        for one in queries:
            yield _comment(one.get("description"), "      ")
            yield _field(
                camel(one["name"]),
                one["schema"],
                is_sent=True,
                is_required=one["required"],
                indent=6,
            )
        yield "    };\n"
    if body := way.get("requestBody"):
        kind = kind_of(body["content"].get(_JSON, {}).get("schema", {}))
        yield f"    body{'' if body.get('required') else '?'}: {kind};\n"
    yield f"    answer: {kind_of(answer)};\n  }};\n"


def _type(name: str, schema: Schema, *, is_sent: bool) -> str:
    if schema.get("type") != "object" or "properties" not in schema:
        return f"\n{_comment(schema.get('description'))}export type {name} = {kind_of(schema)};\n"
    required = schema.get("required", ())
    rows = "".join(
        _comment(field.get("description"), "  ")
        + _field(
            camel(key) if is_sent else key, field, is_sent=is_sent, is_required=key in required
        )
        for key, field in schema["properties"].items()
    )
    return f"\n{_comment(schema.get('description'))}export interface {name} {{\n{rows}}}\n"


def _field(name: str, schema: Schema, *, is_sent: bool, is_required: bool, indent: int = 2) -> str:
    kind = kind_of(schema)
    if is_sent and not is_required and kind != "unknown":
        kind += " | undefined"
    return f"{' ' * indent}{name}{'' if is_required else '?'}: {kind};\n"


def _comment(text: Any, indent: str = "") -> str:
    if not text:
        return ""
    lines = str(text).replace("*/", "*\\/").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return (
        f"{indent}/**\n"
        + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
        + f"{indent} */\n"
    )


def stamp() -> str:
    """Return the first line of the compiled types: a digest of the sources."""
    digest = hashlib.sha256()
    for path in sorted((PACKAGE / "src").glob("*.js")):
        digest.update(path.read_bytes())
    return f"// Compiled from src/ with the digest {digest.hexdigest()[:32]}.\n"


def compile_types(folder: Path) -> None:
    """Write the types of the sources into a folder. Raises CalledProcessError with what the compiler found."""
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([str(TSC), "-p", str(PACKAGE), "--outDir", made], check=True)
        for name in PUBLIC:
            text = (Path(made) / f"{name}.d.ts").read_text("utf-8")
            (folder / f"{name}.d.ts").write_text(stamp() * (name == "index") + text, "utf-8")


def main() -> None:
    """Write the types of the API, then those of the sources."""
    TYPES.parent.mkdir(exist_ok=True)
    api = described()
    TYPES.write_text(source(api), "utf-8")
    FIELDS.write_text(fields(api), "utf-8")
    if TSC is not None:
        compile_types(TYPES.parent)
    elif stamp() not in TYPES.with_name("index.d.ts").read_text("utf-8"):
        raise SystemExit("The sources have changed: npm ci in clients/javascript, then again")


if __name__ == "__main__":
    main()
