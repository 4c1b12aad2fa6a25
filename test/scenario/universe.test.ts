import { expect, test } from 'vitest';
import { StrategyInstance } from '../../src/engine/strategy-instance.ts';
import { TrackedUniverse } from '../../src/engine/universe/tracked-universe.ts';
import { MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import { type MarketFigures, outText, rankMarkets } from '../../src/strategy/rank-markets.ts';
import type { UniverseWish } from '../../src/strategy/universe-rules.ts';
import { runnerOn } from '../support/runner-on.ts';

const CANDIDATES = ['A', 'B', 'C', 'D', 'E'] as const;
const symbolOf = (letter: string): string => `${letter}IRT`;
const lettersOf = (symbols: Iterable<string>): string => [...symbols].map((symbol) => symbol[0]).join('');

/** A ranking and its expected outcome, parsed from a line of a table. */
interface Line {
  readonly figures: readonly MarketFigures[];
  readonly held: string;
  readonly unread: string;
  readonly wanted: string;
}

/**
 * Parses `A9 B8! C7s60 D- | holds A | reads B => +C -A = BC kept A`: volumes, `!` for a closed market, `s60`
 * for a spread, `p5` for a price, `h1` for an hour since it was first seen, `-` for no volume. Markets that
 * are not named are absent. Bars of markets after `reads` do not come yet.
 */
function lineOf(text: string): Line {
  const [before = '', wanted = ''] = text.split('=>').map((part) => part.trim());
  const [markets = '', ...notes] = before.split('|').map((part) => part.trim());
  const noteOf = (word: string): string =>
    notes.find((note) => note.startsWith(word))?.slice(word.length + 1) ?? '';
  const figures = markets.split(/\s+/).map((market): MarketFigures => {
    const found = /^([A-E])(\d+|-)(!?)(?:s(\d+))?(?:p(\d+))?(?:h(\d+))?$/.exec(market);
    if (found === null) throw new Error(`expected a market such as A9!s60p5h1, was ${market}`);
    const [, letter = '', volume, closed, spread, price, hours] = found;
    return {
      market: symbolOf(letter),
      isClosed: closed === '!',
      volume24h: volume === '-' ? null : Number(volume),
      last: Number(price ?? 10),
      change: 0,
      volatility: 0,
      spread: Number(spread ?? 1),
      ageMs: hours === undefined ? Infinity : Number(hours) * 3_600_000,
    };
  });
  return { figures, held: noteOf('holds'), unread: noteOf('reads'), wanted };
}

function universeOf(wish: Partial<UniverseWish>): TrackedUniverse {
  const strategy = defineStrategy({
    name: 'roamer',
    data: ({ universe }) => ({
      members: universe({ quote: 'rls', rankBy: 'volume24h', take: 2, reserve: 1, hysteresis: 0, ...wish }),
    }),
    on: {},
  });
  const runner = runnerOn(strategy, 'USDTIRT', '1h', {
    knownMarkets: new Set([...CANDIDATES.map(symbolOf), 'USDTIRT']),
  });
  const limits = createRiskLimits({});
  const instance = new StrategyInstance(
    { runner, onError: 'stop', pauseMs: 0, limits, capital: {} },
    { marketNames: MARKET_NAMES, sees: () => true },
  );
  const wanted = runner.subscriptions.find(({ kind }) => kind === 'universe');
  if (wanted?.kind !== 'universe') throw new Error('expected a universe');
  return new TrackedUniverse(instance, wanted, undefined);
}

/** Returns the outcome of each line, and at the end why each other market is out. */
function run(table: string, wish: Partial<UniverseWish> = {}): readonly string[] {
  const universe = universeOf(wish);
  const { rules, candidates } = universe.wanted;
  const lines = table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(lineOf);
  for (const [place, { figures, held, unread, wanted }] of lines.entries()) {
    const holds = (market: string): boolean => held.includes(market[0] ?? '');
    const byMarket = new Map(figures.map((one) => [one.market, one]));
    const ranking = rankMarkets(byMarket, {
      rules,
      candidates,
      members: universe.incumbents,
      hasBooks: true,
    });
    universe.rank(ranking, place, holds);
    universe.release(holds);
    for (const market of universe.unread) if (!unread.includes(market[0] ?? '')) universe.read(market, []);
    const change = universe.drainChange(place);
    const { members, kept } = universe.state;
    const told = [
      ...(change?.entered ?? []).map((market) => `+${lettersOf([market])}`),
      ...(change?.left ?? []).map((market) => `-${lettersOf([market])}`),
      '=',
      ...(members.length === 0 ? [] : [lettersOf(members.map(({ market }) => market))]),
      ...(kept.length === 0 ? [] : [`kept ${lettersOf(kept)}`]),
    ].join(' ');
    expect(told, `line ${place + 1}`).toBe(wanted);
  }
  return Object.entries(universe.state.out)
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([market, reason]) => `${lettersOf([market])}: ${outText(reason, rules.rankBy)}`);
}

