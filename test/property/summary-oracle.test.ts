import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BacktestRun } from '../../src/backtest/backtest-run.ts';
import { runSummary } from '../../src/backtest/finish-run.ts';
import { createMarket } from '../../src/domain/market.ts';
import { formatUnits, type Units } from '../../src/domain/money.ts';
import { EMPTY_FILL, type FillRecord } from '../../src/records/fill.ts';
import { demoRun } from '../unit/backtest/demo-run.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { tradeIdOf } from '../../src/venues/read-records.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';

/**
 * Computes each figure of the summary again, with the formulas of docs/metrics.md as they are written there,
 * over plain lists. Of the code under test it imports only `runSummary`.
 */

const YEAR_MS = 365 * 24 * 3_600_000;
const FROM_MS = Date.UTC(2023, 0, 1);
const ONE = 10n ** 10n;
/** Coarse steps, so that the last digit of money does not matter beside a trade. */
const STEPS = { priceStep: '0.01', amountStep: '1000' };
/** At the drawn prices, three to four steps are worth the least order value. */
const MARKET = createMarket({ market: parseMarket('BTCUSDT'), ...STEPS, minOrderValue: '350000' });
const STEP = MARKET.amountStep;

interface Given {
  readonly initial: number;
  readonly equity: readonly number[];
  readonly exposed: readonly boolean[];
  readonly barMs: number;
  readonly fills: readonly FillRecord[];
  readonly firstPrice: bigint;
  readonly lastPrice: bigint;
}

// ---- The formulas ----

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const deviation = (values: readonly number[]): number => {
  const centre = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1));
};
/**
 * Divides; null for a figure without a value (a division by zero, or too few points). A deviation below 1e-15
 * is noise of floats and counts as zero.
 */
const over = (dividend: number, divisor: number): number | null =>
  Math.abs(divisor) < 1e-15 || !Number.isFinite(dividend / divisor) ? null : dividend / divisor;

function figuresOfCurve({ initial, equity, barMs, exposed }: Given) {
  const n = YEAR_MS / barMs;
  // After a total loss there is no return any more.
  const r = equity.map((value, index) => {
    const before = equity[index - 1] ?? initial;
    return before > 0 ? value / before - 1 : 0;
  });
  const final = equity.at(-1) ?? initial;
  const cagr = initial > 0 ? (final / initial) ** (YEAR_MS / (equity.length * barMs)) - 1 : Number.NaN;
  const { depth, lengthMs, longestMs } = drawdownOf({ initial, equity, barMs });
  const losses = sum(r.map((value) => Math.max(-value, 0)));
  const volatility = r.length < 2 ? null : deviation(r) * Math.sqrt(n);
  const isSteady = r.length < 2 || deviation(r) < 1e-15;
  const downside = Math.sqrt(mean(r.map((value) => Math.min(value, 0) ** 2)));
  return {
    totalReturn: over(final - initial, initial),
    cagr: Number.isFinite(cagr) ? cagr : null,
    volatility,
    sharpe: isSteady ? null : (mean(r) / deviation(r)) * Math.sqrt(n),
    sortino: over(mean(r) * Math.sqrt(n), downside),
    calmar: Number.isFinite(cagr) ? over(cagr, depth) : null,
    omega: losses === 0 ? null : sum(r.map((value) => Math.max(value, 0))) / losses,
    maxDrawdown: depth,
    maxDrawdownMs: lengthMs,
    longestDrawdownMs: longestMs,
    exposure: mean(exposed.map(Number)),
  };
}

/**
 * Finds every time below a peak, from the peak until it is regained or to the end. If several are the
 * deepest, the first is reported.
 */
