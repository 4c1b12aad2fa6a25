import { decimalText, type DecimalText } from '../src/domain/decimal-text.ts';
import type { Market } from '../src/domain/market.ts';
import { NO_UNITS, parseUnits } from '../src/domain/money.ts';
import type { OrderBook } from '../src/domain/order-book.ts';
import type { VenueOrder, VenueOrderId } from '../src/domain/order.ts';
import { orderIdOf, walletIdOf } from '../src/venues/read-records.ts';
import type { OrderRequest, VenueAnswer, VenueCall, VenueValues } from '../src/venues/port.ts';

const LEVELS = 24;
const BOOKS = 16;
const MIDDLE = 60_000;

const priceText = (cents: number): DecimalText => decimalText((cents / 100).toFixed(2));

/**
 * Books of one market whose amounts change with each book; with every `moveEvery`th book the prices go up or
 * down by one.
 */
function createBooks(moveEvery: number): readonly OrderBook[] {
  return Array.from({ length: 2 * BOOKS }, (_, number) => {
    const middle = MIDDLE * 100 + (Math.floor(number / moveEvery) % 2) * 100;
    const level = (away: number) =>
      [
        priceText(middle + away),
        decimalText((0.1 + (((number * 7 + away * 3) % 50) + 50) / 1_000).toFixed(3)),
      ] as const;
    return {
      bids: Array.from({ length: LEVELS }, (_, place) => level(-10 * (place + 1))),
      asks: Array.from({ length: LEVELS }, (_, place) => level(10 * (place + 1))),
      updatedAtMs: null,
    };
  });
}

/**
 * A fake exchange that costs next to nothing: one market, orders that rest until they are canceled and never
 * trade, and immediate answers. So a measurement with it is of the bot.
 */
export class QuietVenue {
  readonly books: readonly OrderBook[];
  /** Number of answered requests, without those that place or cancel. */
  polls = 0;
  placed = 0;
  private readonly market: Market;
  private readonly open = new Map<VenueOrderId, VenueOrder>();
  private lastId = 0;
  private booksRead = 0;

  constructor(market: Market, moveEvery: number) {
    this.market = market;
    this.books = createBooks(moveEvery);
  }

  get openOrders(): number {
    return this.open.size;
  }

  answer(call: VenueCall): VenueAnswer {
    if (call.kind === 'place') return { outcome: 'value', value: this.place(call.order) };
    if (call.kind === 'cancel') return { outcome: 'value', value: this.cancel(call.venueId) };
    this.polls += 1;
    const value = this.read(call);
    return value === null
      ? {
          outcome: 'refused',
          code: 'NotFound',
          message: 'not found',
          effect: 'none',
          status: null,
          order: null,
        }
      : { outcome: 'value', value };
  }

  private read(call: VenueCall): VenueValues[VenueCall['kind']] | null {
    switch (call.kind) {
      case 'book':
        this.booksRead += 1;
        return this.books[this.booksRead % this.books.length] ?? null;
      case 'orders':
        return { items: [...this.open.values()], hasNext: false };
      case 'trades':
      case 'transactions':
        return { items: [], hasNext: false };
      case 'wallets':
        return [
          {
            currency: this.market.base,
            walletId: walletIdOf(1),
            total: parseUnits('10'),
            held: NO_UNITS,
            tooFine: null,
          },
          {
            currency: this.market.quote,
            walletId: walletIdOf(2),
            total: parseUnits('1000000'),
            held: NO_UNITS,
            tooFine: null,
          },
        ];
      case 'options':
        return [];
      case 'order':
        return call.venueId === null ? null : (this.open.get(call.venueId) ?? null);
      case 'place':
      case 'place-oco':
      case 'cancel':
      case 'cancel-old':
      case 'books':
      case 'stats':
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
      case 'transfer':
      case 'public-trades':
      case 'candles':
        return null;
    }
  }

  private place({ side, execution, amount, price, stopPrice, clientOrderId }: OrderRequest): VenueOrder {
    this.lastId += 1;
    this.placed += 1;
    const order: VenueOrder = {
      id: orderIdOf(this.lastId),
      side,
      execution,
      tradeKind: 'Spot',
      market: this.market,
      price,
      stopPrice,
      amount,
      matchedAmount: NO_UNITS,
      unmatchedAmount: amount,
      total: NO_UNITS,
      orderTotal: null,
      fee: NO_UNITS,
      averagePrice: null,
      status: 'Active',
      partial: false,
      createdAtMs: null,
      clientOrderId,
      pairId: null,
      tooFine: null,
    };
    this.open.set(orderIdOf(this.lastId), order);
    return order;
  }

  private cancel(id: VenueOrderId | null): VenueValues['cancel'] {
    const order = id === null ? undefined : this.open.get(id);
    if (id !== null) this.open.delete(id);
    return { status: 'Canceled', order: order === undefined ? null : { ...order, status: 'Canceled' } };
  }
}
