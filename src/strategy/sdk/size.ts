import { type SarrafError, invalidStrategy } from '../../domain/errors.ts';
import type { DecimalInput, Size } from '../intents.ts';

/** Arguments of `size.riskPerTrade`: the most that one trade may lose. */
export interface RiskPerTrade {
  /** Equity of the strategy, in the quote currency: `ctx.equity`. */
  readonly equity: number;
  /** Share of it that is lost if the stop fills, before fees: above 0, at most 1. */
  readonly share: number;
  /** Distance from the entry to the stop, a price difference in the quote currency. */
  readonly stopDistance: number;
}

/** Arguments of `size.volatilityTarget`: the desired volatility of a position. */
export interface VolatilityTarget {
  /** Standard deviation of the market's returns, over the same time as `target`: above 0. */
  readonly volatility: number;
  /** Desired standard deviation of the strategy's equity: above 0. */
  readonly target: number;
  /** Most of the equity that a position may have, 0 to 1; 1 if left out, since there is no credit. */
  readonly most?: number;
}

/** Arguments of `size.kelly`: statistics of the strategy's past trades. */
export interface Edge {
  /** Share of trades that win, 0 to 1. */
  readonly winRate: number;
  /** Average win divided by average loss, both as positive numbers: above 0. */
  readonly payoff: number;
  /** Part of the full Kelly share to use, above 0, at most 1; a half if left out. */
  readonly part?: number;
  /** Most of the equity that a position may have, 0 to 1; 0.25 if left out. */
  readonly most?: number;
}

const HALF = 0.5;
const QUARTER = 0.25;

/**
 * Functions that return the size of a trade, as every intent accepts it. The bot rounds it down to the
 * market's steps. An argument out of range throws `INVALID_STRATEGY` with its name.
 */
export const size = {
  /** Returns a fixed amount, in the base currency. */
  fixed(amount: DecimalInput): Size {
    return { amount };
  },

  /** Returns a fixed value, in the quote currency, before the fee. */
  value(value: DecimalInput): Size {
    return { value };
  },

  /** Returns a share of the strategy's equity, 0 to 1. */
  equityShare(equityShare: DecimalInput): Size {
    return { equityShare };
  },

  /**
   * Returns the amount with which a stop loses the given share of the equity: equity x share / distance
   * (Tharp, percent risk model). A near stop makes a large amount, which may exceed the account's money.
   */
  riskPerTrade({ equity, share, stopDistance }: RiskPerTrade): Size {
    positive('equity', equity);
    upToOne('share', share);
    positive('stopDistance', stopDistance);
    return { amount: (equity * share) / stopDistance };
  },

  /** Returns the share of equity that moves as much as `target`: target / volatility, at most `most`. */
  volatilityTarget({ volatility, target, most = 1 }: VolatilityTarget): Size {
    positive('volatility', volatility);
    positive('target', target);
    upToOne('most', most);
    return { equityShare: Math.min(most, target / volatility) };
  },

  /**
   * Returns the share with the fastest growth of the equity, p - (1 - p) / b (Kelly 1956), times `part`, at
   * most `most`. Null if the edge is not positive, so that nothing should be traded. The full share is too
   * much, since the numbers are estimates.
   */
  kelly({ winRate, payoff, part = HALF, most = QUARTER }: Edge): Size | null {
    if (!(winRate >= 0 && winRate <= 1)) throw outOfRange('winRate', 'from 0 to 1', winRate);
    positive('payoff', payoff);
    upToOne('part', part);
    upToOne('most', most);
    const share = winRate - (1 - winRate) / payoff;
    return share > 0 ? { equityShare: Math.min(most, share * part) } : null;
  },
} as const;

function positive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) throw outOfRange(name, 'above 0', value);
}

function upToOne(name: string, value: number): void {
  if (!(value > 0 && value <= 1)) throw outOfRange(name, 'above 0, and at most 1', value);
}

const outOfRange = (name: string, range: string, was: number): SarrafError =>
  invalidStrategy(`${name}: expected a number ${range}, was ${was}`);

/** Shares by market, each 0 to 1, with a sum of 1 but for float errors; an argument for `targets`. */
export type Weights = Readonly<Record<string, number>>;

