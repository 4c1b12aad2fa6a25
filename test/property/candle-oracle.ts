/**
 * A plain model of what becomes of orders on bars. It shares nothing with the code: no imports, no steps, no
 * caches, no early exits. It is written from the rules that a result states (`describeBarRules`), from
 * docs/backtest.md, and for checks and holds from docs/exchange.md; comments repeat the rules above the code
 * that follows them. All money, prices and amounts are whole numbers of 1e-10.
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
  /** Minimum distance of two recorded prices. */
  readonly tick: bigint;
  readonly barMs: number;
  readonly bars: readonly OracleBar[];
  /** The last bar before the run, which is known at its start; null for none. */
  readonly past: OracleBar | null;
}

/** An order or a cancel that is wanted after a bar was seen. */
export type Wish =
  | {
      readonly kind: 'place';
      readonly name: string;
      readonly market: string;
      readonly side: Side;
      readonly amount: bigint;
      readonly price: bigint | null;
      readonly stopPrice: bigint | null;
      /** Limit of the stop-limit order that makes it a pair with a limit order at `price`; null for none. */
      readonly stopLimitPrice: bigint | null;
    }
  | { readonly kind: 'cancel'; readonly name: string };

export interface OracleWorld {
  /** The currency in which all markets are priced. */
  readonly quote: string;
  readonly markets: readonly OracleMarket[];
  readonly balances: Readonly<Record<string, bigint>>;
  readonly fees: { readonly maker: bigint; readonly taker: bigint };
  readonly rules: OracleRules;
  /** Requests after a bar, by its `wishKey`. */
  readonly wishes: ReadonlyMap<string, readonly Wish[]>;
  /** Requests of a timer, by its moment. */
  readonly timed: ReadonlyMap<number, readonly Wish[]>;
  /** Requests at an outside signal, by its moment. */
  readonly told: ReadonlyMap<number, readonly Wish[]>;
  /** Requests at the first fill of an order, by the name of the order. Orders only, no cancels. */
  readonly onFill: ReadonlyMap<string, readonly Wish[]>;
  /** How long the bot still trades by the last bar after the next one was due, in ms. */
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
  /** True if it holds at least one amount step of something that could be sold. */
  readonly isExposed: boolean;
}

/** The account as a strategy sees it. */
export interface View {
  readonly free: Readonly<Record<string, bigint>>;
  /** For each market: what its fills bought, less what they sold and less fees. */
  readonly positions: Readonly<Record<string, bigint>>;
  /** Open orders: how much of each has filled, by its name. */
  readonly open: Readonly<Record<string, bigint>>;
}

export interface OracleResult {
  readonly fills: readonly OracleFill[];
  readonly orders: readonly OracleOrder[];
  /** One point at each close. */
  readonly curve: readonly Point[];
  readonly initialEquity: bigint;
  readonly finalEquity: bigint;
  /** The view of the bot at each bar. */
  readonly views: readonly View[];
  /** The rule by which each fill came about, so that a test can see that every rule was used. */
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
  /** The limit; for an order without one, one percent beyond the price by which it is valued. */
  readonly worst: bigint;
  readonly isMarket: boolean;
  readonly stopPrice: bigint | null;
  waitsForStop: boolean;
  state: OracleOrder['state'];
  left: bigint;
  /** Sum of price times amount of all fills, with twenty decimals. */
  spent: bigint;
  total: bigint;
  fee: bigint;
  /** Amount reserved for it, in the currency that it pays with. */
  held: bigint;
  pair: Order | null;
  /** True if it existed as a bar opened, so that a later open finds it resting. */
  hasArrived: boolean;
  /** True once it has had its part of the bar. */
  isServed: boolean;
  /** True if its stop was reached in this bar, after the open. */
  wokeInside: boolean;
  /** True if it was placed in answer to an event inside this bar. */
  answersInside: boolean;
  /** True if it took liquidity, or would have with more volume, when it last had its part. */
  isTaking: boolean;
}

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;
const halfEven = (value: bigint, by: bigint): bigint => {
  const down = value / by;
  const twice = (value % by) * 2n;
  return twice > by || (twice === by && down % 2n === 1n) ? down + 1n : down;
};
/** Turns basis points into millionths. */
const hundredths = (bps: number): bigint => BigInt(Math.round(bps * 100));
const least = (...values: readonly bigint[]): bigint =>
  values.reduce((found, value) => (value < found ? value : found));

