import { IntentTally } from '../../engine/intent-tally.ts';
import { rejectionOf } from '../../engine/order-rejection.ts';
import type { RefusedIntent, SessionRows } from '../../mirror/session-rows.ts';
import type { StrategyIntents } from '../backtest-run.ts';
import { english, sentenceFacts } from '../../language/sentence.ts';

/**
 * Returns the number of intents of each strategy, and of those refused, as far as a mirror stores them:
 * intents that became work, with those refused by risk or a lock; orders of algorithms that risk refused;
 * orders that the exchange refused.
 */
export function intentsOfMirror(
  rows: Pick<SessionRows, 'intents' | 'refusedIntents' | 'refusedSlices' | 'orders'>,
  strategies: readonly string[],
): readonly StrategyIntents[] {
  const tallies = new Map(strategies.map((name) => [name, new IntentTally()]));
  for (const [name, count] of rows.intents) tallyOf(tallies, name).intents = count;
  // An intent whose order was rejected is told with the order.
  const placed = new Set<string>();
  for (const order of rows.orders) {
    if (order.state !== 'rejected') continue;
    placed.add(order.intentId);
    const rejection = rejectionOf(order);
    if (rejection === null) continue;
    const atMs = order.closedAtMs ?? order.plannedAtMs;
    tallyOf(tallies, order.strategy).refuse({
      what: 'order',
      code: rejection.code,
      reason: english(rejection.reason),
      atMs,
    });
  }
  for (const intent of rows.refusedIntents.toSorted((left, right) => left.atMs - right.atMs)) {
    if (placed.has(intent.id)) continue;
    const { strategy, kind, reason, atMs } = intent;
    const code = codeOf(intent);
    tallyOf(tallies, strategy).refuse({ what: kind, code, reason: english(reason) ?? code, atMs });
  }
  for (const { strategy, check, json, atMs } of rows.refusedSlices)
    tallyOf(tallies, strategy).refuse({ what: 'slice', code: `risk ${check}`, reason: json, atMs });
  return [...tallies].map(([strategy, tally]) => ({
    strategy,
    count: tally.intents,
    refusals: tally.refusals(),
  }));
}

function tallyOf(tallies: Map<string, IntentTally>, strategy: string): IntentTally {
  const known = tallies.get(strategy);
  if (known !== undefined) return known;
  const tally = new IntentTally();
  tallies.set(strategy, tally);
  return tally;
}

/**
 * Returns the check that refused an intent. Of a lock only the first refusal has a line in the journal; a
 * refusal for lack of funds has none.
 */
function codeOf({ check, reason, kind }: RefusedIntent): string {
  if (check !== null) return check.startsWith('lock ') ? check : `risk ${check}`;
  const [, lock] = /^the lock (.+?) of /.exec(english(reason) ?? '') ?? [];
  if (lock !== undefined) return `lock ${lock}`;
  if (sentenceFacts(reason)?.code === 'funds') return 'funds';
  return kind === 'transfer' ? 'transfer' : 'a check that the journal does not have any more';
}
