import { z } from 'zod';
import { unitsOf } from '../src/domain/money.ts';
import type { OrderBook } from '../src/domain/order-book.ts';
import type { EngineOutput, EngineRequest } from '../src/engine/engine-event.ts';
import { defineStrategy } from '../src/strategy/sdk.ts';
import { BENCH_MARKET, BENCH_START_MS, createBenchEngine } from './bench-engine.ts';
import { QuietVenue } from './quiet-venue.ts';
import { median, type BenchResult } from './result.ts';

const ROUNDS = 7;
const POLLS = 400_000;
const TARGET_POLLS_A_SECOND = 1_000_000;
/** Number of books after which prices move, in runs where they do. */
const MOVE_EVERY = 16;

/** A strategy that quotes at the third best price of both sides. */
const TWO_QUOTES = defineStrategy({
  name: 'two-quotes',
  params: z.strictObject({}),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book({ quotes }, { bids, asks }) {
      const bid = bids[2];
      const ask = asks[2];
      if (bid === undefined || ask === undefined) return;
      quotes([
        { side: 'buy', price: bid.price, amount: 0.01 },
        { side: 'sell', price: ask.price, amount: 0.01 },
      ]);
    },
  },
});

/** Starts a clock; the returned function gives a rate per second of CPU time of this thread. */
function startClock(): (count: number) => number {
  const used = process.threadCpuUsage();
  return (count) => {
    const { user, system } = process.threadCpuUsage(used);
    return (count * 1e6) / (user + system);
  };
}

/** Runs `POLLS` polls in virtual time. */
function livePolls(venue: QuietVenue): number {
  const engine = createBenchEngine(TWO_QUOTES);
  const waiting: EngineRequest[] = [];
  let nowMs = BENCH_START_MS;
  let wakeAtMs = BENCH_START_MS;
  const apply = (output: EngineOutput): void => {
    wakeAtMs = output.wakeAtMs;
    for (const request of output.requests) waiting.push(request);
  };
  const rateOf = startClock();
  while (venue.polls < POLLS) {
    nowMs = Math.max(nowMs + 1, wakeAtMs);
    apply(engine.step({ kind: 'tick', atMs: nowMs }));
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      const answer = venue.answer(request.call);
      apply(engine.step({ kind: 'answer', atMs: nowMs, requestId: request.id, sentAtMs: nowMs, answer }));
    }
  }
  const rate = rateOf(venue.polls);
  const { phase, liveOrders } = engine.status();
  if (phase !== 'trading' || venue.openOrders !== 2 || liveOrders !== 2) {
    throw new Error(
      `expected a bot with two open orders, was ${phase} with ${liveOrders}, ${venue.openOrders} at the venue`,
    );
  }
  return rate;
}

/** The least work that any bot does: reads both prices of each book, and compares them with the last ones. */
function readBooks(books: readonly OrderBook[]): number {
  let moves = 0;
  let bidUnits = 0n;
  let askUnits = 0n;
  const rateOf = startClock();
  for (let number = 0; number < POLLS; number += 1) {
    const { bids, asks } = books[number % books.length] ?? { bids: [], asks: [] };
    const bid = bids[2] === undefined ? 0n : unitsOf(bids[2][0]);
    const ask = asks[2] === undefined ? 0n : unitsOf(asks[2][0]);
    if (bid !== bidUnits || ask !== askUnits) moves += 1;
    bidUnits = bid;
    askUnits = ask;
  }
  const rate = rateOf(POLLS);
  if (moves === 0) throw new Error('expected books with prices, was none');
  return rate;
}

/**
 * Measures answered polls per second of the engine alone, with a strategy that keeps two quotes: while prices
 * stand, as in most polls, and with both quotes replaced whenever prices move. The reference is a bare loop
 * over the same books.
 */
export function benchEngine(): BenchResult[] {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const still = new QuietVenue(BENCH_MARKET, Infinity);
    const bare = readBooks(still.books);
    const resting = livePolls(still);
    return { bare, resting, replacing: livePolls(new QuietVenue(BENCH_MARKET, MOVE_EVERY)) };
  });
  const result = (
    name: string,
    ratesOf: (round: (typeof rounds)[number]) => readonly [number, number],
  ): BenchResult => ({
    name,
    value: Math.round(median(rounds.map((round) => ratesOf(round)[0]))),
    unit: 'polls/s',
    reference: Math.round(median(rounds.map((round) => ratesOf(round)[1]))),
    ratio: Number(median(rounds.map((round) => ratesOf(round)[0] / ratesOf(round)[1])).toFixed(4)),
    target: null,
    holds: true,
  });
  const resting = result('engine/two-resting-quotes', (round) => [round.resting, round.bare]);
  return [
    { ...resting, target: TARGET_POLLS_A_SECOND, holds: resting.value >= TARGET_POLLS_A_SECOND },
    result('engine/replaced-quotes', (round) => [round.replacing, round.bare]),
  ];
}
