import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OrderRecord } from '../../src/records/order.ts';
import type { RiskCheck } from '../../src/engine/risk/risk-view.ts';
import maCross from '../../strategies/ma-cross.ts';
import { runBars, TETHER, walkOf as barsOf } from '../unit/backtest/candle-run.ts';
import { runRecorded, walkOf as recordingOf } from '../unit/venues/recorded/recorded-run.ts';

/** A change planted in one risk check, while it is set. */
const planted = vi.hoisted(() => ({ check: null as RiskCheck | null }));

vi.mock('../../src/engine/risk/exposure-checks.ts', async (original) => {
  const actual = await original<typeof import('../../src/engine/risk/exposure-checks.ts')>();
  const changed: RiskCheck = (view, limits) => (planted.check ?? actual.checkPositionSize)(view, limits);
  return { ...actual, checkPositionSize: changed };
});

/** Refuses every order of less than a whole coin. */
const onlyWholeCoins: RiskCheck = ({ order }) =>
  order.amount < 10_000_000_000n ? { reason: 'less than a coin', numbers: {} } : null;

const bars = barsOf(TETHER, { bars: 500, seed: 3, price: 60_000 });
const recording = recordingOf({ seconds: 120, seed: 1 });

const onCandles = (): readonly OrderRecord[] =>
  runBars({ market: TETHER, columns: bars, strategy: maCross, params: { fast: 5, slow: 12 }, cash: '10000' })
    .orders;

const onPolls = async (): Promise<readonly OrderRecord[]> => (await runRecorded(recording)).orders;

describe('a change of one risk check', () => {
  afterEach(() => {
    planted.check = null;
  });

  it('shows in a backtest on candles and in one on polled books alike, since both run the one engine', async () => {
    const [candles, polls] = [onCandles(), await onPolls()];
    expect(candles.length).toBeGreaterThan(10);
    expect(polls.length).toBeGreaterThan(10);
    planted.check = onlyWholeCoins;
    expect(onCandles()).toEqual([]);
    expect(await onPolls()).toEqual([]);
  });
});
