#!/usr/bin/env python3
"""Peak memory of the program on hostile files: memory_ceilings.py PROGRAM [PART OF A NAME...]

Makes the files in a temporary folder, gives each to a command, and prints a table in Markdown: the file, its size, the
command, the peak resident memory (ru_maxrss, as reported by the kernel), the time, the exit code and the last line of
output. A row fails if the program panics, is killed, or exceeds LIMIT. Rows that need pyarrow or the zstd program are left
out with a line if these are missing.
"""

import json
import os
import pickle
import pty
import resource
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

PROGRAM = os.path.abspath(sys.argv[1])
WANTED = sys.argv[2:]
# More than this, in MB, is a failure, unless the row says otherwise.
LIMIT = 1024
SENTENCE = "Let the group act on the compact space such that every orbit is closed and the quotient is separated. "

place = tempfile.mkdtemp(prefix="matchbook-memory-")
os.chdir(place)
environment = dict(os.environ, MATCHBOOK_WORKSPACE=place + "/work", XDG_CONFIG_HOME=place + "/config")
environment["HOME"] = place
failures = []


def run(arguments, stdin=None, keys=None):
    """Returns exit code, peak memory in MB, seconds and the last line that was printed."""
    pickle.dump((arguments, stdin, keys), requests)
    requests.flush()
    return pickle.load(answers)


def measure(arguments, stdin, keys):
    def limited():
        # Far beyond any ceiling: the machine survives a failure.
        resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))

    started = time.time()
    output = open("output", "w+b")
    if keys is None:
        given = open(stdin, "rb") if stdin else subprocess.DEVNULL
        child = subprocess.Popen([PROGRAM, *arguments], stdin=given, stdout=output, stderr=output,
                                 env=environment, preexec_fn=limited)
        pid, terminal = child.pid, None
    else:
        pid, terminal = pty.fork()
        if pid == 0:
            limited()
            os.execve(PROGRAM, [PROGRAM, *arguments], dict(environment, TERM="xterm-256color"))
    sent = 0
    while True:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found:
            break
        if terminal is not None:
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    output.write(os.read(terminal, 65536))
                except OSError:
                    pass
            if keys and time.time() - started > 2 + sent:
                os.write(terminal, keys[sent % len(keys)].encode())
                sent += 1
        else:
            time.sleep(0.01)
        if time.time() - started > 180:
            os.kill(pid, signal.SIGKILL)
    output.seek(0)
    text = output.read()[-4000:].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    code = os.waitstatus_to_exitcode(status)
    return code, usage.ru_maxrss / 1024, time.time() - started, lines[-1] if lines and keys is None else ""


def start_runner():
    """A process that runs the commands. The peak of a command is at least the memory of the process that starts it, and
    this one stays small however large the files are that the script makes."""
    asked, request = os.pipe()
    answered, answer = os.pipe()
    if os.fork() == 0:
        os.close(request)
        with os.fdopen(asked, "rb") as asked, os.fdopen(answer, "wb") as answer:
            while True:
                try:
                    wanted = pickle.load(asked)
                except EOFError:
                    os._exit(0)
                pickle.dump(measure(*wanted), answer)
                answer.flush()
    return os.fdopen(request, "wb"), os.fdopen(answered, "rb")


requests, answers = start_runner()


def row(name, file, arguments, make=None, limit=LIMIT, stdin=None, keys=None, cleanup=()):
    if WANTED and not any(word in name for word in WANTED):
        return
    if make:
        make()
    size = os.path.getsize(file) if os.path.isfile(file) else sum(
        os.path.getsize(os.path.join(folder, each)) for folder, _, files in os.walk(file) for each in files)
    code, memory, seconds, last = run(arguments, stdin, keys)
    problem = []
    if code not in (0, 1):
        problem.append(f"exit code {code}")
    if memory > limit:
        problem.append(f"over {limit} MB")
    if "panicked" in last:
        problem.append("panicked")
    if problem:
        failures.append(f"{name}: {', '.join(problem)}")
    words = " ".join(arguments if not stdin else [*arguments, "<", stdin])
    if len(words) > 60:
        words = words[:57] + "..."
    said = last.replace(place + "/", "").replace("|", "\\|")[:110]
    print(f"| {name} | {amount(size)} | `{words}` | {memory:.0f} MB | {seconds:.1f} s | {code} | {said} |", flush=True)
    for path in [file, *cleanup]:
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)


