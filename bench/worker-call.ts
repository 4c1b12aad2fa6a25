import { fileURLToPath } from 'node:url';
import { StrategyThreads } from '../src/daemon/strategy-threads.ts';
import { decimalText, ZERO, type DecimalText } from '../src/domain/decimal-text.ts';
import type { OrderBook } from '../src/domain/order-book.ts';
import type { EngineView } from '../src/strategy/strategy-event.ts';
import type { StrategyPort } from '../src/strategy/strategy-port.ts';
import type { BenchResult } from './result.ts';

const MARKET = 'BTCUSDT';
const LEVELS = 20;
const WARM_UP = 2_000;
const CALLS = 10_000;

/** Maximum median time of a call, in microseconds. */
const TARGET_US = 100;

const text = (value: number): DecimalText => decimalText(value.toFixed(2));

function bookAt(middle: number): OrderBook {
  const level = (side: 1 | -1, depth: number) =>
    [text(middle + side * (depth + 1)), decimalText('0.5')] as const;
  const levels = Array.from({ length: LEVELS }, (_, depth) => depth);
  return {
    bids: levels.map((depth) => level(-1, depth)),
    asks: levels.map((depth) => level(1, depth)),
    updatedAtMs: null,
  };
}

function viewOf(book: OrderBook, nowMs: number): EngineView {
  return {
    nowMs,
    position: () => ZERO,
    inventory: () => ZERO,
    positionNumber: () => 0,
    free: () => ({ usdt: decimalText('1000') }),
    freeNumber: () => 1_000,
    orders: () => [],
    book: () => book,
    stats: () => null,
    margin: () => null,
    locks: () => [],
    universe: () => null,
    rules: () => ({
      priceStep: decimalText('0.01'),
      amountStep: decimalText('0.000001'),
      minOrderValue: decimalText('5'),
    }),
    equity: () => decimalText('1000'),
    ageMs: () => 0,
    accountAgeMs: () => 0,
  };
}

/** Time of each call in microseconds, sorted. */
function callTimes(runner: StrategyPort): readonly number[] {
  const times: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call += 1) {
    const book = bookAt(60_000 + (call % 50));
    const view = viewOf(book, call);
    const begun = performance.now();
    runner.handle({ kind: 'book', market: MARKET, book, seenAtMs: call }, view);
    if (call >= WARM_UP) times.push((performance.now() - begun) * 1_000);
  }
  if (runner.failure !== null) throw new Error(runner.failure);
  return times.toSorted((left, right) => left - right);
}

const result = (name: string, value: number, unit: string, target: number | null): BenchResult => ({
  name,
  value,
  unit,
  reference: null,
  ratio: null,
  target,
  holds: target === null || value <= target,
});

/**
 * Measures the cost of a strategy in its own thread: a market maker gets a book of 20 levels a side, and
 * returns two quotes.
 */
export async function benchWorkerCall(): Promise<BenchResult[]> {
  const limits = { handlerMs: 10_000, loadMs: 60_000, memoryMb: 256, restartsAnHour: 0 };
  const threads = new StrategyThreads({ limits, onPrint: () => undefined });
  try {
    const file = fileURLToPath(new URL('../strategies/market-maker.ts', import.meta.url));
    const begun = performance.now();
    const runner = await threads.begin({
      file,
      shownFile: 'strategies/market-maker.ts',
      name: null,
      market: MARKET,
      timeframe: '1m',
      params: {},
      universe: null,
      knownMarkets: null,
      venues: null,
      restarts: false,
    });
    const beginMs = performance.now() - begun;
    const times = callTimes(runner);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    return [
      result('worker: a call of a handler in its thread, median', at(0.5), 'us', TARGET_US),
      result('worker: the same, 99 of 100', at(0.99), 'us', null),
      result('worker: a thread begins and its strategy is set up', beginMs, 'ms', null),
    ];
  } finally {
    await threads.dispose();
  }
}
