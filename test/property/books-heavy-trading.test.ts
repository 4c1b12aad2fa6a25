import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepRuns } from '../support/deep-runs.ts';
import { BooksExchange, type BooksMoment } from './books-exchange.ts';

/** Lag of the lists, in ms: less than the reconciler allows for. */
const delayMs = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(20_000));

const trade = fc.record({
  // Some amounts come again and again, as with a strategy whose orders are all of one size.
  amount: fc.oneof(
    fc.constantFrom(10_000_000, 20_000_000),
    fc.integer({ min: 1_000_000, max: 2_000_000_000 }),
  ),
  isBuy: fc.boolean(),
  feeCurrency: fc.constantFrom(null, 'btc' as const, 'usdt' as const, 'bnb' as const),
  fillMs: delayMs,
  lineMs: delayMs,
});

const deposit = fc.record({
  currency: fc.constantFrom('btc' as const, 'usdt' as const),
  // Multiples of a large number, so that a difference of a few units is never that of two deposits.
  amount: fc.integer({ min: 1, max: 1_000_000 }).map((units) => units * 7_919_000),
  lineMs: delayMs,
});

const reading = fc.record({
  oldMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(5_000)),
  endsAfterPages: fc.oneof({ weight: 4, arbitrary: fc.constant(100) }, fc.constant(1)),
});

const moment: fc.Arbitrary<BooksMoment> = fc.record({
  trades: fc.array(trade, { maxLength: 8 }),
  deposit: fc.option(deposit, { freq: 10 }),
  reading: fc.option(reading, { freq: 2 }),
  isRestarted: fc.nat(30).map((drawn) => drawn === 0),
});

/**
 * A few drawn moments that are repeated many times: an hour of trading then costs no more to draw. At first
 * no history can be read.
 */
const history = fc
  .tuple(
    fc.array(moment, { minLength: 5, maxLength: 40, size: 'max' }),
    fc.integer({ min: 1, max: 8 }),
    fc.nat(6),
  )
  .map(([moments, times, blind]) =>
    Array.from({ length: times }, (_, turn) =>
      turn < blind ? moments.map((one) => ({ ...one, reading: null })) : moments,
    ).flat(),
  );

const QUIET: BooksMoment = {
  trades: [],
  deposit: null,
  reading: { oldMs: 0, endsAfterPages: 100 },
  isRestarted: false,
};

/** `firstFee`: currency of the fee of a first trade, which is followed from then on. */
function begun(firstFee: 'bnb' | null = null): BooksExchange {
  const exchange = new BooksExchange();
  for (let count = 0; count < 60; count += 1) exchange.pass(QUIET);
  exchange.pass({ ...QUIET, trades: [{ ...SALE, feeCurrency: firstFee }] });
  for (let count = 0; count < 60; count += 1) exchange.pass(QUIET);
  expect(exchange.reconciler.currencies.has('bnb')).toBe(firstFee !== null);
  expect(exchange.reconciler.watch.conclusionCount).toBeGreaterThan(0);
  return exchange;
}

function becomeQuiet(exchange: BooksExchange): void {
  for (let count = 0; count < 120; count += 1) exchange.pass(QUIET);
}

describe('the books, while an account trades a lot and its lists lag', () => {
  it('have no break where no money was lost', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (moments, isAcceptedAmid) => {
        const exchange = begun();
        for (const [place, happening] of moments.entries()) {
          if (isAcceptedAmid && place === moments.length >> 1) exchange.reconciler.accept();
          exchange.pass(happening);
          expect(exchange.reconciler.break).toBeNull();
        }
        const before = exchange.reconciler.watch.conclusionCount;
        becomeQuiet(exchange);
        expect(exchange.reconciler.break).toBeNull();
        expect(exchange.reconciler.watch.conclusionCount).toBeGreaterThan(before);
      }),
      { numRuns: deepRuns(20, 8) },
    );
  });

  it('begin with no trade twice where one of its size is always still to be listed', () => {
    const exchange = begun();
    exchange.reconciler.accept();
    const purchase = { amount: 10_000_000, isBuy: true, feeCurrency: null, fillMs: 15_000, lineMs: 0 };
    for (let count = 0; count < 90; count += 1)
      exchange.pass({ ...QUIET, trades: count % 4 === 0 ? [purchase] : [], reading: null });
    becomeQuiet(exchange);
    expect(exchange.reconciler.break).toBeNull();
  });

  it('have one where a unit was lost, or one fee is off by a unit', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.boolean(), (moments, drawn, isLost) => {
        const exchange = begun('bnb');
        const at = drawn % moments.length;
        for (const [place, happening] of moments.entries()) {
          const isHere = place === at;
          if (isHere && isLost) exchange.lose('usdt');
          exchange.wrongFee = isHere && !isLost ? 1n : 0n;
          exchange.pass(
            isHere && happening.trades.length === 0 ? { ...happening, trades: [SALE] } : happening,
          );
        }
        becomeQuiet(exchange);
        expect(exchange.reconciler.break).not.toBeNull();
      }),
      { numRuns: deepRuns(20, 8) },
    );
  });
});

const SALE = { amount: 5_000_000, isBuy: false, feeCurrency: null, fillMs: 0, lineMs: 0 };