/** Covariance of the returns of markets: `matrix[i][j]` belongs to `markets[i]` and `markets[j]`. */
export interface Covariance {
  readonly markets: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** Maximum number of sweeps over all coordinates; ordinary matrices need some tens. */
const MOST_SWEEPS = 100_000;
/** Allowed difference of risk contributions, as a share of their mean. */
const PRECISE = 1e-12;
/** Fewest returns from which a sample covariance can be computed. */
const LEAST_RETURNS = 2;

/**
 * Functions that compute the shares of a portfolio by published rules, in floats; `targets` makes money
 * amounts of them. Input that can not be solved throws `INVALID_STRATEGY` with the numbers.
 */
export const weights = {
  /** Returns the same share for each market. */
  equal(markets: readonly string[]): Weights {
    expectMarkets(markets);
    return byMarket(markets, () => 1 / markets.length);
  },

  /**
   * Returns the sample covariance of log returns. Closes by market must be of the same bars, oldest first. It
   * grows with the length of the bars.
   */
  covariance(closes: Readonly<Record<string, readonly number[]>>): Covariance {
    const markets = Object.keys(closes);
    expectMarkets(markets);
    const length = closes[markets[0] ?? '']?.length ?? 0;
    const returns = markets.map((market) => centred(logReturns(market, closes[market] ?? [], length)));
    const matrix = returns.map((left) => returns.map((right) => dot(left, right) / (left.length - 1)));
    return { markets, matrix };
  },

  /** Returns shares in proportion to 1 / volatility: equal risk from each, if returns are uncorrelated. */
  inverseVolatility({ markets, matrix }: Covariance): Weights {
    expectMatrix({ markets, matrix });
    const inverse = matrix.map((row, index) => 1 / Math.sqrt(row[index] ?? 0));
    const sum = total(inverse);
    return byMarket(markets, (index) => (inverse[index] ?? 0) / sum);
  },

  /**
   * Returns shares that each add the same risk: share x (covariance x shares) is equal for all markets
   * (Maillard, Roncalli and Teiletche 2010). Found as the minimum of Spinu's convex function (2013) by
   * cyclical coordinate descent (Griveau-Billion, Richard and Roncalli 2013).
   */
  equalRiskContribution({ markets, matrix }: Covariance): Weights {
    expectMatrix({ markets, matrix });
    const shares = descend(matrix);
    const sum = total(shares);
    return byMarket(markets, (index) => (shares[index] ?? 0) / sum);
  },
} as const;

/**
 * Returns the minimum of x'Cx / 2 - sum(ln x), where x_i (Cx)_i is 1 for all i. Each step solves the
 * condition for one coordinate (its positive root), while the others stay.
 */
function descend(matrix: Covariance['matrix']): readonly number[] {
  // Scaled by the mean variance, so that the length of the bars does not change the number of sweeps.
  const scale = total(matrix.map((row, index) => row[index] ?? 0)) / matrix.length;
  const scaled = matrix.map((row) => row.map((value) => value / scale));
  const shares = scaled.map((row, index) => 1 / Math.sqrt(row[index] ?? 1));
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep += 1) {
    for (const [index, row] of scaled.entries()) {
      const variance = row[index] ?? 1;
      const others = dot(row, shares) - variance * (shares[index] ?? 0);
      shares[index] = (Math.sqrt(others * others + 4 * variance) - others) / (2 * variance);
    }
    const contributions = scaled.map((row, index) => (shares[index] ?? 0) * dot(row, shares));
    if (contributions.every((one) => Math.abs(one - 1) <= PRECISE * contributions.length)) return shares;
  }
  throw wrong(
    'covariance',
    `expected one in which no mix of the markets is free of risk, was ${JSON.stringify(matrix)}`,
  );
}

function logReturns(market: string, closes: readonly number[], length: number): readonly number[] {
  if (closes.length !== length || length <= LEAST_RETURNS)
    throw wrong(
      `closes.${market}`,
      `expected as many closes of each market, more than ${LEAST_RETURNS}, was ${closes.length} beside ${length}`,
    );
  const issue = closes.find((close) => !(close > 0 && Number.isFinite(close)));
  if (issue !== undefined) throw wrong(`closes.${market}`, `expected prices above 0, was ${issue}`);
  return closes.slice(1).map((close, index) => Math.log(close / (closes[index] ?? close)));
}

function centred(returns: readonly number[]): readonly number[] {
  const mean = total(returns) / returns.length;
  return returns.map((value) => value - mean);
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const dot = (left: readonly number[], right: readonly number[]): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

const byMarket = (markets: readonly string[], shareOf: (index: number) => number): Weights =>
  Object.fromEntries(markets.map((market, index) => [market, shareOf(index)]));

function expectMarkets(markets: readonly string[]): void {
  if (markets.length === 0 || new Set(markets).size !== markets.length)
    throw wrong('markets', `expected one or more, each once, was ${JSON.stringify(markets)}`);
}

function expectMatrix({ markets, matrix }: Covariance): void {
  expectMarkets(markets);
  for (let row = 0; row < markets.length; row += 1) {
    const values = matrix[row] ?? [];
    const variance = values[row] ?? 0;
    if (matrix.length !== markets.length || values.length !== markets.length)
      throw wrong('matrix', `expected ${markets.length} rows of as many numbers, was ${matrix.length} rows`);
    if (!(variance > 0 && values.every(Number.isFinite)))
      throw wrong(
        `matrix.${row}`,
        `expected numbers, and a variance of ${markets[row] ?? ''} above 0, was ${JSON.stringify(values)}`,
      );
    const skew = values.findIndex((value, column) => value !== matrix[column]?.[row]);
    if (skew !== -1)
      throw wrong(
        `matrix.${row}.${skew}`,
        `expected the same on both sides of the diagonal, was ${values[skew]} and ${matrix[skew]?.[row]}`,
      );
  }
}

const wrong = (name: string, message: string): SarrafError => invalidStrategy(`${name}: ${message}`);
