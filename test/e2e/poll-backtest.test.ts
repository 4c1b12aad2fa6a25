import { describe, expect, it } from 'vitest';
import { columnsOf, type CandleColumns } from '../../src/domain/candle-columns.ts';
import { decimalText } from '../../src/domain/decimal-text.ts';
import { z } from 'zod';
import { defineStrategy, sma } from '../../src/strategy/sdk.ts';
import { reportVoice } from '../../src/backtest/report-voice.ts';
import type { PollRun } from '../../src/backtest/poll/run-poll.ts';
import { parseUnits } from '../../src/domain/money.ts';
import type { RecordedStats } from '../../src/recording/records.ts';
import type { JournalEntry } from '../../src/engine/mirror-change.ts';
import { restored } from '../../src/engine/stored-records.ts';
import { MirrorFolder } from '../unit/mirror/mirror-fixture.ts';
import {
  FROM_MS,
  runRecorded,
  stillOf,
  TETHER,
  walkOf,
  type Recording,
} from '../unit/venues/recorded/recorded-run.ts';

const SECONDS = 600;
/** Schema without params: strategies of these runs do not read those of the maker. */
const PARAMS = z.object({});
const RECORDING = walkOf({ seconds: SECONDS, seed: 1 });

interface Line extends JournalEntry {
  readonly atMs: number;
}

/** The run of the recording with the default settings; tests that change nothing share it. */
const PLAIN = await runRecorded(RECORDING);

/** Runs a recording, and returns all lines of its journal. */
async function journalOf(
  recording: Recording,
  of: Parameters<typeof runRecorded>[1] = {},
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  await runRecorded(recording, { ...of, onJournal: (entry, atMs) => lines.push({ ...entry, atMs }) });
  return lines;
}

const until = (lines: readonly Line[], timeMs: number): readonly Line[] =>
  lines.filter(({ atMs }) => atMs < timeMs);

const filledBy = ({ fills }: PollRun): bigint => fills.reduce((sum, { amount }) => sum + amount, 0n);

/** Shortest time from a fill until the bot knew of it, in ms. */
async function shortestDelayMs(tradesLagMs: number): Promise<number> {
  const learnedMs = new Map<unknown, number>();
  const { fills } = await runRecorded(RECORDING, {
    rules: { tradesLagMs },
    onJournal: ({ kind, json }, atMs) => {
      if (kind === 'fill') learnedMs.set((JSON.parse(json) as { tradeId: number }).tradeId, atMs);
    },
  });
  expect(fills.length).toBeGreaterThan(5);
  return Math.min(...fills.map(({ tradeId, atMs }) => (learnedMs.get(tradeId) ?? 0) - atMs));
}

/** Closes of the minutes that a strategy sees, if `length` rising bars were recorded. */
async function closesWith(length: number): Promise<readonly number[]> {
  const seen: number[] = [];
  const strategy = defineStrategy({
    name: 'maker',
    params: PARAMS,
    data: ({ market }) => ({ bars: market.candles('1m', { history: 3 }) }),
    indicators: ({ bars }) => ({ mean: sma(bars, 1) }),
    on: { bars: ({ indicators }) => void seen.push(indicators.mean) },
  });
  await runRecorded(RECORDING, { strategy, bars: [risingBars(length)] });
  return seen;
}

/** Statistics whose last price is a small number, by which a test knows them. */
function statsAt(seenMs: number, latest: number): RecordedStats {
  const none = {
    isClosed: false,
    closedReason: null,
    bestSell: null,
    bestBuy: null,
    baseVolume: null,
    quoteVolume: null,
  };
  const day = { mark: null, dayLow: null, dayHigh: null, dayOpen: null, dayClose: null, dayChange: null };
  return { seenMs, stats: { market: TETHER, ...none, ...day, latest: decimalText(String(latest)) } };
}

