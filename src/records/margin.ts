import type { DecimalText } from '../domain/decimal-text.ts';

/** State of one currency's loan pool, in that currency; null for an amount that is not stated. */
export interface PoolReading {
  /** In lower case. */
  readonly currency: string;
  readonly capacity: DecimalText | null;
  readonly filledCapacity: DecimalText | null;
  /** Amount left to borrow; 0 while the pool is not active. */
  readonly availableBalance: DecimalText | null;
}

export interface WalletNumbers<Figure> {
  readonly total: Figure;
  /** Part of the balance that is held. */
  readonly held: Figure;
  readonly free: Figure;
}

/** A margin wallet, in its own currency. Its amounts are texts: threads of strategies get it as JSON. */
export type MarginWallet = WalletNumbers<DecimalText> & { readonly currency: string };

/** Margin data of the exchange: one answer of one of its calls. */
export type MarginReading =
  | { readonly kind: 'pools'; readonly pools: readonly PoolReading[] }
  | { readonly kind: 'margin-wallets'; readonly wallets: readonly MarginWallet[] }
  /** Most that the account may have delegated of a currency, in that currency. */
  | { readonly kind: 'delegation-limit'; readonly currency: string; readonly limit: DecimalText };

/** A reading with the time at which it came, by the bot's clock. */
export interface SeenMargin {
  readonly reading: MarginReading;
  readonly seenAtMs: number;
}

/** Returns the name of a margin reading as one text: `pools`, `margin-wallets`, `delegation-limit btc`. */
export function marginTopic(
  of:
    | { readonly kind: 'pools' | 'margin-wallets' }
    | { readonly kind: 'delegation-limit'; readonly currency: string },
): string {
  return of.kind === 'delegation-limit' ? `delegation-limit ${of.currency}` : of.kind;
}

/** The two wallets of each currency. */
export type WalletSide = 'spot' | 'margin';

export function otherSide(side: WalletSide): WalletSide {
  return side === 'spot' ? 'margin' : 'spot';
}
