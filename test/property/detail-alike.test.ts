import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CandleRunner, type CandleRun, type RunMarket } from '../../src/backtest/candle-runner.ts';
import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import { createMarket } from '../../src/domain/market.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES } from '../../src/engine/engine-settings.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import type { MarketContext, StrategyContext } from '../../src/strategy/context.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { ExitWish } from '../../src/strategy/intents.ts';
import { BarFillSimulator } from '../../src/venues/bar-fill-simulator.ts';
import { DEFAULT_CANDLE_RULES, type BarRules } from '../../src/venues/fill-rules.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { randomOf, toldAt, type Random } from './bar-order.ts';
import { runnerOn } from '../support/runner-on.ts';
import { barColumns } from '../support/bar-columns.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const ZERO_MS = 1_704_067_200_000;
const HOURS = 8;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'XRPUSDT'];

type Row = readonly [
  openTimeMs: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
];

/**
 * A walk of minutes. Some are missing, in one hour nearly all, but never the first or last of an hour. Hours
 * may be missing, but not the last of four: a candle of 4 h would then be known later in hours than in
 * minutes.
 */
function minutesOf(random: Random): Row[] {
  const rows: Row[] = [];
  let last = 10_000;
  const lacks = random(3) * 4;
  const quietHour = random(HOURS);
  for (let hour = 0; hour < HOURS; hour += 1) {
    if (hour > 0 && hour % 4 !== 3 && random(9) === 0) continue;
    for (let minute = 0; minute < 60; minute += 1) {
      if (minute > 0 && minute < 59 && random(40) < lacks) continue;
      if (hour === quietHour && minute > 5 && minute < 55) continue;
      const open = last + random(9) - 4;
      const close = Math.max(5_000, open + random(61) - 30);
      const [high, low] = [Math.max(open, close) + random(12), Math.min(open, close) - random(12)];
      rows.push([ZERO_MS + hour * HOUR_MS + minute * MINUTE_MS, open, high, low, close, random(4) * 40]);
      last = close;
    }
  }
  return rows;
}

/** Joins minutes to hours, without the code under test. */
function hoursOf(minutes: readonly Row[]): Row[] {
  return [...Map.groupBy(minutes, ([openMs]) => Math.floor(openMs / HOUR_MS) * HOUR_MS)].map(
    ([openMs, rows]) => [
      openMs,
      rows[0]?.[1] ?? 0,
      Math.max(...rows.map((row) => row[2])),
      Math.min(...rows.map((row) => row[3])),
      rows.at(-1)?.[4] ?? 0,
      rows.reduce((sum, row) => sum + row[5], 0),
    ],
  );
}

function columnsOf(
  symbol: string,
  rows: readonly Row[],
  { timeframe, decimals }: { readonly timeframe: '1h' | '1m'; readonly decimals: number },
): CandleColumns {
  const finer = 10 ** (decimals - 2);
  const finest = rows.map(([timeMs, open, high, low, close, volume]) => [
    timeMs,
    ...[open, high, low, close].map((price) => price * finer),
    volume,
  ]);
  return barColumns(parseMarket(symbol).symbol, timeframe, finest, { priceDecimals: decimals });
}

const WISHES: readonly ExitWish[] = [
  { takeProfit: { percent: 0.3 }, stopLoss: { percent: 0.3 } },
  { stopLoss: { percent: 0.5 }, timeStopMs: 17 * MINUTE_MS },
  { trail: { by: { percent: 0.4 } }, takeProfit: { percent: 1 } },
  { trail: { by: { percent: 0.3 }, after: { percent: 0.2 }, on: 'high' } },
  { stopLoss: { percent: 0.6 }, breakEvenAt: { percent: 0.2 } },
  {
    takeProfit: { percent: 1 },
    laterTargets: [{ afterMs: 9 * MINUTE_MS, percent: 0.1 }],
    stopLoss: { percent: 1 },
  },
];

/** Intents that need more than one step: brackets, exits, and orders that are placed in parts. */
function leaveOrEnter(
  market: MarketContext,
  { random, amount }: { readonly random: Random; readonly amount: number },
): void {
  const near = (100 + (random(101) - 50) / 50).toFixed(2);
  const wish = WISHES[random(WISHES.length)] ?? {};
  switch (random(7)) {
    case 0:
      market.exit(random(2) === 0 ? {} : { price: near });
      break;
    case 1:
      market.target({ position: random(3) });
      break;
    case 2:
      if (market.freeBase >= 1) market.protect({ amount: 1, ...wish });
      break;
    case 3:
      market.twap('buy', { amount, overMs: 20 * MINUTE_MS, slices: 4 });
      break;
    default:
      market.bracket({
        entry: { amount, ...(random(2) === 0 ? {} : { price: near, expireAfterMs: 25 * MINUTE_MS }) },
        ...wish,
      });
  }
}

