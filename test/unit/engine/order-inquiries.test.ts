import { describe, expect, it } from 'vitest';
import type { VenueAnswer } from '../../../src/venues/port.ts';
import { OrderInquiries } from '../../../src/engine/orders/second-readings.ts';
import { Outbox } from '../../../src/engine/outbox.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';
import type { VenueOrderId } from '../../../src/domain/order.ts';

const failed = (code: 'INVALID_REQUEST' | 'TIMED_OUT'): VenueAnswer => ({
  outcome: 'failed',
  code,
  message: '',
  effect: 'none',
});
const refused = (code: string): VenueAnswer => ({
  outcome: 'refused',
  code,
  message: '',
  effect: 'none',
  status: null,
  order: null,
});

function missingAfter(answer: VenueAnswer): readonly VenueOrderId[] {
  const outbox = new Outbox();
  const missing: VenueOrderId[] = [];
  const inquiries = new OrderInquiries({
    outbox,
    noSuchOrder: 'NotFound',
    table: { byVenueId: () => undefined },
    onRecord: () => false,
    onMissing: (id) => void missing.push(id),
  });
  inquiries.ask(orderIdOf(9_007_199_254_740_991), 'BTCUSDT');
  for (const { id } of outbox.emit(1).requests)
    outbox.answered(id)?.apply(answer, { atMs: 1, sentAtMs: 1, reply: null });
  expect(inquiries.isInProgress(orderIdOf(9_007_199_254_740_991))).toBe(false);
  return missing;
}

describe('a question about an id', () => {
  it('learns that there is no such order from the exchange, or from the client, which asks for no such id', () => {
    expect(missingAfter(refused('NotFound'))).toHaveLength(1);
    expect(missingAfter(failed('INVALID_REQUEST'))).toHaveLength(1);
  });

  it('learns nothing from any other failure', () => {
    expect(missingAfter(failed('TIMED_OUT'))).toEqual([]);
    expect(missingAfter(refused('FeatureUnavailable'))).toEqual([]);
  });
});
