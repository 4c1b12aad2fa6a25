import type { VenueTrade } from '../domain/trade.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { RateGate } from './rate-gate.ts';

/** Reads our trades, each once, in ascending order of their ids. */
export class TradeReader {
  private readonly client: ExchangeClient;
  private readonly gate: RateGate;
  /** The highest id read so far; the list is asked from it on and shows it again. */
  private cursor = 1;
  /** Trades read that have the cursor's id: a trade with oneself has two records of one id. */
  private readonly atCursor = new Set<string>();

  constructor(options: { readonly client: ExchangeClient; readonly gate: RateGate }) {
    this.client = options.client;
    this.gate = options.gate;
  }

  /** The trades since the last look, one page. `mayBeMore` when the page was full. */
  async look(): Promise<{ readonly trades: readonly VenueTrade[]; readonly mayBeMore: boolean }> {
    const request = { fromId: this.cursor, tradeOrder: 'asc', pageSize: 500 } as const;
    const gated = await this.gate.tryTo('tradesList', 'poll', () => this.client.tradesList(request));
    if (!gated.sent || !gated.value.ok) return { trades: [], mayBeMore: false };
    const { items, hasNext } = gated.value.value;
    const trades = items.filter((trade) => this.isNew(trade));
    return { trades, mayBeMore: hasNext === true && trades.length > 0 };
  }

  private isNew({ id, orderId, side }: VenueTrade): boolean {
    const key = `${orderId} ${side}`;
    if (id < this.cursor || (id === this.cursor && this.atCursor.has(key))) return false;
    if (id > this.cursor) this.atCursor.clear();
    this.cursor = id;
    this.atCursor.add(key);
    return true;
  }
}
