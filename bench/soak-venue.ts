import { type Candle, gridOf, TEHRAN_BARS, type Timeframe } from '../src/domain/candle.ts';
import { decimalText, ZERO, type DecimalText } from '../src/domain/decimal-text.ts';
import { createMarket, type Market } from '../src/domain/market.ts';
import { parseMarket } from '../src/exchange/market-names.ts';
import type { MarketStats, OrderBook } from '../src/domain/order-book.ts';
import { formatUnits, NO_UNITS, parseUnits, UNITS_PER_ONE, type Units } from '../src/domain/money.ts';
import type { VenueOrder, VenueOrderId } from '../src/domain/order.ts';
import { orderIdOf, tradeIdOf, transactionIdOf, walletIdOf } from '../src/venues/read-records.ts';
import type { PublicTrade, VenueTrade } from '../src/domain/trade.ts';
import type {
  AskedOrder,
  OrderRequest,
  VenueAnswer,
  VenueCall,
  VenueValues,
  WalletTransaction,
} from '../src/venues/port.ts';

const COINS =
  'btc eth ltc xrp bch bnb eos xlm etc trx doge uni dai link dot aave ada shib ftm mana sand avax near sol atom grt fil crv sushi comp';

/** The thirty markets of the soak. */
export const SOAK_MARKETS: readonly Market[] = COINS.split(' ').map((coin) =>
  createMarket({
    market: parseMarket(`${coin.toUpperCase()}USDT`),
    priceStep: '0.01',
    amountStep: '0.0001',
    minOrderValue: '1',
  }),
);

const LEVELS = 12;
const TICK = 0.01;
const SPREAD_SHARE = 0.0005;
const TAPE_LENGTH = 20;
const TAPE_EVERY_MS = 4_000;
const TRADES_PAGE = 500;
const LINES_PAGE = 50;
/**
 * Maximum number of own trades and ended orders in the lists, and of lines of a wallet. They are small, so
 * that all of it is replaced within an hour or two.
 */
const MOST_RETAINED = 500;
const MOST_LINES_KEPT = 10;
const FEE_PARTS = 2_000n;

const text = (value: number): DecimalText => decimalText(value.toFixed(2));

type Order = { -readonly [Field in keyof VenueOrder]: VenueOrder[Field] };

/**
 * A fake exchange whose prices are a function of time, so that it stores next to nothing: growth over a day
 * is the bot's. Orders fill whole when the price reaches theirs, and wallets and their histories show it.
 */
export class SoakVenue {
  fills = 0;
  placed = 0;
  private readonly open = new Map<VenueOrderId, Order>();
  private readonly ended: Order[] = [];
  private readonly trades: VenueTrade[] = [];
  private readonly totals = new Map<string, Units>();
  private readonly lines = new Map<string, WalletTransaction[]>();
  private readonly currencies: readonly string[];
  private lastId = 0;

  constructor() {
    this.totals.set('usdt', parseUnits('10000000'));
    for (const { base } of SOAK_MARKETS) this.totals.set(base, parseUnits('10000'));
    this.currencies = [...this.totals.keys()];
  }

  /** Answers a request at a time. Times never go back. */
  answer(call: VenueCall, nowMs: number): VenueAnswer {
    this.match(nowMs);
    const value = this.read(call, nowMs);
    if (value !== null) return { outcome: 'value', value };
    return {
      outcome: 'refused',
      code: 'NotFound',
      message: 'not found',
      effect: 'none',
      status: null,
      order: null,
    };
  }

