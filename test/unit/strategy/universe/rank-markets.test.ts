import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type MarketFigures,
  outCounts,
  outText,
  rankMarkets,
} from '../../../../src/strategy/rank-markets.ts';
import {
  type UniverseRules,
  candidatesOf,
  checkedUniverse,
} from '../../../../src/strategy/universe-rules.ts';
import { MARKET_NAMES } from '../../../../src/exchange/market-names.ts';

const RULES: UniverseRules = {
  quote: 'rls',
  rankBy: 'volume24h',
  take: 2,
  filters: {},
  refreshMs: 600_000,
  hysteresis: 0.5,
  reserve: 1,
};

function figures(market: string, more: Partial<MarketFigures> = {}): MarketFigures {
  return {
    market,
    isClosed: false,
    volume24h: 100,
    last: 10,
    change: 1,
    volatility: 2,
    spread: 5,
    ageMs: Infinity,
    ...more,
  };
}

function ranked(
  all: readonly MarketFigures[],
  of: {
    readonly rules?: Partial<UniverseRules>;
    readonly members?: readonly string[];
    readonly hasBooks?: boolean;
  } = {},
) {
  const { rules = {}, members = [], hasBooks = true } = of;
  const byMarket = new Map(all.map((one) => [one.market, one]));
  return rankMarkets(byMarket, {
    rules: { ...RULES, ...rules },
    candidates: ['AIRT', 'BIRT', 'CIRT', 'DIRT'],
    members: new Set(members),
    hasBooks,
  });
}

const FOUR = [
  figures('AIRT', { volume24h: 40, spread: 4, change: -1, volatility: 1 }),
  figures('BIRT', { volume24h: 30, spread: 1, change: 9, volatility: 3 }),
  figures('CIRT', { volume24h: 20, spread: 2, change: 3, volatility: 9 }),
  figures('DIRT', { volume24h: 10, spread: 3, change: 2, volatility: 4 }),
];

describe('a ranking of markets', () => {
  test.each([
    ['volume24h', ['AIRT', 'BIRT']],
    ['spread', ['BIRT', 'CIRT']],
    ['change', ['BIRT', 'CIRT']],
    ['volatility', ['CIRT', 'DIRT']],
  ] as const)('by %s takes the best', (rankBy, members) => {
    expect(ranked(FOUR, { rules: { rankBy } }).members).toEqual(members);
  });

  test('puts of two with one number the one first whose name is', () => {
    const same = ['DIRT', 'BIRT', 'CIRT'].map((market) => figures(market));
    expect(ranked(same).members).toEqual(['BIRT', 'CIRT']);
  });

  test.each([
    [{ isClosed: true }, {}, 'it is closed'],
    [{ volume24h: null }, {}, 'nothing tells its volume24h'],
    [{ volume24h: 99 }, { minVolume: 100 }, 'minVolume is 100, it has 99'],
    [{ volume24h: null }, { minVolume: 100 }, 'minVolume is 100, it has none'],
    [{ spread: 30.5 }, { maxSpreadBps: 30 }, 'maxSpreadBps is 30, its spread is 30.5'],
    [{ spread: null }, { maxSpreadBps: 30 }, 'maxSpreadBps is 30, its spread is none'],
    [{ last: 0.5 }, { minPrice: 1 }, 'minPrice is 1, it has 0.5'],
    [{ ageMs: 5 }, { minAgeMs: 6 }, 'minAgeMs is 6, it has 5'],
  ] as const)('says of %j with the filters %j: %s', (more, filters, text) => {
    const { members, out } = ranked([figures('AIRT', more)], { rules: { filters } });
    const reason = out.get('AIRT');
    expect(members).toEqual([]);
    expect(reason === undefined ? null : outText(reason, 'volume24h')).toBe(text);
  });

  test('counts what each filter keeps out', () => {
    const { out } = ranked([figures('AIRT', { volume24h: 1 }), figures('BIRT', { volume24h: 2 })], {
      rules: { filters: { minVolume: 5 } },
    });
    expect(outCounts(out.values())).toBe('2 by minVolume, 2 by no data');
  });

  test('asks for no spread where no books are known', () => {
    const all = [figures('AIRT', { spread: null })];
    expect(ranked(all, { rules: { filters: { maxSpreadBps: 1 } }, hasBooks: false }).members).toEqual([
      'AIRT',
    ]);
  });

  test('keeps a member up to take x (1 + hysteresis), and not beyond', () => {
    expect(ranked(FOUR, { members: ['BIRT', 'CIRT'] }).members).toEqual(['BIRT', 'CIRT']);
    expect(ranked(FOUR, { members: ['BIRT', 'DIRT'] }).members).toEqual(['AIRT', 'BIRT']);
    expect(ranked(FOUR, { members: ['BIRT', 'CIRT'], rules: { hysteresis: 0 } }).members).toEqual([
      'AIRT',
      'BIRT',
    ]);
  });

  test('sends a member away that a filter refuses, whatever its rank', () => {
    const all = [figures('AIRT', { isClosed: true, volume24h: 99 }), ...FOUR.slice(1)];
    expect(ranked(all, { members: ['AIRT', 'BIRT'] }).members).toEqual(['BIRT', 'CIRT']);
  });

  test('says of those below the last place which rank they have', () => {
    const { out } = ranked(FOUR);
    expect(out.get('CIRT')).toEqual({ by: 'rank', found: 3, limit: 2 });
    expect(out.get('AIRT')).toBeUndefined();
  });

  test('is the same in whichever order the markets come, and takes no more than it may', () => {
    const any = fc.record({
      volumes: fc.array(fc.option(fc.integer({ min: 0, max: 5 })), { minLength: 4, maxLength: 4 }),
      take: fc.integer({ min: 1, max: 4 }),
      members: fc.subarray(['AIRT', 'BIRT', 'CIRT', 'DIRT']),
    });
    fc.assert(
      fc.property(any, ({ volumes, take, members }) => {
        const all = ['AIRT', 'BIRT', 'CIRT', 'DIRT'].map((market, place) =>
          figures(market, { volume24h: volumes[place] ?? null }),
        );
        const of = { rules: { take }, members: members.slice(0, take) };
        const one = ranked(all, of);
        expect(ranked(all.toReversed(), of)).toEqual(one);
        expect(one.members.length).toBe(Math.min(take, volumes.filter((volume) => volume !== null).length));
      }),
    );
  });
});

