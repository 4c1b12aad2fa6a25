import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { decimalText } from '../../src/domain/decimal-text.ts';
import { formatUnits } from '../../src/domain/money.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { ExitWish } from '../../src/strategy/intents.ts';
import type { PlannedFeed } from '../../src/scheduler/feed.ts';
import { EngineWorld, feedOf, FEEDS, START_MS } from '../unit/engine/engine-world.ts';
import { deepRuns } from '../support/deep-runs.ts';

const MINUTE_MS = 60_000;
const FIRST_MS = Math.floor(START_MS / MINUTE_MS) * MINUTE_MS;
const BARS: PlannedFeed = { ...feedOf('candles BTCUSDT 1m', 'candles', MINUTE_MS), wantedAgeMs: MINUTE_MS };
const MINUTES = 30;

/** Exits whose stops stay below the book's bid of 99, for all closes from 100 to 110. */
const WISHES: readonly ExitWish[] = [
  { trail: { by: { distance: 20 } } },
  { trail: { by: { distance: 20 }, minStep: 2 } },
  { stopLoss: { distance: 30 }, trail: { by: { distance: 25 } }, takeProfit: { distance: 100 } },
  { stopLoss: { distance: 10 }, trail: { by: { distance: 15 }, minStep: 1 } },
];

const strategyOf = (exit: ExitWish, everyMs?: number) =>
  defineStrategy({
    name: 'holder',
    params: z.strictObject({}),
    state: z.strictObject({ hasEntered: z.boolean().default(false) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    trailing: { most: 1, ...(everyMs === undefined ? {} : { everyMs }) },
    on: {
      bars(ctx) {
        if (ctx.state.hasEntered) return;
        ctx.setState({ hasEntered: true });
        ctx.bracket({ entry: { amount: 1 }, ...exit });
      },
    },
  });

/** Answers every request at once, as the exchange; market orders fill. */
function serve(world: EngineWorld): void {
  for (let asked = 0; asked < 10; asked += 1) {
    const kinds = world.waitingKinds();
    if (kinds.includes('cancel')) world.endCanceled();
    else if (kinds.includes('place-oco')) world.acceptPair();
    else if (kinds.includes('place')) {
      const { execution } = world.pending('place').call.order;
      const { id } = world.accept();
      if (execution === 'market') world.venue.fill(id);
    } else return;
  }
}

/** Stop price after all minutes, in a life that is interrupted for `[at, for]` minutes now and then. */
function stopAfter(
  closes: readonly number[],
  wish: ExitWish,
  life: { readonly cuts: readonly (readonly [number, number])[]; readonly everyMs: number | undefined },
): string {
  const world = new EngineWorld({
    strategies: [strategyOf(wish, life.everyMs)],
    feeds: [...FEEDS, BARS],
  });
  world.answers.add('order');
  for (const [minute, close] of [100, ...closes].entries()) {
    const price = decimalText(close.toFixed(2));
    const openTimeMs = FIRST_MS + (minute - 1) * MINUTE_MS;
    world.venue.candles.push({
      openTimeMs,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: decimalText('1'),
    });
  }
  const cuts = new Map(life.cuts);
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const offMinutes = minute < 3 ? undefined : cuts.get(minute);
    if (offMinutes !== undefined) {
      const lasts = Math.min(offMinutes, MINUTES - minute);
      world.nowMs += lasts * MINUTE_MS;
      world.venue.nowMs = world.nowMs;
      world.restart();
      minute += lasts - 1;
      continue;
    }
    for (let second = 0; second < 60; second += 1) {
      world.advance(1_000);
      serve(world);
    }
  }
  for (let second = 0; second < 150; second += 1) {
    world.advance(1_000);
    serve(world);
  }
  const stops = world.venue.open().filter(({ stopPrice }) => stopPrice !== null);
  return stops
    .map(({ stopPrice, amount }) => `${formatUnits(stopPrice ?? 0n)} of ${formatUnits(amount)}`)
    .join();
}

const closes = fc.array(fc.integer({ min: 1_000, max: 1_100 }), {
  minLength: MINUTES,
  maxLength: MINUTES,
  size: 'max',
});
const cuts = fc.array(fc.tuple(fc.integer({ min: 3, max: MINUTES - 1 }), fc.integer({ min: 1, max: 12 })), {
  minLength: 1,
  maxLength: 4,
});

test('a life that is cut off ends with the stop of a whole one', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      closes,
      cuts,
      fc.constantFrom(...WISHES),
      fc.constantFrom(undefined, 3 * MINUTE_MS),
      (tenths, cutOff, wish, everyMs) => {
        const prices = tenths.map((tenth) => tenth / 10);
        const whole = stopAfter(prices, wish, { cuts: [], everyMs });
        expect(whole).not.toBe('');
        expect(stopAfter(prices, wish, { cuts: cutOff, everyMs })).toBe(whole);
        seen.add(whole);
      },
    ),
    { numRuns: deepRuns(15, 5) },
  );
  expect(seen.size).toBeGreaterThan(1);
});
