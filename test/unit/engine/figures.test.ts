import { describe, expect, test } from 'vitest';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import type { StrategyContext } from '../../../src/strategy/context.ts';
import { LivePlots } from '../../../src/engine/figure-recorder.ts';
import { Outbox } from '../../../src/engine/outbox.ts';
import type { PlotSeries, PlotSink } from '../../../src/strategy/plots.ts';
import { tehranDay, tehranInstant } from '../../../src/domain/zone-time.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { EngineWorld, feedOf, FEEDS, START_MS, WISH, type WorldOptions } from './engine-world.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;
const NEXT_MS = Math.ceil(START_MS / EVERY_MS) * EVERY_MS;

const FIGURES = { budgets: () => [] };

type Value = readonly [atMs: number, value: string | null];

function valuesOf(world: EngineWorld, name: string): readonly Value[] {
  world.mirror.flush();
  return world.mirror.figures.flatMap((one): Value[] => (one.name === name ? [[one.atMs, one.value]] : []));
}

const ready = (settings: WorldOptions['settings'] = {}): EngineWorld =>
  EngineWorld.ready({ settings: { figures: FIGURES, ...settings } });

/** Lets time pass until a second after the next multiple of five minutes. */
const toNext = (world: EngineWorld): EngineWorld =>
  world.advance(EVERY_MS - (world.nowMs % EVERY_MS) + 1_000);

/** Has the strategy buy a coin at 98, while the middle of the book is 100. */
function buyOne(world: EngineWorld): void {
  world.want(WISH);
  world.fillNext();
}

describe('equity and profits', () => {
  test('are written at the start and at every multiple of five minutes, to the last digit', () => {
    const world = ready();
    const [first] = valuesOf(world, 'equity/usdt');
    expect(first).toEqual([expect.any(Number), '100000']);
    toNext(world);
    buyOne(world);
    toNext(world);
    // The exchange takes a fee of 0.2 % from the coin: 0.998 at 100, less 98.
    expect(valuesOf(world, 'profit/one/usdt').slice(1)).toEqual([
      [NEXT_MS, '0'],
      [NEXT_MS + EVERY_MS, '1.8'],
    ]);
    expect(valuesOf(world, 'profit/usdt').slice(1)).toEqual(valuesOf(world, 'profit/one/usdt').slice(1));
    expect(valuesOf(world, 'equity/usdt').slice(1)).toEqual([
      [NEXT_MS, '100000'],
      [NEXT_MS + EVERY_MS, '100001.8'],
    ]);
  });

  test('are of the capital of the strategies where all of them have some', () => {
    const world = EngineWorld.ready({
      settings: { figures: FIGURES },
      instances: [{ capital: { usdt: parseUnits('1000') } }],
    });
    buyOne(world);
    toNext(world);
    expect(valuesOf(world, 'equity/usdt').at(-1)?.[1]).toBe('1001.8');
  });

  test('have a fill once although the wallets were read before it', () => {
    const world = ready();
    toNext(world);
    world.advance(EVERY_MS - 2_500);
    world.answers.delete('wallets');
    buyOne(world);
    world.advance(MINUTE_MS);
    const values = valuesOf(world, 'equity/usdt').map(([, value]) => value);
    expect(new Set(values)).toEqual(new Set(['100000']));
    toNext(world);
    expect(valuesOf(world, 'equity/usdt').at(-1)?.[1]).toBe('100001.8');
  });

  test('have no value while something held has no young price, and one as soon as it has', () => {
    const world = ready();
    buyOne(world);
    toNext(world);
    const count = valuesOf(world, 'equity/usdt').length;
    world.failing = { kind: 'book', code: 'TIMED_OUT' };
    world.advance(10 * MINUTE_MS);
    const known = valuesOf(world, 'profit/one/usdt');
    world.advance(15 * MINUTE_MS);
    expect(valuesOf(world, 'profit/one/usdt')).toEqual(known);
    expect(valuesOf(world, 'equity/usdt').length).toBeLessThanOrEqual(count + 2);
    world.failing = null;
    world.advance(MINUTE_MS);
    expect(valuesOf(world, 'profit/one/usdt').length).toBe(known.length + 1);
    expect(valuesOf(world, 'profit/one/usdt').at(-1)).toEqual([expect.any(Number), '1.8']);
  });

  test('a break of the books leaves the equity unknown, and not what the strategies made', () => {
    const world = ready({ reconciliation: { everyMs: 5_000, lagMs: 5_000, alertAfterMs: 600_000 } });
    toNext(world);
    world.venue.steal('usdt', '5');
    world.advance(2 * MINUTE_MS);
    expect(world.engine.reconciler.break).not.toBeNull();
    const before = valuesOf(world, 'equity/usdt').length;
    toNext(world);
    expect(valuesOf(world, 'equity/usdt')).toHaveLength(before);
    expect(valuesOf(world, 'profit/usdt').at(-1)?.[0]).toBe(NEXT_MS + EVERY_MS);
  });

  test('are not written where nobody asked for it', () => {
    const world = EngineWorld.ready();
    world.advance(EVERY_MS);
    world.mirror.flush();
    expect(world.mirror.figures).toEqual([]);
  });
});

test('a limit has its use of the most, from its first use on', () => {
  let inUse = 0;
  const world = ready({ figures: { budgets: () => [{ budget: 'orders', inUse, limit: 60, sent: 0 }] } });
  toNext(world);
  inUse = 7;
  toNext(world);
  inUse = 0;
  toNext(world);
  expect(valuesOf(world, 'budget/orders')).toEqual([
    [NEXT_MS + EVERY_MS, '7/60'],
    [NEXT_MS + 2 * EVERY_MS, '0/60'],
  ]);
});

