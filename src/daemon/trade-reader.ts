import type { VenueTrade } from '../domain/trade.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { RateGate } from './rate-gate.ts';

/** Trades that every look reads again: their ids do not come quite in order, so that one may show up below another that was read before it. */
const READ_AGAIN = 20;

const PAGE_SIZE = 500;

/** A trade that was read. With oneself a trade has two records of one id, so the id alone does not name it. */
interface Known {
  readonly id: number;
  readonly key: string;
}

/** Reads our trades, each once. */
export class TradeReader {
  private readonly client: ExchangeClient;
  private readonly gate: RateGate;
  /** What was read from `fromId` on, by ascending id: `READ_AGAIN` of them and no more than a page besides. */
  private known: readonly Known[] = [];
  private fromId = 1;

  constructor(options: { readonly client: ExchangeClient; readonly gate: RateGate }) {
    this.client = options.client;
    this.gate = options.gate;
  }

  /** The trades since the last look, one page, by ascending id. `mayBeMore` when the page was full. */
  async look(): Promise<{ readonly trades: readonly VenueTrade[]; readonly mayBeMore: boolean }> {
    const request = { fromId: this.fromId, tradeOrder: 'asc', pageSize: PAGE_SIZE } as const;
    const gated = await this.gate.tryTo('tradesList', 'poll', () => this.client.tradesList(request));
    if (!gated.sent || !gated.value.ok) return { trades: [], mayBeMore: false };
    const { items, hasNext } = gated.value.value;
    const keys = new Set(this.known.map(({ key }) => key));
    const trades = items
      .filter((trade) => trade.id >= this.fromId && !keys.has(keyOf(trade)))
      .toSorted((left, right) => left.id - right.id);
    if (trades.length > 0) this.remember(trades);
    return { trades, mayBeMore: hasNext === true && trades.length > 0 };
  }

  private remember(trades: readonly VenueTrade[]): void {
    const all = [...this.known, ...trades.map((trade) => ({ id: trade.id, key: keyOf(trade) }))].toSorted(
      (left, right) => left.id - right.id,
    );
    this.fromId = all.at(-READ_AGAIN)?.id ?? this.fromId;
    this.known = all.filter(({ id }) => id >= this.fromId);
  }
}

function keyOf({ id, orderId, side }: VenueTrade): string {
  return `${id} ${orderId} ${side}`;
}
