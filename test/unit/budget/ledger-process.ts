import { setTimeout } from 'node:timers/promises';
import { monotonicMs } from '../../../src/budget/process-owner.ts';
import { LedgerStore } from '../../../src/budget/store.ts';

/**
 * A process that takes all slots it can get for a while, and prints the times at which it got them.
 * Arguments: `FILE LIMIT MILLISECONDS`.
 */
const [path = '', limit = '1', forMs = '0'] = process.argv.slice(2);
const store = new LedgerStore({
  path,
  budgets: [{ name: 'orders/list', limit: Number(limit), windowMs: 1_000, per: 'token', assumed: false }],
  subjects: { ip: 'ip', token: 'abc' },
  whenMissing: 'full',
});
const sent: number[] = [];
const endMs = monotonicMs() + Number(forMs);
while (monotonicMs() < endMs) {
  const admission = store.admit({ budget: 'orders/list', requestClass: 'cancel' }, monotonicMs());
  if (admission.admitted) {
    sent.push(monotonicMs());
    await setTimeout(1);
    store.settle(admission.slot, 'answered', monotonicMs());
  } else {
    await setTimeout(2);
  }
}
store.close();
console.log(JSON.stringify(sent));