/** Maximum number of answered fills: two orders that fill at once could answer each other for ever. */
const MOST_ANSWERED_FILLS = 40;

/** A strategy that acts by its seed and the moment; `notes` gets when it was asked and what it was shown. */
function wanderer(seed: number, notes: string[]) {
  let answered = 0;
  const act = (ctx: StrategyContext, why: string, atMs: number): void => {
    notes.push(
      [why, atMs, ctx.equity, ...SYMBOLS.map((symbol) => ctx.markets.of(symbol).position)].join(' '),
    );
    const random = randomOf(seed ^ Math.imul(atMs / 1_000, 0x9e3779b1) ^ why.length);
    if (random(3) === 0) return;
    if (random(4) === 0) ctx.cancelAll();
    const market = ctx.markets.of(SYMBOLS[random(SYMBOLS.length)] ?? '');
    const amount = 1 + random(9);
    const own = randomOf(seed ^ Math.imul(atMs / 1_000, 0x85ebca6b) ^ why.length);
    if (own(2) === 0) {
      leaveOrEnter(market, { random: own, amount });
      return;
    }
    const near = (100 + (random(201) - 100) / 50).toFixed(2);
    const kind = random(3);
    const prices = [{}, { price: near }, { stopPrice: near }][kind];
    if (random(2) === 0 && market.freeBase >= amount) market.sell({ amount, ...prices });
    else market.buy({ amount, ...prices });
  };
  return defineStrategy({
    name: 'wanderer',
    params: z.strictObject({}),
    trailing: { most: 1_000, everyMs: MINUTE_MS },
    data: ({ markets, timer, signal }) => ({
      bars: SYMBOLS.map((symbol) => markets.of(symbol).candles('1h')),
      longer: markets.of('BTCUSDT').candles('4h'),
      tick: timer('7,23,59 * * * *'),
      told: signal(z.int()),
    }),
    on: {
      bars: (ctx, bar) => {
        notes.push([bar.open, bar.high, bar.low, bar.close, bar.volume].join(' '));
        act(ctx, `bar of ${bar.market}`, bar.seenAtMs);
      },
      longer: (ctx, bar) => act(ctx, 'long', bar.seenAtMs),
      tick: (ctx, { dueMs }) => act(ctx, 'timer', dueMs),
      told: (ctx, { payload }) => act(ctx, 'signal', payload),
      fill(ctx, { price, amount }) {
        const moment = Math.round(price * 100) * 1_000;
        if (amount <= 0 || moment % 3 !== 0 || answered === MOST_ANSWERED_FILLS) return;
        answered += 1;
        act(ctx, 'fill', moment);
      },
    },
  });
}

interface World {
  readonly seed: number;
  readonly rules: Partial<BarRules>;
  readonly told: readonly number[];
}

function runOf(
  markets: readonly RunMarket[],
  { seed, rules, told }: World,
): { readonly run: CandleRun; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const runner = runnerOn(wanderer(seed, notes), 'BTCUSDT', '1h', { params: {}, hasBooks: false });
  const venue = new BarFillSimulator({
    markets: markets.map(({ market }) => market),
    fees: { rls: { maker: 1_000, taker: 1_300 }, usdt: { maker: 1_000, taker: 1_300 } },
    balances: { usdt: parseUnits('100000'), btc: parseUnits('10') },
    rules,
  });
  const limits = createRiskLimits({ collarBps: null, maxOrdersPerMinute: null, maxBookAgeMs: 2 * HOUR_MS });
  const instance = { runner, onError: 'stop' as const, pauseMs: 0, limits, capital: {} };
  const run = new CandleRunner({
    settings: { ...DEFAULT_ENGINE_TIMES, instance: 'detail', instances: [instance] },
    markets,
    venue,
    quote: 'usdt',
    fromMs: ZERO_MS + HOUR_MS,
    signals: toldAt(told, runner.name),
  }).run();
  return { run, notes };
}

/** Points of the curve at the ends of hours. */
const atHours = ({ curve }: CandleRun): readonly (readonly number[])[] =>
  Array.from({ length: curve.length }, (_, at) => [curve.timeMs[at] ?? 0, curve.equity[at] ?? 0]).filter(
    ([timeMs = 0]) => timeMs % HOUR_MS === 0,
  );

