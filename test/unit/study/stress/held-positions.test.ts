import { expect, test } from 'vitest';
import type { RoundTrip } from '../../../../src/backtest/round-trips.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { heldPositions } from '../../../../src/study/stress/stress-task.ts';
import { FROM_MS, TETHER, walkOf } from '../../backtest/candle-run.ts';

const HOUR_MS = 3_600_000;
const NONE = parseUnits('0');
const bars = walkOf(TETHER, { bars: 20, seed: 1, price: 500 });
/** It has 1,000 to the end of hour 9, and 2,000 from then on. */
const curve = {
  length: 20,
  timeMs: bars.openTimeMs.map((openMs) => openMs + HOUR_MS),
  equity: bars.openTimeMs.map((_, bar) => (bar < 9 ? 1_000 : 2_000)),
};

/** Bought and sold at hours of the range; null: never. */
const trip = (from: number, to: number | null, cost: string): RoundTrip => ({
  number: 1,
  market: 'BTCUSDT',
  strategy: 'told',
  entryOrder: null,
  exitOrder: null,
  openedAtMs: FROM_MS + from * HOUR_MS,
  closedAtMs: to === null ? null : FROM_MS + to * HOUR_MS,
  amount: NONE,
  entryPrice: NONE,
  exitPrice: NONE,
  cost: parseUnits(cost),
  proceeds: NONE,
  fees: NONE,
  profit: NONE,
  isOpen: to === null,
  isOfMoney: false,
});

const held = (trips: readonly RoundTrip[]) =>
  heldPositions(trips, { bars: [bars], curve, initialEquity: parseUnits('800') });

test('a position is held from bar to bar, with a share of what there was as it began', () => {
  const trips = [trip(0, 2, '400'), trip(3, 7, '250'), trip(12, null, '500')];
  expect(held(trips)).toEqual([
    {
      market: 'BTCUSDT',
      positions: [
        { heldBars: 2, share: 0.5 },
        { heldBars: 4, share: 0.25 },
        { heldBars: 8, share: 0.25 },
      ],
    },
  ]);
});

test('trips that overlap are one position, with what was invested on the mean', () => {
  // 300 in hours 3 to 6 and 100 in hours 5 to 8: 300 times 4 and 100 times 4 over 6 bars, of 1,000.
  expect(held([trip(3, 7, '300'), trip(5, 9, '100')])[0]?.positions).toEqual([
    { heldBars: 6, share: 1_600 / 6 / 1_000 },
  ]);
  // One that follows at once is another one.
  expect(held([trip(3, 5, '300'), trip(5, 9, '100')])[0]?.positions.map(({ heldBars }) => heldBars)).toEqual([
    2, 4,
  ]);
});

test('what is bought and sold within one bar is held for one, and a share is at most all', () => {
  expect(held([trip(4, 4, '9000')])[0]?.positions).toEqual([{ heldBars: 1, share: 1 }]);
});

test('a market without a trade has no positions', () => {
  expect(held([])).toEqual([]);
});
