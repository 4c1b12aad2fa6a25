import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits, UNITS_PER_ONE, type Units } from '../../../../src/domain/money.ts';
import type { FillRecord } from '../../../../src/execution/fill-record.ts';
import { readResults, writeResults } from '../../../../src/execution/risk/results-text.ts';
import {
  noResults,
  resultsAfterFill,
  resultsAtPrice,
  viewOf,
  type Results,
} from '../../../../src/execution/risk/results.ts';
import { marketOf } from './risk-table.ts';

type Step =
  | { readonly kind: 'fill'; readonly fill: FillRecord }
  | { readonly kind: 'price'; readonly market: string; readonly price: Units; readonly atMs: number };

const units = (most: bigint) => fc.bigInt({ min: 1n, max: most }) as fc.Arbitrary<Units>;
const markets = fc.constantFrom('BTCUSDT', 'ETHUSDT');
// Small amounts too, so that positions return to zero and turn round.
const amounts = fc.oneof(
  units(3n),
  fc.constantFrom((10n ** 10n) as Units, (2n * 10n ** 10n) as Units),
  units(10n ** 11n),
);
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      isFill: fc.boolean(),
      market: markets,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      amount: amounts,
      total: units(10n ** 21n),
      feeShare: fc.constantFrom(0n, 25n, 10_000n),
      price: units(10n ** 20n),
      gapMs: fc.nat(30_000_000),
    }),
    { maxLength: 40, size: 'max' },
  )
  .map((drawn) => {
    let atMs = 0;
    return drawn.map(({ isFill, market, side, amount, total, feeShare, price, gapMs }, index): Step => {
      atMs += gapMs;
      if (!isFill) return { kind: 'price', market, price, atMs };
      const fee = (((side === 'buy' ? amount : total) * feeShare) / 10_000n) as Units;
      const fill = { tradeId: index, venueOrderId: 1, orderKey: null, strategy: 'mine', market, side, atMs, price };
      return { kind: 'fill', fill: { ...fill, amount, total, fee } };
    });
  });

function after(results: Results, step: Step): Results {
  if (step.kind === 'price') return resultsAtPrice(results, step);
  return resultsAfterFill(results, { fill: step.fill, market: marketOf(step.fill.market) });
}

/** What the fills say, added up anew: cash and position of a market. */
function flowOf(played: readonly Step[], symbol: string): { readonly cash: bigint; readonly position: bigint } {
  let cash = 0n;
  let position = 0n;
  for (const step of played) {
    if (step.kind !== 'fill' || step.fill.market !== symbol) continue;
    const { side, amount, total, fee } = step.fill;
    cash += side === 'buy' ? 0n - total : total - fee;
    position += side === 'buy' ? amount - fee : 0n - amount;
  }
  return { cash, position };
}

describe('results', () => {
  test('are the cash and the position at the last price exactly as the fills say', () => {
    let turns = 0;
    fc.assert(
      fc.property(steps, (drawn) => {
        let results = noResults('usdt');
        for (const [index, step] of drawn.entries()) {
          results = after(results, step);
          let sum = 0n;
          for (const [symbol, market] of Object.entries(results.markets)) {
            const { cash, position } = flowOf(drawn.slice(0, index + 1), symbol);
            expect(market).toMatchObject({ cash, position });
            expect(market.realised - market.cost).toBe(cash);
            if (position === 0n) expect(market.cost).toBe(0n);
            sum += cash + nearestTo(position * market.price);
          }
          expect(results.result).toBe(sum);
          expect(viewOf(results, 0).peakResult).toBeGreaterThanOrEqual(sum);
        }
        for (const { trips } of Object.values(results.markets)) turns += trips;
      }),
      { numRuns: 200 },
    );

    expect(turns).toBeGreaterThan(20);
  });

  test('come back from their text as they were', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        const results = drawn.reduce(after, noResults('usdt'));
        expect(readResults(writeResults(results))).toEqual(results);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['no JSON', 'nonsense'],
    ['a list', '[]'],
    ['another quote currency', writeResults(noResults('usdt')).replace('usdt', 'eur')],
    ['a number for a decimal', writeResults(noResults('usdt')).replace('"peakResult":"0"', '"peakResult":0')],
    ['a missing field', '{"quote":"usdt","markets":{}}'],
    ['a market that is none', writeResults(noResults('usdt')).replace('"markets":{}', '"markets":{"BTCUSDT":1}')],
    ['a negative count', writeResults(noResults('usdt')).replace('"day":0', '"day":-1')],
  ])('are not read from %s', (_, text) => {
    expect(() => readResults(text)).toThrow('expected the kept results of a strategy');
  });

  test('hold what no float does', () => {
    const fill = { tradeId: 1, venueOrderId: 1, orderKey: null, strategy: 'mine', market: 'BTCIRT', atMs: 0 };
    const results = resultsAfterFill(noResults('rls'), {
      fill: {
        ...fill,
        side: 'buy',
        price: parseUnits('12600000000'),
        amount: parseUnits('1000.0000000001'),
        total: parseUnits('12600000000001.26'),
        fee: parseUnits('0'),
      },
      market: marketOf('BTCIRT'),
    });
    const later = resultsAtPrice(results, { market: 'BTCIRT', price: parseUnits('12600000000.0000000001'), atMs: 1 });
    expect(viewOf(later, 1).result).toBe(parseUnits('0.0000001'));
  });
});

/** The nearest whole unit of a product of two units, ties to even. */
function nearestTo(product: bigint): bigint {
  const below = product / UNITS_PER_ONE - (product % UNITS_PER_ONE < 0n ? 1n : 0n);
  const twiceRest = 2n * (product - below * UNITS_PER_ONE);
  if (twiceRest === UNITS_PER_ONE) return below % 2n === 0n ? below : below + 1n;
  return twiceRest > UNITS_PER_ONE ? below + 1n : below;
}