  private read(call: VenueCall, nowMs: number): VenueValues[VenueCall['kind']] | null {
    switch (call.kind) {
      case 'place':
        return this.place(call.order, nowMs);
      case 'cancel':
        return this.cancel(call.venueId);
      case 'order':
        return this.find(call);
      case 'orders':
        return {
          items: [...this.open.values()].filter(({ id }) => Number(id) >= (call.from ?? 0)),
          hasNext: false,
        };
      case 'trades': {
        const from = this.trades.filter(({ id }) => Number(id) >= call.from);
        return { items: from.slice(0, TRADES_PAGE), hasNext: from.length > TRADES_PAGE };
      }
      case 'wallets':
        return this.currencies.map((currency, index) => ({
          currency,
          walletId: walletIdOf(index + 1),
          total: this.totals.get(currency) ?? NO_UNITS,
          held: NO_UNITS,
          tooFine: null,
        }));
      case 'transactions': {
        const lines = (this.lines.get(this.currencies[Number(call.walletId) - 1] ?? '') ?? []).toReversed();
        const from = (call.page - 1) * LINES_PAGE;
        return { items: lines.slice(from, from + LINES_PAGE), hasNext: lines.length > from + LINES_PAGE };
      }
      case 'book':
        return bookAt(call.market, nowMs);
      case 'books':
        return Object.fromEntries(SOAK_MARKETS.map(({ symbol }) => [symbol, bookAt(symbol, nowMs)]));
      case 'stats':
        return SOAK_MARKETS.map(({ symbol }) => statsAt(symbol, nowMs));
      case 'public-trades':
        return tapeAt(call.market, nowMs);
      case 'candles':
        return candlesAt(call.market, call.timeframe, {
          toMs: Math.min(call.toMs, nowMs),
          count: call.count,
        });
      case 'options':
        return SOAK_MARKETS.map(({ symbol, priceStep, amountStep, minOrderValue }) => ({
          symbol,
          priceStep: formatUnits(priceStep),
          amountStep: formatUnits(amountStep),
          minOrderValue: formatUnits(minOrderValue),
        }));
      case 'place-oco':
      case 'cancel-old':
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
      case 'transfer':
        return null;
    }
  }

  private place(
    { side, execution, amount, price, stopPrice, clientOrderId, base, quote }: OrderRequest,
    nowMs: number,
  ): Order {
    this.lastId += 1;
    this.placed += 1;
    const order: Order = {
      id: orderIdOf(this.lastId),
      side,
      execution,
      tradeKind: 'Spot',
      market: parseMarket(`${base}${quote}`.toUpperCase()),
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
      createdAtMs: nowMs,
      clientOrderId,
      pairId: null,
      tooFine: null,
    };
    this.open.set(orderIdOf(this.lastId), order);
    return { ...order };
  }

  private cancel(id: VenueOrderId | null): VenueValues['cancel'] | null {
    const order = id === null ? undefined : this.open.get(id);
    if (order === undefined) return null;
    this.end(order, 'Canceled');
    return { status: 'Canceled', order: { ...order } };
  }

  private find({ venueId, clientOrderId }: AskedOrder): VenueOrder | null {
    const all = [...this.open.values(), ...this.ended];
    const isAsked = ({ id, clientOrderId: name }: VenueOrder): boolean =>
      venueId === null ? name === clientOrderId : id === venueId;
    return all.find(isAsked) ?? null;
  }

  private end(order: Order, status: string): void {
    order.status = status;
    if (order.id !== null) this.open.delete(order.id);
    persist(this.ended, order);
  }

  private match(nowMs: number): void {
    for (const order of this.open.values()) {
      const price = Number(order.price) / Number(UNITS_PER_ONE);
      const middle = middleAt(order.market?.symbol ?? '', nowMs);
      if (order.side === 'buy' ? middle <= price : middle >= price) this.fill(order, nowMs);
    }
  }

  private fill(order: Order, nowMs: number): void {
    const { id, side, market, price, amount } = order;
    if (id === null || price === null || market === null) return;
    const total = ((amount * price) / UNITS_PER_ONE) as Units;
    const fee = (((side === 'buy' ? amount : total) * FEE_PARTS) / 1_000_000n) as Units;
    this.lastId += 1;
    this.fills += 1;
    order.matchedAmount = amount;
    order.unmatchedAmount = NO_UNITS;
    this.end(order, 'Done');
    persist(this.trades, {
      id: tradeIdOf(this.lastId),
      orderId: id,
      market,
      timeMs: nowMs,
      side,
      price,
      amount,
      total,
      fee,
      feeCurrency: null,
      tooFine: null,
    });
    this.move(market.base, side === 'buy' ? amount - fee : 0n - amount, nowMs);
    this.move(market.quote, side === 'buy' ? 0n - total : total - fee, nowMs);
  }

