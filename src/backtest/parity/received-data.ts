import { present } from '../../domain/errors.ts';
import { firstIndex } from '../../domain/candle-columns.ts';
import { type Candle, type BarGrid, gridOf, shownAnchors, type Timeframe } from '../../domain/candle.ts';
import type { MarketStats, OrderBook } from '../../domain/order-book.ts';
import type { VenueOrder } from '../../domain/order.ts';
import type { PublicTrade, VenueTrade } from '../../domain/trade.ts';
import type { Page, VenueAnswer, VenueCall, WalletReading } from '../../venues/port.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';

/** Returns the grid of bars that a session read: where they begin and end. */
export function shownGrid(timeframe: Timeframe, bars: readonly Candle[]): BarGrid {
  return gridOf(timeframe, shownAnchors(timeframe, bars, INTERFACE_PROFILE.barAnchors));
}

/** State of a topic from a moment on, as text: equal texts mean equal states. */
export interface TopicReading {
  readonly atMs: number;
  readonly text: string;
}

interface NumberedReading extends TopicReading {
  /** Number of the answer that brought it. */
  readonly number: number;
}

/** Kind of a topic: market data that strategies subscribe to, or the account, which affects all of them. */
export type TopicKind = 'book' | 'candles' | 'trades' | 'stats' | 'account';

interface Topic {
  readonly kind: TopicKind;
  readonly readings: NumberedReading[];
  /** Numbers of all answers about it, including those without a change. */
  readonly atMs: number[];
}

/**
 * Data that a bot received, topic by topic. Ids of the exchange are left out, so that two runs can be
 * compared.
 */
export class ReceivedData {
  readonly topics = new Map<string, Topic>();
  private readonly orders = new Tally();
  private readonly fills = new Tally();
  private failures = 0;
  /** Time of each answer in ms. */
  private readonly timesMs: number[] = [];
  /** Number of answers before each decision, by its id. */
  private readonly decided = new Map<string, number>();
  private readonly isNewestOnly: boolean;

  /** `isNewestOnly`: each topic has its last state alone, so that the data of a long session has room. */
  constructor({ isNewestOnly = false }: { readonly isNewestOnly?: boolean } = {}) {
    this.isNewestOnly = isNewestOnly;
  }

  /** Records when something was decided; only the first call for each name counts. */
  decide(name: string): void {
    if (!this.decided.has(name)) this.decided.set(name, this.timesMs.length);
  }

  /** Returns the number of answers before a decision; if its name is unknown, the number up to its time. */
  answersBefore(name: string | null, atMs: number): number {
    return (
      (name === null ? undefined : this.decided.get(name)) ??
      firstWhere(this.timesMs, (timeMs) => timeMs > atMs)
    );
  }

  /** Records the answer to a call. Answers must come in order of time. */
  answer(call: VenueCall, answer: VenueAnswer, atMs: number): void {
    this.timesMs.push(atMs);
    if (answer.outcome === 'value') this.value(call, answer.value, atMs);
    else if (answer.outcome !== 'unsent') {
      this.failures += 1;
      this.note('refusals', 'account', { atMs, text: String(this.failures) });
    }
  }

  /** Returns the state of a topic after a number of answers; null before its first one. */
  after(name: string, answers: number): string | null {
    const readings = this.topics.get(name)?.readings ?? [];
    return readings[firstWhere(readings, ({ number }) => number > answers) - 1]?.text ?? null;
  }

  /** Returns how often a topic had been polled after a number of answers: each poll notifies the strategy. */
  readsAfter(name: string, answers: number): number {
    return firstWhere(this.topics.get(name)?.atMs ?? [], (number) => number > answers);
  }

  /** Returns true if a topic ever had this text. */
  wasEver(name: string, text: string): boolean {
    return this.topics.get(name)?.readings.some((reading) => reading.text === text) ?? false;
  }

