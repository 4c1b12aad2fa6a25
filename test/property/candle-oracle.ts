/**
 * What becomes of orders on bars, as a model over plain lists that shares nothing with the code: no import of
 * it, no steps, no caches, no early exits. It is written from the words that a result says
 * (`describeBarRules`), from docs/backtest.md, and for checks and holds from docs/exchange.md. The words
 * stand as comments over what follows from them. All money, prices and amounts are whole numbers of 1e-10.
 */

const ONE = 10n ** 10n;
const MILLION = 1_000_000n;

type Side = 'buy' | 'sell';
type Path = 'worst-first' | 'open-high-low-close' | 'open-low-high-close' | 'nearest-first';

export interface OracleRules {
  readonly arrival: 'next-open' | 'this-close';
  readonly spreadBps: number;
  readonly slippage:
    | { readonly kind: 'bps'; readonly bps: number }
    | { readonly kind: 'range'; readonly millionths: number };
  readonly limitFill: 'through' | 'touch';
  readonly limitGap: 'open' | 'own-price';
  readonly path: Path;
  readonly volumeShareMillionths: number | null;
  readonly marketBand: 'none' | 'exchange';
}

export interface OracleBar {
  readonly openMs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
}

export interface OracleMarket {
  readonly symbol: string;
  readonly base: string;
  readonly priceStep: bigint;
  readonly amountStep: bigint;
  readonly minOrderValue: bigint;
  /** The least distance of two recorded prices. */
  readonly tick: bigint;
  readonly barMs: number;
  readonly bars: readonly OracleBar[];
  /** The last bar of the past, which is known as the run begins. */
  readonly past: OracleBar | null;
}

/** What is wanted after a bar was seen. */
export type Wish =
  | {
      readonly kind: 'place';
      readonly name: string;
      readonly market: string;
      readonly side: Side;
      readonly amount: bigint;
      readonly price: bigint | null;
      readonly stopPrice: bigint | null;
      /** Makes a pair of it: a limit order at `price`, and a stop-limit order with this limit. */
      readonly stopLimitPrice: bigint | null;
    }
  | { readonly kind: 'cancel'; readonly name: string };

export interface OracleWorld {
  /** Whose currency all markets are priced in. */
  readonly quote: string;
  readonly markets: readonly OracleMarket[];
  readonly balances: Readonly<Record<string, bigint>>;
  readonly fees: { readonly maker: bigint; readonly taker: bigint };
  readonly rules: OracleRules;
  /** By `wishKey` of the bar that was seen. */
  readonly wishes: ReadonlyMap<string, readonly Wish[]>;
  /** By the moment of a timer. */
  readonly timed: ReadonlyMap<number, readonly Wish[]>;
  /** By the moment of a signal from outside. */
  readonly told: ReadonlyMap<number, readonly Wish[]>;
  /** By the name of an order: when the bot is notified of its first fill. Orders only. */
  readonly onFill: ReadonlyMap<string, readonly Wish[]>;
  /** How long after the next bar was due the bot still trades by the last one. */
  readonly maxLateMs: number;
}