const KNOWN = new Set(['BTCIRT', 'ETHIRT', 'USDTIRT', 'BTCUSDT']);
const GOOD = { quote: 'rls', rankBy: 'volume24h', take: 2 };

function checked(more: object) {
  return checkedUniverse({ ...GOOD, ...more }, { marketNames: MARKET_NAMES, knownMarkets: KNOWN });
}

describe('the rules of a universe', () => {
  test('have what was left out put in', () => {
    expect(checked({})).toEqual({
      quote: 'rls',
      rankBy: 'volume24h',
      take: 2,
      filters: {},
      refreshMs: 600_000,
      hysteresis: 0.2,
      reserve: 1,
    });
  });

  test.each([
    [{ take: 0 }, 'universe.take: '],
    [{ take: 1_000 }, 'universe.take: '],
    [{ take: 1.5 }, 'universe.take: '],
    [{ quote: 'eur' }, 'universe.quote: expected one of rls, usdt, was "eur"'],
    [
      { rankBy: 'luck' },
      'universe.rankBy: expected one of volume24h, volatility, spread, change, was "luck"',
    ],
    [{ filters: { minVolume: NaN } }, 'universe.filters.minVolume: '],
    [{ filters: { minPrice: Infinity } }, 'universe.filters.minPrice: '],
    [{ filters: { maxSpreadBps: 0 } }, 'universe.filters.maxSpreadBps: expected a number above 0'],
    [{ filters: { minAgeMs: -1 } }, 'universe.filters.minAgeMs: '],
    [{ filters: { volume: 1 } }, 'universe.filters: '],
    [
      { filters: { exclude: ['XYZIRT'] } },
      'universe.filters.exclude.0: expected one of the markets BTCIRT, ',
    ],
    [
      { filters: { exclude: ['BTCUSDT'] } },
      'universe.filters.exclude.0: expected a market in rls, was BTCUSDT',
    ],
    [
      { filters: { exclude: ['?'] } },
      'universe.filters.exclude.0: expected a market such as BTCIRT, was "?"',
    ],
    [{ refreshMs: 1_000 }, 'universe.refreshMs: '],
    [{ hysteresis: NaN }, 'universe.hysteresis: '],
    [{ hysteresis: -0.1 }, 'universe.hysteresis: expected a number from 0 to 5'],
  ])('are refused with the field: %j', (more, message) => {
    expect(() => checked(more)).toThrow(message);
  });

  test('take the markets of their currency but those that are left out, by name', () => {
    const rules = checked({ filters: { exclude: ['USDTIRT'] } });
    expect(candidatesOf(rules, KNOWN, MARKET_NAMES)).toEqual(['BTCIRT', 'ETHIRT']);
  });
});
