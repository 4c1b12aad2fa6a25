import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { MarketName } from '../../../src/domain/market-symbol.ts';
import {
  addUnits,
  formatUnits,
  NO_UNITS,
  parseUnits,
  subtractUnits,
  UNITS_PER_ONE,
  type Units,
} from '../../../src/domain/money.ts';
import {
  type Execution,
  type Side,
  type VenueOrder,
  venueOrderId,
  venueTradeId,
  venueWalletId,
  walletTransactionId,
  type VenueOrderId,
  type VenueTradeId,
  type ListCursor,
} from '../../../src/domain/order.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import type { MarketStats, BookLevel, OrderBook } from '../../../src/domain/order-book.ts';
import type { PublicTrade, VenueTrade } from '../../../src/domain/trade.ts';
import { cursorOf, cursorOfOrder, LIST_START } from '../../../src/engine/own-list.ts';
import {
  isOpenStatus,
  type ListScope,
  type MarketRule,
  type OcoRequest,
  type OrderRequest,
  type Page,
  type StatusMeaning,
  type VenueProfile,
  type VenueCall,
  type VenueValues,
  type WalletTransaction,
} from '../../../src/venues/port.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { marketOfCurrencies } from '../../../src/exchange/market-names.ts';

/** Rows of one page of orders or trades; there are few, so that tests need several pages. */
const PAGE = 5;

/** Fee in millionths of what is received. */
const FEE = 2_000n;

/** Coin that may pay fees while its wallet has enough, and its price in tether. */
const FEE_COIN = 'bnb';
const FEE_COIN_PRICE = 100n;

/** Id as tests read it from records; an order without one is in no list. */
type SomeId = VenueOrderId | null | undefined;

type Changeable = { -readonly [Field in keyof VenueOrder]: VenueOrder[Field] };

/**
 * The state of an exchange as a test sets it: orders are placed, trade and end only when the test says so, and
 * wallets have a history. All markets have the same book. It answers reads, and knows no rate limits and no
 * time but the one that a test sets.
 */
export class ScriptedVenue {
  nowMs = 0;
  /** Its rules, and its own words for statuses and refusals. */
  readonly profile: VenueProfile;
  readonly orders: Changeable[] = [];
  readonly trades: VenueTrade[] = [];
  readonly lines: WalletTransaction[] = [];
  readonly candles: Candle[] = [];
  readonly tape: PublicTrade[] = [];
  rules: readonly MarketRule[] = [];
  /** Best prices of its book; null where a side is empty. */
  book: { bid: string | null; ask: string | null } = { bid: '99', ask: '101' };
  /** Time of the last change of the book, in ms; null: it changes with each reading. */
  bookAtMs: number | null = null;
  /** Answers to requests for all books, by market, and for statistics. */
  allBooks: Readonly<Record<string, OrderBook>> = {};
  stats: readonly MarketStats[] = [];
  /** Ids of orders and trades that lists do not show yet. */
  readonly hidden = new Set<SomeId | VenueTradeId>();
  /** Market whose own lists are refused, as of one that is no longer listed; null while all are answered. */
  refusesListsOf: string | null = null;
  /** Amounts that wallets report as held, by currency. */
  readonly held = new Map<string, Units>();
  private readonly totals = new Map<string, bigint>([
    ['usdt', parseUnits('100000')],
    ['btc', parseUnits('10')],
  ]);
  /** The last number that was given, by market where the profile has lists of each. */
  private readonly lastIds = new Map<string, number>();

  /** `feeCoins`: amount of the fee coin in its wallet; null for an exchange whose fees are never in it. */
  constructor(profile: VenueProfile = INTERFACE_PROFILE, feeCoins: string | null = null) {
    this.profile = profile;
    if (feeCoins !== null) this.totals.set(FEE_COIN, parseUnits(feeCoins));
  }

  /** Returns the exchange's own word for a status. */
  word(meaning: StatusMeaning): string {
    return this.profile.statuses[meaning][0] ?? meaning;
  }

  /** Registers an order that was requested, and returns it. */
  place(order: OrderRequest, status = this.word('working')): VenueOrder {
    const { base, quote, side, execution, amount, price, stopPrice, clientOrderId } = order;
    return this.add({
      market: marketOfCurrencies(base, quote),
      side,
      execution,
      amount,
      price,
      stopPrice,
      clientOrderId,
      status,
    });
  }

  placePair(pair: OcoRequest): readonly [VenueOrder, VenueOrder] {
    const { base, quote, side, amount, price, stopPrice, stopLimitPrice, clientOrderId } = pair;
    const market = marketOfCurrencies(base, quote);
    const first = this.add({
      market,
      side,
      execution: 'limit',
      amount,
      price,
      stopPrice: null,
      clientOrderId,
      status: this.word('working'),
    });
    const stop = { market, side, amount, price: stopLimitPrice, stopPrice, clientOrderId: null } as const;
    const second = this.add({ ...stop, execution: 'stop_limit', status: this.word('waiting') });
    first.pairId = second.id;
    second.pairId = first.id;
    return [{ ...first }, { ...second }];
  }

