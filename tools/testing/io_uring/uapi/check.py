#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the io_uring user headers with the tables of facts beside this file.

Each row of constants.tsv and structs.tsv becomes a static assertion, compiled as C and
as C++, for 64 and 32 bits. Each header must also compile alone, twice in a row, as
strict C90 and as C++. In the other direction the headers may declare nothing that the
tables do not have: no constant, no structure, no field.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "../../../.."))
HEADERS = ["linux/io_uring.h", "linux/io_uring/zcrx.h", "linux/io_uring/query.h",
           "linux/io_uring/bpf_filter.h", "linux/io_uring/mock_file.h"]


class Tally:
    def __init__(self, verbose):
        self.passed = self.failed = self.skipped = 0
        self.verbose = verbose

    def result(self, what, why=""):
        """One check; @why says what is wrong with it, empty: nothing."""
        if why:
            self.failed += 1
            print(f"FAIL {what}: {why}")
        else:
            self.passed += 1
            if self.verbose:
                print(f"ok {what}")

    def skip(self, what, count, why):
        self.skipped += count
        print(f"SKIP {what}: {why}")


def read_table(name, columns):
    """Rows of a table, as tuples. A malformed table is an error of its own."""
    rows, seen = [], set()
    with open(os.path.join(HERE, name), encoding="ascii") as f:
        for nr, line in enumerate(f, 1):
            if line.startswith("#"):
                continue
            row = tuple(line.rstrip("\n").split("\t"))
            if len(row) != columns:
                sys.exit(f"{name}:{nr}: {len(row)} columns, expected {columns} "
                         "separated by tabs")
            key = row[:1] if columns == 4 and name.startswith("const") else row[:2]
            if key in seen:
                sys.exit(f"{name}:{nr}: {' '.join(key)} is there twice; remove one")
            seen.add(key)
            rows.append(row)
    return rows


def constant_check(name, value):
    """An expression that holds if @name has @value, sign included."""
    if int(value) > 0x7fffffffffffffff:
        return f"(unsigned long long)({name}) == {value}ULL && ({name}) > 0"
    return f"(long long)({name}) == {value}LL"


def struct_check(struct, field, offset, size):
    if field == "*":
        return f"sizeof(struct {struct}) == {size}"
    bare = re.sub(r"\[\d*\]$", "", field)
    at = f"offsetof(struct {struct}, {bare}) == {offset}"
    if bare != field:
        return at
    return at + f" && sizeof(((struct {struct} *)0)->{field}) == {size}"


def first_error(stderr):
    lines = stderr.strip().splitlines() or ["the compiler said nothing"]
    return next((line for line in lines if "error:" in line), lines[0])


def compile_lines(cmd, lines, path):
    """Compile; returns {line number: first error} and the rest of the output."""
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    run = subprocess.run(cmd + ["-fsyntax-only", path], capture_output=True, text=True)
    errors = {}
    for line in run.stderr.splitlines():
        m = re.match(re.escape(path) + r":(\d+):(?:\d+:)? (?:fatal )?error: (.*)", line)
        if m:
            errors.setdefault(int(m.group(1)), m.group(2))
    return errors, run


def check_rows(tally, label, cmd, checks, tmp, suffix):
    """One static assertion per line, so that an error names its row."""
    word = "static_assert" if suffix == "cc" else "_Static_assert"
    head = ["#include <stddef.h>"] + [f"#include <{h}>" for h in HEADERS]
    lines = head + [f'{word}({expr}, "");' for _, expr in checks]
    errors, run = compile_lines(cmd, lines, os.path.join(tmp, f"rows.{suffix}"))
    if run.returncode and not any(nr > len(head) for nr in errors):
        tally.result(f"{label}: all rows", f"does not compile: {first_error(run.stderr)}")
        return
    for nr, (what, _) in enumerate(checks, len(head) + 1):
        why = errors.get(nr, "")
        if "assert" in why:
            why = "value differs from the table"
        tally.result(f"{label}: {what}", why)


def check_alone(tally, label, cmd, flags, tmp, suffix):
    for header in HEADERS:
        path = os.path.join(tmp, f"alone.{suffix}")
        _, run = compile_lines(cmd + flags, [f"#include <{header}>"] * 2, path)
        tally.result(f"{label}: {header} alone",
                     first_error(run.stderr) if run.returncode else "")


def tokens_of(text):
    return re.findall(r'"[^"]*"|\w+|[^\s\w]', text)


class Parser:
    """Reads what a C header declares: enums with their tags, structs with their fields."""

    def __init__(self, tokens):
        self.tok = tokens
        self.pos = 0
        self.enumerators = {}	# name -> tag of the enum
        self.structs = {}	# tag -> list of field paths

    def peek(self):
        return self.tok[self.pos] if self.pos < len(self.tok) else ""

    def take(self):
        self.pos += 1
        return self.tok[self.pos - 1]

    def attributes(self):
        while self.peek() == "__attribute__":
            self.take()
            depth = 0
            while True:
                depth += {"(": 1, ")": -1}.get(self.take(), 0)
                if not depth:
                    break

    def parse(self):
        while self.pos < len(self.tok):
            word = self.take()
            if word == "enum":
                self.enum()
            elif word in ("struct", "union"):
                self.aggregate()

    def enum(self):
        tag = self.take() if self.peek() != "{" else ""
        if self.peek() != "{":
            return
        self.take()
        while self.peek() != "}":
            self.enumerators[self.take()] = tag
            while self.peek() not in (",", "}"):
                self.take()
            if self.peek() == ",":
                self.take()
        self.take()

    def aggregate(self):
        """After the word struct or union; None if it has no body."""
        self.attributes()
        tag = self.take() if re.match(r"\w", self.peek()) else ""
        if self.peek() != "{":
            return None
        self.take()
        fields = []
        while self.peek() != "}":
            fields += self.member()
        self.take()
        self.attributes()
        if tag:
            self.structs[tag] = fields
        return fields

    def member(self):
        inner, words = None, []
        while self.peek() != ";":
            self.attributes()
            word = self.take()
            if word in ("struct", "union"):
                inner = self.aggregate()
            elif word == "[":
                while self.take() != "]":
                    pass
            elif re.match(r"[A-Za-z_]", word):
                words.append(word)
        self.take()
        if inner is not None:
            if not words:
                return inner
            return words[-1:] + [f"{words[-1]}.{field}" for field in inner]
        return words[-1:]


