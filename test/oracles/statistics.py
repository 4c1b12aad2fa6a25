#!/usr/bin/env python3
"""Writes statistics.json beside it: what other programs find for the statistics of docs/statistics.md.

    python3 -m venv /tmp/oracles
    /tmp/oracles/bin/pip install --requirement test/oracles/requirements.txt
    /tmp/oracles/bin/python test/oracles/statistics.py

Returns are drawn here as test/unit/study/statistics/drawn-returns.ts draws them, so that the file holds answers
only. Where a published program has the statistic, it answers; the rest is written here from the papers, by slices
of the data and without the sums that make src/study/statistics fast.
"""

import itertools
import json
import math
from pathlib import Path

import mpmath
import numpy as np
from arch.bootstrap import SPA, optimal_block_length
from scipy import stats
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_score
from statsmodels.tsa.stattools import acf

mpmath.mp.dps = 40


class Random:
    """src/domain/random.ts"""

    def __init__(self, seed):
        self.state = seed & 0xFFFFFFFF

    def next(self):
        self.state = (self.state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 15)) * (mixed | 1)) & 0xFFFFFFFF
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61) & 0xFFFFFFFF)) & 0xFFFFFFFF
        return (mixed ^ (mixed >> 14)) / 4_294_967_296


def drawn(seed, count, mean=0.0, memory=0.0):
    """Nearly normal returns with deviation 0.01, each with a part of the one before."""
    random = Random(seed)
    values, before = [], 0.0
    for _ in range(count):
        total = 0.0
        for _ in range(12):
            total += random.next()
        before = memory * before + (total - 6) * 0.01
        values.append(before + mean)
    return np.array(values)


def normal():
    points = [-8, -6, -5, -4, -3, -2.5, -2, -1.96, -1, -0.5, -0.1, 0, 0.1, 0.46, 0.5, 1, 1.3, 2, 3, 4, 5, 6, 8]
    shares = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49, 0.5]
    shares += [1 - share for share in shares[4:-1]]

    def cdf(x):
        return mpmath.erfc(-x / mpmath.sqrt(2)) / 2

    def quantile(share):
        guess = mpmath.mpf(stats.norm.ppf(share))
        for _ in range(4):
            guess -= (cdf(guess) - mpmath.mpf(share)) / mpmath.npdf(guess)
        return float(guess)

    return {
        "cdf": [[x, float(cdf(mpmath.mpf(x)))] for x in points],
        "quantile": [[share, quantile(share)] for share in shares],
    }


def moments():
    rows = []
    for seed, count, mean, memory in [(1, 4, 0.001, 0), (2, 30, -0.002, 0.3), (3, 500, 0.0005, -0.4), (4, 2000, 0, 0.9)]:
        values = drawn(seed, count, mean, memory)
        rows.append(
            {
                "of": [seed, count, mean, memory],
                "mean": values.mean(),
                "deviation": values.std(ddof=1),
                "sharpe": values.mean() / values.std(ddof=1),
                "skewness": stats.skew(values),
                "kurtosis": stats.kurtosis(values, fisher=False),
                "autocorrelations": list(acf(values, nlags=min(5, count - 2), adjusted=False, fft=False)),
                "quantiles": list(np.quantile(values, [0, 0.05, 0.5, 0.77, 1])),
            }
        )
    return rows


def psr(sharpe, count, skewness, kurtosis, benchmark):
    spread = math.sqrt(1 - skewness * sharpe + (kurtosis - 1) / 4 * sharpe**2)
    return float(stats.norm.cdf((sharpe - benchmark) * math.sqrt(count - 1) / spread))


def luck():
    rows = []
    for sharpe, count, skewness, kurtosis, trials, variance in [
        (0.458, 24, -2.448, 10.164, 10, 0.02),
        (0.1, 1000, 0, 3, 2, 0.001),
        (0.05, 2500, 0.7, 6, 1000, 0.0004),
        (-0.02, 300, -1.2, 5, 50, 0.001),
        (2.5 / math.sqrt(250), 1250, -3, 10, 100, 0.5 / 250),
        (0.2, 800, 0, 3, 5_000_000, 0.001),
    ]:
        gamma = float(mpmath.euler)
        best = math.sqrt(variance) * (
            (1 - gamma) * stats.norm.isf(1 / trials) + gamma * stats.norm.isf(1 / (trials * math.e))
        )
        rows.append(
            {
                "of": [sharpe, count, skewness, kurtosis, trials, variance],
                "psr": psr(sharpe, count, skewness, kurtosis, 0),
                "best": float(best),
                "dsr": psr(sharpe, count, skewness, kurtosis, best),
                "record": None
                if sharpe <= 0
                else 1
                + (1 - skewness * sharpe + (kurtosis - 1) / 4 * sharpe**2)
                * float(stats.norm.ppf(0.95) / sharpe) ** 2,
            }
        )
    return rows


def blocks():
    rows = []
    for of in [
        (11, 20, 0, 0),
        (12, 60, 0.001, 0.5),
        (13, 250, 0, 0),
        (14, 250, 0, 0.8),
        (15, 1000, 0.001, 0.2),
        (16, 1000, 0, -0.5),
        (17, 1000, 0, 0.97),
        (18, 4000, 0, 0.6),
    ]:
        found = optimal_block_length(drawn(*of)).iloc[0]
        rows.append({"of": list(of), "stationary": float(found["stationary"]), "circular": float(found["circular"])})
    return rows