class Oracle {
  readonly fills: OracleFill[] = [];
  readonly orders: Order[] = [];
  readonly rejected: OracleOrder[] = [];
  readonly curve: Point[] = [];
  /** Rule of each fill. */
  readonly reasons: string[] = [];
  readonly views: View[] = [];
  readonly totals: Record<string, bigint>;
  private readonly world: OracleWorld;
  private readonly rules: OracleRules;
  /** The last bar of each market, and what is left of its volume. */
  private readonly lastBar = new Map<OracleMarket, OracleBar>();
  private readonly volumeLeft = new Map<OracleMarket, bigint>();
  /** The bar of each market that has begun and is not over. */
  private readonly inProgress = new Map<OracleMarket, OracleBar>();
  /** Price of the last event inside that bar, and whether its path still goes on. */
  private readonly insidePrice = new Map<OracleMarket, bigint>();
  private passingBy: OracleMarket | null = null;
  /** Time of the newest known event: a close, an event inside a bar, or a signal. */
  private knownMs = Number.NEGATIVE_INFINITY;
  private reportedFills = 0;
  /** Knowledge of the bot when it was asked last, and the claims of what it has wanted since. */
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
   * Runs all moments in order. When a candle begins, the exchange fills orders that take at its open, and
   * notifies the bot. A millisecond before its close it fills open orders, and notifies the bot of each fill
   * before the next. Then prices are the closes, strategies see the candles in turn, timers fire, and signals
   * come.
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
    // A strategy can cancel only orders that it saw when it was asked.
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

  /** Notifies the bot of new fills, and does what it wants then. */
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

  /** Equity before the first bar: valued at the opens, or at the last close if all bars are past. */
  equityAtOpens(): bigint {
    const { quote, markets } = this.world;
    return markets.reduce(
      (sum, { base, bars, past }) =>
        sum + halfEven((this.totals[base] ?? 0n) * (bars[0]?.open ?? past?.close ?? 0n), ONE),
      this.totals[quote] ?? 0n,
    );
  }

  /** Cash and holdings; these at the last close of their market, before the first one at its first open. */
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

  /** True if the holding could be sold: whole steps of it, worth more than the least value. */
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

  /** Runs everything that happens between the open and the close. */
  private goThrough(market: OracleMarket, bar: OracleBar): void {
    const { path } = this.rules;
    this.passingBy = market;
    if (path === 'worst-first') this.worstFirst(bar, () => this.partOf(market, bar));
    else this.along(bar, pathOf(bar, path), () => this.partOf(market, bar));
    this.passingBy = null;
  }

  /** Orders in the path: not those placed after the open, unless they answer an event on the path. */
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

  /** Handles an event of an order inside a bar, at a price: the bot is notified first. */
  private happened(order: Order, bar: OracleBar, price: bigint): void {
    const timeMs = bar.openMs + order.market.barMs - 1;
    this.insidePrice.set(order.market, price);
    this.know(timeMs);
    this.tellFills(timeMs);
  }

  /**
   * Orders that arrive inside a bar meet its open while nothing newer is known: those that take, take there.
   * An order that answers a fill on the path has part in the rest, if the price is not beyond its own yet.
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
   * Runs a bar whose path nobody knows: first the stops that it reaches, then the limits; then, at the close,
   * orders that woke inside it and rest, or answer an event inside it: first stops, then limits.
   */
  private worstFirst(bar: OracleBar, part: () => readonly Order[]): void {
    while (this.nextOfWorst(bar, part()));
  }

  /** Runs the next event in the worst order; returns false if there was none. */
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

  /** Runs a path of straight lines between prices, with a halt at each where something can happen. */
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

  /** Runs the next event at one price: first stops, then limits, with those that have just begun to rest. */
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
   * Wakes a stop inside a bar, a millisecond before its end. Where a cancel found the bar touched, `timeMs`
   * is the time of the cancel, and the bot is not notified before the answer to that.
   */
  private wakeInside(order: Order, bar: OracleBar, timeMs?: number): void {
    const at = order.stopPrice ?? 0n;
    order.wokeInside = true;
    this.wake(order, bar, { at, timeMs: timeMs ?? bar.openMs + order.market.barMs - 1 });
    if (timeMs === undefined) this.happened(order, bar, at);
  }

