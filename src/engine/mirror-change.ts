import { z } from 'zod';
import type { StoredTexts } from './stored-records.ts';
import type { Candle, Timeframe } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats, OrderBook } from '../domain/order-book.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { StoredReply, WalletReading, WalletTransaction } from '../venues/port.ts';
import type { AlgorithmRecord, IntentRecord, NoteRecord, StrategyRecord } from '../records/rows.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';

/** The steps of a market from a time on. */
export interface MarketVersionRecord {
  readonly symbol: string;
  readonly version: number;
  readonly fromMs: number;
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  readonly minOrderValue: DecimalText;
}

/** A line of the journal: a decision or news, in the order in which they came. */
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
  /** The order, intent or strategy that the line is about. */
  readonly subject: string;
  /** Facts of the line, as JSON. */
  readonly json: string;
}

/** JSON of a journal line of the kind `log`, which `sarraf intents --log` reads. */
export const storedLogLine = z.object({
  text: z.string(),
  fields: z.record(z.string(), z.unknown()).nullable(),
});

/** Request about an order whose reply is stored. */
export type ReplyStep = 'place' | 'look-up' | 'cancel';

/** Raw reply of the exchange to the last request of this kind about an order. */
export interface ReplyRecord extends StoredReply {
  readonly orderKey: string;
  readonly step: ReplyStep;
  readonly atMs: number;
  /** Reason why it was not used; null if it was. The last used and the last unused reply are both stored. */
  readonly problem: string | null;
}

/** Coins that a person moved in the books, between two strategies or a strategy and the account (null). */
export interface PositionMoveRecord {
  /** Key of the command. */
  readonly key: string;
  readonly act: 'adopt' | 'write-off' | 'move';
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly asset: string;
  readonly amount: string;
  /** Price at which the coins leave the one's books and enter the other's, in `market`'s quote currency. */
  readonly price: string;
  readonly market: string;
  readonly by: string | null;
}

/** A value of a stored series; `FigureName` lists the series and what their values mean. */
export interface FigureRecord {
  readonly name: string;
  readonly atMs: number;
  readonly value: string | null;
}

/**
 * A row to be written. All changes of a step are written in one transaction, in the order of the steps. The
 * requests of a durable step leave only after its changes are on the disk.
 */
export type MirrorChange =
  | { readonly kind: 'journal'; readonly entry: JournalEntry }
  | { readonly kind: 'order'; readonly order: OrderRecord }
  | { readonly kind: 'fill'; readonly fill: FillRecord }
  /** Removes a fill from the books: its trades have arrived, or it was booked twice. */
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
  | { readonly kind: 'note'; readonly note: NoteRecord }
  | { readonly kind: 'note-end'; readonly entry: string }
  /** A figure replaces the one with the same name and time. */
  | { readonly kind: 'figure'; readonly figure: FigureRecord }
  /**
   * For each order and step, the last used and the last unused reply are stored; this one replaces the
   * earlier one of its kind.
   */
  | { readonly kind: 'reply'; readonly reply: ReplyRecord }
  /** A small piece of the engine's state as JSON, such as cursors, reconciliation or control. */
  | { readonly kind: 'kept'; readonly name: string; readonly json: string };

/** State from the mirror with which an engine starts. */
export interface MirrorState {
  /**
   * Random mark of four characters of [a-z0-9]. A new mirror and one restored from a copy get a new one, so
   * order ids never repeat.
   */
  readonly epoch: string;
  /** Orders that are not final, and final ones that a restart may still need. */
  readonly orders: readonly OrderRecord[];
  readonly algorithms: readonly AlgorithmRecord[];
  readonly strategies: readonly StrategyRecord[];
  readonly markets: readonly MarketVersionRecord[];
  /** The last trades, so that none is booked twice. */
  readonly fills: readonly FillRecord[];
  readonly stored: StoredTexts;
  /** Unfinished intents, which are continued or ended. */
  readonly intents: readonly IntentRecord[];
}

/** State of a new mirror, without its epoch. */
export const EMPTY_MIRROR_STATE: Omit<MirrorState, 'epoch'> = {
  orders: [],
  algorithms: [],
  strategies: [],
  markets: [],
  fills: [],
  stored: {},
  intents: [],
};
