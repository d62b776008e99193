#!/usr/bin/env python3
"""Prose that is hard to read: sentences of too many words, paragraphs of too many lines.

prose.py FILE.md...: reports each with file and line; exit code 1 if there are some. Code, tables, headings and
pictures are left out; an item of a list is a paragraph.
"""
import re
import sys

MOST_WORDS, MOST_LINES, COLUMNS = 35, 6, 100  # a line of a page has so many characters
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


def findings(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, text in paragraphs(lines):
        text = plain(text)
        if len(text) > MOST_LINES * COLUMNS:
            yield number, f"a paragraph of {-(-len(text) // COLUMNS)} lines: {text[:40]}..."
        for sentence in END.split(text):
            words = len(re.findall(r"[\w'-]*\w", sentence))
            if words > MOST_WORDS:
                yield number, f"a sentence of {words} words: {sentence.strip()[:40]}..."


def main():
    count = 0
    for path in sys.argv[1:]:
        for number, what in findings(path):
            print(f"{path}:{number}: {what}")
            count += 1
    print(f"{count} too long (sentences: {MOST_WORDS} words, paragraphs: {MOST_LINES} lines of {COLUMNS} characters)")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