  /** Registers an order that somebody placed outside of the bot. */
  placeByHand(
    side: Side,
    amount: string,
    price: string,
    clientOrderId: string | null = null,
    coin: 'btc' | 'eth' = 'btc',
  ): VenueOrder {
    return this.add({
      market: marketOfCurrencies(coin, 'usdt'),
      side,
      execution: 'limit',
      amount: parseUnits(amount),
      price: parseUnits(price),
      stopPrice: null,
      clientOrderId,
      status: this.word('working'),
    });
  }

  /** Trades `amount` of an order, or what is left, at `price`, or at its own. The other leg ends. */
  fill(id: SomeId, amount?: string, price?: string): VenueTrade {
    const order = this.orderOf(id);
    const left = subtractUnits(order.amount, order.matchedAmount);
    const units = amount === undefined ? left : parseUnits(amount);
    const at = price === undefined ? (order.price ?? parseUnits('100')) : parseUnits(price);
    const total = ((units * at) / UNITS_PER_ONE) as Units;
    const ownFee = (((order.side === 'buy' ? units : total) * FEE) / 1_000_000n) as Units;
    const inCoins = ((total * FEE) / 1_000_000n / FEE_COIN_PRICE) as Units;
    const isInCoins = (this.totals.get(FEE_COIN) ?? -1n) >= inCoins;
    order.matchedAmount = addUnits(order.matchedAmount, units);
    order.unmatchedAmount = subtractUnits(left, units);
    if (units === left) order.status = this.word('filled');
    if (order.pairId !== null) this.orderOf(order.pairId).status = this.word('canceled');
    const { side, market } = order;
    const trade: VenueTrade = {
      id: venueTradeId(this.nextVenueId(market)),
      orderId: order.id,
      market,
      timeMs: this.nowMs,
      side,
      price: at,
      amount: units,
      total,
      fee: isInCoins ? inCoins : ownFee,
      feeCurrency: isInCoins ? FEE_COIN : null,
      tooFine: null,
    };
    this.trades.push(trade);
    if (market === null) throw new Error(`expected a market for the order ${id}`);
    const fromReceived = isInCoins ? 0n : ownFee;
    this.move(market.base, side === 'buy' ? units - fromReceived : 0n - units, 'trade');
    this.move(market.quote, side === 'buy' ? 0n - total : total - fromReceived, 'trade');
    if (isInCoins) this.move(FEE_COIN, 0n - inCoins, 'trade');
    return trade;
  }

  end(id: SomeId, status = this.word('canceled')): VenueOrder {
    const order = this.orderOf(id);
    order.status = status;
    if (order.pairId !== null) this.orderOf(order.pairId).status = status;
    return { ...order };
  }

  /** Deposits an amount, or withdraws it where it is negative. */
  deposit(currency: string, amount: string): void {
    this.move(currency, parseUnits(amount), 'deposit');
  }

  /** Changes a balance without a line in the history that explains it. */
  steal(currency: string, amount: string): void {
    this.totals.set(currency, (this.totals.get(currency) ?? 0n) - parseUnits(amount));
  }

  totalOf(currency: string): string {
    return formatUnits(this.totals.get(currency) ?? 0n);
  }

  open(): readonly VenueOrder[] {
    return this.orders.filter(({ status }) => status !== null && isOpenStatus(this.profile, status));
  }

  orderOf(id: SomeId): Changeable {
    const order = this.orders.find((other) => other.id === id);
    if (order === undefined) throw new Error(`the venue has no order ${id}`);
    return order;
  }

