"""The table of operations in docs/fidelity.md: made from server/ops/operations.def and the wire cases."""
import json
import os
import re

from markdown import ROOT, read

PAGE = "docs/fidelity.md"
BEGIN, END = "<!-- made by tests/docs/operations.py -->\n", "<!-- end -->\n"
STEPS = (500, 200, 100, 50, 20, 10, 5, 2, 1)  # cases are told by the step that they have reached
PAGED = "[pages](#known-deviations) end at 1 MB of items; [lag](#consistency-on-request) on request alone"
LAG = "eventually consistent reads [lag](#consistency-on-request) on request alone"
STATES = "tables are ACTIVE at once, without [`--table-delays`](#known-deviations)"
CONFLICTS = "never meets another [transaction](#known-deviations) half done"
PARTIQL = "[assumptions](#known-deviations) beyond the captures"
SHARDS = "a [shard](#known-deviations) for each partition"
SETTING = "the setting is kept, and there is nothing behind it"
EMPTY = "what an account without one answers"
# What is knowingly different, beside the throttling that the page tells of.
DIFFERENCES = {
    "Query": PAGED, "Scan": PAGED, "GetItem": LAG, "BatchGetItem": LAG,
    "TransactGetItems": CONFLICTS, "TransactWriteItems": CONFLICTS, "ExecuteTransaction": CONFLICTS,
    "ExecuteStatement": PARTIQL, "BatchExecuteStatement": PARTIQL,
    "CreateTable": STATES, "UpdateTable": STATES, "DeleteTable": STATES,
    "DescribeStream": SHARDS,
    "UpdateTimeToLive": "items go a second after they expire, by [`--ttl-delay`](#known-deviations)",
    "UpdateContinuousBackups": SETTING, "ListBackups": EMPTY, "ListExports": EMPTY, "ListImports": EMPTY,
    "DescribeGlobalTable": EMPTY, "DescribeGlobalTableSettings": EMPTY, "ListGlobalTables": EMPTY,
    "DescribeKinesisStreamingDestination": EMPTY, "DescribeTableReplicaAutoScaling": EMPTY,
    "PutResourcePolicy": "holds at once", "DeleteResourcePolicy": "holds at once",
}


def cases():
    """(operation, topic, whether it is refused) of each wire case; what is not about an operation is left out."""
    folder = os.path.join(ROOT, "tests/wire/cases")
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), encoding="utf-8") as file:
                for case in json.load(file):
                    topic = name[:-len(".json")].replace("-", " ")
                    yield case["request"][0] if "request" in case else "", topic, "error" in case


def reached(count):
    return next((f"{step}+" if step > 2 else str(step) for step in STEPS if count >= step), "")


def table():
    text = read("server/ops/operations.def")
    built = re.findall(r"^TD_OPERATION\(\w+, (\w+),", text, re.M)
    others = re.findall(r"^TD_NOT_BUILT\(\w+, (\w+)\)", text, re.M)
    assert set(DIFFERENCES) <= set(built), set(DIFFERENCES) - set(built)
    found = list(cases())
    lines = ["| operation | cases | refusals among them | about | differs |", "| --- | --- | --- | --- | --- |"]
    for name in built:
        ours = [(topic, is_refused) for operation, topic, is_refused in found if operation == name]
        topics = ", ".join(sorted({topic for topic, _ in ours if os.path.exists(
            os.path.join(ROOT, "tests/wire/cases", name, topic.replace(" ", "-") + ".json"))}))
        lines.append("| %s | %s | %s | %s | %s |" % (
            name, reached(len(ours)), reached(sum(is_refused for _, is_refused in ours)), topics, DIFFERENCES.get(name, "")))
    lines += [f"| {name} | | | | not built |" for name in others]
    return "\n".join(lines) + "\n"


def check(update):
    """The page has the table as it is today, and it and the README name what is not built."""
    text = read(PAGE)
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if update:
        with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
            file.write(text[:begin] + table() + text[end:])
    assert update or text[begin:end] == table(), "out of date: tests/docs/run SERVER --update operations"
    not_built = set(re.findall(r"^TD_NOT_BUILT\(\w+, (\w+)\)", read("server/ops/operations.def"), re.M))
    for page, first in (("README.md", "Not built yet, and refused with"), (PAGE, "## Not built")):
        part = read(page).split(first)[1].split("\n\n" if page == "README.md" else "The reading halves")[0]
        named = set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][A-Za-z]+)+\b", part)) - {"UnknownOperationException"}
        assert named == not_built, f"{page}: {named ^ not_built}"
