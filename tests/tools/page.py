"""Reads a page of cpm report as a browser does, and prints what it shows: a line for each text, a list in
brackets for each row of a table. Fails unless the page is well-formed and asks for nothing from elsewhere.

usage: page.py PAGE          all of it, each section below "== ID: TITLE"
       page.py PAGE CODE     the same for programs: runs CODE with data, and blocks(IS) of any section
"""
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    void = {"meta", "br", "link", "img", "input", "hr"}

    def __init__(self):
        super().__init__()
        self.open, self.scripts, self.texts = [], [], {}

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        for name in ("src", "href", "action", "data"):
            if not names.get(name, "#").startswith("#"):
                sys.exit(f"line {self.getpos()[0]}: <{tag} {name}={names[name]}>")
        if any(name.startswith("on") for name in names):
            sys.exit(f"line {self.getpos()[0]}: <{tag}> has a handler")
        if tag not in self.void:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append(names)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            sys.exit(f"line {self.getpos()[0]}: </{tag}>")

    def handle_data(self, text):
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            inside += str(len(self.scripts))
        self.texts[inside] = self.texts.get(inside, "") + text


def read(path):
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    page.close()
    if page.open:
        sys.exit("not closed: " + " ".join(page.open))
    kinds = [(names.get("type"), names.get("id")) for names in page.scripts]
    if kinds != [("application/json", "data"), (None, None), (None, None)]:
        sys.exit(f"scripts: {kinds}")
    for words in ("@import", "url("):
        if words in page.texts["style"]:
            sys.exit(f"the style has {words}")
    return page, json.loads(page.texts["script1"], parse_constant=lambda word: sys.exit(f"{word} in the data"))


def show(value, key=""):
    if isinstance(value, dict):
        for name, part in value.items():
            show(part, name)
    elif isinstance(value, list) and any(isinstance(part, (dict, list)) for part in value):
        for part in value:
            show(part, key)
    elif isinstance(value, list):
        print(key + ":", "[" + " | ".join("-" if part is None else str(part) for part in value) + "]")
    else:
        print(key + ":", value)


def show_all(page, data):
    print("title:", page.texts["title"].strip())
    print("library:", "yes" if "Chart.js v" in page.texts["script2"] else "no")
    for cluster in data["clusters"]:
        print("= cluster:", cluster["title"])
        show({key: value for key, value in cluster.items() if key != "sections"})
        for section in cluster["sections"]:
            print(f"== {section['id']}: {section['title']}")
            show(section["blocks"])
    print("==")
    show({key: value for key, value in data.items() if key != "clusters"})


page, data = read(sys.argv[1])
if len(sys.argv) > 2:
    exec(sys.argv[2], {"data": data, "json": json, "sys": sys, "blocks": lambda name: [
        block for cluster in data["clusters"] for section in cluster["sections"]
        for block in section["blocks"] if block["is"] == name]})
else:
    show_all(page, data)
