"""The client for TypeScript: in step with the server's document, packed, installed somewhere else, compiled strictly and run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from beebread import Client, __version__
from beebread.faces.rest import openapi
from tests.served import served

PACKAGE = Path(__file__).parents[2] / "clients" / "typescript"
KEPT = ("src", "scripts", "package.json", "tsconfig.json", "README.md")
pytestmark = [pytest.mark.requirement("M2"), pytest.mark.timeout(240)]


def run(*words: str, cwd: Path, **environment: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with what it is built with."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("the client for TypeScript needs node and npm")
    folder = tmp_path_factory.mktemp("typescript")
    for name in KEPT:
        (shutil.copytree if (PACKAGE / name).is_dir() else shutil.copy)(PACKAGE / name, folder / name)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and not os.environ.get("CI"):
        pytest.skip(f"npm could not install what the client is built with: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    return folder


def test_its_types_are_those_of_the_document(package: Path) -> None:
    (package / "openapi.json").write_bytes(openapi.text())
    (package / "made").mkdir()
    run("node", "scripts/generate.mjs", "openapi.json", "made", cwd=package)
    for name in ("schema.ts", "routes.ts"):
        made, kept = (package / "made" / name).read_text(encoding="utf-8"), (PACKAGE / "src" / name).read_text(encoding="utf-8")
        assert made == kept, f"{name} is out of date: run `make typescript`"


def test_it_says_what_it_is(package: Path) -> None:
    told = json.loads((package / "package.json").read_text(encoding="utf-8"))
    assert told["version"] == __version__ and told["license"] == "Apache-2.0" and "dependencies" not in told
    assert not {"preinstall", "install", "postinstall"} & told["scripts"].keys()


STORY = """
import { Beebread, BeebreadError, Conflict, Forbidden, Invalid, NotFound, Unavailable } from "beebread";

function check(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
async function refused(asked: Promise<unknown>): Promise<BeebreadError> {
  try {
    await asked;
  } catch (error) {
    check(error instanceof BeebreadError, `another error: ${error}`);
    return error;
  }
  throw new Error("it was not refused");
}

const url = process.env.BEEBREAD_URL!;
const ann = new Beebread({ url, token: process.env.ANN });
const bob = new Beebread({ url, token: process.env.BOB });
const { cursor } = await ann.call("changes", {});
const stop = new AbortController();
const seen: string[] = [];
const following = (async () => {
  for await (const change of ann.changes({ cursor, signal: stop.signal })) {
    seen.push(change.id);
    break;
  }
})();

const written = await ann.write("安喜欢龙井茶 / Ann likes green tea", { kind: "preference", key: "tea", tags: ["茶"] });
check(written.status === "active" && written.superseded.length === 0, "written");
await following;
check(seen[0] === written.id, `the feed: ${seen}`);
check((await ann.query("喜欢喝什么茶?", { limit: 3 })).items[0]?.id === written.id, "found");
check((await bob.query("龙井茶")).items.length === 0, "nothing of anybody else's");
check((await bob.get(written.id)) === undefined && (await ann.get("unknown")) === undefined, "unknown and foreign alike");
const got = await ann.get(written.id);
check(got?.type === "memory" && got.tags?.[0] === "茶", "got");
check((await refused(bob.update(written.id, { text: "x" }))) instanceof NotFound, "not found");
const stale = await refused(ann.update(written.id, { text: "x", version: 7 }));
check(stale instanceof Conflict && stale.status === 409 && stale.type === "conflict", "conflict");
check((await refused(ann.write(""))) instanceof Invalid, "invalid");
check((await refused(ann.record("user_message", "x", { at: "soon" }))) instanceof Invalid, "an event that makes no sense");
check((await refused(new Beebread({ url, token: "bb_no_no" }).query("x"))) instanceof Forbidden, "forbidden");
check((await refused(new Beebread({ url, token: process.env.ANN, timeout: 1, retries: 0 }).query("x"))).status === 0, "too late");
check((await refused(new Beebread({ url: "http://127.0.0.1:9", retries: 0 }).query("x"))) instanceof Unavailable, "unavailable");
check((await ann.bind({ user: "bob" }).query("茶")).items.length === 0, "who asks for another user is nobody");

const state = await ann.setState("trip/42", { city: "成都" }, { step: "hotel" });
check(state.version === 1 && (await ann.state("trip/42"))?.fields?.["city"]?.value === "成都", "state");
check((await refused(ann.setState("trip/42", { city: "重庆" }, { version: 5 }))) instanceof Conflict, "a stale state");
check((await ann.state("none")) === undefined, "no state");

const session = ann.bind({ session: "s1" });
for (let number = 0; number < 5; number++) await session.record("user_message", `第 ${number} 句`, { id: `e${number}` });
const listed: string[] = [];
for await (const record of ann.list({ types: ["event"], limit: 2, order: "time" })) listed.push(record.id);
check(listed.join() === "e0,e1,e2,e3,e4", `pages: ${listed}`);
check((await ann.call("trace", { session: "s1" })).events.length === 5, "trace");
check((await ann.context("第 3 句", 800)).tokens <= 800, "context");
check((await ann.forget(written.id, { erase: true })).includes(written.id), "forgotten");
await ann.settle();
console.log("every check held");
"""


def test_packed_installed_compiled_and_run_against_a_server(package: Path, tmp_path: Path) -> None:
    run("npm", "run", "-s", "build", cwd=package)
    packed = package / json.loads(run("npm", "pack", "--json", cwd=package))[0]["filename"]
    user = tmp_path / "user"
    user.mkdir()
    (user / "package.json").write_text('{"name": "user", "private": true, "type": "module"}', encoding="utf-8")
    run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--offline", str(packed), cwd=user)
    inside = {path.relative_to(user / "node_modules" / "beebread").parts[0] for path in (user / "node_modules" / "beebread").rglob("*")}
    assert inside == {"dist", "package.json", "README.md"}
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    (user / "readme.ts").write_text("\n".join(re.findall(r"```ts\n(.*?)```", readme, re.DOTALL)), encoding="utf-8")
    (user / "story.ts").write_text(STORY, encoding="utf-8")
    (user / "node.d.ts").write_text("declare const process: { env: Record<string, string | undefined> };", encoding="utf-8")
    compiler = [
        "node",
        str(package / "node_modules" / "typescript" / "bin" / "tsc"),
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
    ]
    run(*compiler, "--skipLibCheck", "false", "--noUncheckedIndexedAccess", "readme.ts", "story.ts", "node.d.ts", cwd=user)
    with served(tmp_path / "m") as url:
        assert "飞书" in run("node", "readme.js", cwd=user, BEEBREAD_URL=url)
        with Client(tmp_path / "m") as admin:
            tokens = {name.upper(): admin.key_create(user=name).token for name in ("ann", "bob")}
        time.sleep(1.1)
        assert "every check held" in run("node", "story.js", cwd=user, BEEBREAD_URL=url, **tokens)
