import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type CandleColumns, barsBetween, candleAt, columnsOf } from '../../../src/domain/candle-columns.ts';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { type Timeframe } from '../../../src/domain/candle.ts';
import { type CandleRun } from '../../../src/backtest/candle-runner.ts';
import { type StrategyDefinition, defineStrategy } from '../../../src/strategy/definition.ts';
import { type Intent } from '../../../src/strategy/intents.ts';
import { buy, iceberg, sell, target, twap } from '../../support/intents.ts';
import { issue } from '../../support/issue.ts';
import { FROM_MS, TETHER, runBars, walkOf } from './candle-run.ts';
import { hourlyBars } from './hourly-bars.ts';
import { type OrderRecord } from '../../../src/records/order.ts';
import { english } from '../../../src/language/sentence.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Makes a strategy with intents for its first bar, for minutes of its timer and for its first fill. */
function script(of: {
  readonly timeframe?: Timeframe;
  readonly cron?: string;
  readonly atBar?: readonly Intent[];
  readonly atMinute?: Readonly<Record<number, readonly Intent[]>>;
  readonly atFill?: readonly Intent[];
  /** Moment at which it cancels all its orders, in ms. */
  readonly cancelsAtMs?: number;
}): StrategyDefinition {
  return defineStrategy({
    name: 'script',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0), fills: z.int().default(0) }),
    data: ({ market, timer }) => ({
      bars: market.candles(of.timeframe ?? '1h'),
      minute: timer(of.cron ?? '* * * * *'),
    }),
    on: {
      bars(ctx) {
        if (ctx.state.bars === 0) issue(ctx, of.atBar ?? []);
        ctx.setState({ bars: ctx.state.bars + 1 });
      },
      minute(ctx, { dueMs }) {
        issue(ctx, of.atMinute?.[(dueMs - FROM_MS) / MINUTE_MS] ?? []);
        if (dueMs === of.cancelsAtMs) for (const { clientOrderId } of ctx.orders) ctx.cancel(clientOrderId);
      },
      fill(ctx) {
        if (ctx.state.fills === 0) issue(ctx, of.atFill ?? []);
        ctx.setState({ fills: ctx.state.fills + 1 });
      },
    },
  });
}

const fillsOf = ({ fills }: CandleRun): string[] =>
  fills.map(
    ({ side, amount, price, atMs }) =>
      `${side} ${formatUnits(amount)} at ${formatUnits(price)}, minute ${(atMs - FROM_MS) / MINUTE_MS}`,
  );

const run = (
  columns: CandleColumns,
  strategy: StrategyDefinition,
  more: Partial<Parameters<typeof runBars>[0]> = {},
) => runBars({ market: TETHER, columns, strategy, cash: '100000', feeMillionths: 0, ...more });

const FLAT = '100 100 100 100';

/** Makes a strategy that places a stop order at its first bar and cancels it at minute 61. */
const guarded = (atMinute: Record<number, readonly Intent[]>): StrategyDefinition =>
  script({
    atBar: [buy('BTCUSDT', { amount: '1', stopPrice: '120' })],
    cancelsAtMs: FROM_MS + 61 * MINUTE_MS,
    atMinute,
  });

/** Makes a signal for the strategy `follow`, at a minute after the start. */
const at = (minute: number, payload: string) => ({
  atMs: FROM_MS + minute * MINUTE_MS,
  command: {
    kind: 'signal' as const,
    strategy: 'follow',
    name: 'alert',
    id: `${minute}`,
    payload,
    sentAtMs: null,
    source: 'test',
  },
});

