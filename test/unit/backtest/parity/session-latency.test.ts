import { describe, expect, test } from 'vitest';
import { measuredLatency } from '../../../../src/backtest/session.ts';
import type { EngineEvent } from '../../../../src/engine/engine-event.ts';
import type { VenueAnswer } from '../../../../src/venues/port.ts';

const BOOK: VenueAnswer = { outcome: 'value', value: { bids: [], asks: [], updatedAtMs: null } };

async function* events(
  ...answers: readonly (readonly [sentAtMs: number | null, tookMs: number, answer: VenueAnswer])[]
): AsyncGenerator<EngineEvent> {
  for (const [index, [sentAtMs, tookMs, answer]] of answers.entries()) {
    yield { kind: 'tick', atMs: index };
    yield { kind: 'answer', requestId: index, sentAtMs, atMs: (sentAtMs ?? 0) + tookMs, answer };
  }
}

describe('the latency of a session', () => {
  test('is that of its books, and for orders that of its orders', async () => {
    const received = events(
      [1_000, 40, BOOK],
      [2_000, 90, BOOK],
      [3_000, 700, { outcome: 'value', value: [] }],
      [4_000, 800, { outcome: 'failed', code: 'TIMED_OUT', message: '', effect: 'none' }],
      [null, 900, BOOK],
    );
    expect(await measuredLatency({ roundTripsMs: [120, 130] }, received, 7)).toEqual({
      kind: 'drawn',
      roundTripsMs: [40, 90],
      orderTripsMs: [120, 130],
      seed: 7,
    });
  });

  test('is that of what there was, where there were no orders or no books', async () => {
    const ofBooks = await measuredLatency({ roundTripsMs: [] }, events([5, 40, BOOK]), 1);
    expect(ofBooks).toEqual({ kind: 'drawn', roundTripsMs: [40], seed: 1 });
    const ofOrders = await measuredLatency({ roundTripsMs: [120] }, events(), 1);
    expect(ofOrders).toEqual({ kind: 'drawn', roundTripsMs: [120], seed: 1 });
    expect(await measuredLatency({ roundTripsMs: [] }, events(), 1)).toBeNull();
  });

  test('of a long session is drawn from two thousand round trips, from all over it', async () => {
    const long = Array.from({ length: 5_000 }, (_, index) => [index, index, BOOK] as const);
    const { roundTripsMs = [] } = (await measuredLatency({ roundTripsMs: [] }, events(...long), 1)) ?? {};
    expect(roundTripsMs).toHaveLength(2_000);
    expect(roundTripsMs.slice(0, 3)).toEqual([0, 2, 5]);
    expect(roundTripsMs.at(-1)).toBe(4_997);
  });
});
