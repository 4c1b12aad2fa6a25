import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarginWallet, PoolReading, SeenMargin, WalletNumbers } from '../../records/margin.ts';
import type { TransferEvent } from '../strategy-event.ts';

interface PoolNumbers<Figure> {
  /** Amount that the pool can lend in total. */
  readonly capacity: Figure | null;
  /** Amount that the pool has lent. */
  readonly filledCapacity: Figure | null;
  /** Amount left to borrow; 0 while the pool is not active. */
  readonly availableBalance: Figure | null;
}

/** Amounts of one currency that can be borrowed, in that currency; null if the exchange gives none. */
export interface Pool extends PoolNumbers<number> {
  /** Currency in lower case. */
  readonly currency: string;
  readonly exact: PoolNumbers<DecimalText>;
}

/** The liquidity pools as they were last read. */
export interface Pools {
  /** Time at which the bot read them, in ms since 1970. */
  readonly readAtMs: number;
  /** Pools by lower-case currency. */
  readonly byCurrency: Readonly<Record<string, Pool | undefined>>;
}

/** One margin wallet, in its own currency. */
export interface ShownMarginWallet extends WalletNumbers<number> {
  /** Currency in lower case. */
  readonly currency: string;
  readonly exact: WalletNumbers<DecimalText>;
}

/** The account's margin wallets as they were last read. */
export interface MarginWallets {
  /** Time at which the bot read them, in ms since 1970. */
  readonly readAtMs: number;
  /** Wallets by lower-case currency. A wallet exists from its first transfer on. */
  readonly byCurrency: Readonly<Record<string, ShownMarginWallet | undefined>>;
}

/** The most that the account may delegate of a currency, in that currency. */
export interface DelegationLimit {
  /** Time at which the bot read it, in ms since 1970. */
  readonly readAtMs: number;
  /** Currency in lower case. */
  readonly currency: string;
  readonly limit: number;
  readonly exact: { readonly limit: DecimalText };
}

/** Returns a reading as a handler receives it, frozen. */
export function marginOf({ reading, seenAtMs }: SeenMargin): Pools | MarginWallets | DelegationLimit {
  const readAtMs = seenAtMs;
  switch (reading.kind) {
    case 'pools':
      return Object.freeze({ readAtMs, byCurrency: byCurrency(reading.pools.map(poolOf)) });
    case 'margin-wallets':
      return Object.freeze({ readAtMs, byCurrency: byCurrency(reading.wallets.map(walletOf)) });
    case 'delegation-limit': {
      const { currency, limit } = reading;
      return Object.freeze({ readAtMs, currency, limit: Number(limit), exact: Object.freeze({ limit }) });
    }
  }
}

function poolOf({ currency, capacity, filledCapacity, availableBalance }: PoolReading): Pool {
  return Object.freeze({
    currency,
    capacity: numberOf(capacity),
    filledCapacity: numberOf(filledCapacity),
    availableBalance: numberOf(availableBalance),
    exact: Object.freeze({ capacity, filledCapacity, availableBalance }),
  });
}

function walletOf({ currency, ...exact }: MarginWallet): ShownMarginWallet {
  const { total, held, free } = exact;
  return Object.freeze({
    currency,
    total: Number(total),
    held: Number(held),
    free: Number(free),
    exact: Object.freeze(exact),
  });
}

const numberOf = (text: DecimalText | null): number | null => (text === null ? null : Number(text));

/** Returns items by currency, in an object without a prototype, so that no inherited name is found. */
function byCurrency<Item extends { readonly currency: string }>(
  items: readonly Item[],
): Readonly<Record<string, Item | undefined>> {
  const record: Record<string, Item | undefined> = Object.create(null);
  for (const item of items) record[item.currency] = item;
  return Object.freeze(record);
}

/** Outcome of a transfer of this strategy. */
export interface Transfer extends Omit<TransferEvent, 'amount'> {
  /** Amount in its currency, as it was sent. */
  readonly amount: number;
  readonly exact: { readonly amount: DecimalText };
}

export function transferOf(transfer: TransferEvent): Transfer {
  const { amount } = transfer;
  return Object.freeze({ ...transfer, amount: Number(amount), exact: Object.freeze({ amount }) });
}
