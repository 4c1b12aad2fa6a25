import { formatUnits, type Units } from '../../domain/money.ts';
import { heldOf } from '../bracket-stock.ts';
import type { Algorithm } from './algorithms.ts';
import { retryAtMsOf } from './setbacks.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { Outbox } from '../outbox.ts';

/** A bracket whose trouble is told: whose it is, and what its coin is called. */
export interface NamedBracket {
  readonly strategy: string;
  readonly market: string;
  readonly base: string;
}

/** From so many refusals in a row on it is an alarm, where nothing of the exit rests. */
const ALARM_FROM = 2;

/**
 * Says that the exit of a bracket was refused once more, how often, and when it is tried again. A refused
 * entry, after which nothing is held, is told by its reject.
 */
export function tellRefusedExit(
  outbox: Outbox,
  { strategy, market }: NamedBracket,
  of: {
    readonly before: Algorithm;
    readonly after: Algorithm;
    readonly orders: readonly OrderRecord[];
    readonly pauseMs: number;
  },
): void {
  const { before, after, orders, pauseMs } = of;
  if (before.kind !== 'bracket' || after.kind !== 'bracket') return;
  const { inARow, reason } = after.setbacks;
  const inMs = (retryAtMsOf(after.setbacks, pauseMs) ?? outbox.nowMs) - outbox.nowMs;
  const hasLostStop = before.isStopAlone && !after.isStopAlone && inMs > 0;
  if ((inARow <= before.setbacks.inARow && !hasLostStop) || heldOf(after, orders) <= 0n) return;
  const times = inARow === 1 ? 'once' : `${inARow} times in a row`;
  const has = after.isStopAlone ? 'its stop goes alone' : 'the position has no exit';
  const message = `${strategy}: the exit of its bracket in ${market} was refused ${times} (${reason}): ${has}, and the bot tries again in ${Math.ceil(inMs / 1_000)} s`;
  if (after.isStopAlone || inARow < ALARM_FROM) outbox.warn(message, strategy);
  else outbox.alarm(message, strategy);
}

/** Says that it is not known any more whether a position is there, and what a person can say of it. */
export function tellUnclear(
  outbox: Outbox,
  {
    name,
    algorithm,
    held,
  }: { readonly name: NamedBracket; readonly algorithm: Algorithm; readonly held: Units },
  before: Algorithm,
): void {
  if (algorithm.kind !== 'bracket' || before.kind !== 'bracket') return;
  const { strategy, market, base } = name;
  const { unclear } = algorithm;
  if (unclear === null || unclear.why === before.unclear?.why) return;
  const why =
    unclear.why === 'exit-canceled'
      ? 'somebody else canceled its exit'
      : `the account has less ${base.toUpperCase()} than its strategies hold`;
  outbox.alarm(
    `${strategy}: ${why}, so ${formatUnits(held)} ${base} of its bracket in ${market} have no exit, and none is placed until you say what became of them: "sarraf position adopt ${strategy} ${market}" (they are still there), "sarraf position write-off ${strategy} ${market}" (sold or moved by hand), "sarraf position move ${strategy} TO ${market}" (they are another strategy's)`,
    strategy,
  );
}

/** Says that a bracket ended from outside, where it still holds something. */
export function tellLeft(
  outbox: Outbox,
  { strategy, market, base }: NamedBracket,
  of: { readonly algorithm: Algorithm; readonly orders: readonly OrderRecord[]; readonly reason: string },
): void {
  const { algorithm, orders, reason } = of;
  if (algorithm.kind !== 'bracket') return;
  const held: Units = heldOf(algorithm, orders);
  const mayBuy = orders.some((order) => order.side === 'buy' && !isFinal(order));
  if (held <= 0n && !mayBuy) return;
  const what = held > 0n ? `${formatUnits(held)} ${base}` : 'what its entry may still buy';
  outbox.warn(
    `${strategy}: its bracket in ${market} ended (${reason}): ${what} has no exit any more; ctx.protect places one`,
    strategy,
  );
}