test('requests are counted by day in Tehran, over a restart too', () => {
  let sent = 0;
  const world = ready({ figures: { budgets: () => [{ budget: 'orders', inUse: 0, limit: 60, sent }] } });
  const dayMs = tehranInstant(tehranDay(START_MS), 0);
  const day = 24 * 60 * MINUTE_MS;
  sent = 10;
  toNext(world);
  world.nowMs = dayMs + day - EVERY_MS / 2;
  world.advance(1_000);
  sent = 15;
  toNext(world);
  sent = 17;
  toNext(world);
  expect(new Map(valuesOf(world, 'requests/orders'))).toEqual(
    new Map([
      [dayMs, '15'],
      [dayMs + day, '2'],
    ]),
  );
  sent = 0;
  world.restart();
  sent = 4;
  toNext(world);
  toNext(world);
  expect(valuesOf(world, 'requests/orders').at(-1)).toEqual([dayMs + day, '6']);
});

/** Makes a strategy that calls `plot` with each book, and plots the close of each bar. */
function plotter(plot: (ctx: Pick<StrategyContext, 'plot'>) => void) {
  return defineStrategy({
    name: 'one',
    data: ({ market }) => ({ book: market.book(), bars: market.candles('1m') }),
    on: {
      book: (ctx) => plot(ctx),
      bars: (ctx, bar) => ctx.plot('close', bar.close, { pane: 'bars', style: 'steps' }),
    },
  });
}

const PLOT = 'plot/one/BTCUSDT/';

function plotting(plot: (ctx: Pick<StrategyContext, 'plot'>) => void): WorldOptions {
  return { settings: { figures: FIGURES }, strategies: [plotter(plot)] };
}

describe('plots', () => {
  test('have the last value of each minute, with the time of its end', () => {
    let value = 0;
    const world = EngineWorld.ready(plotting((ctx) => ctx.plot('count', (value += 1))));
    world.advance(3 * MINUTE_MS);
    const values = valuesOf(world, `${PLOT}count`);
    expect(values.map(([atMs]) => atMs % MINUTE_MS)).toEqual(values.map(() => 0));
    expect(values.length).toBe(3);
    expect(Number(values[2]?.[1]) - Number(values[1]?.[1])).toBeGreaterThan(50);
    expect(world.nowMs).toBeGreaterThanOrEqual(values[2]?.[0] ?? Infinity);
  });

  test('have a gap where there is one, and the last of several values of a moment', () => {
    const world = EngineWorld.ready(
      plotting((ctx) => {
        ctx.plot('gap', null);
        ctx.plot('twice', 1);
        ctx.plot('twice', 0.5);
      }),
    );
    world.advance(MINUTE_MS);
    expect(valuesOf(world, `${PLOT}gap`)[0]?.[1]).toBeNull();
    expect(valuesOf(world, `${PLOT}twice`)[0]?.[1]).toBe('0.5');
  });

  test('how they are drawn is kept over a restart', () => {
    const world = EngineWorld.ready(plotting((ctx) => ctx.plot('rsi', 50, { pane: 'rsi', color: 'red' })));
    const plots = [
      { strategy: 'one', market: 'BTCUSDT', name: 'rsi', pane: 'rsi', style: 'line', color: 'red' },
    ];
    expect(JSON.parse(world.mirror.copy().stored['plots'] ?? '')).toEqual(plots);
    world.restart({ options: plotting((ctx) => ctx.plot('other', 1)) }).advance(5_000);
    expect(JSON.parse(world.mirror.copy().stored['plots'] ?? '')).toEqual([
      plots[0],
      { ...plots[0], name: 'other', pane: null, color: null },
    ]);
  });

  test('of a past that is plotted at once are the first thousand values and the newest, which is said once', () => {
    const outbox = new Outbox();
    const runner: { plots: PlotSink | null } = { plots: null };
    const plots = new LivePlots(outbox, [{ name: 'one', runner }]);
    const series: PlotSeries = { market: 'BTCUSDT', name: 'rsi', pane: null, style: 'line', color: null };
    for (let minute = 0; minute < 2_000; minute += 1) runner.plots?.add(series, minute * MINUTE_MS, minute);
    plots.pump(2_000 * MINUTE_MS);
    const { changes, notices } = outbox.emit(0);
    expect(changes.filter(({ kind }) => kind === 'figure')).toHaveLength(1_001);
    expect(changes.findLast(({ kind }) => kind === 'figure')).toMatchObject({ figure: { value: '1999' } });
    expect(notices).toMatchObject([{ level: 'warning', message: expect.stringContaining('more than 1000') }]);
    runner.plots?.add(series, 2_000 * MINUTE_MS, 1);
    plots.pump(2_000 * MINUTE_MS);
    expect(outbox.emit(0)).toMatchObject({ notices: [], changes: [{ kind: 'figure' }] });
  });
});

test('a bar that is plotted has its value at its close, at once', () => {
  const world = EngineWorld.ready({
    ...plotting(() => undefined),
    feeds: [...FEEDS, feedOf('candles BTCUSDT 1m', 'candles', 5_000)],
  });
  const openMs = Math.floor(world.nowMs / MINUTE_MS) * MINUTE_MS;
  world.venue.candles.push({
    openTimeMs: openMs,
    open: '100',
    high: '103',
    low: '99',
    close: '102.5',
    volume: '1',
  } as never);
  world.advance(MINUTE_MS + 10_000);
  expect(valuesOf(world, `${PLOT}close`)).toEqual([[openMs + MINUTE_MS, '102.5']]);
});
