import { EnginePart } from '../engine-settings.ts';
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
  /** Makes the next reading of a feed due now. */
  readonly requestNow: (feed: 'options' | 'wallets') => void;
}

/** Terms of an order. For a pair: the limit price of the first leg, and both prices of the stop leg. */
type Terms = Pick<OrderRecord, 'strategy' | 'market' | 'side' | 'price' | 'stopPrice' | 'amount'> & {
  /** Limit price of a pair's stop leg; null for a single order. */
  readonly stopLimitPrice: Units | null;
};

/** Last refusal of a strategy's orders on one side of a market, with the conditions at that time. */
interface Refusal {
  readonly terms: Terms;
  readonly code: string;
  readonly cause: RefusalCause;
  readonly atMs: number;
  readonly situation: Situation;
  /** Number of similar orders refused in a row, by the exchange or by this class. */
  count: number;
}

/** Conditions that a refusal may depend on. */
interface Situation {
  readonly bid: Units | null;
  readonly ask: Units | null;
  /** Price of the market, as the bot assumes it; null if unknown. */
  readonly price: Units | null;
  /** Version of the market's rules. */
  readonly version: number | null;
  /** Free amount of the currency that the order pays with. */
  readonly free: bigint;
}

/** Causes whose change the bot can always see. For these, orders that reduce a position wait, too. */
const SEEN_CAUSES: ReadonlySet<RefusalCause> = new Set(['price', 'band', 'rule']);

/** Number of similar refusals in a row at which one warning is logged. */
const LOGGED_FROM = 3;

/** Maximum wait without a visible change, in ms. Then the order is sent again. */
const LONGEST_MS = 600_000;

/** First wait if the cause is not visible, in ms. It doubles with each refusal, up to eight times this. */
const LEAST_MS = 10_000;

/** A price that was too far away must come nearer, to less than this share of the distance, in percent. */
const NEARER = 99n;
const WHOLE = 100n;

/** Maximum number of refusals that are remembered; the oldest are dropped. */
const MOST_REFUSALS = 1_000;

/**
 * Refused orders. A similar order is not sent again until something that the refusal depends on has changed:
 * the price, a rule of the market, or the balance. Exits of brackets are excepted, as they check the market
 * themselves. A restart forgets all refusals.
 */
export class RefusedOrders extends EnginePart<RefusedOrdersOptions> {
  /** Last refusal by strategy, market and side. */
  private readonly refusals = new Map<string, Refusal>();

  constructor(options: RefusedOrdersOptions) {
    super(options);
    options.blotter.listen(['open'], (order) => this.refusals.delete(keyOf(order)), this.refusals);
    options.blotter.listen(['rejected'], (order) => this.onRejected(order));
  }

  /** Returns why the exchange would refuse this order like a similar one before; null if it may be sent. */
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
    if (order.isDryRun !== true) this.count(refusal);
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
    // The market's rules may have changed.
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
 * Returns the distance of a price from the market's price as a share of the latter, in units of 1e-10; null
 * if a price is unknown.
 */
function distanceOf(price: Units | null, market: Units | null): bigint | null {
  if (price === null || market === null || market === 0n) return null;
  const distance = price > market ? price - market : market - price;
  return (distance * UNITS_PER_ONE) / market;
}

/**
 * Returns an order's value in the quote currency: what a purchase pays, and what the minimum value limits.
 */
function neededFor({ price, stopPrice, amount }: Terms, { price: market }: Situation): bigint {
  const at = price ?? stopPrice ?? market;
  return at === null ? amount : paymentFor('buy', amount, at);
}
