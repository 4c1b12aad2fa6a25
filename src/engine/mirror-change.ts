import { z } from 'zod';
import type { Candle, Timeframe } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats, OrderBook } from '../domain/order-book.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { StoredReply, WalletReading, WalletTransaction } from '../venues/port.ts';
import type { AlgorithmRecord, IntentRecord, StrategyRecord } from '../records/rows.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';

/** A market's steps from a time on. */
export interface MarketVersionRecord {
  readonly symbol: string;
  readonly version: number;
  readonly fromMs: number;
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  readonly minOrderValue: DecimalText;
}

/** One line of the journal: what was decided or learned, in order. */
export interface JournalEntry {
  readonly kind:
    | 'intent'
    | 'order'
    | 'request'
    | 'answer'
    | 'fill'
    | 'control'
    | 'reconciliation'
    | 'strategy'
    | 'log'
    | 'universe'
    | 'finding'
    | 'transfer'
    | 'signal'
    | 'notice';
  /** The order, intent or strategy it is about. */
  readonly subject: string;
  /** JSON. */
  readonly json: string;
}

/** The JSON of a line of the kind `log`, which `sarraf intents --log` reads. */
export const storedLogLine = z.object({
  text: z.string(),
  fields: z.record(z.string(), z.unknown()).nullable(),
});

/** Request about an order that a reply answers. */
export type ReplyStep = 'place' | 'look-up' | 'cancel';

/** Raw answer of the exchange about an order: the last reply to such a request, as it came. */
export interface ReplyRecord extends StoredReply {
  readonly orderKey: string;
  readonly step: ReplyStep;
  readonly atMs: number;
  /** Reason it was not used, in words; null if it was. The last used and the last unused reply are stored. */
  readonly problem: string | null;
}

/**
 * Coins that a person has moved in the books: from a strategy or (null) the account, to one or the account.
 */
export interface PositionMoveRecord {
  /** Of the command. */
  readonly key: string;
  readonly act: 'adopt' | 'write-off' | 'move';
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly asset: string;
  readonly amount: string;
  /** At which it left one's books and came to the other's, in the quote currency of `market`. */
  readonly price: string;
  readonly market: string;
  readonly by: string | null;
}

/** A value of a series over time; `FigureName` says the names and what the values are. */
export interface FigureRecord {
  readonly name: string;
  readonly atMs: number;
  readonly value: string | null;
}

/**
 * A row that the engine wants written. All changes of one step are written together or not at all, in the
 * order of the steps; the requests of a step leave only after its changes are on the disk.
 */
export type MirrorChange =
  | { readonly kind: 'journal'; readonly entry: JournalEntry }
  | { readonly kind: 'order'; readonly order: OrderRecord }
  | { readonly kind: 'fill'; readonly fill: FillRecord }
  /** It is in the books no more: the trades that it stood for have come, or it was there twice. */
  | { readonly kind: 'fill-gone'; readonly fill: FillRecord }
  | { readonly kind: 'intent'; readonly intent: IntentRecord }
  | { readonly kind: 'algorithm'; readonly algorithm: AlgorithmRecord }
  | { readonly kind: 'algorithm-end'; readonly intentId: string }
  | { readonly kind: 'strategy'; readonly strategy: StrategyRecord }
  | { readonly kind: 'market'; readonly market: MarketVersionRecord }
  | { readonly kind: 'wallet'; readonly wallet: WalletReading }
  | { readonly kind: 'transaction'; readonly transaction: WalletTransaction }
  | { readonly kind: 'book'; readonly market: string; readonly book: OrderBook }
  | { readonly kind: 'stats'; readonly stats: MarketStats }
  | {
      readonly kind: 'candle';
      readonly market: string;
      readonly timeframe: Timeframe;
      readonly candle: Candle;
    }
  | { readonly kind: 'public-trades'; readonly market: string; readonly trades: readonly PublicTrade[] }
  | { readonly kind: 'position-move'; readonly move: PositionMoveRecord }
  /** One of the same name and time takes the place of the one before. */
  | { readonly kind: 'figure'; readonly figure: FigureRecord }
  /** A reply of the same order and step replaces the one before, if both were used or neither. */
  | { readonly kind: 'reply'; readonly reply: ReplyRecord }
  /** A small piece of the engine's own state under a name: cursors, risk, reconciliation, control. JSON. */
  | { readonly kind: 'kept'; readonly name: string; readonly json: string };

/** JSON of each small piece of state, by its name. */
export type StoredTexts = Readonly<Record<string, string>>;

/** State that a mirror gives back when the bot begins again. */
export interface MirrorState {
  /**
   * Random, four characters of [a-z0-9]; made with the mirror and when one is restored from a copy, so that
   * ids never come again.
   */
  readonly epoch: string;
  /** Orders that are not final, and those that became so after `recentSinceMs`. */
  readonly orders: readonly OrderRecord[];
  readonly algorithms: readonly AlgorithmRecord[];
  readonly strategies: readonly StrategyRecord[];
  readonly markets: readonly MarketVersionRecord[];
  /** Trades from `tradesSinceId` on, so that none is taken in twice. */
  readonly fills: readonly FillRecord[];
  readonly stored: StoredTexts;
  /** Intents that were at work, so that they come to their end. */
  readonly intents: readonly IntentRecord[];
}

/** Names of what the engine keeps. Written by it alone. */
export const EMPTY_MIRROR_STATE: Omit<MirrorState, 'epoch'> = {
  orders: [],
  algorithms: [],
  strategies: [],
  markets: [],
  fills: [],
  stored: {},
  intents: [],
};
