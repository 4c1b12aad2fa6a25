import { decimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { formatAmount, formatPrice, type Market } from '../domain/market.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Side, VenueOrder } from '../domain/order.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { EndpointResult } from '../exchange/reply-decoder.ts';
import type { ClientOrderIds } from '../execution/client-order-id.ts';
import { changesFor, type FittedQuote } from '../execution/desired-quotes.ts';
import { fitOrder } from '../execution/fit-order.ts';
import type { OwnOrder } from '../execution/own-order.ts';
import type { OwnOrders } from '../execution/own-orders.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { Intent } from '../strategy/intents.ts';
import type { BotListener } from './bot-listener.ts';
import type { Clock } from './clock.ts';
import type { RateGate } from './rate-gate.ts';

/** How long an order of ours keeps an identical one back: the exchange's own ten seconds and a bit for the clocks. */
const IDENTICAL_HELD_BACK_MS = 10_500;

export interface OrderDeskOptions {
  readonly client: ExchangeClient;
  readonly gate: RateGate;
  readonly clock: Clock;
  readonly mirror: Mirror;
  readonly orders: OwnOrders;
  readonly ids: ClientOrderIds;
  readonly markets: ReadonlyMap<string, Market>;
  readonly listener: BotListener;
  /** Told what became of an order, for its strategy; `code` where the exchange refused it. */
  readonly onOrder: (order: OwnOrder, code: string | null) => void;
}

/** A wish on the market's grid. */
interface FittedOrder extends FittedQuote {
  readonly execution: 'limit' | 'market';
}

/**
 * Turns intents into orders. Every order is in the mirror before its request leaves; it carries a clientOrderId, is sent once and never again, and
 * when its reply is lost it counts as live until the lists say otherwise.
 */
export class OrderDesk {
  private readonly options: OrderDeskOptions;
  private readonly lastPlacedMs = new Map<string, number>();

  constructor(options: OrderDeskOptions) {
    this.options = options;
  }

  /** Does what a strategy wants. `book` prices its market orders. */
  async carryOut(strategy: string, intent: Intent, book: OrderBook | null): Promise<void> {
    if (intent.kind === 'cancel') {
      const order = this.options.orders.findByClientId(intent.clientOrderId);
      if (order?.strategy === strategy) await this.cancel(order);
      else this.notice(`${strategy}: no order ${intent.clientOrderId} of its own to cancel`);
      return;
    }
    if (intent.kind !== 'place' && intent.kind !== 'quotes') {
      this.notice(`${strategy}: ${intent.kind} is not carried out yet`);
      return;
    }
    const market = this.options.markets.get(intent.market);
    if (market === undefined) {
      this.notice(`${strategy}: expected one of ${[...this.options.markets.keys()].join(', ')}, was ${intent.market}`);
      return;
    }
    if (intent.kind === 'quotes') {
      await this.quote(strategy, market, intent.quotes);
      return;
    }
    const execution = intent.price === undefined ? 'market' : 'limit';
    const price = intent.price ?? bestOf(book, intent.side);
    if (price === null) {
      this.notice(`${strategy}: no book yet to price a market order by`);
      return;
    }
    const fitted = fitOrder(market, { amount: intent.amount, price });
    if (!fitted.ok) {
      this.notice(`${strategy}: ${intent.side} ${market.symbol} refused: ${fitted.reason}`);
      return;
    }
    const wish = { side: intent.side, execution, price: fitted.price, amount: fitted.amount } as const;
    const why = this.isHeldBack(market, wish)
      ? `an identical order was sent less than ${IDENTICAL_HELD_BACK_MS / 1_000} s ago`
      : (await this.place(strategy, market, wish))
        ? null
        : 'the limit on placements is used up';
    if (why !== null) this.notice(`${strategy}: ${intent.side} ${market.symbol} not sent: ${why}`);
  }

  /** Asks for the end of an order. Whether it ended is read from the reply, or else from the lists. */
  async cancel(order: OwnOrder): Promise<void> {
    const { client, gate } = this.options;
    const { venueId } = order;
    if (order.stage !== 'open' || order.isCancelling || venueId === null) return;
    order.isCancelling = true;
    try {
      const request = { order: venueId, status: 'canceled' } as const;
      const gated = await gate.tryTo('updateOrderStatus', 'cancel', () => client.updateOrderStatus(request));
      if (!gated.sent) {
        order.isCancelling = false;
        return;
      }
      const result = gated.value;
      if (result.ok) this.take(order, result.value.order);
      else {
        // Not applied: it closed in the meantime, which the orders list will show.
        order.isCancelling = false;
        this.take(order, result.order ?? null);
      }
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      order.isCancelling = false;
      this.notice(`cancel of ${order.clientOrderId}: ${error.message}`);
    }
  }

  /** Takes in a record of an order, from whichever reply. */
  take(order: OwnOrder, record: VenueOrder | null): void {
    const before = `${order.stage} ${order.status}`;
    if (record === null || !this.options.orders.onRecord(order, record)) return;
    this.changed(order, null);
    if (before !== `${order.stage} ${order.status}`) this.options.listener.onOrder(order, this.options.clock.now());
  }

  /** The exchange says, or time has shown, that an order never was. */
  refuse(order: OwnOrder, code: string): void {
    this.options.orders.onRefused(order, code);
    this.changed(order, code);
    this.options.listener.onOrder(order, this.options.clock.now());
  }

  private async quote(
    strategy: string,
    market: Market,
    wanted: Extract<Intent, { kind: 'quotes' }>['quotes'],
  ): Promise<void> {
    const fitted: FittedQuote[] = [];
    for (const { side, price, amount } of wanted) {
      const quote = fitOrder(market, { price, amount });
      if (quote.ok) fitted.push({ side, price: quote.price, amount: quote.amount });
      else this.notice(`${strategy}: ${side} quote refused: ${quote.reason}`);
    }
    const resting = this.options.orders
      .unfinished()
      .filter((order) => order.strategy === strategy && order.market === market.symbol);
    const changes = changesFor(resting, fitted);
    for (const order of changes.cancel) await this.cancel(order);
    // What was canceled just now has left room on its side.
    for (const quote of changesFor(resting, fitted).place) {
      if (!this.isHeldBack(market, quote)) await this.place(strategy, market, quote);
    }
  }

  /** Sends an order, if the limits let it. What waits would be priced by an old book, so it does not wait. */
  private async place(strategy: string, market: Market, wish: FittedOrder | FittedQuote): Promise<boolean> {
    const { client, clock, gate, ids, orders } = this.options;
    const send = async (): Promise<void> => {
      const order: OwnOrder = {
        clientOrderId: ids.next(strategy),
        strategy,
        market: market.symbol,
        execution: 'limit',
        ...wish,
        plannedAtMs: clock.now(),
        stage: 'sending',
        venueId: null,
        status: null,
        matched: 0 as OwnOrder['matched'],
        filled: 0 as OwnOrder['filled'],
        isCancelling: false,
      };
      this.lastPlacedMs.set(identityOf(market, wish), clock.now());
      orders.add(order);
      this.save(order);
      this.options.mirror.flush();
      await this.sendOrder(order, market, client);
    };
    return (await gate.tryTo('addOrder', 'trade', send)).sent;
  }

  private async sendOrder(order: OwnOrder, market: Market, client: ExchangeClient): Promise<void> {
    let result: EndpointResult<'addOrder'>;
    try {
      result = await client.addOrder({
        type: order.side,
        execution: order.execution,
        srcCurrency: market.src,
        dstCurrency: market.dst,
        amount: formatAmount(market, order.amount),
        price: formatPrice(market, order.price),
        clientOrderId: order.clientOrderId,
      });
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      this.notice(`${order.clientOrderId}: ${error.message}`);
      if (error.outcome === 'none') this.refuse(order, error.code);
      return;
    }
    if (result.ok) this.take(order, result.value.order);
    else if (result.outcome === 'none') this.refuse(order, result.code);
    else this.notice(`${order.clientOrderId}: ${result.code}, so it may or may not be there`);
  }

  /** Identical orders shortly after one another look like a repetition to the exchange, and may be one. */
  private isHeldBack(market: Market, wish: FittedOrder | FittedQuote): boolean {
    const nowMs = this.options.clock.now();
    for (const [known, placedMs] of this.lastPlacedMs) {
      if (nowMs - placedMs < IDENTICAL_HELD_BACK_MS) break;
      this.lastPlacedMs.delete(known);
    }
    return this.lastPlacedMs.has(identityOf(market, wish));
  }

  private changed(order: OwnOrder, code: string | null): void {
    this.save(order);
    this.options.onOrder(order, code);
  }

  /** Writes an order to the mirror as it now is. */
  save(order: OwnOrder): void {
    const { markets, mirror, clock } = this.options;
    const market = markets.get(order.market);
    if (market === undefined) return;
    mirror.write(() => {
      mirror.orders.save(
        {
          clientOrderId: order.clientOrderId,
          venueId: order.venueId,
          strategy: order.strategy,
          market: order.market,
          side: order.side,
          execution: order.execution,
          price: formatPrice(market, order.price),
          amount: formatAmount(market, order.amount),
          matched: formatAmount(market, order.matched),
          stage: order.stage,
          status: order.status,
          plannedAtMs: order.plannedAtMs,
        },
        clock.now(),
      );
    });
  }

  private notice(message: string): void {
    this.options.listener.onNotice(message, this.options.clock.now());
  }
}

/** What makes two of our orders identical to the exchange. */
function identityOf(market: Market, wish: FittedOrder | FittedQuote): string {
  const execution = 'execution' in wish ? wish.execution : 'limit';
  return `${market.symbol} ${wish.side} ${execution} ${wish.price} ${wish.amount}`;
}

/** The price that a market order of this side meets first. */
function bestOf(book: OrderBook | null, side: Side): string | null {
  const level = side === 'buy' ? book?.asks[0] : book?.bids[0];
  return level === undefined ? null : decimalText(level[0]);
}