describe('an order that comes inside a bar', () => {
  test('takes at the open of that bar', () => {
    const strategy = script({ atMinute: { 90: [buy('BTCUSDT', { amount: '1' })] } });
    expect(fillsOf(run(hourlyBars(FLAT, '103 110 90 105', FLAT), strategy))).toEqual([
      'buy 1 at 103, minute 90',
    ]);
  });

  test('rests where the open is not beyond it, and has part from the next bar on', () => {
    const strategy = script({ atMinute: { 90: [buy('BTCUSDT', { amount: '1', price: '100' })] } });
    const columns = hourlyBars(FLAT, '103 110 90 105', '105 110 99 105', FLAT);
    expect(fillsOf(run(columns, strategy))).toEqual([`buy 1 at 100, minute ${180 - 1 / MINUTE_MS}`]);
  });

  test('is refused in a gap once the next bar is late by more than the limit of a book', () => {
    const orders = { 121: [buy('BTCUSDT', { amount: '1' })], 150: [buy('BTCUSDT', { amount: '2' })] };
    const columns = hourlyBars(FLAT, null, null, '104 104 104 104');
    const strategy = script({
      cron: '0,30 * * * * *',
      atMinute: { ...orders, 120.5: [buy('BTCUSDT', { amount: '3' })] },
    });
    expect(fillsOf(run(columns, strategy))).toEqual(['buy 3 at 104, minute 180']);
    expect(run(columns, strategy).orders).toHaveLength(1);
    const patient = { limits: { maxBookAgeMs: 2 * HOUR_MS } };
    expect(fillsOf(run(columns, strategy, patient)).map((fill) => fill.slice(0, 5))).toEqual([
      'buy 3',
      'buy 1',
      'buy 2',
    ]);
  });

  test('is refused before the first bar has begun, unless one of the past has closed', () => {
    const one = [buy('BTCUSDT', { amount: '1' })];
    const columns = hourlyBars(FLAT, '103 110 90 105', FLAT);
    expect(fillsOf(run(columns, script({ atMinute: { 30: one } })))).toEqual(['buy 1 at 100, minute 30']);
    const late = hourlyBars(null, '103 110 90 105', FLAT);
    expect(run(late, script({ atMinute: { 30: one } })).orders).toEqual([]);
    const atOpen = script({ atMinute: { 60: one }, cron: '0,30 * * * * *' });
    const known = { fromMs: FROM_MS + HOUR_MS - 1 };
    expect(run(columns, atOpen, known).orders).toEqual([]);
    const past = hourlyBars(FLAT, null, '103 110 90 105', FLAT);
    expect(fillsOf(run(past, script({ atMinute: { 90: one } }), { fromMs: FROM_MS + HOUR_MS }))).toEqual([
      'buy 1 at 103, minute 120',
    ]);
  });

  test('is taken in the first bar after a gap, whose open is known', () => {
    const strategy = script({
      atMinute: { 181: [buy('BTCUSDT', { amount: '1' })] },
      atFill: [sell('BTCUSDT', { amount: '1', stopPrice: '139' })],
    });
    const { orders } = run(hourlyBars(FLAT, null, null, '140 140 138 140', '140 140 139 140'), strategy);
    expect(orders.map(({ execution, state }) => `${execution} ${state}`)).toEqual([
      'market filled',
      'stop_market filled',
    ]);
  });

  test('leaves the bar whole when it is canceled inside it', () => {
    const strategy = script({
      atBar: [buy('BTCUSDT', { amount: '1', price: '95' })],
      cancelsAtMs: FROM_MS + 90 * MINUTE_MS,
    });
    const { fills, orders } = run(hourlyBars(FLAT, '100 101 90 100', FLAT), strategy);
    expect([fills.length, orders[0]?.state]).toEqual([0, 'cancelled']);
  });
});

