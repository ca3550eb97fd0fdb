"""Fails when the advice has a problem or warning about a hot key."""
import json
import sys

with open(sys.argv[1]) as file:
    found = [each["text"] for each in json.load(file)["advice"] if each["kind"] == "hot-key"]
sys.exit("\n".join(found) or None)
