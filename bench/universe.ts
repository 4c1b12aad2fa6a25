import type { MarketFigures } from '../src/strategy/universe/market-figures.ts';
import { rankMarkets } from '../src/strategy/universe/rank-markets.ts';
import { createRandom } from '../src/domain/random.ts';
import type { BenchResult } from './result.ts';

const MARKETS = 150;
const TAKE = 30;
const ROUNDS = 2_000;

/** Sorting as many numbers, as an example of work that every machine knows. */
function sortMs(numbers: readonly number[]): number {
  const startedMs = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) numbers.toSorted((left, right) => left - right);
  return (performance.now() - startedMs) / ROUNDS;
}

/** How long it takes to rank all markets of an exchange. */
export function benchUniverse(): BenchResult[] {
  const random = createRandom(1);
  const candidates = Array.from({ length: MARKETS }, (_, place) => `C${place}IRT`);
  const figures = candidates.map((market): MarketFigures => ({
    market,
    isClosed: false,
    volume24h: random.next() * 1e12,
    last: random.next() * 1e6,
    change: random.next(),
    volatility: random.next(),
    spread: random.next() * 100,
    ageMs: Infinity,
  }));
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
  const reference = sortMs(figures.map(({ volume24h }) => volume24h ?? 0));
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
  ];
}