describe('a stop that is canceled inside a bar', () => {
  /** Buys at once, protects the position by a stop, and renews that two minutes before each full hour. */
  const renewing = defineStrategy({
    name: 'renewing',
    params: z.strictObject({}),
    data: ({ market, timer }) => ({
      bars: market.candles('1h'),
      late: timer('58 * * * *'),
      renews: timer('59 * * * *'),
    }),
    on: {
      bars(ctx) {
        if (ctx.position === 0) ctx.buy({ amount: 1 });
      },
      fill(ctx, { side }) {
        if (side === 'buy') ctx.sell({ amount: 1, stopPrice: 95 });
      },
      late: (ctx) => ctx.cancelAll(),
      renews(ctx) {
        if (ctx.position > 0) ctx.sell({ amount: 1, stopPrice: 95 });
      },
    },
  });

  test('counts as touched before, as often as one that rests on', () => {
    const bars = ['100 100 94 96', '96 97 93 95', '96 96 96 96', '96 96 94 95'];
    const { fills } = run(hourlyBars(FLAT, ...bars, FLAT), renewing);
    const sold = fills.filter(({ side }) => side === 'sell');
    expect(sold.map(({ price }) => formatUnits(price))).toEqual(['95', '95', '95']);
  });

  test('tells with its answer what nobody trades on before the next open', () => {
    const columns = hourlyBars(FLAT, '100 119 100 118', '118 118 118 118', FLAT);
    const bought = { 62: [buy('BTCUSDT', { amount: '2' })] };
    expect(fillsOf(run(columns, guarded(bought)))).toEqual(['buy 2 at 118, minute 120']);
    const before = { 60: [buy('BTCUSDT', { amount: '2' })] };
    expect(fillsOf(run(columns, guarded(before)))).toEqual(['buy 2 at 100, minute 60']);
  });
});

/** Buys, sells and cancels as its signals say. */
const follow = defineStrategy({
  name: 'follow',
  params: z.strictObject({}),
  data: ({ market, signal, timer }) => ({
    bars: market.candles('1h'),
    alert: signal(z.string()),
    later: timer('*/10 * * * *'),
  }),
  state: z.strictObject({ wants: z.boolean().default(false) }),
  on: {
    alert(ctx, { payload }) {
      if (payload === 'cancel') ctx.cancelAll();
      else if (payload === 'later') ctx.setState({ wants: true });
      else ctx.buy(payload === 'rest' ? { amount: 1, price: 95 } : { amount: 1 });
    },
    later(ctx) {
      if (!ctx.state.wants) return;
      ctx.setState({ wants: false });
      ctx.buy({ amount: 1 });
    },
  },
});

describe('a signal inside a bar', () => {
  const rising = hourlyBars(FLAT, '100 120 100 120', '120 121 119 120', FLAT);

  test('buys at the next open, not at that of the hour it came in', () => {
    expect(fillsOf(run(rising, follow, { signals: [at(119, 'buy')] }))).toEqual(['buy 1 at 120, minute 120']);
    expect(fillsOf(run(rising, follow, { signals: [at(60, 'buy')] }))).toEqual(['buy 1 at 100, minute 60']);
  });

  test('is known to a timer that comes later in the same bar', () => {
    expect(fillsOf(run(rising, follow, { signals: [at(65, 'later')] }))).toEqual([
      'buy 1 at 120, minute 120',
    ]);
  });

  test('cancels no order that the bar had come to', () => {
    const falling = hourlyBars(FLAT, '100 100 90 90', FLAT);
    const signals = [at(10, 'rest'), at(119, 'cancel')];
    expect(fillsOf(run(falling, follow, { signals }))).toEqual(['buy 1 at 95, minute 119']);
  });
});

/** Makes the minutes of the second hour: the price is 100, jumps to 120 at half past, and stays there. */
const minutes = (change: (minute: number) => string | null = () => null): CandleColumns => {
  const rows = Array.from({ length: 60 }, (_, minute) => {
    const before = minute < 30 ? '100 100 100 100' : '120 120 120 120';
    return change(minute) ?? (minute === 30 ? '100 120 100 120' : before);
  });
  const columns = hourlyBars(...rows);
  const openTimeMs = columns.openTimeMs.map((_, minute) => FROM_MS + HOUR_MS + minute * MINUTE_MS);
  return { ...columns, timeframe: '1m', openTimeMs };
};