test('the best enter, the others do not, and a change of places within is none', () => {
  const out = run(`
    A9 B8 C7 => +A +B = AB
    A8 B9 C7 => = BA
    A8 B9 C8 => = BA
  `);
  expect(out).toEqual([
    'C: its rank by volume24h is 3, of 2',
    'D: nothing tells its volume24h',
    'E: nothing tells its volume24h',
    'U: nothing tells its volume24h',
  ]);
});

test('of the same numbers the one comes first whose name does, whoever was there before', () =>
  run(`
    D5 C5 B5 A5 => +A +B = AB
    B5 C5 D5 E5 => +C -A = BC
    A5 B5 C5 D5 => +A -C = AB
  `));

test('a member stays up to the rank of the hysteresis, and one place later it goes', () =>
  run(
    `
    A9 B8 C7 D6 => +A +B = AB
    A9 B7 C8 D6 => = AB
    A9 B6 C8 D7 => +C -B = AC
    A7 B9 C6 D8 => +B -C = BA
  `,
    { hysteresis: 0.5 },
  ));

test('with a hysteresis nobody leaves for a newcomer while all are within it', () =>
  run(
    `
    A9 B8          => +A +B = AB
    A7 B6 C9 D8    => = AB
    A7 B5 C9 D8 E6 => +C -B = CA
  `,
    { hysteresis: 1 },
  ));

test('a filter has no hysteresis, and says what it found', () => {
  const out = run(
    `
    A90 B80 C70                   => +A +B = AB
    A90 B4 C70 D60s51 E60p4       => +C -B = AC
    A90s51 B80 C70 D60 E60h1      => +B -A = BC
    A90s51 B4 C70p4 D60 E60h1     => +D -C -B = D
  `,
    {
      hysteresis: 5,
      filters: { minVolume: 5, maxSpreadBps: 50, minPrice: 5, minAgeMs: 7_200_000, exclude: ['USDTIRT'] },
    },
  );
  expect(out).toEqual([
    'A: maxSpreadBps is 50, its spread is 51',
    'B: minVolume is 5, it has 4',
    'C: minPrice is 5, it has 4',
    'E: minAgeMs is 7200000, it has 3600000',
  ]);
});

test('one that leaves while something is held is kept until it is gone, and sold by nobody', () =>
  run(`
    A9 B8 C7 | holds A => +A +B = AB
    A1 B8 C7 | holds A => +C -A = BC kept A
    A1 B8 C7 | holds A => = BC kept A
    A1 B8 C7           => = BC
  `));

test('a kept market comes back at once, without a reading, and another leaves for it', () =>
  run(`
    A9 B8 C7                     => +A +B = AB
    A1 B8 C7 | holds A           => +C -A = BC kept A
    A9 B8 C7 | holds A | reads A => +A -C = AB
    A9 B8 C7 | holds A           => = AB
  `));

test('a newcomer without bars waits for them, and one that goes meanwhile was never in', () =>
  run(`
    A9 B8       | reads B => +A = A
    A9 B8       | reads B => = A
    A9 B1 C8    | reads C => = A
    A9 B1 C8              => +C = AC
    A9 B8 C1              => +B -C = AB
  `));

test('newcomers wait for a place while the reserve is used up, the best first', () => {
  const out = run(`
    A9 B8 C1 D1 E1 | holds AB => +A +B = AB
    A1 B1 C9 D8 E1 | holds AB => +C -A -B = C kept AB
    A1 B1 C9 D8 E1 | holds AB => = C kept AB
    A1 B1 C9 D8 E1 | holds B  => +D = CD kept B
    A1 B1 C1 D8 E9 | holds BC => -C = D kept BC
  `);
  expect(out).toContain(
    'E: 2 markets that left are still held, of a reserve of 1, and there is no place left',
  );
});

test('without a reserve what is held keeps its place', () =>
  run(
    `
    A9 B8 C1 | holds A => +A +B = AB
    A1 B8 C9 | holds A => -A = B kept A
    A1 B8 C9           => +C = CB
  `,
    { reserve: 0 },
  ));

test('a closed market leaves and enters again as it opens; held, it is kept while it is closed', () => {
  run(`
    A9 B8 C7           => +A +B = AB
    A9! B8 C7          => +C -A = BC
    A9 B8 C7           => +A -C = AB
    A9! B8 C7 | holds A => +C -A = BC kept A
    A9 B8 C7 | holds A => +A -C = AB
  `);
  expect(run('A9! B8 C7 => +B +C = BC')).toContain('A: it is closed');
});

test('one that is absent, or says no number, leaves as one of no rank', () =>
  run(`
    A9 B8 C7 => +A +B = AB
    B8 C7    => +C -A = BC
    A9 B- C7 => +A -B = AC
  `));

test('where nothing passes nobody is a member, and what is held goes on to be followed', () => {
  const rules = { filters: { minVolume: 5 } };
  run(
    `
    A9 B8 | holds A => +A +B = AB
    A1 B1 | holds A => -A -B = kept A
    A9 B1 | holds A => +A = A
  `,
    rules,
  );
  expect(run('A1 B1 => =', rules)).toContain('A: minVolume is 5, it has 1');
});
