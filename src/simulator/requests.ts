import { z } from 'zod';
import { durationMs, millionths, plainText } from './setting-fields.ts';
import type { Execution, Side } from '../domain/order.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';

/**
 * Request for an order. Prices and amounts are whole numbers of the market's public steps (the wire adapter
 * rounds a sender's extra digits first: amount down, price half-even). The needed prices depend on
 * `execution` and `mode`.
 */
export interface PlaceOrder {
  readonly market: MarketSymbol;
  readonly side: Side;
  readonly execution: Execution;
  readonly mode: 'default' | 'oco';
  readonly amount: number;
  readonly price: number | null;
  readonly stopPrice: number | null;
  readonly stopLimitPrice: number | null;
  readonly clientOrderId: string | null;
  /** True turns the duplicate check off. */
  readonly pro: boolean;
}

/** Reference to one order of a user: by its id if given, else by client id among the open ones. */
export interface OrderReference {
  readonly id: number | null;
  readonly clientOrderId: string | null;
}

export interface CancelOldOrders {
  /** Latest creation time of the orders; null for all. */
  readonly createdAtOrBeforeMs: number | null;
  readonly execution: Execution | null;
  readonly base: string | null;
  readonly quote: string | null;
  readonly tradeType: 'spot' | 'margin' | null;
}

/** Settings of trading rules that the interface states as constants or leaves open. */
export const tradingSettings = z.strictObject({
  /** Largest distance of a limit price from the last price, in millionths (300,000 is 30 %). */
  priceBandMillionths: millionths().default(300_000),
  /** Largest distance of a market order's price from its reference price, in millionths (10,000 is 1 %). */
  marketBandMillionths: millionths().default(10_000),
  duplicateWindowMs: durationMs().default(10_000),
  /** Status of an order that is rejected after its acceptance; no document names it. */
  rejectedStatus: plainText().default('Rejected'),
  /** Time an accepted order stays `New` before it enters the book; 0 enters it at once. */
  newForMs: durationMs().default(0),
  /** Longest age in a user's list of own trades. Some deployments are known to list three days. */
  tradesListedMs: durationMs().default(180 * 86_400_000),
  /** True if every order stores its past states, so that lists can be made to lag. */
  recordVersions: z.boolean().default(false),
  /** Closed orders and trades that are kept of each user; beyond it the oldest are dropped. */
  historyKept: z.int().min(1).default(100_000),
  /** Orders of all users that can be found by id; beyond it the oldest closed ones are dropped. */
  ordersKept: z.int().min(1).default(50_000),
});

export type TradingSettings = Readonly<z.output<typeof tradingSettings>>;

export const DEFAULT_TRADING: TradingSettings = tradingSettings.parse({});

/** A refusal by the exchange's rules: a code of its error tables, and a sentence. Nothing was changed. */
export interface Refusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
}

export type Result<T> = { readonly ok: true; readonly value: T } | Refusal;

export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refuse(code: string, message: string): Refusal {
  return { ok: false, code, message };
}
