import { invariant } from './invariant.ts';
import { NO_UNITS, type Units } from './money.ts';

/**
 * One currency of one account. `total` is what is owned, `held` the part that open orders and pending
 * withdrawals may still take; the difference is free to use. A hold is made before the thing that may cost,
 * and is then either spent or released (two phases), so a balance can not be promised twice. Invariant: 0 <=
 * held <= total.
 */
export interface Balance {
  readonly total: Units;
  readonly held: Units;
}

export const EMPTY_BALANCE: Balance = { total: NO_UNITS, held: NO_UNITS };

/** A balance after a step. Throws `INVARIANT` rather than letting a hold or a total go below zero. */
function checked(total: bigint, held: bigint, step: string): Balance {
  invariant(
    held >= 0n && held <= total,
    () => `${step}: expected 0 <= held <= total, was held ${held} of ${total}`,
  );
  return { total: total as Units, held: held as Units };
}

export function freeOf(balance: Balance): Units {
  return (balance.total - balance.held) as Units;
}

export function credit(balance: Balance, units: bigint): Balance {
  return checked(balance.total + units, balance.held, 'credit');
}

/** Takes from the free part. */
export function debit(balance: Balance, units: bigint): Balance {
  return checked(balance.total - units, balance.held, 'debit');
}

/** First phase: sets units aside. */
export function hold(balance: Balance, units: bigint): Balance {
  return checked(balance.total, balance.held + units, 'hold');
}

/** Second phase, one way: what was set aside is free again. */
export function release(balance: Balance, units: bigint): Balance {
  return checked(balance.total, balance.held - units, 'release');
}

/** Second phase, the other way: `released` of the hold ends, and `spent` of it leaves the account. */
export function spend(
  balance: Balance,
  options: { readonly released: bigint; readonly spent: bigint },
): Balance {
  return checked(balance.total - options.spent, balance.held - options.released, 'spend');
}
