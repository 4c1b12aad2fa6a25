import type { MarketName } from './market-symbol.ts';
import type { Units, TooFine } from './money.ts';
import { z } from 'zod';
import type { Brand } from './decimal-text.ts';

/**
 * Purpose of an order that leaves a position: target, stop (fixed, trailing, or at the price paid), time
 * limit, or the strategy's own decision.
 */
export const EXIT_KINDS = [
  'take-profit',
  'stop-loss',
  'trail',
  'break-even',
  'time-stop',
  'decision',
] as const;

export type ExitKind = (typeof EXIT_KINDS)[number];

export const SIDES = ['buy', 'sell'] as const;

export type Side = (typeof SIDES)[number];

export const EXECUTIONS = ['limit', 'market', 'stop_limit', 'stop_market'] as const;

export type Execution = (typeof EXECUTIONS)[number];

/**
 * States of an order of the bot.
 *
 * - `planned`: decided, and not yet requested.
 * - `sending`: its request was passed on and is not answered yet.
 * - `unknown`: there was no clear answer. The order may exist, and its worst case counts.
 * - `open`: the exchange has it.
 * - `cancelling`: its cancel was requested, and its end is not seen yet.
 * - `settling`: it is closed, but the fills read so far do not add up to its matched amount.
 * - `filled`, `cancelled`: closed, with every fill read. `rejected`: it is proved that it never existed.
 */
export const ORDER_STATES = [
  'planned',
  'sending',
  'unknown',
  'open',
  'cancelling',
  'settling',
  'filled',
  'cancelled',
  'rejected',
] as const;

export type TradeKind = 'Spot' | 'Margin' | 'Credit' | 'Debit';

export const oppositeOf = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');

/**
 * An order as the exchange reports it, normalised: money in units of 1e-10, the time in milliseconds. A field
 * that the reply leaves out is null (`details=1` leaves out five).
 */
export interface VenueOrder {
  readonly id: VenueOrderId | null;
  readonly side: Side;
  readonly execution: Execution | null;
  readonly tradeKind: TradeKind | null;
  readonly market: MarketName | null;
  /** Null for a market order without a price. */
  readonly price: Units | null;
  readonly stopPrice: Units | null;
  readonly amount: Units;
  readonly matchedAmount: Units;
  readonly unmatchedAmount: Units | null;
  /** Value of the amount traded so far, before the fee. */
  readonly total: Units | null;
  /** Value of the whole order at its registered price. */
  readonly orderTotal: Units | null;
  /** In the currency received. */
  readonly fee: Units | null;
  readonly averagePrice: Units | null;
  /** Status in the exchange's own words: one of its profile's `statuses`, or any other text. */
  readonly status: string | null;
  readonly partial: boolean | null;
  readonly createdAtMs: number | null;
  readonly clientOrderId: string | null;
  readonly pairId: VenueOrderId | null;
  /** A number of the order with more decimals than the books hold; null in most cases. */
  readonly tooFine: TooFine | null;
}

/**
 * Position in one of the account's own lists: a number that rises along the list, such as an id or a time in
 * ms. Its meaning depends on the venue and, where each market has its own list, on the market; see `OwnList`.
 */
export type ListCursor = number;

/**
 * An order's id, as text. No other order of the venue has it: where an exchange counts orders in each market,
 * the adapter composes the id of market and number. Ids are only compared for equality; the cursors of the
 * venue's profile say which is newer (`OwnList`).
 */
export type VenueOrderId = Brand<string, 'VenueOrderId'>;

/** Id of one of the account's trades, as text. As of orders, no other trade of the venue has it. */
export type VenueTradeId = Brand<string, 'VenueTradeId'>;

/** Id of one of the account's wallets. */
export type VenueWalletId = Brand<string, 'VenueWalletId'>;

/** Id of a line of a wallet's history. */
export type WalletTransactionId = Brand<string, 'WalletTransactionId'>;

export const venueOrderId = (text: string): VenueOrderId => text as VenueOrderId;

export const venueTradeId = (text: string): VenueTradeId => text as VenueTradeId;

export const venueWalletId = (text: string): VenueWalletId => text as VenueWalletId;

export const walletTransactionId = (text: string): WalletTransactionId => text as WalletTransactionId;

const storedId = z.string().min(1);

/** Schemas of ids in stored JSON. */
export const storedOrderId = storedId.transform(venueOrderId);
export const storedTradeId = storedId.transform(venueTradeId);
export const storedWalletTransactionId = storedId.transform(walletTransactionId);