  /** Fills a limit order inside a bar: at its own price, as maker. */
  private restInside(order: Order, bar: OracleBar, timeMs?: number): void {
    const { left } = order;
    this.rest(order, order.worst, timeMs ?? bar.openMs + order.market.barMs - 1);
    if (timeMs === undefined && order.left < left) this.happened(order, bar, order.worst);
  }

  /** True once the bar trades beyond its price, or touches it, by setting. */
  private isFilledBy({ side, worst }: Order, price: bigint): boolean {
    if (this.rules.limitFill === 'touch' && price === worst) return true;
    return side === 'buy' ? price < worst : price > worst;
  }

  // ---- What happens to an order ----

  /** Wakes a stop: it takes at that price, a stop-limit order no worse than its limit, or else rests. */
  private wake(order: Order, bar: OracleBar, spot: { readonly at: bigint; readonly timeMs: number }): void {
    order.waitsForStop = false;
    // OCO: when the stop wakes, the other leg is canceled.
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
    // A market buy ends when the free money of its moment is used up.
    const isBuy = order.isMarket && order.side === 'buy';
    const amount = isBuy ? least(wanted, this.affordable(order, price, spot.timeMs)) : wanted;
    // If it holds too little for that, a market buy takes the rest from the free money.
    const cost = up(price * amount, ONE) + spareOf(order);
    if (isBuy && cost > order.held) order.held = cost;
    if (amount > 0n) this.fill(order, { price, amount, role: 'taker', timeMs: spot.timeMs });
    if (amount < wanted && order.state === 'open') this.end(order, 'cancelled');
  }

  /**
   * Price of an order that takes: worse by half the spread, and by slippage of the price or of the bar's
   * range; rounded to the price step against the order.
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

  /** The bar of another market may have run already; its later fills do not count yet. */
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

  /** Ends the other leg of a pair, which holds once, for its dearer leg; the rest holds what it needs. */
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
   * Money that the bot can still spend, by what it knew when it was asked: an order counts with all that it
   * may still take, and a pair with its dearer leg. A market order that took all free money holds less than
   * that. The bot does not know yet what became of orders since.
   */
  private spendable(currency: string): bigint {
    const { totals, claims } = this.known;
    const own = claims.filter(({ payer }) => payer === currency);
    const left = (totals[currency] ?? 0n) - own.reduce((sum, { claim }) => sum + claim, 0n);
    return left > 0n ? left : 0n;
  }

  /** Sets what the bot knows to all that has happened, as it is asked now. */
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
   * Cancels an order, or both legs of a pair. Inside a bar an older stop counts as touched first, and so does
   * a limit where something newer than the open is known. What this shows of the bar is known then.
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
    // One leg is looked up; if the stop of the other was reached, it has ended and nothing is canceled.
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
    // The bot values an order without a price by the open of the running bar, or the last close; it knows all
    // events of a moment before it is asked.
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
    // From here on the exchange decides; the bot hears of it only after this call.
    this.known.claims.push({ payer, claim: dearest(legs) });
    const free = this.free(payer);
    if (!arePricesRight(wish, last) || isAbove(free)) return this.reject(wish);
    // An order holds its value at the edge of its band, or all that is free; an OCO holds once, for its
    // dearer leg.
    first.held = least(free, dearest(legs));
    if (second !== null) [first.pair, second.pair] = [second, first];
    this.orders.push(...legs);
    for (const leg of legs) {
      if (leg.state !== 'open') continue;
      if (now !== undefined) this.arriveInside(leg, now, timeMs);
      else if (bar !== undefined && this.rules.arrival === 'this-close') this.arriveAtClose(leg, bar, timeMs);
    }
  }

  /** Handles an order that arrives at the close of the last bar. */
  private arriveAtClose(order: Order, bar: OracleBar, timeMs: number): void {
    if (order.waitsForStop || (!order.isMarket && !this.isFilledBy(order, bar.close))) return;
    this.takeLiquidity(order, bar, { at: bar.close, timeMs });
  }

  private reject({ name, stopLimitPrice }: Extract<Wish, { kind: 'place' }>): void {
    for (const leg of stopLimitPrice === null ? [name] : [name, `${name}/2`])
      this.rejected.push({ name: leg, state: 'rejected', filled: 0n, total: 0n, fee: 0n });
  }
}

