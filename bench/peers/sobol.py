"""Our Sobol sequence against scipy's, by hand:

    python3 -m venv /tmp/scipy && /tmp/scipy/bin/pip install -r bench/peers/requirements/samplers.txt
    nice -n 19 /tmp/scipy/bin/python bench/peers/sobol.py > tables.md

The first table has the defects `t` of the planes of each two dimensions: the worst and the mean one. The
second has the centred discrepancy of the points: of the plain ones, and the mean of those that 30 seeds
scramble. The third has errors of integrals by scrambled points: the root of the mean square over the
seeds, in parts of the integral. Both have random points beside them. scipy scrambles by matrices and a
shift, we by Owen's nested way, and the rows show what a user gets.
"""

import json
import subprocess

import numpy as np
from scipy.special import erf
from scipy.stats import qmc

SEEDS = 30
DIMENSIONS = [2, 5, 10, 20, 40, 64]
POINTS = [64, 256, 1024]


def scipys_directions():
    """Point 2^k of the Gray code's order is the sum of two direction numbers after another."""
    points = qmc.Sobol(64, scramble=False, bits=32).random(2**15)
    bits = (points * 2**32).astype(np.uint64)
    steps = [bits[2**place] for place in range(15)]
    return np.bitwise_xor.accumulate(steps, axis=0).T.tolist()


def defects(directions, dimensions, digits):
    command = ["node", "bench/samplers/plane-defects.ts", str(dimensions), str(digits)]
    return json.loads(subprocess.check_output(command, input=json.dumps(directions).encode()))


def ours(dimensions, points):
    command = ["node", "bench/samplers/sobol-points.ts", str(dimensions), str(points), str(SEEDS)]
    found = json.loads(subprocess.check_output(command))
    return np.array(found["plain"]), [np.array(one) for one in found["scrambled"]]


def scipys(dimensions, points):
    plain = qmc.Sobol(dimensions, scramble=False).random(points)
    return plain, [qmc.Sobol(dimensions, scramble=True, rng=seed).random(points) for seed in range(SEEDS)]


def chance(dimensions, points):
    return [np.random.default_rng(seed).random((points, dimensions)) for seed in range(SEEDS)]


def product(x):
    """Sobol's g function with all parameters alike: every group of dimensions counts."""
    return np.prod((np.abs(4 * x - 2) + 3) / 4, axis=1)


def weighted(x):
    """The same where later dimensions count less and less."""
    a = np.arange(x.shape[1])
    return np.prod((np.abs(4 * x - 2) + a) / (1 + a), axis=1)


def smooth(x):
    """A. Genz's Gaussian peak, wider in more dimensions, over its integral."""
    width = 4 / np.sqrt(x.shape[1])
    one = np.sqrt(np.pi) / (2 * width) * (erf(0.6 * width) + erf(0.4 * width))
    return np.exp(-(width**2) * ((x - 0.4) ** 2).sum(axis=1)) / one ** x.shape[1]


def ball(x):
    """Whether a point is in a ball around the middle. 2^17 points give its integral."""
    radius = np.sqrt(x.shape[1] / 12)
    return (((x - 0.5) ** 2).sum(axis=1) < radius**2).astype(float)


FUNCTIONS = {"product": product, "weighted": weighted, "smooth": smooth, "ball": ball}


def integral(name, dimensions):
    if name != "ball":
        return 1.0
    points = qmc.Sobol(dimensions, scramble=True, rng=12345).random(2**17)
    return ball(points).mean()


def error(function, sets, exact):
    return np.sqrt(np.mean([(function(points).mean() / exact - 1) ** 2 for points in sets]))


def main():
    print("| dimensions | points | scipy, worst | ours, worst | scipy, mean | ours, mean |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    theirs = scipys_directions()
    for dimensions in [10, 20, 40, 64]:
        for digits in [6, 8, 10, 12, 14]:
            their, own = defects(theirs, dimensions, digits), defects(None, dimensions, digits)
            means = f"{their['mean']:.2f} | {own['mean']:.2f}"
            print(f"| {dimensions} | {2**digits} | {their['worst']} | {own['worst']} | {means} |", flush=True)
    print()
    print("| dimensions | points | scipy | ours | scipy, scrambled | ours, scrambled | random |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows = []
    for dimensions in DIMENSIONS:
        for points in POINTS:
            their_plain, theirs = scipys(dimensions, points)
            our_plain, own = ours(dimensions, points)
            random = chance(dimensions, points)
            cells = [qmc.discrepancy(their_plain), qmc.discrepancy(our_plain)]
            cells += [np.mean([qmc.discrepancy(one) for one in sets]) for sets in (theirs, own, random)]
            print(f"| {dimensions} | {points} | {' | '.join(f'{cell:.3g}' for cell in cells)} |", flush=True)
            for name, function in FUNCTIONS.items():
                exact = integral(name, dimensions)
                errors = [error(function, sets, exact) for sets in (theirs, own, random)]
                rows.append((name, dimensions, points, errors))
    print("\n| function | dimensions | points | scipy | ours | random |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, dimensions, points, errors in sorted(rows, key=lambda row: list(FUNCTIONS).index(row[0])):
        print(f"| {name} | {dimensions} | {points} | {' | '.join(f'{one:.2g}' for one in errors)} |")
    print()
    for name in FUNCTIONS:
        ratios = [errors[1] / errors[0] for of, _, _, errors in rows if of == name]
        mean = np.exp(np.mean(np.log(ratios)))
        print(f"{name}: our error is {mean:.2f} times scipy's, as a geometric mean")


if __name__ == "__main__":
    main()