interface OracleFill {
  readonly order: string;
  readonly timeMs: number;
  readonly side: Side;
  readonly price: bigint;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

interface OracleOrder {
  readonly name: string;
  readonly state: 'open' | 'filled' | 'cancelled' | 'rejected';
  readonly filled: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

interface Point {
  readonly timeMs: number;
  readonly equity: bigint;
  /** Whether there is an amount step of anything that could be sold. */
  readonly isExposed: boolean;
}

/** What a strategy sees of its account. */
export interface View {
  readonly free: Readonly<Record<string, bigint>>;
  /** By market: what its fills bought less what they sold, fees taken off. */
  readonly positions: Readonly<Record<string, bigint>>;
  /** The names of what is open, and how much of each has filled. */
  readonly open: Readonly<Record<string, bigint>>;
}

export interface OracleResult {
  readonly fills: readonly OracleFill[];
  readonly orders: readonly OracleOrder[];
  /** At each close. */
  readonly curve: readonly Point[];
  readonly initialEquity: bigint;
  readonly finalEquity: bigint;
  /** What the bot was shown with each bar. */
  readonly views: readonly View[];
  /** By which rule each fill came about, so that a test can see that every rule was at work. */
  readonly reasons: readonly string[];
  readonly balances: Readonly<Record<string, bigint>>;
}

export const wishKey = (market: string, openMs: number): string => `${market} ${openMs}`;

interface Order {
  readonly name: string;
  readonly market: OracleMarket;
  readonly side: Side;
  readonly bornMs: number;
  readonly amount: bigint;
  /** The limit; for an order without one, one percent beyond the price that it is valued at. */
  readonly worst: bigint;
  readonly isMarket: boolean;
  readonly stopPrice: bigint | null;
  waitsForStop: boolean;
  state: OracleOrder['state'];
  left: bigint;
  /** Price times amount of all fills, at twenty decimals. */
  spent: bigint;
  total: bigint;
  fee: bigint;
  /** What it has set aside of what it pays with. */
  held: bigint;
  pair: Order | null;
  /** Whether it was there as a bar opened, so that a further open finds it resting. */
  hasArrived: boolean;
  /** Whether it had its part of the bar. */
  isServed: boolean;
  /** Whether it woke in this bar, after the open. */
  wokeInside: boolean;
  /** Whether it was placed in answer to what happened inside this bar. */
  answersInside: boolean;
  /** Whether it took, or would have with more volume, when it last had its part. */
  isTaking: boolean;
}

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;
const halfEven = (value: bigint, by: bigint): bigint => {
  const down = value / by;
  const twice = (value % by) * 2n;
  return twice > by || (twice === by && down % 2n === 1n) ? down + 1n : down;
};
/** Basis points in millionths. */
const hundredths = (bps: number): bigint => BigInt(Math.round(bps * 100));
const least = (...values: readonly bigint[]): bigint =>
  values.reduce((found, value) => (value < found ? value : found));

class Oracle {
  readonly fills: OracleFill[] = [];
  readonly orders: Order[] = [];
  readonly rejected: OracleOrder[] = [];
  readonly curve: Point[] = [];
  /** Which rule each fill came by. */
  readonly reasons: string[] = [];
  readonly views: View[] = [];
  readonly totals: Record<string, bigint>;
  private readonly world: OracleWorld;
  private readonly rules: OracleRules;
  /** The bar each market was last at, and what is left of its volume. */
  private readonly lastBar = new Map<OracleMarket, OracleBar>();
  private readonly volumeLeft = new Map<OracleMarket, bigint>();
  /** The bar that has begun and is not over. */
  private readonly inProgress = new Map<OracleMarket, OracleBar>();
  /** The price at which something happened last inside that bar, and whether its path still goes on. */
  private readonly insidePrice = new Map<OracleMarket, bigint>();
  private passingBy: OracleMarket | null = null;
  /** When the newest thing happened that is known: a close, something inside a bar, a signal. */
  private knownMs = Number.NEGATIVE_INFINITY;
  private reportedFills = 0;
  /** What the bot knew as it was asked last, and what it wants since. */
  private known: {
    readonly totals: Readonly<Record<string, bigint>>;
    readonly claims: { readonly payer: string; readonly claim: bigint }[];
  } = { totals: {}, claims: [] };
  private readonly firstFilled = new Set<string>();

  constructor(world: OracleWorld) {
    this.world = world;
    this.rules = world.rules;
    this.totals = {
      [world.quote]: 0n,
      ...Object.fromEntries(world.markets.map(({ base }) => [base, 0n])),
      ...world.balances,
    };
    for (const market of world.markets) {
      if (market.past === null) continue;
      this.lastBar.set(market, market.past);
      this.know(market.past.openMs + market.barMs);
    }
  }

  /**
   * As a candle begins the exchange fills what takes at its open, and notifies the bot. A millisecond before
   * its close it fills what was open, and notifies the bot of each fill before the next. Then all closes are
   * the prices, the strategies see the candles one after the other, timers fire, and signals come.
   */
  run(): void {
    const { markets, wishes, timed, told } = this.world;
    const bars = markets.flatMap((market) =>
      market.bars.map((bar) => ({ market, bar, closeMs: bar.openMs + market.barMs })),
    );
    const endMs = Math.max(...bars.map(({ closeMs }) => closeMs));
    const moments = [
      ...bars.flatMap(({ bar, closeMs }) => [bar.openMs, closeMs]),
      ...timed.keys(),
      ...told.keys(),
    ];
    for (const timeMs of [...new Set(moments)].filter((at) => at <= endMs).toSorted((a, b) => a - b)) {
      const closing = bars.filter(({ closeMs }) => closeMs === timeMs);
      for (const { market, bar } of closing) this.goThrough(market, bar);
      for (const { market, bar } of closing) this.close(market, bar);
      for (const { market, bar } of closing) {
        this.views.push(this.view());
        this.want(wishes.get(wishKey(market.symbol, bar.openMs)) ?? [], timeMs);
      }
      this.want(timed.get(timeMs) ?? [], timeMs);
      if (told.has(timeMs)) {
        this.know(timeMs);
        this.want(told.get(timeMs) ?? [], timeMs);
      }
      if (closing.length > 0) {
        const isExposed = markets.some((market) => this.isEnough(market));
        this.curve.push({ timeMs, equity: this.equity(), isExposed });
      }
      for (const { market, bar } of bars.filter((one) => one.bar.openMs === timeMs)) this.open(market, bar);
      this.tellFills(timeMs);
    }
  }