function drawdownOf({ initial, equity, barMs }: Pick<Given, 'initial' | 'equity' | 'barMs'>) {
  const all = [initial, ...equity];
  const peaks = all.map((_, index) => Math.max(...all.slice(0, index + 1)));
  const isBelow = all.map((value, index) => value < (peaks[index] ?? 0));
  const stretches = all.flatMap((_, from) => {
    if (isBelow[from] !== false || isBelow[from + 1] !== true) return [];
    const regained = isBelow.findIndex((below, index) => index > from && !below);
    const to = regained === -1 ? all.length - 1 : regained;
    const peak = peaks[from] ?? 0;
    return [
      {
        depth: Math.max(...all.slice(from, to + 1).map((value) => (peak - value) / peak)),
        ms: (to - from) * barMs,
      },
    ];
  });
  const depth = Math.max(0, ...stretches.map((stretch) => stretch.depth));
  const deepest = stretches.find((stretch) => stretch.depth === depth);
  return { depth, lengthMs: deepest?.ms ?? 0, longestMs: Math.max(0, ...stretches.map(({ ms }) => ms)) };
}

interface Trip {
  readonly name: string;
  readonly openedMs: number;
  closedMs: number;
  cost: number;
  proceeds: number;
}

const quoteOf = (price: bigint, amount: bigint): number => (Number(price) / 1e10) * (Number(amount) / 1e10);

interface Lot {
  readonly order: string;
  readonly atMs: number;
  readonly price: bigint;
  left: bigint;
  whole: bigint;
  cost: number;
}

/** True for the rest of a lot that was sold in part, if it is too little for an order. */
const isDust = ({ left, whole, price }: Lot): boolean =>
  left < whole && (left < STEP || (left / STEP) * STEP * price <= MARKET.minOrderValue * ONE);

/** Moves such a rest into the next lot, with its cost, as a sale by another order does. */
function passOn(lots: Lot[]): void {
  const [lot, next] = lots;
  if (lot === undefined || next === undefined || !isDust(lot)) return;
  lots.shift();
  next.left += lot.left;
  next.cost += (lot.cost * Number(lot.left)) / Number(lot.whole);
  next.whole += lot.left;
}

/** Pairs trades: what one order bought and another sold, first in first out, whatever filled in between. */
function tripsOf({ fills }: Given): { readonly closed: readonly Trip[]; readonly open: number } {
  const lots: Lot[] = [];
  const trips: Trip[] = [];
  let seller: string | null = null;
  for (const { side, orderKey, atMs, price, amount, fee } of fills) {
    const order = orderKey ?? '';
    if (side === 'buy') {
      const whole = amount - fee;
      lots.push({ order, atMs, price, left: whole, whole, cost: quoteOf(price, amount) });
      continue;
    }
    if (order !== seller) passOn(lots);
    seller = order;
    let wanted: bigint = amount;
    while (wanted > 0n) {
      const lot = lots[0];
      if (lot === undefined) throw new Error('expected no sale of what was not bought');
      const part = wanted < lot.left ? wanted : lot.left;
      const share = Number(part) / Number(amount);
      const name = `${lot.order} ${order}`;
      let trip = trips.find((known) => known.name === name);
      if (trip === undefined)
        trips.push((trip = { name, openedMs: lot.atMs, closedMs: atMs, cost: 0, proceeds: 0 }));
      trip.closedMs = atMs;
      trip.cost += (lot.cost * Number(part)) / Number(lot.whole);
      trip.proceeds += (quoteOf(price, amount) - Number(fee) / 1e10) * share;
      lot.left -= part;
      wanted -= part;
      if (lot.left === 0n) lots.shift();
    }
  }
  passOn(lots);
  const open = lots.filter((lot) => !isDust(lot));
  return { closed: trips, open: new Set(open.map(({ order }) => order)).size };
}

