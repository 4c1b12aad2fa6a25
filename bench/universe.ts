import { type MarketFigures, rankMarkets } from '../src/strategy/rank-markets.ts';
import { defineStrategy } from '../src/strategy/definition.ts';
import { sma } from '../src/strategy/indicators/averages.ts';
import { createRandom } from '../src/domain/random.ts';
import { rateOf, run } from './backtest.ts';
import { BARS, barWalk, MARKET, rangesOf } from './bar-walk.ts';
import { median, type BenchResult } from './result.ts';

const MARKETS = 150;
const TAKE = 30;
const ROUNDS = 2_000;

/** One-minute bars of a year, for each of these markets. */
const YEAR_BARS = 525_600;
const FOLLOWED_OF = 30;
const RATE_ROUNDS = 3;
/** Minimum rate of bars of markets with a universe, as a share of the rate of one market without. */
const LEAST_SHARE_OF_ONE_MARKET = 0.8;

/** A strategy that reads an average at each bar of one market. */
const ONE = defineStrategy({
  name: 'one',
  data: ({ market }) => ({ bars: market.candles('1m') }),
  indicators: ({ bars }) => ({ average: sma(bars, 30) }),
  on: {
    bars(ctx, { close }) {
      if (ctx.indicators.average < 0) ctx.buy({ amount: close });
    },
  },
});

/** A strategy that reads an average at each bar of the most traded markets, ranked each hour. */
const following = (apply: number) =>
  defineStrategy({
    name: 'many',
    data: (data) => {
      const members = data.universe({
        quote: 'usdt',
        rankBy: 'volume24h',
        take: apply,
        refreshMs: 3_600_000,
      });
      return { members, bars: members.candles('1m') };
    },
    indicators: ({ bars }) => ({ average: sma(bars, 30) }),
    on: {
      bars(ctx, { market, close }) {
        if ((ctx.indicators.average.of(market) ?? 0) < 0) ctx.markets.of(market).buy({ amount: close });
      },
    },
  });

/** Bars per second in a year of 30 markets, of which `apply` are members, against those of one market. */
function benchRate(apply: number): BenchResult {
  const columns = barWalk();
  const only = [{ market: MARKET, columns }];
  const many = rangesOf(FOLLOWED_OF, columns, YEAR_BARS);
  const strategy = following(apply);
  const rates = Array.from({ length: RATE_ROUNDS }, () => ({
    one: rateOf(BARS, () => void run(only, ONE, {})),
    many: rateOf(FOLLOWED_OF * YEAR_BARS, () => void run(many, strategy, {}, many.slice(0, 1))),
  }));
  const value = median(rates.map((rate) => rate.many));
  const reference = median(rates.map((rate) => rate.one));
  const ratio = value / reference;
  return {
    name: `universe: a year of minutes of ${FOLLOWED_OF} markets, ${apply} of them members, against one market`,
    value,
    unit: 'bars/s',
    reference,
    ratio,
    target: LEAST_SHARE_OF_ONE_MARKET,
    holds: ratio >= LEAST_SHARE_OF_ONE_MARKET,
  };
}

/** Time to sort the numbers, in ms: an example of work whose cost every reader knows. */
function sortMs(numbers: readonly number[]): number {
  const startedMs = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) numbers.toSorted((left, right) => left - right);
  return (performance.now() - startedMs) / ROUNDS;
}

/** Measures the ranking of all markets of an exchange, and what a universe costs a backtest on bars. */
export function benchUniverse(): BenchResult[] {
  const random = createRandom(1);
  const candidates = Array.from({ length: MARKETS }, (_, place) => `C${place}IRT`);
  const figureOf = (market: string): MarketFigures => ({
    market,
    isClosed: false,
    volume24h: random.next() * 1e12,
    last: random.next() * 1e6,
    change: random.next(),
    volatility: random.next(),
    spread: random.next() * 100,
    ageMs: Infinity,
  });
  const figures = new Map(candidates.map((market) => [market, figureOf(market)]));
  const rules = {
    quote: 'rls',
    rankBy: 'volume24h',
    take: TAKE,
    filters: { minVolume: 1e10, maxSpreadBps: 90, minPrice: 1e3 },
    refreshMs: 600_000,
    hysteresis: 0.2,
    reserve: 5,
  } as const;
  const of = { rules, candidates, members: new Set(candidates.slice(0, TAKE)), hasBooks: true };
  for (let round = 0; round < ROUNDS; round += 1) rankMarkets(figures, of);
  const startedMs = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) rankMarkets(figures, of);
  const value = (performance.now() - startedMs) / ROUNDS;
  const reference = sortMs([...figures.values()].map(({ volume24h }) => volume24h ?? 0));
  const target = 1;
  return [
    {
      name: `universe: rank ${MARKETS} markets`,
      value,
      unit: 'ms',
      reference,
      ratio: value / reference,
      target,
      holds: value < target,
    },
    benchRate(10),
    benchRate(FOLLOWED_OF),
  ];
}
