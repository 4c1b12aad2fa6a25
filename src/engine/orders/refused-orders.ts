import { subtractUnits, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { retainNewest } from '../../domain/retain-newest.ts';
import { paymentFor } from './claims.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { WantedOrder } from '../risk/risk-view.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import { refusalCauseOf, type RefusalCause } from '../../venues/port.ts';
import type { AccountState } from '../feeds/account-state.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { OrderBlotter } from './order-blotter.ts';

interface RefusedOrdersOptions {
  readonly blotter: OrderBlotter;
  readonly markets: MarketDataCache;
  readonly account: AccountState;
  /** Brings the next reading of a feed forward. */
  readonly requestNow: (feed: 'options' | 'wallets') => void;
}

/** Of a pair, the limit of its first leg, and both prices of its stop leg. */
type Terms = Pick<OrderRecord, 'strategy' | 'market' | 'side' | 'price' | 'stopPrice' | 'amount'> & {
  /** Null for a single order. */
  readonly stopLimitPrice: Units | null;
};

/** The last refusal of a strategy's orders of one side of a market, and what it was that it may depend on. */
interface Refusal {
  readonly terms: Terms;
  readonly code: string;
  readonly cause: RefusalCause;
  readonly atMs: number;
  readonly situation: Situation;
  /** Number of like orders refused in a row, by the exchange or by this class. */
  count: number;
}

/** Conditions that can change after a refusal. */
interface Situation {
  readonly bid: Units | null;
  readonly ask: Units | null;
  /** Assumed price of the market. */
  readonly price: Units | null;
  /** Of the market's rules. */
  readonly version: number | null;
  /** Free amount of the asset that the order pays with. */
  readonly free: bigint;
}

/** Causes whose change the bot sees for sure: for these a way out of a position waits, too. */
const SEEN_CAUSES: ReadonlySet<RefusalCause> = new Set(['price', 'band', 'rule']);

/** So many alike are said and raise an alert. */
const LOGGED_FROM = 3;

/**
 * Maximum wait without a known change: after it the order is sent again, in case the exchange has changed.
 */
const LONGEST_MS = 600_000;

/**
 * The wait where the bot can not see on what a refusal depends: twice as long each time, up to the longest.
 */
const LEAST_MS = 10_000;

/** Of one hundred parts of a distance: a price that was too far away has to be nearer than this. */
const NEARER = 99n;
const WHOLE = 100n;

/** Refusals that are remembered; the oldest go. */
const MOST_REFUSALS = 1_000;

/**
 * Orders that the exchange refused, but for exits of brackets, which look at the market themselves. The like
 * of one is not sent again until something on which the refusal depends has changed: the price, a rule of the
 * market, or the balance. A restart forgets them.
 */
export class RefusedOrders {
  private readonly options: RefusedOrdersOptions;
  /** By strategy, market and side. */
  private readonly refusals = new Map<string, Refusal>();

  constructor(options: RefusedOrdersOptions) {
    this.options = options;
    options.blotter.listen(['open'], (order) => this.refusals.delete(keyOf(order)), this.refusals);
    options.blotter.listen(['rejected'], (order) => this.onRejected(order));
  }

  /** Returns why an order like this one was refused and would be again; null if it may go. */
  objectionTo(
    order: WantedOrder,
    stopLeg: Pick<Terms, 'stopPrice' | 'stopLimitPrice'>,
    reduces: () => boolean,
  ): Sentence | null {
    if (this.refusals.size === 0) return null;
    const { strategy, market, side, price, amount } = order;
    const terms = { strategy, market: market.symbol, side, price, amount, ...stopLeg };
    const refusal = this.refusals.get(keyOf(terms));
    if (refusal === undefined || !this.isAlike(refusal, terms)) return null;
    if (!SEEN_CAUSES.has(refusal.cause) && reduces()) return null;
    this.count(refusal);
    const { code, cause, atMs } = refusal;
    return sentence('refused-alike', { code, at: atMs, awaited: sentence(`awaited-${cause}`) });
  }

  private onRejected(order: OrderRecord): void {
    const { reason, exit, clientOrderId } = order;
    if (reason === null || clientOrderId === null) return;
    const { blotter, requestNow } = this.options;
    const code = english(reason);
    const cause = refusalCauseOf(blotter.venue, code);
    if (cause === null) return;
    // A rule that the bot does not know yet.
    if (cause === 'rule' || cause === 'band') requestNow('options');
    if (exit !== null) return;
    if (cause === 'funds') requestNow('wallets');
    this.remember(order, code, cause);
  }

  private remember(order: OrderRecord, code: string, cause: RefusalCause): void {
    const key = keyOf(order);
    const before = this.refusals.get(key);
    const { strategy, market, side, price, amount, pairKey } = order;
    const { blotter } = this.options;
    const stopLeg = pairKey === null ? undefined : blotter.table.get(pairKey);
    const stopPrice = stopLeg === undefined ? order.stopPrice : stopLeg.stopPrice;
    const stopLimitPrice = stopLeg?.price ?? null;
    const terms = { strategy, market, side, price, stopPrice, stopLimitPrice, amount };
    const count = before?.code === code ? before.count : 0;
    const { nowMs } = blotter.outbox;
    const refusal = { terms, code, cause, atMs: nowMs, situation: this.situationOf(terms), count };
    this.refusals.delete(key);
    this.refusals.set(key, refusal);
    retainNewest(this.refusals, MOST_REFUSALS);
    this.count(refusal);
  }

  private count(refusal: Refusal): void {
    const { outbox } = this.options.blotter;
    refusal.count += 1;
    if (refusal.count !== LOGGED_FROM) return;
    const { strategy, market, side } = refusal.terms;
    const { code, cause } = refusal;
    outbox.warn(
      `${strategy}: ${side} ${market} was refused ${LOGGED_FROM} times alike (${code}): the like is not sent again until ${english(sentence(`awaited-${cause}`))}`,
      strategy,
    );
    outbox.journal('notice', 'refused', { strategy, market, side, code, count: LOGGED_FROM });
  }

  private isAlike(refusal: Refusal, terms: Terms): boolean {
    const { cause, atMs, count, terms: refused, situation: before } = refusal;
    const { nowMs } = this.options.blotter.outbox;
    if (nowMs >= atMs + LONGEST_MS) return false;
    const now = this.situationOf(terms);
    switch (cause) {
      case 'elsewhere':
        return nowMs < atMs + LEAST_MS * 2 ** Math.min(count - 1, LOGGED_FROM);
      case 'price': {
        const isSame =
          terms.price === refused.price &&
          terms.stopPrice === refused.stopPrice &&
          terms.stopLimitPrice === refused.stopLimitPrice;
        return isSame && now.bid === before.bid && now.ask === before.ask && now.price === before.price;
      }
      case 'band': {
        if (isStop(terms) !== isStop(refused) || isPair(terms) !== isPair(refused)) return false;
        const distance = distanceOf(terms.price, now.price);
        const refusedDistance = distanceOf(refused.price, before.price);
        if (distance === null || refusedDistance === null) return false;
        return distance * WHOLE > refusedDistance * NEARER;
      }
      case 'rule':
        return now.version === before.version && neededFor(terms, now) <= neededFor(refused, before);
      case 'funds':
        return now.free === before.free && neededFor(terms, now) >= neededFor(refused, before);
    }
  }

  private situationOf({ market, side }: Terms): Situation {
    const { markets, account, blotter } = this.options;
    const { base, quote } = blotter.venue.marketNames.parseMarket(market);
    const { bestBid: bid = null, bestAsk: ask = null } = markets.seenBook(market) ?? {};
    const paysWith = side === 'buy' ? quote : base;
    const wallet = account.readings.find(({ currency }) => currency === paysWith);
    return {
      bid,
      ask,
      price: markets.priceOf(market),
      version: markets.get(market)?.market.version ?? null,
      free: wallet === undefined ? 0n : subtractUnits(wallet.total, wallet.held),
    };
  }
}

const isStop = ({ stopPrice }: Terms): boolean => stopPrice !== null;
const isPair = ({ stopLimitPrice }: Terms): boolean => stopLimitPrice !== null;

function keyOf({ strategy, market, side }: Pick<Terms, 'strategy' | 'market' | 'side'>): string {
  return `${strategy} ${market} ${side}`;
}

/**
 * Returns the distance of a price from the market's, as a share of the latter: units of 1e-10. Null if one is
 * not known.
 */
function distanceOf(price: Units | null, market: Units | null): bigint | null {
  if (price === null || market === null || market === 0n) return null;
  const distance = price > market ? price - market : market - price;
  return (distance * UNITS_PER_ONE) / market;
}

/**
 * Returns the value of an order in the quote currency: the amount that a purchase needs and that a minimum
 * value bounds.
 */
function neededFor({ price, stopPrice, amount }: Terms, { price: market }: Situation): bigint {
  const at = price ?? stopPrice ?? market;
  return at === null ? amount : paymentFor('buy', amount, at);
}
