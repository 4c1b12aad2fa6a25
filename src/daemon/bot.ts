import type { DecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { parseAmount, type Market } from '../domain/market.ts';
import { formatUnits, parseUnits, unitsOf } from '../domain/money.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import { ClientOrderIds } from '../execution/client-order-id.ts';
import type { OwnFill, OwnOrder } from '../execution/own-order.ts';
import { OwnOrders } from '../execution/own-orders.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { StrategyAccount } from '../portfolio/strategy-account.ts';
import { PollPlan, type Poll } from '../scheduler/poll-plan.ts';
import type { Intent } from '../strategy/intents.ts';
import type { StrategyRunner } from '../strategy/runner.ts';
import type { StrategyEvent } from '../strategy/strategy-event.ts';
import type { Subscription } from '../strategy/subscriptions.ts';
import type { BotListener } from './bot-listener.ts';
import { CandleFeed } from './candle-feed.ts';
import type { Clock } from './clock.ts';
import { OrderDesk } from './order-desk.ts';
import { OrderWatch } from './order-watch.ts';
import type { RateGate } from './rate-gate.ts';
import { OwnFills } from './own-fills.ts';
import { viewOf, type Seat } from './seat.ts';
import { TradeReader } from './trade-reader.ts';

export interface BotOptions {
  readonly client: ExchangeClient;
  readonly clock: Clock;
  readonly gate: RateGate;
  readonly mirror: Mirror;
  readonly listener: BotListener;
  readonly markets: ReadonlyMap<string, Market>;
  readonly runners: readonly StrategyRunner[];
  /** Stretches the time between polls: where the market's data is a bar an hour, looking every second sees nothing more. 1 by default. */
  readonly pollStretch?: number;
  /** Marks this run in every clientOrderId. */
  readonly run: string;
}

type PollKind = 'stats' | 'orders' | 'trades' | 'wallets' | `book ${string}` | `candles ${string}`;

/** Wanted time between two polls; each leaves room in its budget for cancels and look-ups. */
const INTERVALS_MS = { book: 1_500, stats: 5_000, orders: 3_000, trades: 2_500, wallets: 7_000 } as const;

/** Intents that may wait for their turn; more are dropped with a notice, the oldest stay. */
const MAX_PENDING_INTENTS = 1_000;

/** Stopping gives up when no order has ended for this long: longer than it takes to know that an order whose reply is missing never arrived. */
const STOP_PATIENCE_MS = 180_000;

/** After this long it says what it waits for. */
const STOP_QUIET_MS = 5_000;

/**
 * The bot's loop: one request at a time, the most overdue poll first. What it learns goes to the mirror and to the strategies, and what they want
 * to the order desk. What became of an order is read from the exchange, never assumed.
 */
export class Bot {
  readonly seats: readonly Seat[];
  readonly orders: OwnOrders;
  private readonly options: BotOptions;
  private readonly desk: OrderDesk;
  private readonly watch: OrderWatch;
  private readonly fills: OwnFills;
  private readonly feeds: ReadonlyMap<string, CandleFeed>;
  private readonly books = new Map<string, OrderBook>();
  private readonly pending: { readonly seat: Seat; readonly intent: Intent }[] = [];
  private plan = new PollPlan<PollKind>([], 0);
  private free: Record<string, DecimalText> = {};
  private isStopping = false;

  constructor(options: BotOptions) {
    const { client, clock, gate, markets, run } = options;
    this.options = options;
    this.orders = new OwnOrders(markets);
    const ids = new ClientOrderIds({ instance: 'bot', run });
    this.desk = new OrderDesk({
      ...options,
      orders: this.orders,
      ids,
      onOrder: (order, code) => this.tellOrder(order, code),
    });
    this.watch = new OrderWatch({ client, clock, gate, orders: this.orders, desk: this.desk });
    this.fills = new OwnFills({
      reader: new TradeReader({ client, gate }),
      orders: this.orders,
      onFill: (fill) => this.takeFill(fill),
    });
    this.seats = options.runners.map((runner) => ({
      runner,
      market: this.marketNamed(runner.market),
      account: new StrategyAccount(),
    }));
    this.feeds = new Map(
      options.runners
        .flatMap(({ subscriptions }) => subscriptions)
        .flatMap((wanted) => {
          if (wanted.kind !== 'candles') return [];
          const feed = new CandleFeed(this.marketNamed(wanted.market), wanted.span, options);
          return [[`candles ${wanted.market} ${wanted.span}`, feed] as const];
        }),
    );
  }

  /** Reads where things stand, fills the indicators with the past, and makes the plan of polls. */
  async start(): Promise<void> {
    await this.lookAtWallets();
    for (const feed of this.feeds.values()) await this.warmUp(feed);
    const nowMs = this.options.clock.now();
    const books = [...new Set(this.seats.map(({ market }) => market.symbol))];
    const stretch = Math.max(1, this.options.pollStretch ?? 1);
    const polls: Poll<PollKind>[] = [
      ...books.map((symbol): Poll<PollKind> => ({
        kind: `book ${symbol}`,
        intervalMs: INTERVALS_MS.book * stretch * books.length,
      })),
      { kind: 'stats', intervalMs: INTERVALS_MS.stats * stretch * books.length },
      { kind: 'orders', intervalMs: INTERVALS_MS.orders * stretch },
      { kind: 'trades', intervalMs: INTERVALS_MS.trades * stretch },
      { kind: 'wallets', intervalMs: INTERVALS_MS.wallets * stretch },
      ...[...this.feeds.keys()].map((kind) => ({ kind: kind as PollKind, intervalMs: 0 })),
    ];
    this.plan = new PollPlan(polls, nowMs);
    for (const [kind, feed] of this.feeds) this.plan.defer(kind as PollKind, feed.nextMs(nowMs));
  }

  /** Waits for the next poll, does it, and carries out what the strategies then want. To be called again and again. */
  async step(signal?: AbortSignal): Promise<void> {
    const { clock } = this.options;
    const next = this.plan.next();
    if (next === undefined) return;
    await clock.sleepUntil(next.dueMs, signal);
    if (signal?.aborted === true) return;
    await this.attempt(next.kind, () => this.poll(next.kind));
    const feed = this.feeds.get(next.kind);
    if (feed === undefined) this.plan.done(next.kind, clock.now());
    else this.plan.defer(next.kind, feed.nextMs(clock.now()));
    await this.carryOutPending();
  }

  /**
   * Takes no more intents, cancels what is open, and reads until every order has ended, whatever goes wrong meanwhile. Answers how many have not:
   * zero, if the exchange answers.
   */
  async stop(): Promise<number> {
    const { clock, mirror, listener } = this.options;
    this.isStopping = true;
    this.pending.length = 0;
    let left = this.orders.unfinished().length;
    let progressMs = clock.now();
    let isQuiet = true;
    while (left > 0 && clock.now() - progressMs < STOP_PATIENCE_MS) {
      for (const order of this.orders.unfinished()) await this.desk.cancel(order);
      await this.attempt('orders', () => this.watch.look());
      await this.attempt('trades', () => this.fills.look());
      const rest = this.orders.unfinished().length;
      if (rest < left) progressMs = clock.now();
      left = rest;
      if (left === 0) break;
      if (isQuiet && clock.now() - progressMs >= STOP_QUIET_MS) {
        isQuiet = false;
        listener.onNotice(`waiting for the exchange to say what became of ${left} orders`, clock.now());
      }
      await clock.sleepUntil(clock.now() + 1_000);
    }
    await this.attempt('wallets', () => this.lookAtWallets());
    mirror.flush();
    return left;
  }

  /** The price in the middle of a market's last seen book, in units; null before the first. */
  middleOf(symbol: string): bigint | null {
    const book = this.books.get(symbol);
    const bid = book?.bids[0];
    const ask = book?.asks[0];
    return bid === undefined || ask === undefined ? null : (unitsOf(bid[0]) + unitsOf(ask[0])) / 2n;
  }

  /** Asks the exchange for something. That there is no answer is told and no more: it will be asked again. */
  private async attempt(what: string, ask: () => Promise<void>): Promise<void> {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof SarrafError) || error.code === 'INVARIANT') throw error;
      this.options.listener.onNotice(`${what}: ${error.message}`, this.options.clock.now());
    }
  }

  private async poll(kind: PollKind): Promise<void> {
    if (kind === 'stats') await this.lookAtStats();
    else if (kind === 'orders') await this.watch.look();
    else if (kind === 'trades') await this.fills.look();
    else if (kind === 'wallets') await this.lookAtWallets();
    else if (kind.startsWith('book ')) await this.lookAtBook(kind.slice(5));
    else await this.lookAtCandles(kind);
  }

  private async lookAtBook(symbol: string): Promise<void> {
    const { client, gate, mirror, clock } = this.options;
    const gated = await gate.tryTo('orderBook', 'poll', () => client.orderBook({ symbol }));
    if (!gated.sent || !gated.value.ok) return;
    const seen = gated.value.value;
    this.books.set(symbol, seen);
    mirror.write(() => mirror.market.saveBook(symbol, seen, clock.now()));
    this.tellSubscribers(
      { kind: 'book', market: symbol, book: seen, seenAtMs: clock.now() },
      (wanted) => wanted.kind === 'book' && wanted.market === symbol,
    );
  }

  private async lookAtStats(): Promise<void> {
    const { client, gate, mirror, clock } = this.options;
    for (const { src, dst } of new Set(this.seats.map(({ market }) => market))) {
      const request = { srcCurrency: src, dstCurrency: dst };
      const gated = await gate.tryTo('marketStats', 'poll', () => client.marketStats(request));
      if (!gated.sent || !gated.value.ok) continue;
      const { value } = gated.value;
      mirror.write(() => value.forEach((stats) => mirror.market.saveStats(stats, clock.now())));
    }
  }

  private async lookAtWallets(): Promise<void> {
    const { client, gate, mirror, clock } = this.options;
    const gated = await gate.tryTo('wallets', 'poll', () => client.wallets({}));
    if (!gated.sent || !gated.value.ok) return;
    const wallets = gated.value.value;
    mirror.write(() => {
      for (const { currency, balance, blocked } of wallets) {
        mirror.market.saveBalance({ currency, total: balance, held: blocked }, clock.now());
      }
    });
    this.free = Object.fromEntries(
      wallets.map(({ currency, balance, blocked }) => [
        currency,
        formatUnits(parseUnits(balance) - parseUnits(blocked)),
      ]),
    );
  }

  private takeFill(fill: OwnFill): void {
    const { tradeId, order, timeMs, price, amount, total, fee } = fill;
    const seat = this.seats.find(({ runner }) => runner.name === order.strategy);
    if (seat === undefined) return;
    const { clientOrderId, side, market } = order;
    const { mirror, listener } = this.options;
    this.orders.onFilled(order, parseAmount(seat.market, amount));
    seat.account.apply({ side, amount: parseUnits(amount), total: parseUnits(total), fee: parseUnits(fee) });
    const row = { venueId: tradeId, clientOrderId, market, side, atMs: timeMs, price, amount, total, fee };
    mirror.write(() => mirror.orders.addTrade(row));
    this.desk.save(order);
    listener.onFill(fill);
    this.tell(seat, {
      kind: 'fill',
      fill: { clientOrderId, market, timeMs, side, price, amount, total, fee, tag: null },
    });
  }

  private async lookAtCandles(kind: string): Promise<void> {
    const feed = this.feeds.get(kind);
    if (feed === undefined) return;
    for (const candle of await feed.look()) {
      this.tellSubscribers({ kind: 'candle', candle }, (wanted) => feed.isMeantBy(wanted));
    }
  }

  /** Feeds the indicators with as much of the past as the longest of them needs. */
  private async warmUp(feed: CandleFeed): Promise<void> {
    const runners = this.seats
      .map(({ runner }) => runner)
      .filter(({ subscriptions }) => subscriptions.some((wanted) => feed.isMeantBy(wanted)));
    const lengths = runners.flatMap((runner) =>
      runner.subscriptions.flatMap((wanted) =>
        wanted.kind === 'candles' && feed.isMeantBy(wanted) ? [runner.warmUpLength(wanted)] : [],
      ),
    );
    const length = Math.max(...lengths);
    for (const candle of await feed.look(length + 1)) for (const runner of runners) runner.warmUp(candle);
  }

  private tellOrder(order: OwnOrder, code: string | null): void {
    const seat = this.seats.find(({ runner }) => runner.name === order.strategy);
    if (seat === undefined) return;
    if (order.matched > order.filled) this.plan.hasten('trades', this.options.clock.now());
    const { clientOrderId, market, stage } = order;
    const status = code === null ? (order.status ?? stage) : 'Refused';
    this.tell(seat, { kind: 'order', order: { clientOrderId, market, status, code, tag: null } });
  }

  private tellSubscribers(event: StrategyEvent, wants: (subscription: Subscription) => boolean): void {
    for (const seat of this.seats) if (seat.runner.subscriptions.some(wants)) this.tell(seat, event);
  }

  private tell(seat: Seat, event: StrategyEvent): void {
    const { listener, clock } = this.options;
    const { runner } = seat;
    if (this.isStopping || runner.failure !== null) return;
    const intents = runner.handle(
      event,
      viewOf(seat, {
        nowMs: clock.now(),
        free: this.free,
        orders: this.orders.unfinished(),
        book: this.books.get(seat.market.symbol) ?? null,
      }),
    );
    const { failure } = runner as { readonly failure: string | null };
    if (failure !== null) listener.onNotice(`${runner.name} is stopped: ${failure}`, clock.now());
    for (const intent of intents) {
      if (this.pending.length < MAX_PENDING_INTENTS) this.pending.push({ seat, intent });
      else
        listener.onNotice(
          `${runner.name}: ${MAX_PENDING_INTENTS} intents are waiting, one more was dropped`,
          clock.now(),
        );
    }
  }

  private async carryOutPending(): Promise<void> {
    for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift()) {
      const { seat, intent } = next;
      await this.desk.carryOut(seat.runner.name, intent, this.books.get(seat.market.symbol) ?? null);
    }
  }

  private marketNamed(symbol: string): Market {
    const market = this.options.markets.get(symbol);
    if (market !== undefined) return market;
    const known = [...this.options.markets.keys()].join(', ');
    throw new SarrafError('INVALID_STRATEGY', `expected one of the markets ${known}, was "${symbol}"`);
  }
}
