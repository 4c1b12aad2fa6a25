import type { OrderTable } from '../../execution/order-table.ts';
import type { Intent } from '../../strategy/intents.ts';

/** Returns the markets where an intent would place orders; none if it only ends orders, or moves money. */
export function intentMarkets(intent: Intent, table: Pick<OrderTable, 'get'>): readonly string[] {
  if (intent.kind === 'cancel' || intent.kind === 'cancel-all' || intent.kind === 'transfer') return [];
  if (intent.kind === 'targets') return Object.keys(intent.shares);
  if (intent.kind !== 'replace') return [intent.market];
  const market = table.get(intent.clientOrderId)?.market;
  return market === undefined ? [] : [market];
}
