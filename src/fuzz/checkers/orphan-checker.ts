import type { ExchangeTruth } from './exchange-truth.ts';
import type { MirrorRows } from './mirror-rows.ts';
import { violationsOf, type Violation } from './violation.ts';

/**
 * Once all is quiet, no order is open that the bot has taken over, but for those that protect: no intent steers
 * it, and a strategy that goes on from an older state has placed its like again.
 */
export function checkOrphans(truth: ExchangeTruth, rows: MirrorRows): readonly Violation[] {
  const takenOver = new Set(
    rows.orders.filter(({ intentId }) => intentId === 'adopted').map(({ venueId }) => venueId),
  );
  const left = truth.orders.filter(
    ({ id, isOpen, isStop, pairId }) => isOpen && !isStop && pairId === null && takenOver.has(String(id)),
  );
  return violationsOf(
    'orphans',
    left.map(
      ({ id, clientOrderId }) =>
        `expected ${clientOrderId} (${id}), which was taken over, to be canceled, it is open`,
    ),
  );
}
