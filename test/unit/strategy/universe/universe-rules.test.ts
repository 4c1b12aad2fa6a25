import { describe, expect, test } from 'vitest';
import { MARKET_NAMES } from '../../../../src/exchange/market-names.ts';
import { candidatesOf, checkedUniverse } from '../../../../src/strategy/universe-rules.ts';

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
