import { formatUnits } from '../../domain/money.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { WantedThing } from './session-view.ts';

/** An intent or an order, as it is looked for in the other run. */
export interface Decision {
  readonly what: 'intent' | 'order';
  /** Its name in its own run. */
  readonly name: string;
  readonly strategy: string;
  readonly atMs: number;
  /** What it is of: only those of the same can be each other. */
  readonly group: string;
  /** What was decided. */
  readonly detail: string;
  readonly order: OrderRecord | null;
}

/** Decisions of both runs that belong together; null where one has none. */
export interface DecisionPair {
  readonly session: Decision | null;
  readonly again: Decision | null;
}

export function intentDecision({ id, strategy, kind, atMs }: WantedThing): Decision {
  return { what: 'intent', name: id, strategy, atMs, group: `${strategy} ${kind}`, detail: kind, order: null };
}

export function orderDecision(order: OrderRecord): Decision {
  const { key, strategy, market, side, execution, price, stopPrice, amount, plannedAtMs, clientOrderId } = order;
  // The stop leg of a pair has no name on the wire.
  const leg = clientOrderId === null ? 'second leg' : 'order';
  const at = price === null ? '' : ` at ${formatUnits(price)}`;
  const stop = stopPrice === null ? '' : ` from ${formatUnits(stopPrice)}`;
  return {
    what: 'order',
    name: key,
    strategy,
    atMs: plannedAtMs,
    group: `${strategy} ${market} ${side} ${execution} ${leg}`,
    detail: `${side} ${formatUnits(amount)} ${market}${at}${stop}`,
    order,
  };
}

/**
 * Pairs decisions of the same group within a tolerance of time: first those that say the same, then, in the order of time, what is left. Lists are in the
 * order of time; so are the pairs.
 */
export function matchDecisions(
  session: readonly Decision[],
  again: readonly Decision[],
  toleranceMs: number,
): readonly DecisionPair[] {
  const open = new Set(again);
  const pairs = new Map<Decision, Decision>();
  for (const isSame of [
    (left: Decision, right: Decision): boolean => left.detail === right.detail,
    (): boolean => true,
  ]) {
    for (const decision of session) {
      if (pairs.has(decision)) continue;
      for (const other of open) {
        if (other.atMs > decision.atMs + toleranceMs) break;
        if (other.atMs < decision.atMs - toleranceMs || other.group !== decision.group) continue;
        if (!isSame(decision, other)) continue;
        pairs.set(decision, other);
        open.delete(other);
        break;
      }
    }
  }
  return [
    ...session.map((decision) => ({ session: decision, again: pairs.get(decision) ?? null })),
    ...[...open].map((other) => ({ session: null, again: other })),
  ].toSorted((left, right) => timeOf(left) - timeOf(right));
}

/** When the first of a pair was decided. */
export function timeOf({ session, again }: DecisionPair): number {
  return Math.min(session?.atMs ?? Number.POSITIVE_INFINITY, again?.atMs ?? Number.POSITIVE_INFINITY);
}