/** The price by which an order, or a leg of it, is valued. */
const valuedAt = (wish: Extract<Wish, { kind: 'place' }>, leg: Order, shown: bigint): bigint =>
  leg.isMarket ? (wish.stopPrice ?? shown) : leg.worst;

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
  // One percent beyond the reference price, on a step that is not further away.
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

/** Checks prices against the market: docs/exchange.md, "Trading", and the interface's table of codes. */
function arePricesRight(
  { side, price, stopPrice, stopLimitPrice }: Extract<Wish, { kind: 'place' }>,
  last: bigint,
): boolean {
  const isAbove = (one: bigint, other: bigint): boolean => (side === 'buy' ? one > other : one < other);
  // The 30 % band is around the price of the last trade, both ways, edges included. It does not apply to stop
  // orders.
  const isNear = (given: bigint): boolean => (given > last ? given - last : last - given) * 10n <= last * 3n;
  if (stopPrice !== null && stopLimitPrice !== null && price !== null)
    return (
      isAbove(last, price) && isAbove(stopPrice, last) && !isAbove(stopPrice, stopLimitPrice) && isNear(price)
    );
  if (stopPrice !== null) return isAbove(stopPrice, last) && (price === null || !isAbove(stopPrice, price));
  return price === null || isNear(price);
}

/** Amount that an order must hold, rounded up. */
function needed(order: Order): bigint {
  const { side, worst, left } = order;
  return side === 'sell' || left === 0n ? left : up(worst * left, ONE) + spareOf(order);
}

/** Amount that an order must hold; for a pair, that of its dearer leg. */
const dearest = (legs: readonly Order[]): bigint =>
  legs.map(needed).reduce((most, one) => (one > most ? one : most));

/**
 * One unit to spare for a further part, if values may be no whole units: the difference of two totals rounded
 * half-even can be one more than the part's value.
 */
const spareOf = ({ spent, market }: Order): bigint =>
  spent > 0n && (market.priceStep * market.amountStep) % ONE !== 0n ? 1n : 0n;

const kindOf = ({ isMarket, stopPrice, pair }: Order): string =>
  `${pair === null ? '' : 'oco '}${stopPrice === null ? '' : 'stop-'}${isMarket ? 'market' : 'limit'}`;

/** True for a limit order whose stop, if any, was reached: it rests or takes. */
const isLimit = ({ waitsForStop, isMarket }: Order): boolean => !waitsForStop && !isMarket;

/** Recorded prices at which something can happen to an order. */
function pricesBeside({ worst, stopPrice, market: { tick } }: Order): readonly bigint[] {
  return [worst, stopPrice ?? worst].flatMap((price) => {
    const below = (price / tick) * tick;
    return [below - tick, below, below + tick];
  });
}

const isWaiting = (order: Order): boolean => order.state === 'open' && !order.isServed;

/** True if the price reaches the stop price: the order wakes. */
const isAtStop = ({ side, stopPrice }: Order, price: bigint): boolean =>
  stopPrice !== null && (side === 'buy' ? price >= stopPrice : price <= stopPrice);

function pathOf(
  { open, high, low, close }: OracleBar,
  path: Exclude<Path, 'worst-first'>,
): readonly bigint[] {
  // The extreme nearer to the open, the low if both are as near.
  const isHighFirst = path === 'nearest-first' ? high - open < open - low : path === 'open-high-low-close';
  return isHighFirst ? [open, high, low, close] : [open, low, high, close];
}

/** Moves a price to a step, rounded against the order. */
function onStep({ side, market: { priceStep } }: Order, price: bigint): bigint {
  if (side === 'buy') return up(price, priceStep) * priceStep;
  return price < priceStep ? priceStep : (price / priceStep) * priceStep;
}

const nameOfWish = (name: string): string => name.replace('/2', '');

/** Runs the model over a world, and returns its outcome. */
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