  private value(call: VenueCall, value: unknown, atMs: number): void {
    switch (call.kind) {
      case 'book':
        this.book(call.market, value as OrderBook, atMs);
        break;
      case 'books':
        for (const [market, book] of Object.entries(value as Readonly<Record<string, OrderBook>>)) {
          this.book(market, book, atMs);
        }
        break;
      case 'candles': {
        const page = value as readonly Candle[];
        const grid = shownGrid(call.timeframe, page);
        const closed = page.filter(({ openTimeMs }) => grid.endOf(openTimeMs) <= atMs);
        const newest = closed.reduce<Candle | null>(
          (last, bar) => (last === null || bar.openTimeMs > last.openTimeMs ? bar : last),
          null,
        );
        this.note(`bars ${call.market} ${call.timeframe}`, 'candles', { atMs, text: JSON.stringify(newest) });
        break;
      }
      case 'public-trades': {
        const [first] = (value as readonly PublicTrade[]).toSorted(
          (left, right) => right.timeMs - left.timeMs,
        );
        this.note(`trades ${call.market}`, 'trades', { atMs, text: JSON.stringify(first ?? null) });
        break;
      }
      case 'stats':
        for (const { market, ...numbers } of value as readonly MarketStats[]) {
          this.note(`statistics ${market.symbol}`, 'stats', { atMs, text: JSON.stringify(numbers) });
        }
        break;
      case 'wallets': {
        const totals = (value as readonly WalletReading[]).map(
          ({ currency, total, held }) => `${currency} ${total} ${held}`,
        );
        this.note('wallets', 'account', { atMs, text: totals.toSorted().join(', ') });
        break;
      }
      case 'place':
      case 'order':
        this.order([value as VenueOrder], atMs);
        break;
      case 'place-oco':
        this.order(value as readonly VenueOrder[], atMs);
        break;
      case 'cancel': {
        const { order } = value as { readonly order: VenueOrder | null };
        this.order(order === null ? [] : [order], atMs);
        break;
      }
      case 'orders':
        this.order((value as Page<VenueOrder>).items, atMs);
        break;
      case 'trades':
        for (const { id, orderId, side, price, amount } of (value as Page<VenueTrade>).items) {
          this.fills.put(`${id} ${orderId}`, `${side} ${amount} ${price}`);
        }
        this.note('fills', 'account', { atMs, text: this.fills.text });
        break;
      case 'cancel-old':
      case 'transactions':
      case 'options':
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
      case 'transfer':
        break;
    }
  }

  private book(market: string, { bids, asks }: OrderBook, atMs: number): void {
    this.note(`book ${market}`, 'book', { atMs, text: JSON.stringify([bids, asks]) });
  }

  private order(orders: readonly VenueOrder[], atMs: number): void {
    for (const { id, side, price, amount, matchedAmount, status } of orders) {
      this.orders.put(String(id), `${side} ${amount} ${price} ${matchedAmount} ${status}`);
    }
    this.note('orders', 'account', { atMs, text: this.orders.text });
  }

  private note(name: string, kind: TopicKind, reading: TopicReading): void {
    const topic = this.topics.get(name) ?? { kind, readings: [], atMs: [] };
    this.topics.set(name, topic);
    if (this.isNewestOnly) topic.atMs.length = topic.readings.length = 0;
    topic.atMs.push(this.timesMs.length);
    if (topic.readings.at(-1)?.text === reading.text) return;
    topic.readings.push({ ...reading, number: this.timesMs.length });
  }
}

/** Returns the index of the first item of a sorted list that is beyond a limit. */
function firstWhere<Item>(sorted: readonly Item[], isBeyond: (item: Item) => boolean): number {
  return firstIndex(sorted.length, (index) => isBeyond(present(sorted[index], 'an item')));
}

/**
 * Hash sum over named items, independent of their names and order: equal for equal items, and almost never
 * equal for others.
 */
class Tally {
  private readonly byName = new Map<string, number>();
  private sum = 0;

  put(name: string, text: string): void {
    const hash = hashOf(text);
    this.sum += hash - (this.byName.get(name) ?? 0);
    this.byName.set(name, hash);
  }

  get text(): string {
    return `${this.byName.size} ${this.sum}`;
  }
}

/** Returns the 32-bit FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