  /** Returns the answer to a read; undefined for an unknown order, or if only a test can answer the call. */
  read(call: VenueCall): VenueValues[VenueCall['kind']] | undefined {
    const isOwnList = call.kind === 'orders' || call.kind === 'trades';
    if (isOwnList && call.market !== null && call.market === this.refusesListsOf) return undefined;
    switch (call.kind) {
      case 'orders': {
        const { scope, openScope } = this.profile.ownLists.orders;
        const isAll = call.status === 'all';
        const listed = this.listed(call.market, isAll ? scope : openScope, isAll ? this.orders : this.open());
        // Numbers of several markets are no places in one list, which is then a single page.
        if (scope === 'market' && call.market === null) return { items: listed, hasNext: false };
        return page(listed, call.from ?? LIST_START, (order) => cursorOfOrder(this.profile, order));
      }
      case 'trades':
        return page(
          this.listed(call.market, this.profile.ownLists.trades.scope, this.trades),
          call.from,
          (trade) => cursorOf(this.profile.ownLists.trades, trade),
        );
      case 'wallets':
        return [...this.totals].map(([currency, units], index) => ({
          currency,
          walletId: venueWalletId(String(index + 1)),
          total: units as Units,
          held: this.held.get(currency) ?? NO_UNITS,
          tooFine: null,
        }));
      case 'transactions': {
        const currency = [...this.totals.keys()][Number(call.walletId) - 1];
        const lines = this.lines.filter((line) => line.currency === currency).toReversed();
        const from = (call.page - 1) * PAGE;
        return { items: lines.slice(from, from + PAGE), hasNext: lines.length > from + PAGE };
      }
      case 'book':
        return {
          bids: levelsAt(this.book.bid),
          asks: levelsAt(this.book.ask),
          updatedAtMs: this.bookAtMs ?? this.nowMs,
        };
      case 'candles':
        return this.candles
          .filter(({ openTimeMs }) => openTimeMs < call.toMs)
          .slice(-Math.min(call.count, this.profile.pageSizes.candles));
      case 'public-trades':
        return [...this.tape];
      case 'books':
        return this.allBooks;
      case 'stats':
        return this.stats;
      case 'options':
        return this.rules;
      case 'order': {
        if (call.venueId === null && !this.profile.clientOrderId.canBeQueried)
          throw new Error('this exchange finds no order by its client order id');
        const isPerMarket = this.profile.ownLists.orders.scope === 'market';
        const found = this.orders.find(({ id, market, clientOrderId, status }) =>
          isPerMarket && market?.symbol !== call.market
            ? false
            : call.venueId === null
              ? clientOrderId === call.clientOrderId && isOpenStatus(this.profile, status ?? '')
              : id === call.venueId,
        );
        return found === undefined || this.hidden.has(found.id) ? undefined : { ...found };
      }
      case 'place':
      case 'place-oco':
      case 'cancel':
      case 'cancel-old':
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
      case 'transfer':
        return undefined;
    }
  }

  /** Returns what a list shows; throws if it is asked for in another way than the profile says. */
  private listed<Item extends Pick<VenueTrade, 'market'> & { readonly id: SomeId | VenueTradeId }>(
    market: string | null,
    scope: ListScope,
    items: readonly Item[],
  ): readonly Item[] {
    if ((market === null) !== (scope === 'venue'))
      throw new Error(`expected a list of one ${scope}, was ${market ?? 'one of the venue'}`);
    return items.filter(
      (item) => (market === null || item.market?.symbol === market) && !this.hidden.has(item.id),
    );
  }

  private add(order: {
    readonly market: MarketName;
    readonly side: Side;
    readonly execution: Execution;
    readonly amount: VenueOrder['amount'];
    readonly price: VenueOrder['price'];
    readonly stopPrice: VenueOrder['stopPrice'];
    readonly clientOrderId: string | null;
    readonly status: string;
  }): Changeable {
    const added: Changeable = {
      ...order,
      id: venueOrderId(this.nextVenueId(order.market)),
      tradeKind: 'Spot',
      matchedAmount: NO_UNITS,
      unmatchedAmount: order.amount,
      total: null,
      orderTotal: null,
      fee: null,
      averagePrice: null,
      partial: null,
      createdAtMs: this.nowMs,
      pairId: null,
      tooFine: null,
    };
    this.orders.push(added);
    return added;
  }

  private move(currency: string, units: bigint, description: string): void {
    this.totals.set(currency, (this.totals.get(currency) ?? 0n) + units);
    this.lines.push({
      id: walletTransactionId(this.nextVenueId(null)),
      currency,
      atMs: this.nowMs,
      amount: units as Units,
      description,
      tooFine: null,
    });
  }

  /**
   * Returns the next of one count for all kinds of ids, so that no test relies on two kinds having equal ids.
   * Markets with lists of their own count by themselves, from the same number on.
   */
  private nextId(market: string): number {
    const id = (this.lastIds.get(market) ?? 100) + 1;
    this.lastIds.set(market, id);
    return id;
  }

  /** Returns rising numbers if lists go by id, behind their market if each has lists; else hex texts that do not show their order. */
  private nextVenueId(market: MarketName | null): string {
    const { by, scope } = this.profile.ownLists.orders;
    if (scope === 'market' && market !== null) return `${market.symbol}:${this.nextId(market.symbol)}`;
    const count = this.nextId('');
    if (by === 'id') return String(count);
    return ((count * SCRAMBLE) % 2 ** 32).toString(16).padStart(8, '0');
  }
}

const levelsAt = (price: string | null): readonly BookLevel[] =>
  price === null ? [] : [[decimalText(price), decimalText('5')]];

/** Factor of scrambled ids; it is odd, so that no two counts below 2^32 give the same id. */
const SCRAMBLE = 2_654_435_761;

function page<Item>(
  all: readonly Item[],
  from: ListCursor,
  cursorIn: (item: Item) => ListCursor | null,
): Page<Item> {
  const items = all
    .map((item) => ({ item, cursor: cursorIn(item) ?? Number.NaN }))
    .filter(({ cursor }) => cursor >= from)
    .toSorted((left, right) => left.cursor - right.cursor)
    .map(({ item }) => ({ ...item }));
  return { items: items.slice(0, PAGE), hasNext: items.length > PAGE };
}
