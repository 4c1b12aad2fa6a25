import { unitsOf } from '../../domain/money.ts';
import { isListId } from '../../execution/own-list.ts';
import type { VenueProfile, WalletReading, WalletTransaction } from '../../venues/port.ts';
import { tooFine, type Flaw } from './flaw.ts';

/**
 * What can not be right about one wallet: what is held is a part of what is there. Null where nothing is
 * wrong.
 */
export function walletFlaw({ total, held }: WalletReading): Flaw | null {
  const fine = tooFine({ balance: total, blocked: held });
  if (fine !== null) return fine;
  if (unitsOf(total) < 0n) return { field: 'balance', expected: 'not below 0', found: total };
  return unitsOf(held) < 0n || unitsOf(held) > unitsOf(total)
    ? { field: 'blocked', expected: `from 0 to the balance ${total}`, found: held }
    : null;
}

/** What can not be right about a line of a wallet's history. */
export function lineFlaw(
  { id, amount, currency }: WalletTransaction,
  wallet: string,
  list: VenueProfile['ownLists']['transactions'],
): Flaw | null {
  if (!isListId(list, id)) return { field: 'id', expected: 'the id of a line', found: id };
  if (currency !== '' && currency !== wallet) return { field: 'currency', expected: wallet, found: currency };
  return tooFine({ amount });
}
