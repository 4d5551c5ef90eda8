#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The power of the test of a comparison, by another implementation of it.

  power-reference.py EFFECT SESSIONS [NOISE,UNITS,BLOCK]...
  power-reference.py -0.05 20000 LN3,10,2 OUTLIER,6,4

simulates sessions of UNITS runs a side in blocks of BLOCK runs, and prints the per cent of
them in which the rank sum has p <= 0.05 among all assignments that keep the blocks. It
shares no code with the program; bench/claims-single.c holds the program against its
figures.
"""
import itertools
import math
import random
import sys


def lognormal(rng, cv):
    return math.exp(math.sqrt(math.log(1 + cv * cv)) * rng.gauss(0, 1))


def autocorrelated(rng, runs):
    sigma = math.sqrt(math.log(1 + 0.03 ** 2))
    z = rng.gauss(0, 1)
    for _ in range(runs):
        yield math.exp(sigma * z)
        z = 0.7 * z + math.sqrt(1 - 0.7 ** 2) * rng.gauss(0, 1)


def noise(rng, kind, runs):
    if kind == "AR1":
        return list(autocorrelated(rng, runs))
    cv = int(kind[2:]) / 100 if kind.startswith("LN") else 0.01
    factors = [lognormal(rng, cv) for _ in range(runs)]
    drift = rng.choice((-0.03, 0.03))
    for i in range(runs):
        if kind == "BIMODAL" and rng.random() < 0.3:
            factors[i] *= 1.08
        elif kind == "OUTLIER" and rng.random() < 0.05:
            factors[i] *= 1 + rng.expovariate(1 / 0.3)
        elif kind == "DRIFT":
            factors[i] *= 1 + drift * i / (runs - 1)
    return factors


def p_value(values, arm, block):
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = [0] * len(values)
    for place, i in enumerate(order):
        rank[i] = place + 1
    ways = {0: 1}  # rank sum of the arm: assignments that give it
    for first in range(0, len(values), block):
        sums = [sum(part) for part in
                itertools.combinations(rank[first:first + block], block // 2)]
        longer = {}
        for total, count in ways.items():
            for part in sums:
                longer[total + part] = longer.get(total + part, 0) + count
        ways = longer
    count = sum(ways.values())
    expected = sum(total * n for total, n in ways.items()) / count
    seen = abs(sum(r for r, is_arm in zip(rank, arm) if is_arm) - expected)
    return sum(n for total, n in ways.items() if abs(total - expected) >= seen - 1e-9) / count


def found(rng, kind, units, block, effect):
    factors = noise(rng, kind, 2 * units)
    arm = []
    for _ in range(0, 2 * units, block):
        part = [False, True] * (block // 2)
        rng.shuffle(part)
        arm += part
    values = [f * (1 + effect) if is_arm else f for f, is_arm in zip(factors, arm)]
    return p_value(values, arm, block) <= 0.05


def main():
    effect, sessions = float(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(1)
    for spec in sys.argv[3:]:
        kind, units, block = spec.split(",")
        hits = sum(found(rng, kind, int(units), int(block), effect) for _ in range(sessions))
        print(f"{spec} {100 * hits / sessions:.1f} %", flush=True)


if __name__ == "__main__":
    main()