describe('a bar with finer ones inside', () => {
  const hours = hourlyBars(FLAT, '100 120 100 120', '121 121 119 120', FLAT);
  const buys = script({ atMinute: { 119: [buy('BTCUSDT', { amount: '1' })] } });

  test('lets a signal and a timer of minute 59 take at the price of that minute', () => {
    const detail = minutes();
    expect(fillsOf(run(hours, follow, { detail, signals: [at(119, 'buy')] }))).toEqual([
      'buy 1 at 120, minute 119',
    ]);
    expect(fillsOf(run(hours, follow, { detail, signals: [at(119.5, 'buy')] }))).toEqual([
      'buy 1 at 121, minute 120',
    ]);
    expect(fillsOf(run(hours, follow, { detail, signals: [at(80.5, 'buy')] }))).toEqual([
      'buy 1 at 100, minute 81',
    ]);
    expect(fillsOf(run(hours, buys))).toEqual(['buy 1 at 100, minute 119']);
    expect(fillsOf(run(hours, buys, { detail }))).toEqual(['buy 1 at 120, minute 119']);
  });

  test('is walked whole where they do not reach through it, or do not have its prices', () => {
    const others = [
      minutes((minute) => (minute === 59 ? '120 121 120 120' : null)),
      minutes((minute) => (minute === 3 ? '100 100 99 100' : null)),
      minutes((minute) => (minute === 0 ? '101 101 100 100' : null)),
      minutes((minute) => (minute === 59 ? '120 120 119 119' : null)),
      barsBetween(minutes(), 1),
      barsBetween(minutes(), 0, 59),
    ];
    for (const detail of others)
      expect(fillsOf(run(hours, buys, { detail }))).toEqual(['buy 1 at 100, minute 119']);
    const candles = Array.from({ length: 60 }, (_, minute) => candleAt(minutes(), minute));
    const detail = columnsOf(minutes(), [...candles.slice(0, 5), ...candles.slice(20)]);
    expect(fillsOf(run(hours, buys, { detail }))).toEqual(['buy 1 at 120, minute 119']);
  });

  test('shows strategies the whole bars alone, and has a point of the curve for each', () => {
    const { curve, bars } = run(hours, buys, { detail: minutes() });
    expect(bars).toBe(4);
    expect([...curve.timeMs.subarray(0, curve.length)]).toEqual(
      [1, 2, 3, 4].map((hour) => FROM_MS + hour * HOUR_MS),
    );
  });

  test('refuses bars that do not lie inside the others', () => {
    const wrong = { ...hours, timeframe: '4h' } as const;
    expect(() => run(hours, buys, { detail: wrong })).toThrow('expected recorded bars of BTCUSDT');
  });
});

