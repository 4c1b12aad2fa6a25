import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestRun } from '../../../../src/backtest/backtest-run.ts';
import { liveRun } from '../../../../src/backtest/live-run.ts';
import { finishRun, type FinishedRun } from '../../../../src/backtest/finish-run.ts';
import { runBacktest } from '../../../../src/backtest/run-backtest.ts';
import { parseUnits, type Units } from '../../../../src/domain/money.ts';
import { walletIdOf } from '../../../../src/venues/read-records.ts';
import type { JournalEntry, MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { readSessionRows } from '../../../../src/mirror/read-session-rows.ts';
import { defineStrategy } from '../../../../src/strategy/sdk.ts';
import { journalLine, MirrorFolder, orderRecord, intentChange } from '../../mirror/mirror-fixture.ts';
import { FROM_MS, runRecorded, walkOf } from '../../venues/recorded/recorded-run.ts';
import { demoRun, type DemoRunOptions } from '../demo-run.ts';
import { backtestOf, BALANCES } from '../three-markets.ts';
import { mirrorRun } from './mirror-of-run.ts';

const CASH = { usdt: parseUnits('10000') };
const HOUR_MS = 3_600_000;

function finishMirror(
  path: string,
  { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: { readonly fromMs?: number; readonly toMs?: number } = {},
): FinishedRun {
  const { run, live } = liveRun(readSessionRows(path, { fromMs, toMs }), {
    toMs,
    currency: null,
    params: new Map(),
    config: null,
    clock: () => 0,
    loadMs: 0,
  });
  return finishRun(run, 0, live);
}

/** The mirror of a bot that had these fills, and that has the changes of `more` as well. */
class Mirrored implements Disposable {
  readonly path: string;
  private readonly folder = new MirrorFolder();

  constructor(
    run: BacktestRun,
    of: {
      readonly opening?: Readonly<Record<string, Units>>;
      readonly withCandles?: boolean;
      readonly capital?: ReadonlyMap<string, Units>;
      readonly more?: readonly MirrorChange[];
    } = {},
  ) {
    const { opening = CASH, withCandles = true, capital = new Map(), more = [] } = of;
    const store = this.folder.open();
    mirrorRun(store, run, { opening, withCandles, capital });
    store.apply(more, { atMs: run.toMs, isDurable: true });
    store.close();
    this.path = this.folder.path;
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}

/** Makes a run whose fills come just after bars open, as fills of a live exchange come between bars. */
const runOf = (options: DemoRunOptions = {}): BacktestRun =>
  betweenBars(demoRun({ bars: 300, tradeChance: 0.1, ...options }));

const betweenBars = (run: BacktestRun): BacktestRun => ({
  ...run,
  fills: run.fills.map((fill) => ({ ...fill, atMs: fill.atMs + 1 })),
});

describe('a live session with the fills of a backtest', () => {
  test.each([
    { seed: 1, tradeChance: 0.1 },
    { seed: 2, tradeChance: 0.4, timeframe: '5m' as const },
  ])('has every figure of it, to the last digit: %j', (options) => {
    const run = runOf(options);
    using mirror = new Mirrored(run);
    const live = finishMirror(mirror.path);
    const backtest = finishRun(run, 0);
    expect(live.head.summary).toEqual(backtest.head.summary);
    expect(live.head.monthly).toEqual(backtest.head.monthly);
    expect(live.trips).toEqual(backtest.trips);
    expect(live.run.curve).toEqual(run.curve);
    expect(live.head.session?.strategies).toMatchObject([
      { name: 'ma-cross', profit: backtest.head.summary.profit, fills: run.fills.length },
    ]);
  });

  test('has them in one currency where its markets are priced in two', () => {
    const run = betweenBars(runBacktest(backtestOf()));
    expect(new Set(run.fills.map(({ market }) => market)).size).toBe(3);
    using mirror = new Mirrored(run, { opening: BALANCES });
    const live = finishMirror(mirror.path);
    const backtest = finishRun(run, 0);
    // The mirror keeps no intents that were refused at once.
    const { intents: _intents, refused: _refused, ...figures } = backtest.head.summary;
    expect(live.head.summary).toMatchObject(figures);
    expect(live.trips).toEqual(backtest.trips);
  });

  test('has none where no price of tether in rial is known, and says so', () => {
    const run = betweenBars(runBacktest(backtestOf()));
    using mirror = new Mirrored(run, { opening: BALANCES });
    const database = new Database(mirror.path);
    for (const table of ['fills', 'orders', 'candles', 'books', 'stats'])
      database.prepare(`DELETE FROM ${table} WHERE market = 'USDTIRT'`).run();
    database.close();
    expect(() => finishMirror(mirror.path)).toThrow(
      /^expected a price of USDTIRT, by which trades in BTCUSDT are worth something in rls, found none/,
    );
  });
});

test('a live session has what its strategies plotted within the range, gaps and looks as they were', () => {
  const run = runOf({ bars: 50 });
  const [market = ''] = run.markets.map((traded) => traded.market.symbol);
  const plot = {
    strategy: 'ma-cross',
    market,
    name: 'fast',
    pane: 'averages',
    style: 'steps',
    color: 'blue',
  };
  const barsMs = [1, 2, 3].map((bar) => run.fromMs + bar * run.barMs);
  const values = ['1.5', null, '-3'];
  const figures = barsMs.map((atMs, bar): MirrorChange => ({
    kind: 'figure',
    figure: { name: `plot/ma-cross/${market}/fast`, atMs, value: values[bar] ?? null },
  }));
  using mirror = new Mirrored(run, {
    more: [{ kind: 'kept', name: 'plots', json: JSON.stringify([plot]) }, ...figures],
  });
  const [series, ...others] = finishMirror(mirror.path).run.plots;
  expect(others).toEqual([]);
  expect(series).toMatchObject({ ...plot, length: 3, every: 1 });
  expect([...(series?.atMs ?? [])]).toEqual(barsMs);
  expect([...(series?.value ?? [])]).toEqual([1.5, Number.NaN, -3]);
  const [rest] = finishMirror(mirror.path, { fromMs: barsMs[1] ?? 0 }).run.plots;
  expect([...(rest?.value ?? [])]).toEqual([-3]);
});

/** Buys and sells in turn, and reads the data that its bot needs to value it. */
const MAKER = defineStrategy({
  name: 'maker',
  params: z.strictObject({}),
  state: z.strictObject({ seen: z.int().default(0) }),
  data: ({ market }) => ({
    book: market.book({ everyMs: 1_000, maxAgeMs: 30_000 }),
    bars: market.candles('1m', { history: 3 }),
    tape: market.trades(),
  }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      const seen = ctx.state.seen + 1;
      ctx.setState({ seen });
      if (seen % 5 !== 0 || bestBid === null || bestAsk === null) return;
      if (seen % 10 === 5) ctx.buy({ amount: 0.01, price: bestBid.price });
      else ctx.sell({ amount: 0.01, price: bestAsk.price });
    },
  },
});

test('the mirror that the whole bot wrote in virtual time gives the figures of its backtest', async () => {
  using folder = new MirrorFolder();
  const store = folder.open({ nowMs: FROM_MS });
  const poll = await runRecorded(walkOf({ seconds: 400, seed: 1 }), {
    strategy: MAKER,
    mirror: store,
    given: '1',
  });
  store.close();
  const live = finishMirror(folder.path, { toMs: poll.toMs });
  // Before the first trade the price is taken from a book, which no mirror keeps.
  const { initialEquity, fromMs } = live.run;
  const same = { ...live.run, ...poll, initialEquity, fromMs, quote: 'usdt', requests: null };
  const backtest = finishRun({ ...same, markets: live.run.markets }, 0);
  expect(poll.fills.length).toBeGreaterThan(30);
  expect(live.head.summary).toEqual(backtest.head.summary);
  expect(live.trips).toEqual(backtest.trips);
  expect(live.run.finalEquity).toBe(poll.finalEquity);
  expect([...live.run.curve.equity]).toEqual([...poll.curve.equity]);
  expect(live.head.refusals).toEqual(backtest.head.refusals);
});

test('coins of the account that no strategy owns are no figure of a live session', () => {
  const run = runOf();
  using mirror = new Mirrored(run);
  using rich = new Mirrored(run, {
    more: [
      {
        kind: 'wallet',
        wallet: {
          currency: 'btc',
          walletId: walletIdOf(2),
          total: parseUnits('50'),
          held: parseUnits('0'),
          tooFine: null,
        },
      },
    ],
  });
  expect(finishMirror(rich.path).head.summary).toEqual(finishMirror(mirror.path).head.summary);
});

test('money of the account beyond the capital of its strategies is no figure of a live session', () => {
  const run = runOf();
  const opening = { usdt: parseUnits('5000000'), rls: parseUnits('7') };
  using mirror = new Mirrored(run, { opening, capital: new Map(Object.entries(CASH)) });
  const { summary } = finishMirror(mirror.path).head;
  expect(summary).toEqual(finishRun(run, 0).head.summary);
  using without = new Mirrored(run, { opening });
  expect(finishMirror(without.path).head.summary).toMatchObject({
    initialEquity: '5000000',
    profit: summary.profit,
  });
});

test('a live session whose old fills are gone has the capital that they made something of', () => {
  const run = runOf();
  using mirror = new Mirrored(run, { capital: new Map(Object.entries(CASH)) });
  const database = new Database(mirror.path);
  database.exec('DELETE FROM fills WHERE id <= 10');
  database.close();
  expect(finishMirror(mirror.path).run.finalEquity).toBe(run.finalEquity);
});

describe('a range of a live session', () => {
  test('begins with what was held then, and has the trades that end in it', () => {
    const run = runOf();
    using mirror = new Mirrored(run);
    const whole = finishMirror(mirror.path);
    const { openedAtMs = 0 } = whole.trips[5] ?? {};
    const atMs = openedAtMs + 60_000;
    const [first, second] = [
      finishMirror(mirror.path, { toMs: atMs }),
      finishMirror(mirror.path, { fromMs: atMs }),
    ];
    expect(second.run.initialEquity).toBe(first.run.finalEquity);
    expect(second.run.finalEquity).toBe(run.finalEquity);
    const ended = whole.trips.filter(({ closedAtMs }) => closedAtMs !== null && closedAtMs > atMs);
    expect(ended.some(({ openedAtMs }) => openedAtMs < atMs)).toBe(true);
    expect(second.trips.filter(({ isOpen }) => !isOpen)).toEqual(ended);
    expect(first.head.summary.fills + second.head.summary.fills).toBe(run.fills.length);
    expect(second.head.fidelity.caveats).not.toContainEqual(expect.stringContaining('Retention'));
  });

  test('is refused where the mirror has nothing of it', () => {
    const run = runOf({ bars: 50 });
    using mirror = new Mirrored(run);
    expect(() => finishMirror(mirror.path, { fromMs: run.toMs + HOUR_MS })).toThrow(
      /expected a range within what .*mirror\.sqlite has, 2023-01-01 to 2023-01-03 02:00 UTC/,
    );
  });
});

const caveatsOf = (path: string): string => finishMirror(path).head.fidelity.caveats.join('\n');

describe('what a mirror does not know', () => {
  test('is the price between fills where it has no candles', () => {
    const run = runOf();
    using mirror = new Mirrored(run, { withCandles: false });
    const live = finishMirror(mirror.path);
    expect(caveatsOf(mirror.path)).toContain('The mirror has no candles');
    // The run ends at the price of the last fill.
    const { price } = run.fills.at(-1) ?? { price: 0n };
    expect(live.run.markets[0]?.lastPrice).toBe(price);
    const { trades, fees, tradedValue } = finishRun(run, 0).head.summary;
    expect(live.head.summary).toMatchObject({ trades, fees, tradedValue });
  });

  test('is what retention has removed; equity begins with the oldest fill that is left', () => {
    const run = runOf();
    using mirror = new Mirrored(run);
    const database = new Database(mirror.path);
    database.exec('DELETE FROM fills WHERE id <= 10');
    database.close();
    const live = finishMirror(mirror.path);
    expect(caveatsOf(mirror.path)).toContain('Retention has removed 10 fills; the oldest that is left is of');
    expect(live.run.fromMs).toBe((run.fills[10]?.atMs ?? 0) - 1);
    expect(live.run.finalEquity).toBe(run.finalEquity);
    expect(live.run.curve.equity.at(-5)).toBe(run.curve.equity.at(-5));
  });

  test('is what a coin without a market is worth', () => {
    using mirror = new Mirrored(runOf(), { opening: { ...CASH, doge: parseUnits('5') } });
    expect(caveatsOf(mirror.path)).toContain('The account has doge, which no market of the session values');
  });
});

const line = (kind: JournalEntry['kind'], subject: string, facts: object): MirrorChange =>
  journalLine(subject, JSON.stringify(facts), kind);

describe('a report of a live session tells', () => {
  test('when the bot did not run, by its last sign of life', () => {
    const run = runOf();
    const alive = run.toMs - 7 * HOUR_MS;
    using mirror = new Mirrored(run, {
      more: [line('control', 'start', { isRestart: true, aliveUntilMs: alive })],
    });
    expect(finishMirror(mirror.path).head.session?.pauses).toEqual([{ fromMs: alive, toMs: run.toMs }]);
  });

  test('what was refused, by which check', () => {
    const order = orderRecord({
      strategy: 'ma-cross',
      market: 'BTCUSDT',
      intentId: 'i2',
      clientOrderId: orderRecord().key,
      state: 'rejected',
      reason: 'SmallOrder',
      plannedAtMs: demoRun().fromMs + 1,
    });
    const refused = (id: string, reason: string): MirrorChange =>
      intentChange({ id, atMs: runOf().fromMs + 1, status: 'refused', reason });
    using mirror = new Mirrored(runOf(), {
      more: [
        refused('i1', 'the book is 9 s old'),
        line('intent', 'ma-cross', { refusedBy: 'data-age', ageMs: 9_000 }),
        line('intent', 'i1', { status: 'refused' }),
        { kind: 'order', order },
        refused('i2', 'SmallOrder'),
        refused('i3', 'the lock stops of BTCUSDT holds until tomorrow'),
        line('intent', 'ma-cross', { refusedBy: 'position', most: '5' }),
      ],
    });
    const counted = finishMirror(mirror.path).head.refusals.map(({ what, code, count, meaning }) => [
      what,
      code,
      count,
      meaning === null,
    ]);
    expect(counted.toSorted((left, right) => String(left).localeCompare(String(right)))).toEqual([
      ['order', 'SmallOrder', 1, false],
      ['place', 'lock stops', 1, true],
      ['place', 'risk data-age', 1, true],
      ['slice', 'risk position', 1, true],
    ]);
  });

  test('which locks held', () => {
    const { fromMs } = runOf();
    const lock = {
      name: 'stops',
      rule: null,
      strategy: null,
      market: 'BTCUSDT',
      reason: 'three in a row',
      beganAtMs: fromMs + HOUR_MS,
      endsAtMs: fromMs + 3 * HOUR_MS,
      entries: 'keep',
    };
    using mirror = new Mirrored(runOf(), {
      more: [
        line('control', 'lock begun', { ...lock, refused: 0 }),
        line('control', 'lock ended', { ...lock, refused: 4 }),
        line('control', 'lock begun', { ...lock, name: 'hand', refused: 0 }),
      ],
    });
    expect(finishMirror(mirror.path).head.locks).toEqual([
      { name: 'stops', times: 1, heldMs: 2 * HOUR_MS, refused: 4 },
      expect.objectContaining({ name: 'hand', times: 1 }),
    ]);
  });
});

test.each([
  ['stopped', 1],
  ['paused', 0],
] as const)('a strategy that is %s gives %d warnings that it stopped', (status, count) => {
  const run = runOf({ bars: 50 });
  using mirror = new Mirrored(run);
  const database = new Database(mirror.path);
  database.prepare("UPDATE strategies SET status = ?, reason = 'onBook threw'").run(status);
  database.close();
  const { warnings, session } = finishMirror(mirror.path).head;
  const said = warnings.filter((text) => text.includes('stopped before the end: onBook threw'));
  expect(said).toHaveLength(count);
  expect(session?.strategies).toMatchObject([{ status, reason: 'onBook threw' }]);
});