  private move(currency: string, units: bigint, atMs: number): void {
    this.lastId += 1;
    this.totals.set(currency, ((this.totals.get(currency) ?? NO_UNITS) + units) as Units);
    const lines = this.lines.get(currency) ?? [];
    this.lines.set(currency, lines);
    persist(
      lines,
      {
        id: transactionIdOf(this.lastId),
        currency,
        atMs,
        amount: units as Units,
        description: 'trade',
        tooFine: null,
      },
      MOST_LINES_KEPT,
    );
  }
}

function persist<Item>(all: Item[], item: Item, most = MOST_RETAINED): void {
  all.push(item);
  if (all.length > most) all.shift();
}

/** Middle price of a market: two waves and a ripple, which differ between markets. */
function middleAt(symbol: string, timeMs: number): number {
  const index = SOAK_MARKETS.findIndex((market) => market.symbol === symbol);
  const minutes = timeMs / 60_000;
  const wave = (minutesLong: number): number => Math.sin((2 * Math.PI * minutes) / minutesLong + index);
  return (
    (50 + 37 * index) * (1 + 0.02 * wave(400 + index) + 0.004 * wave(37 + index / 7) + 0.0005 * wave(1.7))
  );
}

function bookAt(symbol: string, nowMs: number): OrderBook {
  const middle = middleAt(symbol, nowMs);
  const gap = Math.max(2 * TICK, middle * SPREAD_SHARE);
  const amount = (level: number): DecimalText => text(1 + ((nowMs / 1_000 + level * 7) % 50) / 10);
  const side = (sign: 1 | -1): OrderBook['bids'] =>
    Array.from(
      { length: LEVELS },
      (_, level) => [text(middle + sign * gap * (level + 1)), amount(level)] as const,
    );
  return { bids: side(-1), asks: side(1), updatedAtMs: nowMs };
}

function statsAt(symbol: string, nowMs: number): MarketStats {
  const { bids, asks } = bookAt(symbol, nowMs);
  const latest = text(middleAt(symbol, nowMs));
  return {
    market: parseMarket(symbol),
    isClosed: false,
    closedReason: null,
    bestSell: asks[0]?.[0] ?? null,
    bestBuy: bids[0]?.[0] ?? null,
    baseVolume: text(nowMs % 1_000),
    quoteVolume: text(nowMs % 100_000),
    latest,
    mark: latest,
    dayLow: latest,
    dayHigh: latest,
    dayOpen: latest,
    dayClose: latest,
    dayChange: ZERO,
  };
}

/** Public trades, the newest first. */
function tapeAt(symbol: string, nowMs: number): readonly PublicTrade[] {
  const last = Math.floor(nowMs / TAPE_EVERY_MS);
  return Array.from({ length: TAPE_LENGTH }, (_, back) => {
    const timeMs = (last - back) * TAPE_EVERY_MS;
    const side = (last - back) % 3 === 0 ? 'sell' : 'buy';
    return { timeMs, price: text(middleAt(symbol, timeMs)), amount: text(1 + ((last - back) % 9)), side };
  });
}

function candlesAt(
  symbol: string,
  timeframe: Timeframe,
  { toMs, count }: { readonly toMs: number; readonly count: number },
): readonly Candle[] {
  const grid = gridOf(timeframe, TEHRAN_BARS);
  return Array.from({ length: count }, (_, index) => {
    const openTimeMs = grid.shifted(toMs - 1, index + 1 - count);
    const open = middleAt(symbol, openTimeMs);
    const close = middleAt(symbol, grid.endOf(openTimeMs));
    return {
      openTimeMs,
      open: text(open),
      high: text(Math.max(open, close)),
      low: text(Math.min(open, close)),
      close: text(close),
      volume: text(10 + (openTimeMs % 7)),
    };
  });
}
