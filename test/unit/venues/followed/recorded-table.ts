import { createPollRules, type PollRules } from '../../../../src/venues/fill-rules.ts';
import { bookColumns, tradeColumns } from '../../../../src/recording/records.ts';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import type { FollowedMarket } from '../../../../src/venues/followed-market.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits, formatUnits } from '../../../../src/domain/money.ts';
import type { BookLevel, OrderBook } from '../../../../src/domain/order-book.ts';
import type { Execution, Side, VenueOrder, VenueOrderId } from '../../../../src/domain/order.ts';
import type { VenueTrade } from '../../../../src/domain/trade.ts';
import type { AskedOrder, Page } from '../../../../src/venues/port.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import type { SimulatedOrder } from '../../../../src/simulator/market-state.ts';

/** Prices and amounts are whole numbers, so that tables are easily read. */
const MARKET = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '1', amountStep: '1' });

/**
 * Plays a table of events in one recorded market, one on each line. Returns it with the answers to its
 * questions filled in after `->`:
 *
 *     book 100x5 99x3 | 101x4        a recorded book
 *     trade sell 2 @ 100             a recorded trade
 *     a buy 3 @ 100                  an order of ours; also `a sell 3 market`, `a sell 3 stop 95`
 *     cancel a
 *     a -> 2 of 3 Active             its filled amount and status
 *     ahead a -> 4                   the amount that is ahead of it in the queue
 *     fills -> a 2@100 maker         our fills since the last such line
 *     shown -> 100x5 | 101x4         the book that a poll shows
 *     last -> 100                    the last price
 *     volume -> 12                   the traded amount, by the bars
 *     value -> 1200                  the value of that amount
 */
export function playTable(table: string, given: Partial<PollRules> = {}): string {
  const play = new Play(createPollRules(given));
  return linesOf(table)
    .map((line) => play.line(line))
    .join('\n');
}

