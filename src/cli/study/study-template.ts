/**
 * A study that runs as it is, on the recording that ships, with what can be said otherwise as comments.
 * Places are those of the schema for editors and of the recording.
 */
export const studyTemplate = (places: { readonly schema: string; readonly catalogue: string }): string =>
  `# yaml-language-server: $schema=${places.schema}
# A study: "sarraf study run" runs it. docs/studies.md explains every key.

# A bundled strategy, or the path of a file: paths count from the folder of this one.
strategy: ma-cross
markets: BTCUSDT
timeframe: 5m
# Candles come from the catalogue, or from a file: csv: hours.csv.gz
catalogue: ${places.catalogue}
# What the strategy is told from outside, if it listens: docs/signals.md.
# signals: alerts.csv
# from: 2024-01-01
# to: 2024-07-01
# The last part of the range is kept for "sarraf study open-holdout". No trial sees it.
holdout: 20%

balances: { usdt: 10000 }
fee: 0.1%

# What is not searched.
params: { share: 0.5 }

# What is searched; without it what the strategy declares by search().
space:
  fast: { kind: integer, min: 2, max: 30 }
  slow: { kind: integer, min: 20, max: 120, step: 5 }

# Figures of a result, see docs/metrics.md.
objectives: [sharpe]
constraints:
  - { metric: trades, least: 5 }
  - { metric: maxDrawdown, most: 0.3 }

# grid, random, sobol, tpe, nsga2 or cmaes: see docs/samplers.md.
sampler: { kind: tpe, seed: 1 }
budget: { trials: 40 }

# "sarraf study walk-forward" searches each train window, and trades the choice in the test window after it.
validation:
  walkForward: { kind: rolling, train: 1d, test: 8h, choose: best }
`;