  private want(wishes: readonly Wish[], timeMs: number): void {
    this.remember();
    // A strategy wants to cancel what it saw when it was asked.
    const seen = [...this.orders];
    for (const wish of wishes) {
      if (wish.kind === 'place') this.place(wish, timeMs);
      else
        this.cancel(
          seen.filter(({ name }) => nameOfWish(name) === wish.name),
          timeMs,
        );
    }
    this.tellFills(timeMs);
  }

  /** Tells what has filled since the last time, and does what is wanted then. */
  private tellFills(timeMs: number): void {
    const news = this.fills.slice(this.reportedFills);
    this.reportedFills = this.fills.length;
    const fresh = [...new Set(news.map(({ order }) => order))].filter(
      (order) => !this.firstFilled.has(order),
    );
    for (const order of fresh) this.firstFilled.add(order);
    if (news.length > 0)
      this.want(
        fresh.flatMap((order) => this.world.onFill.get(order) ?? []),
        timeMs,
      );
  }

  private view(): View {
    this.remember();
    const open = this.orders.filter(({ state }) => state === 'open');
    const positionIn = ({ symbol }: OracleMarket): bigint =>
      this.fills
        .filter(({ order }) =>
          this.orders.some(({ name, market }) => name === order && market.symbol === symbol),
        )
        .reduce((sum, { side, amount, fee }) => (side === 'buy' ? sum + amount - fee : sum - amount), 0n);
    return {
      positions: Object.fromEntries(this.world.markets.map((market) => [market.symbol, positionIn(market)])),
      free: Object.fromEntries(
        Object.keys(this.totals).map((currency) => [currency, this.spendable(currency)]),
      ),
      open: Object.fromEntries(open.map(({ name, amount, left }) => [name, amount - left])),
    };
  }

  /**
   * The same as the equity, before the first bar: at the opens, or at the last close where all bars of a
   * market are past.
   */
  equityAtOpens(): bigint {
    const { quote, markets } = this.world;
    return markets.reduce(
      (sum, { base, bars, past }) =>
        sum + halfEven((this.totals[base] ?? 0n) * (bars[0]?.open ?? past?.close ?? 0n), ONE),
      this.totals[quote] ?? 0n,
    );
  }

  /** Cash and what is held, valued at the last close of its market, before the first at its first open. */
  equity(): bigint {
    const { quote, markets } = this.world;
    return markets.reduce(
      (sum, market) => sum + halfEven((this.totals[market.base] ?? 0n) * this.priceOf(market), ONE),
      this.totals[quote] ?? 0n,
    );
  }

  private priceOf(market: OracleMarket): bigint {
    return this.lastBar.get(market)?.close ?? market.bars[0]?.open ?? 0n;
  }

  /** Whether what is held would be an order: whole steps of it, worth more than the least value. */
  private isEnough(market: OracleMarket): boolean {
    const steps = (this.totals[market.base] ?? 0n) / market.amountStep;
    return steps > 0n && steps * market.amountStep * this.priceOf(market) > market.minOrderValue * ONE;
  }

  // ---- One bar ----

  private open(market: OracleMarket, bar: OracleBar): void {
    const { volumeShareMillionths: share } = this.rules;
    this.inProgress.set(market, bar);
    this.insidePrice.delete(market);
    // Volume: all orders of a market together at most a share of the volume of a bar; the rest stays open.
    const steps = share === null ? null : (bar.volume * BigInt(share)) / MILLION / market.amountStep;
    this.volumeLeft.set(market, steps === null ? ONE * ONE * ONE : steps * market.amountStep);
    // Orders arrive as the first bar opens that begins no earlier than the order.
    const orders = this.orders.filter((order) => order.market === market);
    for (const order of orders)
      [order.isServed, order.wokeInside, order.answersInside] = [false, false, false];
    for (const order of orders) if (order.state === 'open') this.atOpen(order, bar);
  }

  /** All that happens between the open and the close. */
  private goThrough(market: OracleMarket, bar: OracleBar): void {
    const { path } = this.rules;
    this.passingBy = market;
    if (path === 'worst-first') this.worstFirst(bar, () => this.partOf(market, bar));
    else this.along(bar, pathOf(bar, path), () => this.partOf(market, bar));
    this.passingBy = null;
  }

  /** What came after the open has no part in the path, unless it answers what happened on it. */
  private partOf(market: OracleMarket, bar: OracleBar): readonly Order[] {
    return this.orders.filter(
      (order) => order.market === market && (order.bornMs <= bar.openMs || order.answersInside),
    );
  }

  private close(market: OracleMarket, bar: OracleBar): void {
    this.inProgress.delete(market);
    this.lastBar.set(market, bar);
    this.know(bar.openMs + market.barMs);
  }

  private know(timeMs: number): void {
    this.knownMs = Math.max(this.knownMs, timeMs);
  }

