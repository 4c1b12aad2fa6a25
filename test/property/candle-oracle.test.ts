import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CandleRunner, type CandleRun } from '../../src/backtest/candle-runner.ts';
import { BarFillSimulator } from '../../src/venues/bar-fill-simulator.ts';
import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import { decimalText } from '../../src/domain/decimal-text.ts';
import { formatUnits, parseUnits, subtractUnits, type Units } from '../../src/domain/money.ts';
import type { Timeframe } from '../../src/domain/candle.ts';
import { DEFAULT_ENGINE_TIMES } from '../../src/engine/engine-settings.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { StrategyContext } from '../../src/strategy/context.ts';
import type { Order } from '../../src/strategy/strategy-event.ts';
import type { Intent } from '../../src/strategy/intents.ts';
import { buy, cancel, oco, sell } from '../support/intents.ts';
import { issue } from '../support/issue.ts';
import { deepRuns } from '../support/deep-runs.ts';
import {
  runOracle,
  wishKey,
  type OracleBar,
  type OracleResult,
  type OracleWorld,
  type View,
  type Wish,
} from './candle-oracle.ts';
import { toldAt } from './bar-order.ts';
import { barsOf, drawn, fromMsOf, SCALES, tickOf, worldOf, type Drawn, type Terms } from './candle-world.ts';
import { instanceOf, runnerOn } from '../support/runner-on.ts';
import { barColumns } from '../support/bar-columns.ts';

const HOUR_MS = 3_600_000;
const NO_LIMITS = createRiskLimits({
  maxOpenOrdersPerStrategy: null,
  maxOpenOrdersInAll: null,
  collarBps: null,
  maxOrdersPerMinute: null,
});

function columnsOf(bars: readonly OracleBar[], terms: Terms, barMs: number): CandleColumns {
  const { market, priceDecimals } = terms;
  const tick = tickOf(terms);
  const rows = bars.map(({ openMs, open, high, low, close, volume }) => [
    openMs,
    ...[open, high, low, close].map((price) => Number(price / tick)),
    Number(volume / 1_000n),
  ]);
  const timeframe = barMs === HOUR_MS ? '1h' : '30m';
  return barColumns(market.symbol, timeframe, rows, { priceDecimals, volumeDecimals: 7 });
}

const nameOf = (key: string, tag: string | null): string => (key.endsWith('/2') ? `${tag}/2` : `${tag}`);

/** A strategy that follows a script at each bar, and notes in `views` what it is shown. */
function scripted(
  { wishes, timed, told, onFill, balances, markets, quote }: OracleWorld,
  subscribed: readonly { readonly symbol: string; readonly timeframe: Timeframe }[],
  views: View[],
) {
  const currencies = new Set([quote, ...markets.map(({ base }) => base), ...Object.keys(balances)]);
  return defineStrategy({
    name: 'scripted',
    params: z.strictObject({}),
    state: z.strictObject({ filled: z.array(z.string()).default([]) }),
    data: ({ markets: all, timer, signal }) => ({
      told: signal(z.int()),
      tick: timer('*/10 * * * *'),
      bars: subscribed.map(({ symbol, timeframe }) => all.of(symbol).candles(timeframe)),
    }),
    on: {
      told: (ctx, { payload }) => issue(ctx, intentsOf(told.get(payload), ctx)),
      tick: (ctx, { dueMs }) => issue(ctx, intentsOf(timed.get(dueMs), ctx)),
      fill(ctx, { clientOrderId, tag }) {
        const name = nameOf(clientOrderId, tag);
        if (ctx.state.filled.includes(name)) return;
        ctx.setState({ filled: [...ctx.state.filled, name] });
        issue(ctx, intentsOf(onFill.get(name), ctx));
      },
      bars(ctx, { market, openTimeMs }) {
        const free = (currency: string): Units => {
          if (currency === 'rls') return parseUnits(ctx.markets.of('USDTIRT').exact.freeQuote);
          return parseUnits(ctx.markets.of(`${currency.toUpperCase()}IRT`).exact.freeBase);
        };
        views.push({
          positions: Object.fromEntries(
            markets.map(({ symbol }) => {
              const { exact, inventory } = ctx.markets.of(symbol);
              return [symbol, parseUnits(exact.position) - parseUnits(decimalText(inventory))];
            }),
          ),
          free: Object.fromEntries([...currencies].map((currency) => [currency, free(currency)])),
          open: Object.fromEntries(
            ctx.orders.map(({ clientOrderId, tag, exact }) => [
              nameOf(clientOrderId, tag),
              parseUnits(exact.matchedAmount),
            ]),
          ),
        });
        issue(ctx, intentsOf(wishes.get(wishKey(market, openTimeMs)), ctx));
      },
    },
  });
}

