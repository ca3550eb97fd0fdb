#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares numbers with Python's decimal: numbers_oracle.py PROGRAM [CASES].

PROGRAM is property_numbers (numbers_pipe.c). The seed is printed; TD_SEED repeats a run. The rules are written down
here a second time, from the specification, and share no code with the ones that they judge."""

import os
import random
import re
import subprocess
import sys
from decimal import Context, Decimal, setcontext

GRAMMAR = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?([0-9]+))?")
DIGITS_MAX, EXPONENT_MAX, EXPONENT_MIN = 38, 125, -130


def digits_of(number):
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def encode(number):
    if number == 0:
        return "80"
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    places = number.adjusted() + 1
    if places % 2:
        digits = "0" + digits
    if len(digits) % 2:
        digits += "0"
    first = 0xC0 + (places + places % 2) // 2
    pairs = [int(digits[i : i + 2]) for i in range(0, len(digits), 2)]
    if number > 0:
        return bytes([first] + [pair + 1 for pair in pairs]).hex()
    end = [0x66] if len(pairs) < 20 else []
    return bytes([first ^ 0xFF] + [101 - pair for pair in pairs] + end).hex()


def size(number):
    """messages.md: 1 + ceil(integer digits / 2) + ceil(fraction digits / 2), zeros at both ends trimmed, sign."""
    if number == 0:
        return 1
    whole, _, fraction = format(abs(number), "f").partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    if not fraction:
        places = len(whole) + len(whole) % 2  # trimmed zeros leave in pairs, as seen from the point
        trimmed = whole.rjust(places, "0")
        while trimmed.endswith("00"):
            trimmed = trimmed[:-2]
        return 1 + len(trimmed) // 2 + (number < 0)
    if not whole:
        while fraction.startswith("00"):
            fraction = fraction[2:]
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + (number < 0)


def show(number):
    number = number if number else Decimal(0)
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    integer = "-"
    if number == number.to_integral_value() and -(2**63) <= number < 2**63:
        integer = str(int(number))
    return f"{encode(number)}:{text}:{size(number)}:{integer}"


def parse(text):
    """The number, or the name of its fault."""
    match = GRAMMAR.fullmatch(text)
    if not match or (match.group(3) and int(match.group(3)) >= 2**63):
        return "NOT_NUMERIC"
    mantissa, _, exponent = text.lower().partition("e")
    number = Decimal(mantissa)
    adjusted = int(exponent or 0) + (number.adjusted() if number else 0)
    if adjusted > EXPONENT_MAX:
        return "OVERFLOW"
    if adjusted < EXPONENT_MIN:
        return "UNDERFLOW"
    if digits_of(number) > DIGITS_MAX:
        return "TOO_MANY_DIGITS"
    return number.scaleb(int(exponent or 0)) if number else Decimal(0)


def answer(number):
    """What the sum of two numbers is answered with."""
    if number:
        if number.adjusted() > EXPONENT_MAX or digits_of(number) > DIGITS_MAX and number.adjusted() >= EXPONENT_MIN:
            return "OVERFLOW"
        if number.adjusted() < EXPONENT_MIN:
            return "UNDERFLOW"
    return show(number)


def expect(a, b):
    left, right = parse(a), parse(b)
    shown = [number if isinstance(number, str) else show(number) for number in (left, right)]
    if isinstance(left, str) or isinstance(right, str):
        return "\t".join(shown + ["-", "-", "-"])
    order = "<" if left < right else ">" if left > right else "="
    return "\t".join(shown + [order, answer(left + right), answer(left - right)])


class Texts:
    """Random texts of numbers: most of them valid, many near a border."""

    def __init__(self, rng):
        self.rng = rng

    def digits(self, count):
        style = self.rng.random()
        if style < 0.2:
            return self.rng.choice("0159") * count
        if style < 0.5:
            return "".join(self.rng.choice("0009") for _ in range(count))
        return "".join(self.rng.choice("0123456789") for _ in range(count))

    def number(self):
        rng = self.rng
        count = rng.choice([1, 1, 2, 3, 4, 5, 9, 18, 19, 20, 36, 37, 38, 38, 39, 40, rng.randrange(60)])
        digits = self.digits(count)
        at = rng.randrange(count + 1)
        text = rng.choice(["", "", "-", "+"]) + rng.choice(["", "", "0", "00"]) + digits[:at]
        if at < count or rng.random() < 0.1:
            text += "." + digits[at:] + rng.choice(["", "", "0", "000"])
        if rng.random() < 0.5:
            exponent = rng.choice([0, 1, -1, 88, 120, 125, 126, -129, -130, -131, 10**12, rng.randrange(-140, 140)])
            text += rng.choice("eE") + ("+" if exponent >= 0 and rng.random() < 0.3 else "") + str(exponent)
        return text

    def near(self, text):
        """Another number of about that size, so that sums cancel and carry."""
        number = parse(text)
        if isinstance(number, str) or not number:
            return self.number()
        exponent = number.adjusted() + self.rng.choice([0, 0, 0, 1, -1, -2, 37, -37, 38, -38])
        digits = self.digits(self.rng.choice([1, 2, 19, 37, 38])).lstrip("0") or "1"
        return f"{self.rng.choice(['', '-'])}{digits[0]}.{digits[1:]}e{exponent}"

    def damaged(self, text):
        at = self.rng.randrange(len(text) + 1)
        return text[:at] + self.rng.choice("eE+-. x0_") + text[at + self.rng.randrange(2) :]

    def pair(self):
        a = self.number()
        style = self.rng.random()
        if style < 0.5:
            return a, self.near(a)
        if style < 0.6:
            return a, ("" if a.startswith("-") else "-") + a.lstrip("+-")
        return (self.damaged(a), self.number()) if style < 0.7 else (a, self.number())


def main():
    program, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50000
    seed = int(os.environ.get("TD_SEED", random.SystemRandom().randrange(2**32)))
    print(f"seed {seed}, {cases} cases")
    setcontext(Context(prec=600, Emax=10**15, Emin=-(10**15)))
    texts = Texts(random.Random(seed))
    pairs = [texts.pair() for _ in range(cases)]
    lines = "".join(f"{a}\t{b}\n" for a, b in pairs)
    run = subprocess.run([program], input=lines, capture_output=True, text=True, check=False)
    answers = run.stdout.splitlines()
    wrong = 0
    for (a, b), given in zip(pairs, answers):
        expected = expect(a, b)
        if given != expected:
            wrong += 1
            if wrong <= 10:
                print(f"{a!r} and {b!r}\n  given    {given}\n  expected {expected}")
    valid = sum(1 for given in answers if not given.endswith("\t-\t-\t-"))
    print(f"{len(answers)} answers, {valid} of them with sums, {wrong} wrong")
    if run.returncode != 0 or len(answers) != cases or wrong or valid < cases // 4:
        print(f"exit {run.returncode} {run.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