  /** Something has happened to an order inside a bar, at a price: the bot is notified before anything else. */
  private happened(order: Order, bar: OracleBar, price: bigint): void {
    const timeMs = bar.openMs + order.market.barMs - 1;
    this.insidePrice.set(order.market, price);
    this.know(timeMs);
    this.tellFills(timeMs);
  }

  /**
   * Orders that arrive inside a bar meet its open, while nothing newer is known: of what takes, takes there.
   * What answers a fill on the path goes on from there: what the price is not beyond yet has part in the rest.
   */
  private arriveInside(order: Order, bar: OracleBar, timeMs: number): void {
    if (bar.openMs < this.knownMs) {
      const price = this.insidePrice.get(order.market);
      if (this.passingBy !== order.market || price === undefined || (order.isMarket && !order.waitsForStop))
        return;
      if (!order.waitsForStop && this.isFilledBy(order, price)) return;
      [order.answersInside, order.wokeInside, order.isServed] = [true, true, false];
      return;
    }
    const isWithOpen = timeMs === bar.openMs;
    order.hasArrived = isWithOpen;
    if (order.waitsForStop) {
      if (isWithOpen && isAtStop(order, bar.open)) this.wake(order, bar, { at: bar.open, timeMs });
    } else if (order.isMarket || this.isFilledBy(order, bar.open))
      this.takeLiquidity(order, bar, { at: bar.open, timeMs });
  }

  private atOpen(order: Order, bar: OracleBar): void {
    const takes = order.isTaking || (!order.hasArrived && this.rules.arrival === 'next-open');
    [order.hasArrived, order.isTaking] = [true, false];
    // Stop orders wake at a gap at the open.
    if (order.waitsForStop) {
      if (isAtStop(order, bar.open)) this.wake(order, bar, { at: bar.open, timeMs: bar.openMs });
    } else if (order.isMarket) {
      // Market orders: the open, as taker.
      this.takeLiquidity(order, bar, { at: bar.open, timeMs: bar.openMs });
    } else if (this.isFilledBy(order, bar.open)) {
      // Limit orders, already beyond their price as they arrive: as a market order, no worse than their own
      // price, and so on at the opens that follow.
      if (takes) this.takeLiquidity(order, bar, { at: bar.open, timeMs: bar.openMs });
      // Limit orders, gap: the open, as maker (by setting: their own price).
      else
        this.rest(order, this.rules.limitGap === 'open' ? onStep(order, bar.open) : order.worst, bar.openMs);
    }
  }

  /**
   * Nobody knows the path: the stops that the bar reaches, then the limits, then at the close what woke
   * inside the bar and rests, and what answers what happened inside: first its stops, then its limits.
   */
  private worstFirst(bar: OracleBar, part: () => readonly Order[]): void {
    while (this.nextOfWorst(bar, part()));
  }

  /** Lets the next of them happen; answers whether there was one. */
  private nextOfWorst(bar: OracleBar, orders: readonly Order[], timeMs?: number): boolean {
    for (const wokeInside of [false, true]) {
      const prices = wokeInside ? [bar.close] : [bar.high, bar.low];
      const waiting = orders.filter((order) => isWaiting(order) && order.wokeInside === wokeInside);
      const stop = waiting.find(
        (order) => order.waitsForStop && prices.some((price) => isAtStop(order, price)),
      );
      if (stop !== undefined) {
        this.wakeInside(stop, bar, timeMs);
        return true;
      }
      const limit = waiting.find(
        (order) => isLimit(order) && prices.some((price) => this.isFilledBy(order, price)),
      );
      if (limit !== undefined) {
        this.restInside(limit, bar, timeMs);
        return true;
      }
    }
    return false;
  }

  /**
   * Goes from price to price in straight lines, and stops at each recorded price at which something can
   * happen.
   */
  private along(
    bar: OracleBar,
    corners: readonly bigint[],
    part: () => readonly Order[],
    timeMs?: number,
  ): void {
    for (const [index, to] of corners.entries()) {
      let at = corners[index - 1] ?? to;
      for (;;) {
        while (this.nextAt(bar, part(), at, timeMs));
        if (at === to) break;
        const ahead = part()
          .flatMap((order) => pricesBeside(order))
          .filter((price) => (at < to ? price > at && price < to : price < at && price > to))
          .toSorted((a, b) => Number(a - b));
        at = (at < to ? ahead[0] : ahead.at(-1)) ?? to;
      }
    }
  }

  /** At one price: first the stops, then the limits, those that have just begun to rest among them. */
  private nextAt(bar: OracleBar, orders: readonly Order[], price: bigint, timeMs?: number): boolean {
    const stop = orders.find((order) => isWaiting(order) && order.waitsForStop && isAtStop(order, price));
    if (stop !== undefined) {
      this.wakeInside(stop, bar, timeMs);
      return true;
    }
    const limit = orders.find((order) => isWaiting(order) && isLimit(order) && this.isFilledBy(order, price));
    if (limit !== undefined) this.restInside(limit, bar, timeMs);
    return limit !== undefined;
  }