describe('an order from a fill', () => {
  test('inside a bar fills there where the close is beyond it, and not where it is not', () => {
    const strategy = script({
      atBar: [buy('BTCUSDT', { amount: '1', price: '95' })],
      atFill: [sell('BTCUSDT', { amount: '1', price: '99' })],
    });
    const inside = 120 - 1 / MINUTE_MS;
    expect(fillsOf(run(hourlyBars(FLAT, '100 110 90 100', FLAT), strategy))).toEqual([
      `buy 1 at 95, minute ${inside}`,
      `sell 1 at 99, minute ${inside}`,
    ]);
    expect(fillsOf(run(hourlyBars(FLAT, '100 110 90 99', '99 99 99 99'), strategy))).toEqual([
      `buy 1 at 95, minute ${inside}`,
    ]);
  });

  test('inside a bar takes at no open that is past', () => {
    const strategy = script({
      atBar: [buy('BTCUSDT', { amount: '1', price: '95' })],
      atFill: [sell('BTCUSDT', { amount: '1' })],
    });
    expect(fillsOf(run(hourlyBars(FLAT, '100 110 90 92', '92 92 92 92'), strategy)).at(-1)).toBe(
      'sell 1 at 92, minute 120',
    );
  });

  test('is placed though a minute has passed since the last bar, and guards from the fill on', () => {
    const strategy = script({
      timeframe: '1m',
      atBar: [buy('BTCUSDT', { amount: '1' })],
      atFill: [sell('BTCUSDT', { amount: '1', stopPrice: '95', price: '94' })],
    });
    const columns = { ...hourlyBars(FLAT, '100 100 94.5 100', FLAT), timeframe: '1m' } as const;
    columns.openTimeMs.set(columns.openTimeMs.map((_, index) => FROM_MS + index * MINUTE_MS));
    const { orders, fills } = run(columns, strategy, { timeframe: '1m' });
    expect(orders.map(({ execution, state }) => `${execution} ${state}`)).toEqual([
      'market filled',
      'stop_limit filled',
    ]);
    expect(fills.map(({ price }) => formatUnits(price))).toEqual(['100', '95']);
  });

  test('is placed for every fill of a long walk of minutes', () => {
    const strategy = defineStrategy({
      name: 'guarded',
      params: z.strictObject({}),
      state: z.strictObject({ bars: z.int().default(0) }),
      data: ({ market }) => ({ bars: market.candles('1m') }),
      on: {
        bars({ state, setState, position, orders, buy }) {
          setState({ bars: state.bars + 1 });
          if (state.bars % 7 === 0 && orders.length === 0 && position === 0) buy({ amount: 0.01 });
        },
        fill({ sell }, { side, amount, price }) {
          if (side === 'buy') sell({ amount, stopPrice: Math.round(price * 0.998) });
        },
      },
    });
    const columns = walkOf(TETHER, { bars: 3_000, seed: 3, price: 60_000, timeframe: '1m' });
    const { orders, fills } = run(columns, strategy, { timeframe: '1m' });
    const bought = fills.filter(({ side }) => side === 'buy').length;
    expect(bought).toBeGreaterThan(100);
    expect(orders.filter(({ execution }) => execution === 'stop_market')).toHaveLength(bought);
  });
});

describe('a program inside a bar', () => {
  const columns = hourlyBars(FLAT, '103 110 90 105', '106 106 106 106', FLAT);

  test('trades each slice of a TWAP when it is due, at the open of its bar', () => {
    const orders = twap('BTCUSDT', 'buy', { amount: '10', overMs: HOUR_MS, slices: 6 });
    expect(fillsOf(run(columns, script({ atMinute: { 90: [orders] } })))).toEqual([
      'buy 1.666666 at 103, minute 90',
      'buy 1.666666 at 103, minute 100',
      'buy 1.666666 at 103, minute 110',
      'buy 1.666666 at 106, minute 120',
      'buy 1.666666 at 106, minute 130',
      'buy 1.66667 at 106, minute 140',
    ]);
  });

  test('trades all of a TWAP of two minutes within one bar', () => {
    const orders = twap('BTCUSDT', 'buy', { amount: '10', overMs: 120_000, slices: 10 });
    const { fills } = run(columns, script({ atBar: [orders] }));
    expect(new Set(fills.map(({ price }) => formatUnits(price)))).toEqual(new Set(['103']));
    expect(fills.reduce((sum, { amount }) => sum + amount, 0n)).toBe(parseUnits('10'));
    expect(fills.at(-1)?.atMs).toBeLessThan(FROM_MS + HOUR_MS + 120_000);
  });

  test('spreads what the volume of a bar did not fill over the slices that follow', () => {
    const thin = { ...columns, volume: Float64Array.from(columns.volume, () => 30) };
    const orders = twap('BTCUSDT', 'buy', { amount: '6', overMs: HOUR_MS, slices: 6 });
    const { fills } = run(thin, script({ atMinute: { 90: [orders] } }));
    expect(
      fills.filter(({ price }) => formatUnits(price) === '103').map(({ amount }) => formatUnits(amount)),
    ).toEqual(['1', '1', '1']);
    expect(fills.reduce((sum, { amount }) => sum + amount, 0n)).toBe(parseUnits('6'));
  });

  test('trades all visible parts of an iceberg that the open is beyond, and of one that rests a part a bar', () => {
    const beyond = iceberg('BTCUSDT', 'buy', { amount: '3', visible: '1', price: '104' });
    const { fills } = run(columns, script({ atMinute: { 90: [beyond] } }));
    expect(fills.map(({ price, amount }) => [formatUnits(price), formatUnits(amount)])).toEqual(
      Array.from({ length: 3 }, () => ['103', '1']),
    );
    expect(fills.at(-1)?.atMs).toBeLessThan(FROM_MS + 91 * MINUTE_MS);
    const resting = iceberg('BTCUSDT', 'buy', { amount: '3', visible: '1', price: '102' });
    const low = hourlyBars(FLAT, '103 110 90 105', '103 110 90 105', '103 110 90 105', FLAT, FLAT);
    const before = 1 / MINUTE_MS;
    expect(fillsOf(run(low, script({ atBar: [resting] })))).toEqual([
      `buy 1 at 102, minute ${120 - before}`,
      `buy 1 at 102, minute ${180 - before}`,
      `buy 1 at 102, minute ${240 - before}`,
    ]);
  });

  test('reaches a target at once', () => {
    const { fills } = run(columns, script({ atMinute: { 90: [target('BTCUSDT', { position: '2' })] } }));
    expect(fills.map(({ price, amount }) => [formatUnits(price), formatUnits(amount)])).toEqual([
      ['103', '2'],
    ]);
  });
});

