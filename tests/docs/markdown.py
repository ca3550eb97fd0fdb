"""Markdown as the project writes it: blocks of code, headings, links, and what the house asks of a page."""
import json
import os
import re

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = {".git", "build", "node_modules"}
COLUMNS_MAX = 180  # of prose; tables and blocks of code are as wide as they are


class Block:
    """A fenced block: its language, its lines, the number of its first line, and why it is not run ("": it is)."""

    def __init__(self, language, lines, number, excuse):
        self.language, self.lines, self.number, self.excuse = language, lines, number, excuse


def pages():
    """Paths of all Markdown files, relative to the root."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    lines, before, at = text.split("\n"), "", 0
    while at < len(lines):
        fence = re.fullmatch(r"( *)```(\w*)", lines[at])
        if fence:
            end = at + 1
            while lines[end].strip() != "```":
                end += 1
            excuse = re.fullmatch(r"<!-- not run: (.+) -->", before)
            indent = len(fence[1])
            yield Block(fence[2], [line[indent:] for line in lines[at + 1:end]], at + 2, excuse[1] if excuse else "")
            at = end
        if lines[at].strip():
            before = lines[at].strip()
        at += 1


def prose(text):
    """(number, line) of what is not code: blocks of code are left out, code within a line is blanked."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, re.sub(r"`[^`]*`", lambda code: "`" + " " * (len(code[0]) - 2) + "`", line)


def anchors(text):
    """What GitHub makes of the headings of a page."""
    found = set()
    is_code = False
    for line in text.split("\n"):
        is_code ^= line.strip().startswith("```")
        heading = re.match(r"#+ (.+)", line)
        if heading and not is_code:
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            anchor = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
            number = sum(1 for other in found if re.fullmatch(re.escape(anchor) + r"(-\d+)?", other))
            found.add(f"{anchor}-{number}" if number else anchor)
    return found


def replace(page, differences):
    """Writes a page with other lines: [(number of the first, lines, lines instead)]. Lines with "…" are left to whoever
    chose what to leave out: those differences are answered."""
    lines, left = read(page).split("\n"), []
    for number, old, new in reversed(differences):
        if any("…" in line for line in old):
            left.append((number, old, new))
        else:
            lines[number - 1:number - 1 + len(old)] = new
    with open(os.path.join(ROOT, page), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return left


def check_links(page):
    """Each relative link leads to a file, and its anchor to a heading there."""
    for number, line in prose(read(page)):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"https?://|mailto:", target):
                continue
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            assert os.path.exists(os.path.join(ROOT, file)), f"{page}:{number}: there is no {file}"
            if anchor:
                assert anchor in anchors(read(file)), f"{page}:{number}: {file} has no heading #{anchor}"


def check_style(page):
    """One title, at the top; headings a level at a time and told apart by an empty line; rows as wide as their heads;
    no line too long, no blank at an end, no two empty lines; JSON and YAML that parse."""
    text = read(page)
    level, before, columns = 0, "", 0
    for number, line in prose(text):
        where = f"{page}:{number}"
        heading = re.match(r"(#+) (.*)", line)
        if number == 1:
            assert heading and len(heading[1]) == 1, f"{where}: a page begins with its title"
        elif heading:
            assert 1 < len(heading[1]) <= level + 1, f"{where}: a heading of level {len(heading[1])} after {level}"
            assert before == "", f"{where}: no empty line before the heading"
        if heading:
            level = len(heading[1])
            assert not re.search(r"[.:]$", heading[2]), f"{where}: a heading ends without a mark"
        is_row = line.lstrip().startswith("|")
        cells = len(re.findall(r"(?<!\\)\|", line)) if is_row else 0
        assert not columns or not cells or cells == columns, f"{where}: {cells - 1} cells in a table of {columns - 1}"
        columns = cells
        assert line == line.rstrip(), f"{where}: blanks at the end of the line"
        assert is_row or len(line) <= COLUMNS_MAX or "](http" in line, f"{where}: {len(line)} columns"
        before = line
    assert "\n\n\n" not in text, f"{page}: two empty lines"
    assert text.count("```") % 2 == 0, f"{page}: a block of code without an end"
    for block in blocks(text):
        check_data(block, f"{page}:{block.number}")


def check_data(block, where):
    """A block of JSON is a document, or one on each line."""
    text = "\n".join(block.lines)
    if block.language == "json":
        try:
            json.loads(text)
        except ValueError:
            for line in block.lines:
                assert parses(json.loads, line), f"{where}: not JSON: {line}"
    if block.language == "yaml":
        assert parses(yaml.safe_load, text), f"{where}: not YAML"


def parses(load, text):
    try:
        load(text)
        return True
    except (ValueError, yaml.YAMLError):
        return False