  /**
   * The time of a fill: the bar begins, at an open; one millisecond before it ends, elsewhere. Before a cancel
   * it is the time of that, and nobody is notified before its answer.
   */
  private wakeInside(order: Order, bar: OracleBar, timeMs?: number): void {
    const at = order.stopPrice ?? 0n;
    order.wokeInside = true;
    this.wake(order, bar, { at, timeMs: timeMs ?? bar.openMs + order.market.barMs - 1 });
    if (timeMs === undefined) this.happened(order, bar, at);
  }

  /** Limit orders: their own price, as maker. */
  private restInside(order: Order, bar: OracleBar, timeMs?: number): void {
    const { left } = order;
    this.rest(order, order.worst, timeMs ?? bar.openMs + order.market.barMs - 1);
    if (timeMs === undefined && order.left < left) this.happened(order, bar, order.worst);
  }

  /** Once the bar trades beyond it, or touches it. */
  private isFilledBy({ side, worst }: Order, price: bigint): boolean {
    if (this.rules.limitFill === 'touch' && price === worst) return true;
    return side === 'buy' ? price < worst : price > worst;
  }

  // ---- What happens to an order ----

  /** Then take at that price, a stop-limit order no worse than its limit, else it rests. */
  private wake(order: Order, bar: OracleBar, spot: { readonly at: bigint; readonly timeMs: number }): void {
    order.waitsForStop = false;
    // OCO: the waking of the stop cancels the other.
    this.endPair(order);
    if (order.isMarket || this.isFilledBy(order, spot.at)) this.takeLiquidity(order, bar, spot);
  }

  private takeLiquidity(
    order: Order,
    bar: OracleBar,
    spot: { readonly at: bigint; readonly timeMs: number },
  ): void {
    [order.isServed, order.isTaking] = [true, true];
    let price = this.priceOfTaking(order, bar, spot.at);
    const isBeyond = order.side === 'buy' ? price > order.worst : price < order.worst;
    if (isBeyond && !order.isMarket) price = order.worst;
    // Market orders end one percent beyond the price they were valued at, where that is set.
    if (isBeyond && order.isMarket && this.rules.marketBand === 'exchange')
      return this.end(order, 'cancelled');
    const wanted = least(order.left, this.volumeLeft.get(order.market) ?? 0n);
    if (wanted === 0n) return;
    // A buy ends where the free money of its moment does.
    const isBuy = order.isMarket && order.side === 'buy';
    const amount = isBuy ? least(wanted, this.affordable(order, price, spot.timeMs)) : wanted;
    // What a market buy lacks for that it takes from the free money.
    const cost = up(price * amount, ONE) + spareOf(order);
    if (isBuy && cost > order.held) order.held = cost;
    if (amount > 0n) this.fill(order, { price, amount, role: 'taker', timeMs: spot.timeMs });
    if (amount < wanted && order.state === 'open') this.end(order, 'cancelled');
  }

  /**
   * Worse by half of the spread, and slippage of the price or of the bar's high less low; rounded to the
   * price step against the order.
   */
  private priceOfTaking({ side, market }: Order, bar: OracleBar, at: bigint): bigint {
    const { spreadBps, slippage } = this.rules;
    const ofPrice = hundredths(spreadBps) + 2n * (slippage.kind === 'bps' ? hundredths(slippage.bps) : 0n);
    const ofRange = 2n * BigInt(slippage.kind === 'range' ? slippage.millionths : 0);
    const cost = at * ofPrice + (bar.high - bar.low) * ofRange;
    const exact = at * 2n * MILLION + (side === 'buy' ? cost : -cost);
    const by = 2n * MILLION * market.priceStep;
    if (side === 'buy') return up(exact, by) * market.priceStep;
    return exact < by ? market.priceStep : (exact / by) * market.priceStep;
  }

  /**
   * The bar of another market may have been gone through already: what that brought later than this moment is
   * not there yet.
   */
  private affordable(order: Order, price: bigint, timeMs: number): bigint {
    const { quote } = this.world;
    const later = this.fills
      .filter((fill) => fill.side === 'sell' && fill.timeMs > timeMs)
      .reduce((sum, { total, fee }) => sum + total - fee, 0n);
    const free = this.free(quote) - later;
    const money = order.held + (free > 0n ? free : 0n) - spareOf(order);
    return ((money * ONE) / price / order.market.amountStep) * order.market.amountStep;
  }

  private rest(order: Order, price: bigint, timeMs: number): void {
    order.isServed = true;
    const amount = least(order.left, this.volumeLeft.get(order.market) ?? 0n);
    if (amount > 0n) this.fill(order, { price, amount, role: 'maker', timeMs });
  }