class GivenDraws:
    """Takes the place of arch's bootstrap: the stationary one, by the random numbers that the test has."""

    def __init__(self, values, mean_block, seed):
        self.values, self.mean_block, self.random = values, mean_block, Random(seed)

    def bootstrap(self, draws):
        length = len(self.values)
        for _ in range(draws):
            places, place = [], 0
            for index in range(length):
                if index == 0 or self.random.next() < 1 / self.mean_block:
                    place = math.floor(self.random.next() * length)
                else:
                    place = (place + 1) % length
                places.append(place)
            yield (self.values[places],), {}


def arch_counts(values, mean_block, draws, seed):
    """How many draws arch finds above the best mean: lower, consistent, upper; and its deviations."""
    test = SPA(np.zeros(len(values)), -values, block_size=mean_block, reps=draws)
    test.bootstrap = GivenDraws(values, mean_block, seed)
    test.compute()
    counts = [round(test.pvalues[name] * draws) for name in ("lower", "consistent", "upper")]
    return counts, np.sqrt(test._loss_diff_var)


def ability():
    rows = []
    for seed, periods, mean_block, memory, means in [
        (21, 60, 3, 0, [0.0, 0.002, -0.001]),
        (22, 200, 8, 0.5, [0.0008, 0.0, -0.02, 0.0, -0.0005]),
        (23, 150, 1, 0, [0.0005, 0.0004, -0.009, -0.003, 0.0001, 0.0]),
    ]:
        values = np.array([drawn(seed + 100 * k, periods, mean, memory) for k, mean in enumerate(means)]).T
        draws = 60
        raw, deviations = arch_counts(values, mean_block, draws, seed)
        # arch compares means as they are, so each trial is handed over by its deviation.
        studentized, _ = arch_counts(values / deviations, mean_block, draws, seed)
        rows.append(
            {
                "of": {"seed": seed, "periods": periods, "meanBlock": mean_block, "memory": memory, "means": means},
                "draws": draws,
                "deviations": list(deviations),
                "statistic": float((math.sqrt(periods) * values.mean(0) / deviations).max()),
                "realityCheck": raw[2],
                "ability": studentized,
            }
        )
    return rows


def overfitting():
    rows = []
    for seed, periods, count, mean, cut in [(31, 100, 7, 0, 8), (32, 81, 5, 0.0004, 16), (33, 64, 4, 0.001, 6)]:
        values = np.array([drawn(seed + 100 * k, periods, mean * k) for k in range(count)])
        used = values[:, periods % cut :]
        parts = np.split(used, cut, axis=1)
        logits, inside, outside = [], [], []
        for chosen in itertools.combinations(range(cut), cut // 2):
            first = np.concatenate([parts[k] for k in chosen], axis=1)
            second = np.concatenate([parts[k] for k in range(cut) if k not in chosen], axis=1)
            one = first.mean(1) / first.std(1, ddof=1)
            other = second.mean(1) / second.std(1, ddof=1)
            best = int(one.argmax())
            rank = stats.rankdata(other)[best] / (count + 1)
            logits.append(math.log(rank / (1 - rank)))
            inside.append(one[best])
            outside.append(other[best])
        line = stats.linregress(inside, outside)
        rows.append(
            {
                "of": {"seed": seed, "periods": periods, "count": count, "mean": mean, "blocks": cut},
                "splits": len(logits),
                "probability": float(np.mean(np.array(logits) <= 1e-12)),
                "lossProbability": float(np.mean(np.array(outside) < 0)),
                "line": [float(line.intercept), float(line.slope), float(line.rvalue**2)],
                "logits": [float(value) for value in np.quantile(logits, [0, 0.1, 0.5, 0.9, 1])],
                "inSample": float(np.mean(inside)),
                "outOfSample": float(np.mean(outside)),
            }
        )
    return rows


def grouped(seed, periods, groups, size, share):
    """Trials in groups: each is the group's returns and a share of its own."""
    common = [drawn(seed + 1000 * k, periods) for k in range(groups)]
    return np.array(
        [common[k % groups] + share * drawn(seed + 1000 * k + 7, periods) for k in range(groups, groups + groups * size)]
    )


def clusters():
    rows = []
    for seed, periods, groups, size, share in [(41, 120, 3, 5, 0.5), (42, 300, 6, 4, 0.3), (43, 80, 2, 9, 1.0)]:
        values = grouped(seed, periods, groups, size, share)
        count = len(values)
        correlations = np.corrcoef(values)
        distances = np.sqrt(np.clip((1 - correlations) / 2, 0, 1))
        np.fill_diagonal(distances, 0)
        tree = linkage(squareform(distances, checks=False), method="average")
        silhouettes = [
            float(silhouette_score(distances, fcluster(tree, k, "maxclust"), metric="precomputed"))
            for k in range(2, count)
        ]
        best = max(range(len(silhouettes)), key=lambda at: silhouettes[at])
        rows.append(
            {
                "of": [seed, periods, groups, size, share],
                "heights": [float(height) for height in tree[:, 2]],
                "clusters": best + 2,
                "silhouette": silhouettes[best],
                "meanCorrelation": float((correlations.sum() - count) / (count * (count - 1))),
            }
        )
    return rows


if __name__ == "__main__":
    vectors = {
        "normal": normal(),
        "moments": moments(),
        "luck": luck(),
        "blocks": blocks(),
        "ability": ability(),
        "overfitting": overfitting(),
        "clusters": clusters(),
    }
    path = Path(__file__).with_suffix(".json")
    # npx oxfmt lays it out.
    path.write_text(json.dumps(vectors, indent=1, default=float) + "\n")
    print(f"wrote {path}")