test('a run has each order once, as it was in the end, in the order in which they were planned', () => {
  const strategy = defineStrategy({
    name: 'patient',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars({ state, setState, buy }, { close }) {
        setState({ bars: state.bars + 1 });
        if (state.bars > 0) return;
        buy({ amount: 0.001, price: 45_000, tag: 'deep' });
        buy({ amount: 0.001, price: close, tag: 'near' });
        buy({ amount: 0.001, tag: 'now' });
        buy({ amount: 0.001, stopPrice: close / 2, tag: 'late' });
      },
    },
  });
  const columns = walkOf(TETHER, { bars: 50, seed: 5, price: 60_000 });
  const { orders } = runBars({ market: TETHER, columns, strategy, cash: '10000' });
  expect(orders.map(({ tag, state }) => `${tag} ${state}`)).toEqual([
    'deep open',
    'near filled',
    'now filled',
    'late rejected',
  ]);
});

/** Runs a strategy that returns these intents at its first bar; returns the orders made of them. */
function wanted(intents: readonly Intent[]): readonly OrderRecord[] {
  const strategy = defineStrategy({
    name: 'once',
    params: z.strictObject({}),
    state: z.strictObject({ isDone: z.boolean().default(false) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    on: {
      bars(ctx) {
        if (!ctx.state.isDone) issue(ctx, intents);
        ctx.setState({ isDone: true });
      },
    },
  });
  const columns = walkOf(TETHER, { bars: 5, seed: 5, price: 60_000, timeframe: '1m' });
  return runBars({ market: TETHER, columns, strategy, cash: '10000' }).orders;
}

test('a TWAP of ten equal slices in twenty seconds trades ten equal slices', () => {
  const symbol = TETHER.symbol as string;
  const orders = wanted([twap(symbol, 'buy', { amount: '0.01', overMs: 20_000, slices: 10 })]);
  expect(orders.map(({ state, filled }) => `${state} ${formatUnits(filled)}`)).toEqual(
    Array(10).fill('filled 0.001'),
  );
});

test('six identical orders are six where the strategy allows it, and else one at once', () => {
  const symbol = TETHER.symbol as string;
  const six = (wish: object) => Array.from({ length: 6 }, () => buy(symbol, { amount: '0.001', ...wish }));
  expect(wanted(six({ allowIdentical: true })).map(({ state }) => state)).toEqual(Array(6).fill('filled'));
  const held = wanted(six({}));
  expect(held.map(({ state }) => state)).toEqual(['filled', 'filled', ...Array(4).fill('rejected')]);
  expect(english(held.at(-1)?.reason ?? null)).toMatch(/^IdenticalOrder: .* it may be repeated in \d+ ms/);
});

/** Makes a strategy that waits, trades, cancels and runs a timer. `beside`: it also has longer bars. */
const busy = (beside: boolean) =>
  defineStrategy({
    name: 'busy',
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market, timer }) => ({
      bars: market.candles('1h'),
      nightly: timer('30 3 * * *'),
      sharp: timer('0 12 * * 2'),
      ...(beside ? { days: market.candles('1d') } : {}),
    }),
    on: {
      bars({ state, setState, buy, sell, cancelAll, isTradable, position }, { close }) {
        setState({ bars: state.bars + 1 });
        const turn = state.bars % 37;
        if (turn === 5) buy({ amount: 0.01, price: Math.round(close * 0.99) });
        if (turn === 9) buy({ amount: 0.01 });
        if (turn === 20) cancelAll();
        if (turn === 30 && isTradable(position, close)) sell({ amount: position });
        if (turn === 31) buy({ amount: 1_000 });
      },
      nightly: ({ buy, log }) => {
        log('night');
        buy({ amount: 0.001 });
      },
      sharp: ({ buy }) => buy({ amount: 0.002 }),
    },
  });