function figuresOfTrips(given: Given) {
  const { closed, open } = tripsOf(given);
  const profits = closed.map(({ proceeds, cost }) => proceeds - cost);
  const changes = closed.map(({ proceeds, cost }) => (proceeds - cost) / cost);
  const lengths = closed.map(({ openedMs, closedMs }) => closedMs - openedMs);
  const isNone = closed.length === 0;
  const losses = sum(profits.map((profit) => Math.max(-profit, 0)));
  return {
    trades: closed.length,
    openTrades: open,
    winRate: isNone ? null : profits.filter((profit) => profit > 0).length / closed.length,
    profitFactor: losses === 0 ? null : sum(profits.map((profit) => Math.max(profit, 0))) / losses,
    expectancy: isNone ? null : mean(profits),
    sqn: closed.length < 2 ? null : over(Math.sqrt(closed.length) * mean(profits), deviation(profits)),
    averageTradeReturn: isNone ? null : mean(changes),
    bestTradeReturn: isNone ? null : Math.max(...changes),
    worstTradeReturn: isNone ? null : Math.min(...changes),
    averageTradeMs: isNone ? null : mean(lengths),
    longestTradeMs: isNone ? null : Math.max(...lengths),
  };
}

function figuresOfActivity({ fills, equity, firstPrice, lastPrice }: Given) {
  const traded = sum(fills.map(({ price, amount }) => quoteOf(price, amount)));
  return {
    tradedValue: traded,
    turnover: mean(equity) > 0 ? traded / mean(equity) : null,
    fees: sum(
      fills.map(({ side, price, fee }) => (side === 'buy' ? quoteOf(price, fee) : Number(fee) / 1e10)),
    ),
    fills: fills.length,
    requests: null,
    requestsPerFill: null,
    buyAndHoldReturn: Number(lastPrice) / Number(firstPrice) - 1,
  };
}

// ---- What is drawn ----

const steady = (change: number) => (length: number) =>
  Array.from({ length }, (_, index) => 1_000 * (1 + change) ** (index + 1));
const curve: fc.Arbitrary<readonly number[]> = fc.oneof(
  // Flat, the same return at each bar, up and down in turns, lost at once, lost later, worthless from the
  // start.
  fc.nat(40).map((length) => steady(0)(length + 1)),
  fc.nat(40).map((length) => steady(0.01)(length + 1)),
  fc.nat(40).map((length) => steady(-0.02)(length + 1)),
  fc
    .nat(40)
    .map((length) => Array.from({ length: length + 1 }, (_, index) => (index % 2 === 0 ? 1_100 : 1_000))),
  fc.constantFrom([0], [1_000], [1_000, 0, 0], [900, 0, 500], [1_200, 1_200, 1_000, 1_200, 1_100]),
  fc.array(fc.integer({ min: 500, max: 2_000 }), { minLength: 1, maxLength: 60 }),
  fc.array(fc.integer({ min: 998, max: 1_002 }), { minLength: 1, maxLength: 60 }),
);

type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;
const wish = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  /** One of two orders of a side, which are open at once and fill in turns. */
  which: fc.nat(1),
  steps: fc.integer({ min: 1, max: 60 }),
  price: fc.integer({ min: 90_00, max: 110_00 }),
});

/** Fills of orders in turns, which never sell more than is held. With every fifth fill new orders begin. */
function fillsOf(drawn: readonly Wish[]): FillRecord[] {
  let coins = 0n;
  return drawn.flatMap(({ side, which, steps, price }, index): FillRecord[] => {
    const most = coins / STEP;
    const wanted = BigInt(steps);
    const amount = (side === 'sell' && wanted > most ? most : wanted) * STEP;
    if (amount === 0n) return [];
    const units = BigInt(price) * 100_000_000n;
    const total = (units * amount) / ONE;
    const fee = ((side === 'buy' ? amount : total) * 1_300n) / 1_000_000n;
    coins += side === 'buy' ? amount - fee : -amount;
    const orderKey = `${side}-${Math.floor(index / 5)}-${which}`;
    const money = { price: units, amount, total, fee } as Pick<
      FillRecord,
      'price' | 'amount' | 'total' | 'fee'
    >;
    const id = { ...EMPTY_FILL, tradeId: tradeIdOf(index), cursor: index };
    const who = { orderKey, strategy: 'one', market: 'BTCUSDT' };
    return [{ ...id, side, atMs: FROM_MS + index * 60_000, ...money, ...who }];
  });
}

