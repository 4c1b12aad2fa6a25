import { formatUnits } from '../../domain/money.ts';
import { isListId } from '../own-list.ts';
import type { VenueProfile, WalletReading, WalletTransaction } from '../../venues/port.ts';
import { fineFlaw, type Flaw } from './flaw.ts';

/** Returns the issue with one wallet: what is held must be a part of what is there. Null if there is none. */
export function walletFlaw(wallet: WalletReading): Flaw | null {
  const { total, held } = wallet;
  const fine = fineFlaw(wallet);
  if (fine !== null) return fine;
  if (total < 0n) return { field: 'balance', expected: 'not below 0', found: formatUnits(total) };
  if (held >= 0n && held <= total) return null;
  return {
    field: 'blocked',
    expected: `from 0 to the balance ${formatUnits(total)}`,
    found: formatUnits(held),
  };
}

/** Returns the issue with a line of a wallet's history. */
export function lineFlaw(
  line: WalletTransaction,
  wallet: string,
  list: VenueProfile['ownLists']['transactions'],
): Flaw | null {
  const { id, currency } = line;
  if (!isListId(list, id)) return { field: 'id', expected: 'the id of a line', found: id };
  if (currency !== '' && currency !== wallet) return { field: 'currency', expected: wallet, found: currency };
  return fineFlaw(line);
}