/** One-minute bars from five minutes before the recording on, far below its prices. */
function risingBars(length: number): CandleColumns {
  return columnsOf(
    { market: TETHER.symbol, timeframe: '1m' },
    Array.from({ length }, (_, index) => {
      const price = decimalText(String(30_000 + index));
      const openTimeMs = FROM_MS - (5 - index) * 60_000;
      return { openTimeMs, open: price, high: price, low: price, close: price, volume: decimalText('1') };
    }),
  );
}

describe('a backtest on recorded books and trades', () => {
  it('trades, within the budgets of the exchange, and knows all of its fills in the end', async () => {
    const run = PLAIN;
    expect(run.failures.size).toBe(0);
    expect(run.orders.length).toBeGreaterThan(50);
    expect(run.fills.length).toBeGreaterThan(10);
    for (const { most, limit } of run.requests) expect(most).toBeLessThanOrEqual(limit);
    const matched = run.orders.reduce((sum, order) => sum + order.matched, 0n);
    expect(filledBy(run)).toBe(matched);
    expect(run.orders.every(({ state }) => ['open', 'filled', 'cancelled', 'rejected'].includes(state))).toBe(
      true,
    );
  });

  it('ends with what the fills have made of the money, to the last digit', async () => {
    const run = PLAIN;
    let cash = parseUnits('100000') as bigint;
    let coins = parseUnits('1') as bigint;
    for (const { side, amount, total, fee } of run.fills) {
      if (side === 'buy') {
        cash -= total;
        coins += amount - fee;
      } else {
        cash += total - fee;
        coins -= amount;
      }
    }
    const price = run.markets[0]?.lastPrice ?? 0n;
    const worth = coins * price;
    const difference = run.finalEquity - cash - worth / 10_000_000_000n;
    // The worth of the coins is rounded half-even: the whole part, or one more.
    expect(difference === 0n || difference === 1n).toBe(true);
  });

  it('writes the same journal twice, however the recording is cut into chunks', async () => {
    const first = PLAIN;
    const [again, cut, whole] = await Promise.all([
      runRecorded(RECORDING),
      runRecorded(RECORDING, { chunk: 7 }),
      runRecorded(RECORDING, { chunk: 100_000 }),
    ]);
    expect(again.journalHash).toBe(first.journalHash);
    expect(cut.journalHash).toBe(first.journalHash);
    expect(whole.journalHash).toBe(first.journalHash);
    expect((await runRecorded(walkOf({ seconds: SECONDS, seed: 2 }))).journalHash).not.toBe(
      first.journalHash,
    );
  });

  it('does not know what comes later: cut off at a time, it did the same until then', async () => {
    const full = await journalOf(RECORDING);
    expect(full.length).toBeGreaterThan(100);
    for (const second of [61, 200, 333]) {
      const untilMs = FROM_MS + second * 1_000 + 250;
      const cut = await journalOf({
        books: RECORDING.books.filter(({ venueTimeMs }) => (venueTimeMs ?? 0) <= untilMs),
        trades: RECORDING.trades.filter(({ timeMs }) => (timeMs ?? 0) <= untilMs),
      });
      const lastMs = FROM_MS + second * 1_000;
      expect(until(cut, lastMs)).toEqual(until(full, lastMs));
      expect(until(cut, lastMs).length).toBeGreaterThan(10);
    }
  });

  it('sees what a later row says only once it is due, and not when it was read into memory', async () => {
    const changed = RECORDING.books.map((book) =>
      book.seenMs > FROM_MS + 300_000 ? { ...book, bids: book.asks, asks: [] } : book,
    );
    const knownMs = FROM_MS + 299_000;
    const other = await journalOf({ ...RECORDING, books: changed }, { chunk: 100_000 });
    const full = await journalOf(RECORDING, { chunk: 100_000 });
    expect(until(other, knownMs)).toEqual(until(full, knownMs));
    expect(other).not.toEqual(full);
  });

  it('is held by the risk checks that hold the live bot', async () => {
    const free = PLAIN;
    const bound = await runRecorded(RECORDING, { risk: { maxOrdersPerMinute: 2 } });
    expect(bound.orders.length).toBeLessThan(free.orders.length / 2);
    expect(bound.orders.length).toBeGreaterThan(10);
  });

  it('fills less behind the queue than before it', async () => {
    const still = stillOf({ seconds: SECONDS });
    const back = await runRecorded(still);
    const front = await runRecorded(still, { rules: { queue: { kind: 'front' } } });
    expect(filledBy(back)).toBeLessThan(filledBy(front));
    expect(back.fidelity.rules).not.toEqual(front.fidelity.rules);
  });

  it('takes the latency on both ways', async () => {
    const run = await runRecorded(RECORDING, {
      rules: { latency: { kind: 'constant', outMs: 400, backMs: 300 } },
    });
    const sentMs = new Map(run.orders.map(({ key, sentAtMs }) => [key, sentAtMs ?? Number.NaN]));
    expect(run.fills.length).toBeGreaterThan(5);
    for (const { orderKey, atMs } of run.fills)
      expect(atMs - (sentMs.get(orderKey ?? '') ?? 0)).toBeGreaterThanOrEqual(400);
    const drawn = { kind: 'drawn', roundTripsMs: [40, 900, 120], seed: 3 } as const;
    const one = await runRecorded(RECORDING, { rules: { latency: drawn } });
    const same = await runRecorded(RECORDING, { rules: { latency: drawn } });
    const other = await runRecorded(RECORDING, { rules: { latency: { ...drawn, seed: 4 } } });
    expect(same.journalHash).toBe(one.journalHash);
    expect(other.journalHash).not.toBe(one.journalHash);
  });

  it('takes what orders took for orders, and says what it draws from', async () => {
    const latency = { kind: 'drawn', roundTripsMs: [40, 44, 42], orderTripsMs: [1_800], seed: 3 } as const;
    const run = await runRecorded(RECORDING, { rules: { latency } });
    const placed = run.orders.filter(({ sentAtMs }) => sentAtMs !== null);
    expect(placed.length).toBeGreaterThan(50);
    const sentMs = new Map(placed.map(({ key, sentAtMs }) => [key, sentAtMs ?? Number.NaN]));
    expect(run.fills.length).toBeGreaterThan(5);
    for (const { orderKey, atMs } of run.fills)
      expect(atMs - (sentMs.get(orderKey ?? '') ?? 0)).toBeGreaterThanOrEqual(900);
    const setting = run.fidelity.rules.find(({ rule }) => rule.fact === 'poll.latency')?.setting;
    expect(setting && reportVoice('en').format(setting)).toBe(
      'drawn for each request from 3 recorded round trips of 40 to 44 ms (median 42 ms), for orders from 1 recorded round trip of 1800 to 1800 ms (median 1800 ms); half of it each way, seed 3',
    );
  });

  it('reports its fills later where the trades list lags', async () => {
    expect(await shortestDelayMs(0)).toBeLessThan(8_000);
    expect(await shortestDelayMs(8_000)).toBeGreaterThanOrEqual(8_000);
  });

  it('learns of a fill of its last moment', async () => {
    const { fills } = PLAIN;
    const last = fills[10];
    const cut = await runRecorded(RECORDING, { toMs: last?.atMs ?? 0 });
    expect(cut.toMs).toBe(last?.atMs);
    expect(cut.fills.map(({ tradeId }) => tradeId)).toContain(last?.tradeId);
    expect(cut.fills.every(({ atMs }) => atMs <= cut.toMs)).toBe(true);
    expect(cut.orders.every(({ plannedAtMs }) => plannedAtMs <= cut.toMs)).toBe(true);
  });

  it('warms strategies up with bars from before the recording, and shows those that reach into it from their close on', async () => {
    const past = await closesWith(5);
    const more = await closesWith(9);
    expect(past.every((close) => close > 39_000)).toBe(true);
    expect(more.slice(0, 4)).toEqual([30_005, 30_006, 30_007, 30_008]);
    expect(more.slice(4)).toEqual(past.slice(4));
  });

  it('reports the recorded statistics, and none before they were seen', async () => {
    const received: (readonly [number, number | null])[] = [];
    const strategy = defineStrategy({
      name: 'maker',
      params: PARAMS,
      data: ({ market }) => ({ day: market.stats({ everyMs: 5_000, maxAgeMs: 60_000 }) }),
      on: { day: ({ nowMs }, { latest }) => void received.push([nowMs, latest]) },
    });
    const recorded = Array.from({ length: 9 }, (_, index) =>
      statsAt(FROM_MS + 30_000 + index * 60_000, index),
    );
    await runRecorded(RECORDING, { strategy, stats: recorded });
    const firstMs = FROM_MS + 30_000;
    expect(received.filter(([atMs]) => atMs < firstMs).every(([, latest]) => Number(latest) > 39_000)).toBe(
      true,
    );
    expect(received.some(([atMs]) => atMs < firstMs)).toBe(true);
    const later = received.filter(([atMs]) => atMs > firstMs + 5_200);
    expect(later.length).toBeGreaterThan(60);
    for (const [atMs, latest] of later) {
      const ageMs = atMs - firstMs - Number(latest) * 60_000;
      expect(ageMs).toBeGreaterThanOrEqual(0);
      if (Number(latest) < 8) expect(ageMs).toBeLessThan(60_000 + 5_200);
    }
    expect(new Set(later.map(([, latest]) => latest)).size).toBe(9);
  });

  it('ends with the last book or trade, whatever else was recorded after it', async () => {
    const { toMs } = PLAIN;
    const longer = await runRecorded(RECORDING, {
      bars: [risingBars(120)],
      stats: [statsAt(FROM_MS + 60_000, 1), statsAt(toMs + 3_600_000, 2)],
      chunk: 1,
    });
    expect(longer.toMs).toBe(toMs);
    expect(longer.curve.timeMs[longer.curve.length - 1]).toBe(toMs);
  });

  it('begins with the first book, and what was recorded before the start is the past', async () => {
    const late = { ...RECORDING, books: RECORDING.books.slice(90) };
    expect((await runRecorded(late)).fromMs).toBe(FROM_MS + 90_000);
    const past: number[] = [];
    const strategy = defineStrategy({
      name: 'maker',
      params: PARAMS,
      data: ({ market }) => ({ bars: market.candles('1m', { history: 2 }) }),
      on: { bars: (_, { openTimeMs }) => void past.push(openTimeMs) },
    });
    const run = await runRecorded(RECORDING, { strategy, fromMs: FROM_MS + 240_000 });
    expect(run.fromMs).toBe(FROM_MS + 240_000);
    expect(past[0]).toBe(FROM_MS + 240_000);
    expect(past.length).toBeGreaterThan(3);
  });

  it('has prices and bars where books alone were recorded', async () => {
    const run = await runRecorded(RECORDING, { withTrades: false });
    expect(run.fills.length).toBeGreaterThan(0);
    expect(run.markets[0]?.candles.length).toBeGreaterThan(5);
    expect(Number(run.initialEquity) / 1e10).toBeGreaterThan(135_000);
  });

  it('warns of a plan that looks more often than anything was recorded', async () => {
    const coarse = {
      books: RECORDING.books.filter((_, index) => index % 60 === 0),
      trades: RECORDING.trades,
    };
    const run = await runRecorded(coarse);
    expect(run.warnings.map(reportVoice('en').format).join('\n')).toMatch(
      /looks at the book of BTCUSDT every 1(\.\d)? s, but it was recorded about every 60 s/,
    );
    expect(PLAIN.warnings).toEqual([]);
  });

  it('has a point of the curve each minute, and one at the end', async () => {
    const { curve, fromMs, toMs, finalEquity } = PLAIN;
    expect(Array.from(curve.timeMs.slice(0, 2))).toEqual([fromMs + 60_000, fromMs + 120_000]);
    expect(curve.timeMs[curve.length - 1]).toBe(toMs);
    expect(curve.equity[curve.length - 1]).toBeCloseTo(Number(finalEquity) / 1e10, 6);
    expect(toMs).toBe(FROM_MS + (SECONDS - 1) * 1_000 + 500);
  });

  it('refuses a recording without books, and a range without any', async () => {
    await expect(runRecorded({ books: [], trades: RECORDING.trades })).rejects.toThrow(
      'expected recorded books of BTCUSDT',
    );
    await expect(runRecorded(RECORDING, { fromMs: FROM_MS + 86_400_000 })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message:
        'expected recorded books from 2024-01-02T00:00:00Z to the end: the last are of 2024-01-01T00:09:59.500Z',
    });
    await expect(runRecorded(RECORDING, { toMs: FROM_MS - 1_000 })).rejects.toMatchObject({
      message:
        'expected recorded books from the beginning to 2023-12-31T23:59:59Z: the first are of 2024-01-01T00:00:00Z',
    });
  });
});

