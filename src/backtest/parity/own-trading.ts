import { decimalText, ZERO, type DecimalText } from '../../domain/decimal-text.ts';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { BookLevel } from '../../domain/order-book.ts';
import type { Side } from '../../domain/order.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { RecordedBook, RecordedTrade } from '../../recording/records.ts';

interface Resting {
  readonly order: OrderRecord;
  readonly price: bigint;
  readonly fromMs: number;
  readonly toMs: number;
  readonly fills: readonly FillRecord[];
}

/**
 * Takes orders of the session itself out of the books that it recorded, since in a second run the bot places
 * its own. An order counts as resting from when it was sent until it was known to be closed, with what was
 * not filled by then; stops, which rest nowhere, are left out.
 */
export class OwnLevels {
  private readonly resting: readonly Resting[];
  private first = 0;

  /** Orders of one market, with all fills. */
  constructor(orders: readonly OrderRecord[], fills: readonly FillRecord[]) {
    const byOrder = Map.groupBy(fills, ({ orderKey }) => orderKey);
    this.resting = orders
      .flatMap((order): readonly Resting[] => {
        const { price, sentAtMs, closedAtMs, execution, key } = order;
        if (price === null || sentAtMs === null || execution !== 'limit') return [];
        const own = byOrder.get(key) ?? [];
        const toMs = closedAtMs ?? Number.POSITIVE_INFINITY;
        return [{ order, price, fromMs: sentAtMs, toMs, fills: own }];
      })
      .toSorted((left, right) => left.fromMs - right.fromMs);
  }

  /** A book without them. Books are to be asked for in the order of time. */
  without(book: RecordedBook): RecordedBook {
    const { seenMs } = book;
    while ((this.resting[this.first]?.toMs ?? Number.POSITIVE_INFINITY) < seenMs) this.first += 1;
    const own = { buy: new Map<bigint, bigint>(), sell: new Map<bigint, bigint>() };
    for (let index = this.first; index < this.resting.length; index += 1) {
      const resting = this.resting[index];
      if (resting === undefined || resting.fromMs > seenMs) break;
      const left = resting.toMs < seenMs ? 0n : leftAt(resting, seenMs);
      const side = own[resting.order.side];
      if (left > 0n) side.set(resting.price, (side.get(resting.price) ?? 0n) + left);
    }
    if (own.buy.size + own.sell.size === 0) return book;
    const rest = (levels: readonly BookLevel[], side: Side): readonly BookLevel[] =>
      levels
        .map(([price, amount]) => [price, restOf(amount, own[side].get(parseUnits(price)))] as const)
        .filter(([, amount]) => amount !== ZERO);
    return { ...book, bids: rest(book.bids, 'buy'), asks: rest(book.asks, 'sell') };
  }
}

function leftAt({ order, fills }: Resting, atMs: number): bigint {
  return fills.reduce((left, fill) => (fill.atMs <= atMs ? left - fill.amount : left), BigInt(order.amount));
}

function restOf(amount: DecimalText, own: bigint | undefined): DecimalText {
  if (own === undefined) return amount;
  const rest = parseUnits(amount) - own;
  return rest <= 0n ? ZERO : decimalText(formatUnits(rest));
}

/** The public tape and our own list may time one trade a little apart. */
const APART_MS = 1_000;

/**
 * Takes out of a recorded tape what the session itself took, since in a second run the bot takes anew. Trades
 * in which others took from it stay: they are what fills its resting orders there, too.
 */
export class OwnTrades {
  private readonly left: Map<string, number[]>;

  /** Fills of one market. */
  constructor(fills: readonly FillRecord[]) {
    const named = Map.groupBy(fills, ({ side, price, amount }) => `${side} ${price} ${amount}`);
    this.left = new Map([...named].map(([name, all]) => [name, all.map(({ atMs }) => atMs)]));
  }

  /** Trades without them. Each fill takes one trade out. */
  without(trades: readonly RecordedTrade[]): readonly RecordedTrade[] {
    return trades.filter(({ side, price, amount, timeMs, seenMs }) => {
      // The side of a public trade is that of whoever took.
      const times = this.left.get(`${side} ${parseUnits(price)} ${parseUnits(amount)}`) ?? [];
      const index = times.findIndex((atMs) => Math.abs(atMs - (timeMs ?? seenMs)) <= APART_MS);
      if (index === -1) return true;
      times.splice(index, 1);
      return false;
    });
  }
}