def declared(cmd, include, tmp):
    """What our headers declare: macros, {enumerator: tag}, {struct: fields}."""
    path = os.path.join(tmp, "all.c")
    with open(path, "w", encoding="ascii") as f:
        f.write("".join(f"#include <{h}>\n" for h in HEADERS))
    run = subprocess.run(cmd + ["-E", "-dD", path], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"the headers do not compile: {first_error(run.stderr)}")
    ours = {os.path.realpath(os.path.join(include, h)) for h in HEADERS}
    macros, text, inside = set(), [], False
    for line in run.stdout.splitlines():
        m = re.match(r'# \d+ "([^"]*)"', line)
        if m:
            inside = os.path.realpath(m.group(1)) in ours
            continue
        if not inside:
            continue
        m = re.match(r"#define (\w+)(\(?)(.*)", line)
        if m and (m.group(2) or m.group(3).strip()):
            macros.add(m.group(1))	# one without a value is an include guard
        elif not line.startswith("#"):
            text.append(line)
    parser = Parser(tokens_of("\n".join(text)))
    parser.parse()
    return macros, parser.enumerators, parser.structs


def check_complete(tally, cmd, include, tmp, constants, structs):
    macros, enumerators, tags = declared(cmd, include, tmp)
    known = {row[0] for row in constants}
    fields = {}
    for struct, field, _, _ in structs:
        fields.setdefault(struct, set()).add(re.sub(r"\[\d*\]$", "", field))
    for name in sorted(macros | set(enumerators)):
        tally.result(f"table has {name}", "" if name in known else
                     "declared, but not in constants.tsv; add it or remove the declaration")
    for name, _, group, _ in constants:
        if group.startswith("enum "):
            tag = enumerators.get(name)
            tally.result(f"{name} in {group}", "" if tag == group[5:] else
                         f"is in {'enum ' + tag if tag else 'no enum of a name'}")
    for tag, names in sorted(tags.items()):
        for name in ["*"] + [n for n in names if not n.startswith("__empty_")]:
            tally.result(f"table has struct {tag} {name}",
                         "" if name in fields.get(tag, ()) else
                         "declared, but not in structs.tsv; add it or remove the declaration")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", default=os.path.join(TOP, "include/uapi"),
                        help="folder that holds linux/io_uring.h (default: include/uapi)")
    parser.add_argument("--cc", default=os.environ.get("CC", "gcc"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("-v", action="store_true", help="name each check that passes")
    args = parser.parse_args()

    if not os.path.exists(os.path.join(args.include, HEADERS[0])):
        sys.exit(f"no {HEADERS[0]} under {args.include}; name another folder with --include")
    if not shutil.which(args.cc):
        sys.exit(f"no C compiler {args.cc}; install gcc or name one with --cc")
    constants = read_table("constants.tsv", 4)
    structs = read_table("structs.tsv", 4)
    checks = [(row[0], constant_check(row[0], row[1])) for row in constants]
    checks += [(f"struct {s} {f}", struct_check(s, f, o, n)) for s, f, o, n in structs]

    tally = Tally(args.v)
    with tempfile.TemporaryDirectory() as tmp:
        base = ["-I", args.include]
        multi = subprocess.run([args.cc, "-print-multiarch"], capture_output=True,
                               text=True).stdout.strip()
        if multi:	# where <asm/types.h> is, for -m32 too
            base += ["-idirafter", f"/usr/include/{multi}"]
        check_complete(tally, [args.cc] + base, args.include, tmp, constants, structs)
        for lang, compiler, std, alone, suffix in (
                ("C", args.cc, "-std=gnu11", ["-std=c90", "-Wall", "-Werror"], "c"),
                ("C++", args.cxx, "-std=gnu++11", ["-std=c++11", "-Wall", "-Werror"], "cc")):
            for bits in ("-m64", "-m32"):
                label = f"{lang} {bits}"
                cmd = [compiler, bits] + base
                count = len(checks) + len(HEADERS)
                if not shutil.which(compiler):
                    tally.skip(label, count, f"no {compiler} on this machine")
                    continue
                _, run = compile_lines(cmd, ["#include <stddef.h>",
                                                 "#include <linux/types.h>"],
                                           os.path.join(tmp, f"probe.{suffix}"))
                if run.returncode:
                    tally.skip(label, count, f"{compiler} cannot compile for {bits}")
                    continue
                check_rows(tally, label, cmd + [std], checks, tmp, suffix)
                check_alone(tally, label, cmd, alone, tmp, suffix)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
