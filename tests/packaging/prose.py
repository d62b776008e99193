#!/usr/bin/env python3
"""Prose that is hard to read: sentences of too many words, paragraphs of too many lines.

prose.py FILE...: reports each with file and line; exit code 1 if there are some. Of pages (.md) code, tables, headings
and pictures are left out; an item of a list is a paragraph. Of sources (.c) every text in quotes is read, as messages
and help texts are; their sentences are shorter, and end with their line, too.
"""
import re
import sys

MOST_WORDS, MOST_LINES, COLUMNS = 35, 6, 100  # a line of a page has so many characters
MOST_IN_MESSAGE = 25
# What a source consists of, as far as its texts go: comments, characters, and texts that are one.
SOURCE = re.compile(r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\])+'|((?:\"(?:\\.|[^\"\\])*\"(?:\s|PRI\w+)*)+)", re.S)
# What ends a sentence: not the points of "e.g. 5", "1.5", "et al. (2010)" or initials.
END = re.compile(r"(?<![ .(][A-Za-z])(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)[.!?]['\")*_]*(?=\s|$)")


def paragraphs(lines):
    """(line, text) of each paragraph."""
    fenced, text, begin = False, [], 0
    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        ends = fenced or not stripped or re.match(r"(```|\||#|!\[|    |\$\$|<)", line)
        if (ends or re.match(r"\s*([-*]|\d+\.) ", line)) and text:
            yield begin, " ".join(text)
            text = []
        if not ends:
            begin = begin if text else number
            text.append(re.sub(r"^([-*]|\d+\.) ", "", stripped))


def plain(text):
    """Without what is no word: links' targets, code, formulas."""
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"`[^`]*`", "CODE", text)
    return re.sub(r"\$[^$]*\$", "FORMULA", text)


def too_long(text, most):
    """(words, sentence) of each sentence with more."""
    for sentence in END.split(text):
        words = len(re.findall(r"[\w'-]*\w", sentence))
        if words > most:
            yield words, sentence.strip()


def findings_in_source(path):
    with open(path, encoding="utf-8") as f:
        source = f.read()
    for m in SOURCE.finditer(source):
        text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', m.group(1) or ""))
        for line in (line for line in text.split("\\n") if "{" not in line):  # that is code
            for words, sentence in too_long(re.sub(r"%[-+ 0-9.*]*[a-z]+", "XX", line), MOST_IN_MESSAGE):
                yield source.count("\n", 0, m.start()) + 1, f"a sentence of {words} words: {sentence[:40]}..."


def findings(path):
    if path.endswith(".c"):
        yield from findings_in_source(path)
        return
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, text in paragraphs(lines):
        text = plain(text)
        if len(text) > MOST_LINES * COLUMNS:
            yield number, f"a paragraph of {-(-len(text) // COLUMNS)} lines: {text[:40]}..."
        for words, sentence in too_long(text, MOST_WORDS):
            yield number, f"a sentence of {words} words: {sentence[:40]}..."


def main():
    count = 0
    for path in sys.argv[1:]:
        for number, what in findings(path):
            print(f"{path}:{number}: {what}")
            count += 1
    print(f"{count} too long (sentences: {MOST_WORDS} words, of messages {MOST_IN_MESSAGE}, paragraphs: {MOST_LINES} lines of {COLUMNS} characters)")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