describe('an account that pays its fees with a third coin while it has any', () => {
  it('has exact books, with the fees of one order in two currencies', async () => {
    using folder = new MirrorFolder();
    const store = folder.open({ nowMs: FROM_MS });
    const opening = { usdt: parseUnits('100000'), btc: parseUnits('1'), bnb: parseUnits('0.02') };
    // Takes four levels of the book at once, in both directions.
    const strategy = defineStrategy({
      name: 'taker',
      params: PARAMS,
      data: ({ market }) => ({ book: market.book({ everyMs: 20_000 }) }),
      state: z.strictObject({ seen: z.int().default(0) }),
      on: {
        book(ctx) {
          const { seen } = ctx.state;
          ctx.setState({ seen: seen + 1 });
          if (seen % 2 === 0) ctx.buy({ amount: 0.2 });
          else ctx.sell({ amount: 0.2 });
        },
      },
    });
    const { fills, orders } = await runRecorded(RECORDING, {
      strategy,
      mirror: store,
      given: '1',
      balances: opening,
      feeCoin: { currency: 'bnb', prices: new Map([['usdt', parseUnits('600')]]) },
    });
    const { stored } = store.load();
    store.close();
    const kinds = Map.groupBy(fills, ({ orderKey }) => orderKey);
    const mixed = [...kinds.values()].filter((all) => new Set(all.map((fill) => fill.feeCurrency)).size > 1);
    expect(mixed.length).toBeGreaterThan(0);
    const totals: Record<string, bigint> = { ...opening };
    const add = (currency: string, units: bigint): void => {
      totals[currency] = (totals[currency] ?? 0n) + units;
    };
    for (const { side, amount, total, fee, feeCurrency } of fills) {
      add('btc', side === 'buy' ? amount : 0n - amount);
      add('usdt', side === 'buy' ? 0n - total : total);
      add(feeCurrency ?? (side === 'buy' ? 'btc' : 'usdt'), 0n - fee);
    }
    // No market of the coin is followed, so it has no price.
    expect(fills.every(({ feeValue }) => feeValue === null)).toBe(true);
    for (const { key, fee } of orders)
      expect(fee).toBe(
        (kinds.get(key) ?? []).reduce((sum, fill) => sum + (fill.feeCurrency === null ? fill.fee : 0n), 0n),
      );
    const { break: found, books, followed } = restored(stored, 'reconciliation') ?? {};
    expect(found).toBeNull();
    expect(followed).toContain('bnb');
    expect(books?.expected).toEqual(totals);
  });
});