  private fill(
    order: Order,
    of: {
      readonly price: bigint;
      readonly amount: bigint;
      readonly role: 'maker' | 'taker';
      readonly timeMs: number;
    },
  ): void {
    const { price, amount, role, timeMs } = of;
    const { market, side, name } = order;
    const { quote, fees } = this.world;
    this.volumeLeft.set(market, (this.volumeLeft.get(market) ?? 0n) - amount);
    order.left -= amount;
    order.spent += price * amount;
    // A fill's total is the rounded cumulative total less the previous one, so parts add up.
    const total = halfEven(order.spent, ONE) - order.total;
    order.total += total;
    // Fees: half-even, in the currency received, by the fill being maker or taker.
    const [paid, received] = side === 'buy' ? [total, amount] : [amount, total];
    const [payer, receiver] = side === 'buy' ? [quote, market.base] : [market.base, quote];
    const fee = halfEven(received * fees[role], MILLION);
    order.fee += fee;
    this.totals[payer] = (this.totals[payer] ?? 0n) - paid;
    this.totals[receiver] = (this.totals[receiver] ?? 0n) + received - fee;
    const rest = order.held - paid;
    order.held = least(needed(order), rest > 0n ? rest : 0n);
    this.reasons.push(
      `${kindOf(order)} as ${role} ${timeMs % market.barMs === 0 ? 'at an open or close' : 'inside a bar'}`,
    );
    if (order.answersInside) this.reasons.push(`answers a fill inside its bar, as ${role}`);
    this.fills.push({ order: name, timeMs, side, price, amount, total, fee });
    // OCO: a fill of one leg cancels the other.
    this.endPair(order);
    if (order.left === 0n) this.end(order, 'filled');
  }

  private end(order: Order, state: 'filled' | 'cancelled'): void {
    order.state = state;
    order.held = 0n;
  }

  /** A pair holds once, the dearer of the two; what goes on holds no more than it needs. */
  private endPair(order: Order): void {
    const { pair } = order;
    if (pair === null || pair.state !== 'open') return;
    order.held = least(order.held + pair.held, needed(order));
    this.end(pair, 'cancelled');
  }

  private free(currency: string): bigint {
    const held = this.orders
      .filter(({ side, market }) => (side === 'buy' ? this.world.quote : market.base) === currency)
      .reduce((sum, order) => sum + order.held, 0n);
    return (this.totals[currency] ?? 0n) - held;
  }

  /**
   * What the bot spends no more of, by what it knew as it was asked: an order counts with all that it may
   * still take, and a pair with its dearer leg. A market order that took all that was free holds less than
   * that. What became of orders since, it does not know.
   */
  private spendable(currency: string): bigint {
    const { totals, claims } = this.known;
    const own = claims.filter(({ payer }) => payer === currency);
    const left = (totals[currency] ?? 0n) - own.reduce((sum, { claim }) => sum + claim, 0n);
    return left > 0n ? left : 0n;
  }

  /** The bot is asked now, and knows all that has happened. */
  private remember(): void {
    const open = this.orders.filter(({ state, name }) => state === 'open' && !name.endsWith('/2'));
    const seconds = this.orders.filter(
      ({ state, name, pair }) => state === 'open' && name.endsWith('/2') && pair?.state !== 'open',
    );
    const claims = [...open, ...seconds].map((order) => {
      const legs = order.pair?.state === 'open' ? [order, order.pair] : [order];
      return { payer: this.payerOf(order), claim: dearest(legs) };
    });
    this.known = { totals: { ...this.totals }, claims };
  }

  private payerOf({ side, market }: Pick<Order, 'side' | 'market'>): string {
    return side === 'buy' ? this.world.quote : market.base;
  }

  // ---- What is wanted ----

  /**
   * Of a pair, both. Inside a bar a stop that was there before counts as touched first, and so does a limit
   * where something newer than the open is known. What that says of the bar is known then.
   */
  private cancel(legs: readonly Order[], timeMs: number): void {
    const { path } = this.rules;
    const first = legs.find(({ state }) => state === 'open');
    const bar = first === undefined ? undefined : this.inProgress.get(first.market);
    if (first !== undefined && bar !== undefined && timeMs > bar.openMs) {
      const isNewer = bar.openMs < this.knownMs;
      const inPart = this.partOf(first.market, bar);
      const touched = (): readonly Order[] =>
        legs.filter(
          (order) =>
            inPart.includes(order) && isWaiting(order) && (order.waitsForStop || (isNewer && isLimit(order))),
        );
      if (touched().length > 0) {
        if (path === 'worst-first') while (this.nextOfWorst(bar, touched(), timeMs));
        else this.along(bar, pathOf(bar, path), touched, timeMs);
        const hasFilled = legs.some(({ state }) => state === 'filled');
        this.reasons.push(`a ${hasFilled ? 'fill' : 'cancel'} where a bar is touched before a cancel`);
        this.know(timeMs);
      }
    }
    // One leg is asked for; once the other has gone to work that one has ended, and nothing is canceled.
    if (first?.state !== 'open') return;
    for (const order of legs) if (order.state === 'open') this.end(order, 'cancelled');
  }