def amount(size):
    for unit, bytes in (("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= bytes:
            return f"{size / bytes:.3g} {unit}"
    return f"{size} B"


def write(path, content):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def sparse(path, size, start=b""):
    write(path, start)
    os.truncate(path, size)


def page(body):
    return f"<!DOCTYPE html><html><head><title>x</title></head><body>{body}</body></html>"


def theorem(statement, proof=SENTENCE * 3):
    return f'<div class="ltx_theorem ltx_theorem_lemma"><p>{statement}</p></div><div class="ltx_proof"><p>{proof}</p></div>'


MB = 1 << 20
print("| input | size | command | peak memory | time | code | last line |\n|---|---|---|---|---|---|---|", flush=True)

# Articles.
extract = ["extract", "a.html", "-o", "new.corpus"]


def article(name, body, **more):
    row(name, "a.html", extract, lambda: write("a.html", body()), cleanup=["new.corpus"], **more)


article("article: nested elements", lambda: page("<div>" * (5 * MB) + theorem(SENTENCE)))
article("article: nested inline elements", lambda: page(theorem("<b><i>" * (4 * MB) + SENTENCE)))
article("article: nested formulas", lambda: page(theorem(SENTENCE + "<math>" + "<mrow>" * (5 * MB) + "<mi>x</mi></math>")))
article("article: nested fractions, closed",
        lambda: page(theorem(SENTENCE + "<math>" + "<mfrac>" * MB + "<mi>x</mi>" + "</mfrac>" * MB + "</math>")))
article("article: nested content MathML",
        lambda: page(theorem(SENTENCE + '<math><semantics><mi>x</mi><annotation-xml encoding="MathML-Content">'
                             + "<apply><plus/>" * (2 * MB) + "</annotation-xml></semantics></math>")))
article("article: entities of entities", lambda: (
    '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 32}">' for i in range(20))
    + "]><html><body>" + theorem(SENTENCE + "&u;" * 1000) + "</body></html>"))
article("article: one attribute", lambda: page(f'<div title="{"a" * (31 * MB)}">{theorem(SENTENCE)}</div>'))
article("article: many attributes", lambda: page("<div " + "".join(f"a{i}=1 " for i in range(2_500_000)) + f">{theorem(SENTENCE)}</div>"))
article("article: many empty elements", lambda: page("<p>" * (10 * MB) + theorem(SENTENCE)))
article("article: many formulas", lambda: page(theorem(SENTENCE + "<math><mi>x</mi></math> " * (MB + MB // 4))))
article("article: many pairs", lambda: page(theorem(SENTENCE) * 60_000))
article("article: one word", lambda: page(theorem(SENTENCE + "a" * (30 * MB))))
row("articles: gzip of 4 GB", "a.html.gz", ["extract", "a.html.gz", "-o", "new.corpus"],
    lambda: subprocess.run("head -c 4G /dev/zero | gzip -1 > a.html.gz", shell=True, check=True), cleanup=["new.corpus"])


def zip_bomb():
    with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        zeros = bytes(31 * MB)
        for number in range(40):
            archive.writestr(f"{number}.html", zeros)


def zip_of_many():
    with zipfile.ZipFile("a.zip", "w") as archive:
        for number in range(300_000):
            archive.writestr(f"{number}.html", "")


row("articles: zip of 1.2 GB", "a.zip", ["extract", "a.zip", "-o", "new.corpus"], zip_bomb, cleanup=["new.corpus"])
row("articles: zip of 300,000 empty files", "a.zip", ["extract", "a.zip", "-o", "new.corpus"], zip_of_many, cleanup=["new.corpus"])
row("metadata: one line", "meta.tsv", ["extract", "a.html", "-o", "new.corpus", "--metadata", "meta.tsv"],
    lambda: (write("a.html", page(theorem(SENTENCE))), sparse("meta.tsv", 8 << 30, b"file\tid\n")), cleanup=["a.html", "new.corpus"])

# Corpora.
run(["demo", "articles"])
extracted = run(["extract", "articles", "-o", "base.corpus", "--metadata", "articles/manifest.tsv"])
fingerprint = extracted[3].split()[-1]


def changed(statement):
    def make():
        shutil.copy("base.corpus", "bad.corpus")
        connection = sqlite3.connect("bad.corpus")
        connection.execute(statement)
        connection.commit()
        connection.close()
    return make


for name, statement in [
    ("a proof of 900 MB", "UPDATE passage SET proof = CAST(zeroblob(900000000) AS TEXT) WHERE row = 0"),
    ("a title of 900 MB", "UPDATE article SET title = CAST(zeroblob(900000000) AS TEXT) WHERE key = 1"),
    ("a split of 900 MB", "INSERT INTO split VALUES ('mixed', 5, zeroblob(900000000))"),
    ("a header that says 2^31 pairs", "UPDATE header SET pairs = 2147483647"),
]:
    for command in (["stats", "bad.corpus"], ["stats", "bad.corpus", "--check"], ["export", "bad.corpus", "-o", "x.jsonl"]):
        row(f"corpus: {name}", "bad.corpus", command, changed(statement), cleanup=["x.jsonl"])
row("corpus: sparse terabyte", "bad.corpus", ["stats", "bad.corpus"],
    lambda: sparse("bad.corpus", 1 << 40, open("base.corpus", "rb").read(4096)))


def index_of_a_terabyte():
    """Rows of a terabyte, in a header whose hash is right."""
    run(["find", "base.corpus", "compact group"])
    path = "base.corpus.index/tfidf-renamed.idx"
    content = open(path, "rb").read()
    length = struct.unpack("=Q", content[16:24])[0]
    header = json.loads(content[56:56 + length])
    for array in header["arrays"]:
        array.update(offset=0, bytes=1 << 39)
    header = json.dumps(header).encode()
    # BLAKE3 is not in the standard library, so the file keeps the old hash if there is no `b3sum`.
    try:
        digest = bytes.fromhex(subprocess.run(["b3sum", "--no-names"], input=header, capture_output=True, check=True).stdout.decode().strip())
    except FileNotFoundError:
        digest = content[24:56]
    sparse(path, 1 << 40, content[:16] + struct.pack("=Q", len(header)) + digest + header)


row("index: sparse terabyte", "base.corpus.index", ["find", "base.corpus", "compact group"], index_of_a_terabyte)

# Files of pairs.
imports = lambda file: ["import", file, "-o", "new.corpus"]
line = json.dumps({"id": "a#1", "statement": "s " * 4_000_000, "proof": "p"}) + "\n"
row("JSON Lines: one line", "x.jsonl", imports("x.jsonl"), lambda: sparse("x.jsonl", 8 << 30, b'{"id":"a'), cleanup=["new.corpus"])
row("JSON Lines: nested", "x.jsonl", imports("x.jsonl"), lambda: write("x.jsonl", "[" * (15 * MB)), cleanup=["new.corpus"])
row("JSON Lines: many keys", "x.jsonl", imports("x.jsonl"),
    lambda: write("x.jsonl", "{" + ",".join(f'"{i}":[]' for i in range(1_200_000)) + "}"), cleanup=["new.corpus"])
row("CSV: one field", "x.csv", imports("x.csv"), lambda: sparse("x.csv", 8 << 30, b'theory,proof,meta\n"'), cleanup=["new.corpus"])
row("CSV: many columns", "x.csv", imports("x.csv"), lambda: write("x.csv", "theory,proof,meta" + "," * (15 * MB) + "\na,b,c\n"), cleanup=["new.corpus"])
row("MATcH text: one line", "x.match", imports("x.match"), lambda: sparse("x.match", 8 << 30, b"1\n"), cleanup=["new.corpus"])
if shutil.which("zstd"):
    def packed(path, text, times):
        write("text", text)
        subprocess.run(f"for i in $(seq {times}); do cat text; done | zstd -q -3 -f -o {path}", shell=True, check=True)

    row("JSON Lines: .zst of 3 GB, one line", "x.jsonl.zst", imports("x.jsonl.zst"),
        lambda: subprocess.run("head -c 3G /dev/zero | zstd -q -f -o x.jsonl.zst", shell=True, check=True), cleanup=["new.corpus"])
    row("JSON Lines: .zst of 3 GB, blank lines", "x.jsonl.zst", imports("x.jsonl.zst"),
        lambda: subprocess.run("yes '' | head -c 3G | zstd -q -f -o x.jsonl.zst", shell=True, check=True), cleanup=["new.corpus"])
    row("collection: .zst of 3 GB", "x.jsonl.zst", ["match", "x.jsonl.zst", "base.corpus", "-o", "m.tsv"],
        lambda: packed("x.jsonl.zst", json.dumps({"text": SENTENCE * 100_000}) + "\n", 300), limit=3072, cleanup=["m.tsv", "text"])
    row("ranks: .zst of 3 GB", "x.tsv.zst", ["assign", "x.tsv.zst", "-o", "m.tsv"],
        lambda: subprocess.run("yes '# nothing' | head -c 3G | zstd -q -f -o x.tsv.zst", shell=True, check=True), cleanup=["m.tsv"])
else:
    print("left out: rows that need the zstd program")
try:
    import pyarrow
    import pyarrow.parquet

    def parquet():
        title = "t" * (10 * MB)
        columns = {"id": [f"a#{i}" for i in range(60)], "statement": [SENTENCE] * 60, "proof": [SENTENCE] * 60, "title": [title] * 60}
        pyarrow.parquet.write_table(pyarrow.table(columns), "x.parquet", compression="zstd", use_dictionary=False,
                                    data_page_size=MB, row_group_size=60)

    def parquet_page():
        columns = {"id": ["a#1"], "statement": ["s" * (900 * MB)], "proof": [SENTENCE]}
        pyarrow.parquet.write_table(pyarrow.table(columns), "x.parquet", compression="zstd", use_dictionary=False)

    row("Parquet: titles of 600 MB", "x.parquet", imports("x.parquet"), parquet, cleanup=["new.corpus"])
    row("Parquet: a value of 900 MB", "x.parquet", imports("x.parquet"), parquet_page, cleanup=["new.corpus"])
except ImportError:
    print("left out: rows that need pyarrow")
row("ranks: one line", "x.tsv", ["assign", "x.tsv", "-o", "m.tsv"], lambda: sparse("x.tsv", 8 << 30, b"0\t1"), cleanup=["m.tsv"])
row("ranks: 12 million numbers in a line", "x.tsv", ["assign", "x.tsv", "-o", "m.tsv"],
    lambda: write("x.tsv", "0\t" + " ".join(str(i) for i in range(6_000_000)) + "\t" + "1 " * 6_000_000), cleanup=["m.tsv"])
row("ranks: proof 4,294,967,295", "x.tsv", ["assign", "x.tsv", "-o", "m.tsv"],
    lambda: write("x.tsv", "0\t4294967295\t1\n4294967294\t0\t1\n"), cleanup=["m.tsv"])

# Model folders.
small = {"vocab_size": 30, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
training = ["train", "base.corpus", "--run", "a", "--encoder", "mathbert", "--init", "model"]


def model(config=small, weights=None, pickled=None, vocabulary="[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n", tokenizer=None):
    def make():
        write("model/config.json", config if isinstance(config, str) else json.dumps(config))
        if vocabulary is not None:
            write("model/vocab.txt", vocabulary)
        for file, content in (("model.safetensors", weights), ("pytorch_model.bin", pickled), ("tokenizer.json", tokenizer)):
            if callable(content):
                content("model/" + file)
            elif content is not None:
                write("model/" + file, content)
    return make


def safetensors(header, size):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return lambda path: sparse(path, size, struct.pack("<Q", len(header)) + header)


def archive(content, method=zipfile.ZIP_DEFLATED):
    def make(path):
        with zipfile.ZipFile(path, "w", method) as file:
            file.writestr("archive/data.pkl", content)
    return make


one = {"w": {"dtype": "F32", "shape": [1 << 30], "data_offsets": [0, 4 << 30]}}
for name, make in [
    ("config.json nested", model(config="[" * (15 * MB))),
    ("2^31 words", model(config=dict(small, vocab_size=1 << 31), weights=safetensors(one, (4 << 30) + 8 + len(json.dumps(one))))),
    ("a header of 100 MB", model(weights=safetensors(b" " * (100 * MB), 200 * MB))),
    ("another model of 4 GB", model(weights=safetensors(one, (4 << 30) + 8 + len(json.dumps(one))))),
    ("a pickle of 2 GB, packed", model(pickled=archive(b"\x80\x02" + b"N" * (2 << 30)))),
    ("a pickle of 15 MB of lists", model(pickled=archive(b"\x80\x02" + b"]" * (15 * MB)))),
    ("a pickle of 15 MB of memo entries", model(pickled=archive(b"\x80\x02N" + b"".join(b"r" + struct.pack("<I", i) for i in range(3 * MB))))),
    ("a vocabulary of 250 MB", model(weights=safetensors({}, 10), vocabulary="\n".join(str(i) for i in range(28_000_000)))),
    ("tokenizer.json nested", model(weights=safetensors({}, 10), vocabulary=None, tokenizer="[" * (250 * MB))),
]:
    row(f"model: {name}", "model", training, make, limit=2048, cleanup=["work"])

# Settings, themes, sessions, recordings, annotations.
config = "config/matchbook/config.toml"
for name, content in [
    ("nested arrays", "keys = " + "[" * (4 * MB - 9)), ("nested tables", "a." * (2 * MB - 9) + "b = 1"),
    ("250,000 keys", "".join(f"k{i} = {i}\n" for i in range(250_000)))]:
    row(f"config.toml: {name}", config, ["runs"], lambda content=content: write(config, content))
row("theme: 60,000 colors", "config/matchbook/themes/x.toml", ["themes"],
    lambda: write("config/matchbook/themes/x.toml", "".join(f"k{i} = '#000'\n" for i in range(60_000))))
row("protected symbols: 4 MB", "p.toml", ["replace", "demo", "--level", "full", "--audit", "--protected", "p.toml"],
    lambda: write("p.toml", "".join(f"['x{i}']\nletters = 'a'\n" for i in range(160_000))))
row("recording: 200 MB", "r.jsonl", ["screens", "r.jsonl", "-o", "pictures"],
    lambda: write("r.jsonl", '{"matchbook-recording":1,"size":{"width":80,"height":24}}\n' + '{"at":1,"resize":{"width":81,"height":25}}\n' * 4_500_000),
    limit=2048, cleanup=["pictures"])
row("recording: one key of 200 MB", "r.jsonl", ["screens", "r.jsonl", "-o", "pictures"],
    lambda: write("r.jsonl", '{"matchbook-recording":1,"size":{"width":80,"height":24}}\n{"at":1,"paste":"' + "x" * (200 * MB) + '"}\n'),
    limit=2048, cleanup=["pictures"])
run(["runs"])
base = "version = 1\n"
for name, content in [
    ("15 MB of rows", "version = 1\n[browse]\nmarked = [" + ", ".join(f"'demo.01#{i}'" for i in range(900_000)) + "]\n"),
    ("nested", "version = 1\nx = " + "[" * (15 * MB))]:
    row(f"session: {name}", "work/sessions/last.toml", [], lambda content=content: write("work/sessions/last.toml", content),
        keys=["\x1b", "q", "y"], cleanup=["work"])


def annotations():
    write(f"work/annotations/{fingerprint}.toml", "".join(f"[pairs.'x#{i}']\nnote = 'n'\n" for i in range(550_000)))


row("annotations: 15 MB", "work/annotations", ["notes", "base.corpus"], annotations)

# Runs.
run(["train", "base.corpus", "--run", "a", "--encoder", "npt", "--preset", "tiny", "--split", "mixed", "--width", "8", "--epochs", "1"])
for file, make in [
    ("metrics.jsonl", lambda path: sparse(path, 1 << 40)),
    ("metrics.jsonl", lambda path: write(path, '{"step":1,"epoch":0.5,"time":5,"loss":1.5}\n' * 3_000_000)),
    ("log.txt", lambda path: sparse(path, 1 << 40)),
    ("log.txt", lambda path: write(path, "epoch 1 of 5\n" * 10_000_000)),
    ("status.json", lambda path: write(path, "[" * (3 * MB))),
    ("notes.toml", lambda path: write(path, "tags = [" + "'a'," * (MB - 9) + "]")),
    ("run.toml", lambda path: write(path, "a = " + "[" * (3 * MB))),
]:
    for command in (["runs"], ["runs", "show", "a"], ["runs", "log", "a"], ["curves", "a", "-o", "c.svg"], ["report", "a", "-o", "c.svg"]):
        path = "work/runs/a/" + file
        shutil.copytree("work", "kept")
        row(f"run: {file}", path, command, lambda path=path, make=make: make(path), cleanup=["c.svg"])
        shutil.rmtree("work")
        os.rename("kept", "work")

# Typed text.
for name, text in [
    ("1 MB of words", "group " * 170_000), ("1 MB of braces", "$" + "{" * MB), ("1 MB of nested fractions", "$" + "\\frac{" * 170_000 + "$"),
    ("1 MB of scripts", "$x" + "^{x" * 340_000 + "$"), ("1 MB of formulas", "$x$ " * 250_000), ("1 MB of left parentheses", "$" + "\\left( " * 140_000 + "$"),
    ("1 MB of matrices", "$" + "\\begin{pmatrix} a & " * 50_000 + "$"), ("20 MB", "a " * (10 * MB))]:
    row(f"find: {name}", "typed", ["find", "base.corpus", "-"], lambda text=text: write("typed", text), stdin="typed")
    row(f"compare: {name}", "typed", ["compare", "-", "--level", "full"], lambda text=text: write("typed", text + "\n---\n" + text), stdin="typed")
row("find --batch: one line", "typed", ["find", "base.corpus", "--batch"], lambda: sparse("typed", 4 << 30, b'{"text":"'), stdin="typed")

os.chdir("/")
shutil.rmtree(place)
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