/** Returns the lines of a table without indentation and empty lines. */
export function linesOf(table: string): readonly string[] {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

class Play {
  private readonly exchange: FollowedExchange;
  private readonly market: FollowedMarket;
  private readonly ids = new Map<string, VenueOrderId | null>();
  private nowMs = 1_000;
  private readTrades = 0;

  constructor(rules: PollRules) {
    this.exchange = new FollowedExchange({
      markets: [{ market: MARKET, hasTrades: true }],
      fees: { rls: { maker: 1_000, taker: 2_000 }, usdt: { maker: 1_000, taker: 2_000 } },
      balances: { usdt: parseUnits('1000000'), btc: parseUnits('1000') },
      limits: {},
      startMs: 0,
      rules,
    });
    const [market] = this.exchange.markets;
    if (market === undefined) throw new Error('expected a market');
    this.market = market;
  }

  line(line: string): string {
    this.nowMs += 1_000;
    const [question = '', answer] = line.split('->').map((part) => part.trim());
    if (answer !== undefined) return `${question} -> ${this.ask(question)}`;
    const [word = '', ...rest] = question.split(/\s+/);
    if (word === 'book') this.book(question.slice(word.length));
    else if (word === 'trade') this.trade(rest);
    else if (word === 'cancel') this.cancel(rest[0] ?? '');
    else this.place(word, rest);
    return line;
  }

  private ask(question: string): string {
    const [word = '', id = ''] = question.split(' ');
    if (word === 'fills') return this.fills();
    if (word === 'shown') return bookText(this.value({ kind: 'book', market: 'BTCUSDT' }) as OrderBook);
    if (word === 'last') return String(this.market.state.lastPrice);
    if (word === 'volume')
      return String(this.market.state.candles.bars('1d').reduce((sum, bar) => sum + bar.volume, 0));
    if (word === 'value')
      return String(this.market.state.candles.bars('1d').reduce((sum, bar) => sum + bar.value, 0n));
    if (word === 'ahead') return this.ahead(id);
    const order = this.order(word);
    return `${formatUnits(order.matchedAmount)} of ${formatUnits(order.amount)} ${order.status ?? ''}`;
  }

  private book(text: string): void {
    const [bids = '', asks = ''] = text.split('|');
    const book = { venueTimeMs: this.nowMs, seenMs: this.nowMs, bids: levelsOf(bids), asks: levelsOf(asks) };
    this.market.onBook(bookColumns([book]), 0, this.nowMs);
  }

  private trade([side = '', amount = '', , price = '']: readonly string[]): void {
    const { nowMs } = this;
    const trade = { price: decimalText(price), amount: decimalText(amount), side: side as Side };
    this.market.onTrade(tradeColumns([{ ...trade, timeMs: nowMs, seenMs: nowMs }]), 0, nowMs);
  }

  private place(id: string, [side = '', amount = '', how = '', price = '']: readonly string[]): void {
    const execution: Execution = how === 'market' ? 'market' : how === 'stop' ? 'stop_market' : 'limit';
    const order = this.value({
      kind: 'place',
      order: {
        clientOrderId: id,
        base: 'btc',
        quote: 'usdt',
        side: side as Side,
        execution,
        amount: parseUnits(amount),
        price: execution === 'limit' ? parseUnits(price) : null,
        stopPrice: execution === 'stop_market' ? parseUnits(price) : null,
      },
    }) as VenueOrder;
    this.ids.set(id, order.id);
  }

  private cancel(id: string): void {
    this.value({ kind: 'cancel', ...this.asked(id) });
  }

  private order(id: string): VenueOrder {
    return this.value({ kind: 'order', ...this.asked(id) }) as VenueOrder;
  }

  private asked(id: string): AskedOrder {
    const venueId = this.ids.get(id) ?? null;
    const { symbol: market } = this.market.state.rules;
    return venueId === null
      ? { market, venueId, clientOrderId: id }
      : { market, venueId, clientOrderId: null };
  }

  private ahead(id: string): string {
    const { buys, sells } = this.market.state.book;
    const resting = [...buys.orders(), ...sells.orders()] as SimulatedOrder[];
    const order = resting.find(({ clientOrderId }) => clientOrderId === id);
    return order === undefined ? 'not resting' : String(this.market.aheadOf(order));
  }

  private fills(): string {
    const { items } = this.value({ kind: 'trades', market: null, from: 1 }) as Page<VenueTrade>;
    const fresh = items.slice(this.readTrades);
    this.readTrades = items.length;
    const nameOf = (id: VenueOrderId | null): string =>
      [...this.ids].find(([, known]) => known === id)?.[0] ?? '?';
    const text = fresh.map(({ orderId, amount, price, total, fee, side }) => {
      const value = side === 'buy' ? Number(amount) : Number(total);
      return `${nameOf(orderId)} ${formatUnits(amount)}@${formatUnits(price)} ${Math.abs(Number(fee) - value * 0.001) < 10 ? 'maker' : 'taker'}`;
    });
    return text.length === 0 ? 'none' : text.join(', ');
  }

  private value(call: Parameters<FollowedExchange['answer']>[0]): unknown {
    const answer = this.exchange.answer(call, this.nowMs);
    if (answer.outcome !== 'value') throw new Error(`${call.kind}: ${JSON.stringify(answer)}`);
    return answer.value;
  }
}

function levelsOf(side: string): readonly BookLevel[] {
  return side
    .trim()
    .split(/\s+/)
    .filter((level) => level !== '')
    .map((level): BookLevel => {
      const [price = '', amount = ''] = level.split('x');
      return [decimalText(price), decimalText(amount)];
    });
}

const bookText = ({ bids, asks }: OrderBook): string => `${sideText(bids)} | ${sideText(asks)}`;

const sideText = (levels: readonly BookLevel[]): string =>
  levels.map(([price, amount]) => `${price}x${amount}`).join(' ');
