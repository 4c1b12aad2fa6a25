import { expect, test, vi } from 'vitest';
import { present } from '../../src/domain/errors.ts';
import { RISK_CHECKS } from '../../src/engine/risk/check-risk.ts';
import type { OrderRecord } from '../../src/records/order.ts';
import maCross from '../../strategies/ma-cross.ts';
import { runBars, TETHER, walkOf as barsOf } from '../unit/backtest/candle-run.ts';
import { runRecorded, walkOf as recordingOf } from '../unit/venues/recorded/recorded-run.ts';

const bars = barsOf(TETHER, { bars: 500, seed: 3, price: 60_000 });
const recording = recordingOf({ seconds: 120, seed: 1 });

const onCandles = (): readonly OrderRecord[] =>
  runBars({ market: TETHER, columns: bars, strategy: maCross, params: { fast: 5, slow: 12 }, cash: '10000' })
    .orders;

const onPolls = async (): Promise<readonly OrderRecord[]> => (await runRecorded(recording)).orders;

test('a change of one risk check shows in a backtest on candles and in one on polled books alike, since both run the one engine', async () => {
  const [candles, polls] = [onCandles(), await onPolls()];
  expect(candles.length).toBeGreaterThan(10);
  expect(polls.length).toBeGreaterThan(10);
  const positionSize = present(
    RISK_CHECKS.find(({ name }) => name === 'position-size'),
    'the check',
  );
  using planted = vi.spyOn(positionSize, 'check');
  // Refuses every order of less than a whole coin.
  planted.mockImplementation(({ order }) =>
    order.amount < 10_000_000_000n ? { reason: 'less than a coin', numbers: {} } : null,
  );
  expect(onCandles()).toEqual([]);
  expect(await onPolls()).toEqual([]);
});
