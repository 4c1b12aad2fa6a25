import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { TradingEvent } from '../simulator/trading.ts';
import type { UserId } from '../simulator/wallet.ts';

/** With what a paper account begins. */
export interface AccountOrigin {
  /** Address of the exchange that it follows. */
  readonly baseUrl: string;
  /** Amounts by currency, lower case. */
  readonly balances: Readonly<Record<string, string>>;
}

/** Stores a paper account from one run to the next. */
export interface AccountKeeper {
  /** True if there is an earlier account. */
  readonly isNew: boolean;
  /** Start of the account, by the exchange's clock; null for a new one. */
  readonly beganAtMs: number | null;
  /** With what it began; null for a new one. */
  readonly origin: AccountOrigin | null;
  /** Markets that its orders are of. */
  readonly symbols: readonly string[];
  /** Puts the account of before into a fresh exchange. Throws `DATA_UNUSABLE` where it does not fit. */
  restore(exchange: SimulatedExchange, nowMs: number): void;
  /** From now on it keeps what happens there. Throws `DATA_UNUSABLE` as `save` does. */
  begin(
    exchange: SimulatedExchange,
    of: { readonly userId: UserId; readonly origin: AccountOrigin; readonly nowMs: number },
  ): void;
  take(event: TradingEvent): void;
  /**
   * Writes what has changed, so that it is on the disk. Nothing of it may be told before: an exchange does
   * not forget what it has said. Throws `DATA_UNUSABLE`; the next call then tries it again.
   */
  save(): void;
  close(): void;
}