const isKept = (_: number, index: number): boolean => index % 41 !== 0 && (index < 300 || index > 330);

/** Makes a random walk in which some bars are missing. */
function gappedWalk(seed: number): CandleColumns {
  const columns = walkOf(TETHER, { bars: 1_500, seed, price: 60_000 });
  const { openTimeMs, open, high, low, close, volume } = columns;
  const cells = { openTimeMs, open, high, low, close, volume };
  const entries = Object.entries(cells).map(([name, column]) => [name, column.filter(isKept)] as const);
  const left = Object.fromEntries(entries) as typeof cells;
  return { ...columns, ...left, length: left.openTimeMs.length };
}

test.each([
  [1, 'next-open'],
  [2, 'this-close'],
] as const)(
  'bars in which nothing else happens are passed as if each were gone through: walk %i, %s',
  (seed, arrival) => {
    const columns = gappedWalk(seed);
    const run = (beside: boolean): CandleRun =>
      runBars({ market: TETHER, columns, strategy: busy(beside), cash: '100000', rules: { arrival } });
    const [passed, gone] = [run(false), run(true)];
    expect(passed.failures).toEqual(new Map());
    expect(passed.fills.length).toBeGreaterThan(100);
    expect(passed).toEqual(gone);
  },
);

test('a strategy that answers each of its fills with an order that fills at once ends the run', () => {
  // Each amount is another one, since of two identical orders within seconds the second has to wait.
  let answers = 0;
  const other = (amount: number): number => amount + (answers += 1) / 1e6;
  const strategy = defineStrategy({
    name: 'restless',
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars: ({ buy }) => buy({ amount: 0.01 }),
      fill: ({ buy, sell }, { side }) => {
        if (side === 'buy') sell({ amount: other(0.0098) });
        else buy({ amount: other(0.01) });
      },
    },
  });
  const columns = walkOf(TETHER, { bars: 20, seed: 3, price: 60_000 });
  const rules = { arrival: 'this-close' } as const;
  const limits = { maxOrdersPerMinute: null };
  expect(() => runBars({ market: TETHER, columns, strategy, cash: '100000', rules, limits })).toThrow(
    'expected at most 5000 requests in one moment, were more at 2024-01-01T',
  );
  expect(runBars({ market: TETHER, columns, strategy, cash: '100000', rules }).orders.length).toBeLessThan(
    1_300,
  );
});