/**
 * Intents of the script. Sales beyond the free amount are left out: the model refuses them, but the bot would
 * let its own exits, which hold the coins, make them.
 */
function intentsOf(wanted: readonly Wish[] | undefined, ctx: StrategyContext): Intent[] {
  const free = new Map<string, Units>();
  return (wanted ?? []).flatMap((wish) => {
    if (wish.kind !== 'cancel' && wish.side === 'sell') {
      const { base, exact } = ctx.markets.of(wish.market);
      const left = subtractUnits(free.get(base) ?? parseUnits(exact.freeBase), wish.amount as Units);
      if (left < 0n) return [];
      free.set(base, left);
    }
    return intentsOfWish(wish, ctx.orders);
  });
}

function intentsOfWish(wish: Wish, orders: readonly Order[]): Intent[] {
  if (wish.kind === 'cancel') {
    const open = orders.find(({ tag }) => tag === wish.name);
    return open === undefined ? [] : [cancel(open.clientOrderId)];
  }
  const { name, side, price, stopPrice, stopLimitPrice } = wish;
  const amount = formatUnits(wish.amount);
  if (price !== null && stopPrice !== null && stopLimitPrice !== null) {
    const prices = {
      price: formatUnits(price),
      stopPrice: formatUnits(stopPrice),
      stopLimitPrice: formatUnits(stopLimitPrice),
    };
    return [oco(wish.market, side, { amount, ...prices, tag: name })];
  }
  return [
    (side === 'buy' ? buy : sell)(wish.market, {
      amount,
      tag: name,
      ...(price === null ? {} : { price: formatUnits(price) }),
      ...(stopPrice === null ? {} : { stopPrice: formatUnits(stopPrice) }),
    }),
  ];
}

interface Real {
  readonly run: CandleRun;
  readonly venue: BarFillSimulator;
  readonly views: readonly View[];
}

function runReal(given: Drawn, world: OracleWorld): Real {
  const views: View[] = [];
  const rates = { maker: Number(world.fees.maker), taker: Number(world.fees.taker) };
  const traded = world.markets.map(({ symbol, barMs }, index) => {
    const terms = SCALES[given.scale]![index]!;
    const columns = columnsOf(barsOf(terms, given.shapes[index]!, barMs), terms, barMs);
    return { symbol, timeframe: barMs === HOUR_MS ? '1h' : '30m', market: terms.market, columns } as const;
  });
  const venue = new BarFillSimulator({
    markets: traded.map(({ market }) => market),
    fees: { rls: rates, usdt: rates },
    balances: world.balances as Record<string, Units>,
    rules: world.rules,
  });
  const runner = runnerOn(scripted(world, traded, views), traded[0]!.symbol, '1h', { params: {} });
  const run = new CandleRunner({
    settings: {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'back',
      instances: [
        instanceOf(runner, {
          limits: NO_LIMITS,
          // The model has one strategy, which owns the account.
          inventory: world.balances as Record<string, Units>,
        }),
      ],
    },
    markets: traded,
    venue,
    quote: world.quote,
    fromMs: fromMsOf(given),
    signals: toldAt([...world.told.keys()], runner.name),
  }).run();
  return { run, venue, views };
}

type Comparable = Pick<OracleResult, 'fills' | 'orders' | 'balances' | 'initialEquity' | 'finalEquity'>;

