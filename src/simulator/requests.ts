import { z } from 'zod';
import { durationMs, millionths, plainText } from './setting-fields.ts';
import type { Execution, Side } from '../domain/order.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';

/**
 * An order as the typed adapter takes it. Prices and amounts are whole numbers of the market's public steps
 * (the wire adapter rounds a sender's extra digits first: amount down, price half-even). Which of the prices
 * are needed depends on `execution` and `mode`.
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
  /** Switches the duplicate check off. */
  readonly pro: boolean;
}

/** Reference to one order of a user: by id if one is given, else by the client's id among the open ones. */
export interface OrderReference {
  readonly id: number | null;
  readonly clientOrderId: string | null;
}

export interface CancelOldOrders {
  /** Only orders created at this time or before; null: all. */
  readonly createdAtOrBeforeMs: number | null;
  readonly execution: Execution | null;
  readonly base: string | null;
  readonly quote: string | null;
  readonly tradeType: 'spot' | 'margin' | null;
}

/** Settings of the trading rules that the interface states as constants or leaves open. */
export const tradingSettings = z.strictObject({
  /** Millionths a limit price may be away from the last price (300,000 is 30 %). */
  priceBandMillionths: millionths().default(300_000),
  /** Millionths that a market order may go beyond its reference price (10,000 is 1 %). */
  marketBandMillionths: millionths().default(10_000),
  duplicateWindowMs: durationMs().default(10_000),
  /** The status word of an order that is rejected after its acceptance; no document says it. */
  rejectedStatus: plainText().default('Rejected'),
  /** Time an accepted order stays `New` before it enters the book; 0: not at all. */
  newForMs: durationMs().default(0),
  /** Period covered by a user's list of own trades. Some deployments are known to list three days. */
  tradesListedMs: durationMs().default(180 * 86_400_000),
  /** True if every order stores its past states, so that lists can be made to lag. */
  recordVersions: z.boolean().default(false),
  /** Closed orders and trades kept a user; the oldest are dropped beyond it. */
  historyKept: z.int().min(1).default(100_000),
  /** Orders of all users kept to be found by id; the oldest closed ones are dropped beyond it. */
  ordersKept: z.int().min(1).default(50_000),
});

export type TradingSettings = Readonly<z.output<typeof tradingSettings>>;

export const DEFAULT_TRADING: TradingSettings = tradingSettings.parse({});

/** An expected "no" of the exchange: a code of its error tables, and a sentence. Nothing was changed. */
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