  private place(wish: Extract<Wish, { kind: 'place' }>, timeMs: number): void {
    const market = this.world.markets.find(({ symbol }) => symbol === wish.market);
    const bar = market === undefined ? undefined : this.lastBar.get(market);
    const now = market === undefined ? undefined : this.inProgress.get(market);
    const price = (now === undefined ? undefined : (this.insidePrice.get(market!) ?? now.open)) ?? bar?.close;
    if (market === undefined || price === undefined) return this.reject(wish);
    const nearest = (price: bigint): bigint => halfEven(price, market.priceStep) * market.priceStep;
    const last = nearest(price);
    // The bot values an order without a price by the open of the bar that runs, or the last close: all of a
    // moment are known before it is asked.
    const shown = last;
    // The newest close is fresh until the next bar is due to close.
    const dueMs = now === undefined && bar !== undefined ? bar.openMs + 2 * market.barMs : timeMs;
    if (timeMs > dueMs + this.world.maxLateMs) return this.reject(wish);
    const isPair = wish.stopLimitPrice !== null;
    const legs: readonly Order[] = isPair
      ? [
          orderOf(wish, { market, shown, timeMs, name: wish.name, price: wish.price, stopPrice: null }),
          orderOf(wish, {
            market,
            shown,
            timeMs,
            name: `${wish.name}/2`,
            price: wish.stopLimitPrice,
            stopPrice: wish.stopPrice,
          }),
        ]
      : [
          orderOf(wish, {
            market,
            shown,
            timeMs,
            name: wish.name,
            price: wish.price,
            stopPrice: wish.stopPrice,
          }),
        ];
    const [first, second = null] = legs;
    if (first === undefined) return this.reject(wish);
    const payer = this.payerOf(first);
    const spendable = this.spendable(payer);
    // A market buy needs the value at its reference price.
    const needs = legs.map((leg) => ({
      value: up(valuedAt(wish, leg, shown) * leg.amount, ONE),
      isValued: leg.isMarket && leg.side === 'buy',
      all: needed(leg),
    }));
    const isAbove = (money: bigint): boolean =>
      needs.some(({ value, isValued, all }) => (isValued ? value : all) > money);
    if (needs.some(({ value }) => value <= market.minOrderValue) || isAbove(spendable))
      return this.reject(wish);
    // From here on the exchange decides, and the bot learns of it after it was asked.
    this.known.claims.push({ payer, claim: dearest(legs) });
    const free = this.free(payer);
    if (!arePricesRight(wish, last) || isAbove(free)) return this.reject(wish);
    // What it holds is the value at the edge of its band, or all that is free. The two of an OCO hold once:
    // the dearer.
    first.held = least(free, dearest(legs));
    if (second !== null) [first.pair, second.pair] = [second, first];
    this.orders.push(...legs);
    for (const leg of legs) {
      if (leg.state !== 'open') continue;
      if (now !== undefined) this.arriveInside(leg, now, timeMs);
      else if (bar !== undefined && this.rules.arrival === 'this-close') this.arriveAtClose(leg, bar, timeMs);
    }
  }

  /** Orders arrive at the close of the last bar. */
  private arriveAtClose(order: Order, bar: OracleBar, timeMs: number): void {
    if (order.waitsForStop || (!order.isMarket && !this.isFilledBy(order, bar.close))) return;
    this.takeLiquidity(order, bar, { at: bar.close, timeMs });
  }