const byName = (orders: OracleResult['orders']) =>
  orders.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/**
 * Result of the run in the form of the oracle. The run keeps no record of an order that it refused before it
 * was made, so these come from the oracle.
 */
function comparableOf({ run, venue }: Real, expected: OracleResult): Comparable {
  const names = new Map(run.orders.map(({ key, tag }) => [key, nameOf(key, tag)]));
  const orders = run.orders.map(({ key, state, filled, filledTotal: total, fee }) => {
    return { name: names.get(key), state, filled, total, fee } as OracleResult['orders'][number];
  });
  const known = new Set(names.values());
  const refused = expected.orders.filter(({ name, state }) => state === 'rejected' && !known.has(name));
  return {
    fills: run.fills.map(({ orderKey, atMs: timeMs, side, price, amount, total, fee }) => {
      return { order: names.get(orderKey ?? '') ?? '?', timeMs, side, price, amount, total, fee };
    }),
    orders: byName([...orders, ...refused]),
    balances: Object.fromEntries(
      Object.keys(expected.balances).map((currency) => [currency, venue.balance(currency).total]),
    ),
    initialEquity: run.initialEquity,
    finalEquity: run.finalEquity,
  };
}

/** Compares curves of floats: up to their precision, and the unit to which values are rounded. */
function checkCurve({ curve }: CandleRun, expected: OracleResult['curve']): void {
  const { timeMs, isExposed, length } = curve;
  const exact = expected.map((point) => [point.timeMs, point.isExposed ? 1 : 0]);
  expect(Array.from({ length }, (_, index) => [timeMs[index], isExposed[index]])).toEqual(exact);
  for (const [index, { equity }] of expected.entries()) {
    const about = Number(equity) / 1e10;
    expect(Math.abs((curve.equity[index] ?? Number.NaN) - about)).toBeLessThanOrEqual(about * 1e-14 + 1e-10);
  }
}

/** Kinds of fills; each must have occurred often for the comparison to prove something. */
const WAYS = [
  'market as taker at an open or close',
  'market as taker inside a bar',
  'limit as taker at an open or close',
  'limit as taker inside a bar',
  'limit as maker at an open or close',
  'limit as maker inside a bar',
  'stop-market as taker at an open or close',
  'stop-market as taker inside a bar',
  'stop-limit as taker at an open or close',
  'stop-limit as taker inside a bar',
  'stop-limit as maker at an open or close',
  'stop-limit as maker inside a bar',
  'oco limit as maker at an open or close',
  'oco limit as maker inside a bar',
  'oco stop-limit as taker at an open or close',
  'oco stop-limit as taker inside a bar',
  'oco stop-limit as maker at an open or close',
  'oco stop-limit as maker inside a bar',
];

/** Kinds of fills that only some worlds have. */
const RARE = [
  'answers a fill inside its bar, as maker',
  'answers a fill inside its bar, as taker',
  'a fill where a bar is touched before a cancel',
  'a cancel where a bar is touched before a cancel',
];

test('a run on bars fills, ends and is worth what a plain model of its stated rules says, to the last digit', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(drawn, (given) => {
      const world = worldOf(given);
      const expected = runOracle(world);
      const real = runReal(given, world);
      const { fills, orders, balances, initialEquity, finalEquity } = expected;
      expect(real.run.failures.size).toBe(0);
      expect(comparableOf(real, expected)).toEqual({
        fills,
        orders: byName(orders),
        balances,
        initialEquity,
        finalEquity,
      });
      checkCurve(real.run, expected.curve);
      expect(real.views).toEqual(expected.views);
      for (const what of [...expected.reasons, ...orders.map(({ state }) => state)])
        seen.set(what, (seen.get(what) ?? 0) + 1);
    }),
    { numRuns: deepRuns(200, 100), seed: 4 },
  );
  for (const what of [...WAYS, 'open', 'filled', 'cancelled', 'rejected'])
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(deepRuns(0.5, 0));
  if (deepRuns(2, 1) > 1) for (const what of RARE) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
});
