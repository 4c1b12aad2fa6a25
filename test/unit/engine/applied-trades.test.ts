import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../src/engine/outbox.ts';
import { MOST_APPLIED, AppliedTrades } from '../../../src/engine/applied-trades.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { fillRecord } from '../mirror/mirror-fixture.ts';

const { trades } = INTERFACE_PROFILE.ownLists;
const NOTHING = { epoch: 'e', orders: [], algorithms: [], strategies: [], markets: [], intents: [] };

const fillAt = (at: number): ReturnType<typeof fillRecord> =>
  fillRecord({ tradeId: tradeIdOf(at), cursor: at, venueOrderId: orderIdOf(at), side: 'buy' });

const isTaken = (taken: AppliedTrades, at: number): boolean =>
  taken.show({ id: tradeIdOf(at), orderId: orderIdOf(at), side: 'buy' });

describe('trades that are in the books', () => {
  it('are never read again once they are forgotten, though a trade of before them still waits', () => {
    const taken = new AppliedTrades(new Outbox(), trades, null);
    for (let at = 10; at <= MOST_APPLIED + 10; at += 1) {
      const { tradeId, venueOrderId, side } = fillAt(at);
      taken.remember({ id: tradeId, orderId: venueOrderId, side }, at);
    }
    taken.moveCursor([{ cursor: 5 }], []);
    expect(isTaken(taken, 10)).toBe(false);
    expect(isTaken(taken, taken.cursor)).toBe(true);
    expect(Math.min(taken.cursor, taken.lowestKnown)).toBe(taken.cursor);
  });

  it('are never read again after a restart that was not given all of them', () => {
    const fills = Array.from({ length: MOST_APPLIED }, (_, at) => fillAt(at + 100));
    const taken = new AppliedTrades(new Outbox(), trades, null);
    taken.restore({ ...NOTHING, fills, stored: { 'cursor.trades': '5' } });
    expect(taken.cursor).toBe(100);
    expect(isTaken(taken, 100)).toBe(true);
  });
});