const given: fc.Arbitrary<Given> = fc
  .record({
    equity: curve,
    barMs: fc.constantFrom(60_000, 3_600_000, 86_400_000),
    exposed: fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
    orders: fc.array(wish, { maxLength: 40, size: 'max' }),
    prices: fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 500 })),
    initial: fc.constantFrom(1_000, 1_000, 1_000, 0),
  })
  .map(({ orders, prices, equity, exposed, initial, barMs }) => ({
    initial,
    // An account that begins with nothing stays at nothing.
    equity: initial === 0 ? equity.map(() => 0) : equity,
    exposed: exposed.slice(0, equity.length),
    barMs,
    fills: fillsOf(orders),
    firstPrice: BigInt(prices[0]) * ONE,
    lastPrice: BigInt(prices[1]) * ONE,
  }));

function runOf({ initial, equity, exposed, barMs, fills, firstPrice, lastPrice }: Given): BacktestRun {
  const base = demoRun({ bars: 1 });
  const { candles } = base.markets[0]!;
  return {
    ...base,
    fromMs: FROM_MS,
    toMs: FROM_MS + equity.length * barMs,
    barMs,
    initialEquity: (BigInt(initial) * ONE) as Units,
    finalEquity: BigInt(Math.round((equity.at(-1) ?? 0) * 1e10)) as Units,
    curve: {
      length: equity.length,
      timeMs: Float64Array.from(equity, (_, index) => FROM_MS + (index + 1) * barMs),
      equity: Float64Array.from(equity),
      isExposed: Uint8Array.from(exposed.map(Number)),
    },
    markets: [{ market: MARKET, firstPrice: firstPrice as Units, lastPrice: lastPrice as Units, candles }],
    intents: [],
    orders: [],
    fills,
  };
}

/** Compares nine digits, as sums of floats depend on their order. */
function expectNear(actual: string | number | null, expected: number | null, name: string): void {
  if (expected === null || actual === null) {
    expect(actual, name).toBe(expected);
    return;
  }
  expect(Math.abs(Number(actual) - expected), `${name} is ${actual}, not ${expected}`).toBeLessThanOrEqual(
    1e-9 * Math.max(1e-3, Math.abs(expected)),
  );
}

test('the summary of a run has the figures that the formulas of its documentation give', () => {
  const seen = { trips: 0, nulls: 0 };
  fc.assert(
    fc.property(given, (drawn) => {
      const summary = runSummary(runOf(drawn));
      const figures = { ...figuresOfCurve(drawn), ...figuresOfTrips(drawn), ...figuresOfActivity(drawn) };
      for (const [name, expected] of Object.entries(figures)) {
        expectNear(summary[name as keyof typeof figures], expected, name);
        if (expected === null) seen.nulls += 1;
      }
      const { initialEquity, finalEquity, profit, quote, orders, intents, refused } = summary;
      expect({ initialEquity, quote, orders, intents, refused }).toEqual({
        initialEquity: String(drawn.initial),
        quote: 'usdt',
        orders: 0,
        intents: 0,
        refused: 0,
      });
      const units = BigInt(Math.round((drawn.equity.at(-1) ?? 0) * 1e10));
      expect([finalEquity, profit]).toEqual([units, units - BigInt(drawn.initial) * ONE].map(formatUnits));
      // Every figure of the summary is among these.
      expect(Object.keys(summary).toSorted()).toEqual(
        [
          ...Object.keys(figures),
          'initialEquity',
          'finalEquity',
          'profit',
          'quote',
          'orders',
          'intents',
          'refused',
        ].toSorted(),
      );
      seen.trips += figures.trades;
    }),
    { numRuns: deepRuns(250), seed: 4 },
  );
  expect(seen.trips).toBeGreaterThan(deepRuns(700));
  expect(seen.nulls).toBeGreaterThan(deepRuns(230));
});