  private reject({ name, stopLimitPrice }: Extract<Wish, { kind: 'place' }>): void {
    for (const leg of stopLimitPrice === null ? [name] : [name, `${name}/2`]) {
      this.rejected.push({ name: leg, state: 'rejected', filled: 0n, total: 0n, fee: 0n });
    }
  }
}

/** The price that a wish, or a leg of it, is valued by. */
function valuedAt(wish: Extract<Wish, { kind: 'place' }>, leg: Order, shown: bigint): bigint {
  return leg.isMarket ? (wish.stopPrice ?? shown) : leg.worst;
}

function orderOf(
  { side, amount }: Extract<Wish, { kind: 'place' }>,
  of: {
    readonly market: OracleMarket;
    readonly name: string;
    readonly shown: bigint;
    readonly timeMs: number;
    readonly price: bigint | null;
    readonly stopPrice: bigint | null;
  },
): Order {
  const { market, name, shown, timeMs, price, stopPrice } = of;
  const reference = stopPrice ?? shown;
  const { priceStep } = market;
  // One percent beyond, and on a step that is not further.
  const edge =
    side === 'buy'
      ? ((reference * 101n) / 100n / priceStep) * priceStep
      : up(reference * 99n, 100n * priceStep) * priceStep;
  return {
    name,
    market,
    side,
    amount,
    stopPrice,
    bornMs: timeMs,
    worst: price ?? edge,
    isMarket: price === null,
    waitsForStop: stopPrice !== null,
    state: 'open',
    left: amount,
    spent: 0n,
    total: 0n,
    fee: 0n,
    held: 0n,
    pair: null,
    hasArrived: false,
    isServed: false,
    wokeInside: false,
    answersInside: false,
    isTaking: false,
  };
}

/**
 * The conditions between prices and the market: docs/exchange.md, "Trading", and the table of codes of the
 * interface.
 */
function arePricesRight(
  { side, price, stopPrice, stopLimitPrice }: Extract<Wish, { kind: 'place' }>,
  last: bigint,
): boolean {
  const isAbove = (one: bigint, other: bigint): boolean => (side === 'buy' ? one > other : one < other);
  // The 30 % band is around the price of the last trade, both ways, edges included. It does not apply to stop
  // orders.
  const isNear = (given: bigint): boolean => (given > last ? given - last : last - given) * 10n <= last * 3n;
  if (stopPrice !== null && stopLimitPrice !== null && price !== null) {
    return (
      isAbove(last, price) && isAbove(stopPrice, last) && !isAbove(stopPrice, stopLimitPrice) && isNear(price)
    );
  }
  if (stopPrice !== null) return isAbove(stopPrice, last) && (price === null || !isAbove(stopPrice, price));
  return price === null || isNear(price);
}

/** Holds round up. */
function needed(order: Order): bigint {
  const { side, worst, left } = order;
  return side === 'sell' || left === 0n ? left : up(worst * left, ONE) + spareOf(order);
}

/** What an order needs, or the dearer leg of a pair. */
function dearest(legs: readonly Order[]): bigint {
  return legs.map(needed).reduce((most, one) => (one > most ? one : most));
}

/**
 * Where a value can be no whole number, the difference of two totals rounded half-even can be one above the
 * value of a further part.
 */
function spareOf({ spent, market }: Order): bigint {
  return spent > 0n && (market.priceStep * market.amountStep) % ONE !== 0n ? 1n : 0n;
}

function kindOf({ isMarket, stopPrice, pair }: Order): string {
  return `${pair === null ? '' : 'oco '}${stopPrice === null ? '' : 'stop-'}${isMarket ? 'market' : 'limit'}`;
}

/** Rests, or would take. */
const isLimit = ({ waitsForStop, isMarket }: Order): boolean => !waitsForStop && !isMarket;

/** Recorded prices at which something can happen to an order. */
function pricesBeside({ worst, stopPrice, market: { tick } }: Order): readonly bigint[] {
  return [worst, stopPrice ?? worst].flatMap((price) => {
    const below = (price / tick) * tick;
    return [below - tick, below, below + tick];
  });
}

const isWaiting = (order: Order): boolean => order.state === 'open' && !order.isServed;

/** Wake when the bar reaches the stop price. */
function isAtStop({ side, stopPrice }: Order, price: bigint): boolean {
  return stopPrice !== null && (side === 'buy' ? price >= stopPrice : price <= stopPrice);
}

function pathOf(
  { open, high, low, close }: OracleBar,
  path: Exclude<Path, 'worst-first'>,
): readonly bigint[] {
  // The extreme nearer to the open, the low if both are as near.
  const isHighFirst = path === 'nearest-first' ? high - open < open - low : path === 'open-high-low-close';
  return isHighFirst ? [open, high, low, close] : [open, low, high, close];
}

/** A price as one on a step, rounded against the order. */
function onStep({ side, market: { priceStep } }: Order, price: bigint): bigint {
  if (side === 'buy') return up(price, priceStep) * priceStep;
  return price < priceStep ? priceStep : (price / priceStep) * priceStep;
}

const nameOfWish = (name: string): string => name.replace('/2', '');

/** Runs the whole world. */
export function runOracle(world: OracleWorld): OracleResult {
  const oracle = new Oracle(world);
  const initialEquity = oracle.equityAtOpens();
  oracle.run();
  const orders = oracle.orders.map(({ name, state, amount, left, total, fee }) => ({
    name,
    state,
    filled: amount - left,
    total,
    fee,
  }));
  return {
    fills: oracle.fills,
    orders: [...orders, ...oracle.rejected],
    curve: oracle.curve,
    initialEquity,
    finalEquity: oracle.equity(),
    views: oracle.views,
    reasons: oracle.reasons,
    balances: oracle.totals,
  };
}