describe('a run with detail', () => {
  test('is the run on the finer bars, of a strategy that sees only the coarse ones', () => {
    const seen = { fills: 0, inside: 0, exits: 0 };
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.constantFrom<Partial<BarRules>>(
          {},
          { arrival: 'this-close', limitFill: 'touch' },
          { path: 'open-high-low-close', volumeShareMillionths: null },
          { ...DEFAULT_CANDLE_RULES, spreadBps: 10, limitGap: 'own-price' },
        ),
        (seed, rules) => {
          const random = randomOf(seed);
          const data = SYMBOLS.map((symbol) => {
            const minutes = minutesOf(random);
            const market = createMarket({
              market: parseMarket(symbol),
              priceStep: '0.01',
              amountStep: '0.001',
            });
            const hours = { timeframe: '1h', decimals: 2 + random(2) } as const;
            return {
              market,
              minutes: columnsOf(symbol, minutes, { timeframe: '1m', decimals: 2 }),
              hours: columnsOf(symbol, hoursOf(minutes), hours),
            };
          });
          const told = Array.from({ length: 12 }, (_, place) => {
            const minute = random(3) === 0 ? 59 : random(60);
            return ZERO_MS + (1 + (place % (HOURS - 2))) * HOUR_MS + minute * MINUTE_MS + random(2) * 30_000;
          }).toSorted((one, other) => one - other);
          const world = { seed, rules, told: [...new Set(told)] };
          const fine = runOf(
            data.map(({ market, minutes }) => ({ market, columns: minutes })),
            world,
          );
          const detailed = runOf(
            data.map(({ market, minutes, hours }) => ({ market, columns: hours, detail: minutes })),
            world,
          );
          expect([...detailed.run.failures]).toEqual([]);
          expect(detailed.notes).toEqual(fine.notes);
          expect(detailed.run.orders).toEqual(fine.run.orders);
          expect(detailed.run.fills).toEqual(fine.run.fills);
          expect(detailed.run.finalEquity).toBe(fine.run.finalEquity);
          expect(atHours(detailed.run)).toEqual(atHours(fine.run));
          seen.exits += detailed.run.orders.filter(
            ({ exit, state }) => exit !== null && state === 'filled',
          ).length;
          seen.fills += detailed.run.fills.length;
          seen.inside += detailed.run.fills.filter(({ atMs }) => (atMs + 1) % HOUR_MS !== 0).length;
        },
      ),
      { numRuns: deepRuns(60, 20) },
    );
    expect(seen.fills).toBeGreaterThan(100);
    expect(seen.inside).toBeGreaterThan(50);
    expect(seen.exits).toBeGreaterThan(20);
  });

  test('does not depend on the finer bars of an hour that they do not reach through', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        const random = randomOf(seed);
        const data = SYMBOLS.map((symbol) => {
          const minutes = minutesOf(random);
          const [hour, edge] = [random(HOURS), random(2) * 59];
          const isOf = ([openMs]: Row): boolean => Math.floor((openMs - ZERO_MS) / HOUR_MS) === hour;
          const some = minutes.filter((row) => row[0] !== ZERO_MS + hour * HOUR_MS + edge * MINUTE_MS);
          const none = minutes.filter((row) => !isOf(row));
          const market = createMarket({
            market: parseMarket(symbol),
            priceStep: '0.01',
            amountStep: '0.001',
          });
          const columns = columnsOf(symbol, hoursOf(minutes), { timeframe: '1h', decimals: 2 });
          return [some, none].map((rows) => ({
            market,
            columns,
            detail: columnsOf(symbol, rows, { timeframe: '1m', decimals: 2 }),
          }));
        });
        const world = { seed, rules: {}, told: [ZERO_MS + 2 * HOUR_MS - MINUTE_MS] };
        const [some, none] = [0, 1].map((which) =>
          runOf(
            data.flatMap((pair) => pair[which] ?? []),
            world,
          ),
        );
        expect(some).toEqual(none);
        expect([...(some?.run.failures ?? [])]).toEqual([]);
      }),
      { numRuns: deepRuns(20, 10) },
    );
  });

  test('is the run without it where no finer bars agree', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        const random = randomOf(seed);
        const data = SYMBOLS.map((symbol) => {
          const market = createMarket({
            market: parseMarket(symbol),
            priceStep: '0.01',
            amountStep: '0.001',
          });
          const hours = columnsOf(symbol, hoursOf(minutesOf(random)), { timeframe: '1h', decimals: 2 });
          const detail = columnsOf(symbol, minutesOf(random), { timeframe: '1m', decimals: 2 });
          return {
            market,
            columns: hours,
            detail: { ...detail, high: detail.high.map((cell) => cell + 500) },
          };
        });
        const world = { seed, rules: {}, told: [ZERO_MS + 2 * HOUR_MS - MINUTE_MS] };
        const bare = runOf(
          data.map(({ market, columns }) => ({ market, columns })),
          world,
        );
        const detailed = runOf(data, world);
        expect(detailed.notes).toEqual(bare.notes);
        expect(detailed.run).toEqual({ ...bare.run });
      }),
      { numRuns: deepRuns(10, 5) },
    );
  });
});
