import { EnginePart } from '../engine-settings.ts';
import { type Market, amountUnits, floorAmount, priceUnits, roundPrice } from '../../domain/market.ts';
import { formatUnits, type Units, addUnits, NO_UNITS, multiplyUnits, divideUp } from '../../domain/money.ts';
import type { ExitKind, Execution, Side } from '../../domain/order.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { onPriceGrid } from '../algorithms/requested-units.ts';
import type { WhenIdentical, OrderBlotter } from '../orders/order-blotter.ts';
import { BY_HAND_TAG, type OrderLabels, type OrderRecord } from '../../records/order.ts';
import { checkRisk, type RiskApproved } from './check-risk.ts';
import { onlyReduces } from '../live-exposure.ts';
import type { RiskRefusal, RiskView, WantedOrder, PnlViews, SeenBook } from './risk-view.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { RefusedOrders } from '../orders/refused-orders.ts';
import type { Reservations } from './reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import type { MarketFlow } from '../../portfolio/asset-ledger.ts';
import { positionIn } from './exposure-checks.ts';
import { SarrafError } from '../../domain/errors.ts';

/** An order that is ready to be sent: checked, and on the steps of its market. */
export interface OrderPlan {
  readonly instance: StrategyInstance;
  readonly intentId: string;
  readonly labels: OrderLabels;
  /** Book that it was checked with; null if none is known. */
  readonly book: SeenBook | null;
  /** Kind of exit if the order is the exit of a bracket; null for any other order. */
  readonly exit: ExitKind | null;
  readonly order: RiskApproved<WantedOrder>;
  /** Stop leg of an OCO; null for any other order. */
  readonly stopLeg: RiskApproved<WantedOrder> | null;
  /** Kind of the bracket's exit that the stop leg is; null for any other order. */
  readonly stopLegExit: ExitKind | null;
  readonly whenIdentical: WhenIdentical;
  /** True if it is dropped when it would trade at once as it is sent; default false. */
  readonly isPostOnly?: boolean;
}

/** Reason a lock refuses an order. */
export interface LockRefusal {
  readonly code: string;
  readonly reason: Sentence;
}

/** An order requested by a strategy or an algorithm, not yet on the steps of its market. Units of 1e-10. */
export interface RequestedOrder extends Pick<
  OrderRecord,
  'intentId' | 'side' | 'amount' | 'price' | 'stopPrice' | 'exit'
> {
  readonly labels: OrderLabels;
  /** Limit price of the stop leg of an OCO; null for any other order. */
  readonly stopLimitPrice: Units | null;
  readonly whenIdentical: WhenIdentical;
  /** Kind of exit of the stop leg of an OCO; null for any other order. */
  readonly stopLegExit: ExitKind | null;
  /** True if a person's order is only checked. */
  readonly isDryRun?: boolean;
}

type PreTradeOutcome =
  | { readonly ok: true; readonly plan: OrderPlan }
  /**
   * `code`: `kind` if the exchange has no such orders, `fit`, `risk <check>`, `lock <name>`, `funds` if the
   * strategy has not enough, `again` if the exchange refused a similar order and nothing has changed,
   * `approval` if a person would have to approve it, or `closed` while no orders are accepted.
   */
  | { readonly ok: false; readonly code: string; readonly reason: Sentence };

interface PreTradeRiskOptions {
  readonly blotter: OrderBlotter;
  readonly markets: MarketDataCache;
  readonly instances: readonly StrategyInstance[];
  readonly reservations: Reservations;
  /** Returns the reason why no orders are accepted at all; null while they are accepted. */
  readonly closed: () => Sentence | null;
  /** Returns the lock that refuses an order; null if none does, or if the order only reduces a position. */
  readonly lockOn: (order: WantedOrder, reduces: () => boolean) => LockRefusal | null;
  /** Returns the reason why no orders are accepted in a market; null while they are accepted. */
  readonly closedIn: (market: Market) => Sentence | null;
  readonly refusedBefore: RefusedOrders['objectionTo'];
  /** True if an intent may buy though the entries of its strategy need an approval. */
  readonly mayEnter: (intentId: string) => boolean;
  /** True while a person closes what a strategy holds of a coin. */
  readonly isClosing: (strategy: string, coin: string) => boolean;
  /** Called with each refusal by a check. */
  readonly onRefusal: (instance: StrategyInstance, refusal: RiskRefusal) => void;
}

/** Fits each order that a strategy or an algorithm requests to its market, and runs all checks on it. */
export class PreTradeRisk extends EnginePart<PreTradeRiskOptions> {
  /** Returns the order as it may be placed, or why it may not. */
  approve(instance: StrategyInstance, market: Market, draft: RequestedOrder): PreTradeOutcome {
    const { options } = this;
    const { isDryRun = false } = draft;
    const closed = options.closed() ?? options.closedIn(market);
    if (closed !== null) return { ok: false, code: 'closed', reason: closed };
    const kind = draft.stopLimitPrice === null ? executionOf(draft) : 'oco';
    if (!options.blotter.venue.orderKinds.has(kind)) {
      return { ok: false, code: 'kind', reason: sentence('no-such-orders', { kind }) };
    }
    const book = options.markets.seenBook(market.symbol);
    const best = this.bestIn(book, market.symbol, draft.side);
    const fitted = fitToMarket(market, draft, best);
    if (!fitted.ok) return { ok: false, code: 'fit', reason: fitted.reason };
    const { amount, stopPrice, stopLimitPrice } = fitted;
    const execution = executionOf(draft);
    // A market order fills at most one percent beyond the best price of the other side, which bounds it. Data
    // can be finer than the steps of the market: the price is put on the steps, as the exchange does.
    const price =
      execution === 'market' && best !== null ? onPriceGrid(best, market.priceStep) : fitted.price;
    const wanted: WantedOrder = {
      strategy: instance.name,
      market,
      side: draft.side,
      execution,
      price,
      stopPrice: stopLimitPrice === null ? stopPrice : null,
      amount,
      isExit: draft.exit !== null,
      isDryRun,
    };
    const reduces = (): boolean => onlyReduces(this.viewFor(instance, wanted, { book }));
    const again = wanted.isExit
      ? null
      : options.refusedBefore(wanted, { stopPrice, stopLimitPrice }, reduces);
    if (again !== null) return { ok: false, code: 'again', reason: again };
    // An algorithm that was to sell may come to buy, which nobody has approved.
    if (
      instance.settings.approval !== undefined &&
      draft.side === 'buy' &&
      !isDryRun &&
      !options.mayEnter(draft.intentId) &&
      !reduces()
    )
      return { ok: false, code: 'approval', reason: sentence('approval-missing') };
    const { tag } = draft.labels;
    const first = this.check(instance, wanted, { book, tag });
    if (!first.ok) return first;
    const stop =
      stopLimitPrice === null
        ? null
        : this.check(
            instance,
            { ...wanted, execution: 'stop_limit', price: stopLimitPrice, stopPrice },
            { book, tag },
          );
    if (stop !== null && !stop.ok) return stop;
    const { intentId, labels, exit, stopLegExit, whenIdentical } = draft;
    const { reservations } = options;
    const short =
      reservations.objectionTo(instance, first.order.value, intentId) ??
      (stop === null ? null : reservations.objectionTo(instance, stop.order.value, intentId));
    if (short !== null) return { ok: false, code: 'funds', reason: short };
    const stopLeg = stop === null ? null : stop.order;
    return {
      ok: true,
      plan: {
        instance,
        intentId,
        labels,
        book,
        exit,
        stopLegExit,
        whenIdentical,
        order: first.order,
        stopLeg,
      },
    };
  }

  /** Returns why an order that has waited may not be sent. `isPostOnly`: it must not trade at once. */
  objectionTo(order: OrderRecord, isPostOnly: boolean): Sentence | null {
    const { closed, closedIn, instances, markets } = this.options;
    const shut = closed();
    if (shut !== null) return shut;
    const instance = instances.find(({ name }) => name === order.strategy);
    const market = markets.get(order.market)?.market;
    if (instance === undefined || market === undefined) return 'NoStrategy';
    const standing = closedIn(market);
    if (standing !== null) return standing;
    const wanted: WantedOrder = { ...order, market, isExit: order.exit !== null };
    const book = markets.seenBook(market.symbol);
    const outcome = this.check(instance, wanted, { book, tag: order.tag, exceptKey: order.key });
    if (!outcome.ok) return refusedLater(outcome);
    const crossed = isPostOnly ? this.crossedBy(market, order) : null;
    return crossed === null ? null : sentence('order-post-only', { reason: crossed });
  }

  /**
   * Returns why an order that is to rest would trade at once, by the last seen book and once its price is on
   * the steps of the market; null if it rests.
   */
  crossedBy(
    { symbol, priceStep }: Market,
    { side, price: limitPrice, stopPrice }: Pick<RequestedOrder, 'side' | 'price' | 'stopPrice'>,
  ): Sentence | null {
    if (limitPrice === null || stopPrice !== null) return sentence('post-only-terms');
    const price = onPriceGrid(limitPrice, priceStep);
    const best = this.bestFor(symbol, side);
    const isCrossing = best !== null && (side === 'buy' ? price >= best : price <= best);
    if (!isCrossing) return null;
    const direction = side === 'buy' ? 'below' : 'above';
    return sentence('post-only-crosses', { direction, best: formatUnits(best), price: formatUnits(price) });
  }

  private check(
    instance: StrategyInstance,
    order: WantedOrder,
    at: CheckedAt,
  ):
    | { readonly ok: true; readonly order: RiskApproved<WantedOrder> }
    | { readonly ok: false; code: string; reason: Sentence } {
    const { blotter, lockOn, onRefusal } = this.options;
    const view = this.viewFor(instance, order, at);
    const locked = lockOn(order, () => onlyReduces(view));
    if (locked !== null) return { ok: false, ...locked };
    const outcome = checkRisk(view, instance.settings.limits);
    if (outcome.ok) return outcome;
    const { check, reason, numbers } = outcome.refusal;
    if (order.isDryRun !== true) {
      blotter.outbox.journal('intent', instance.name, { refusedBy: check, ...numbers });
      onRefusal(instance, outcome.refusal);
    }
    return { ok: false, code: `risk ${check}`, reason };
  }

  private viewFor(instance: StrategyInstance, order: WantedOrder, at: CheckedAt): RiskView {
    const { book, tag, exceptKey } = at;
    const { markets, instances, blotter, isClosing } = this.options;
    const { nowMs } = blotter.outbox;
    const unfinished = blotter.table.unfinished();
    const liveOrders =
      exceptKey === undefined
        ? unfinished
        : unfinished.filter(({ key, pairKey }) => key !== exceptKey && pairKey !== exceptKey);
    instance.applyPrices((symbol) => markets.priceOf(symbol), nowMs);
    const { name, others } = instance;
    // A person who places an order or closes a position decides by nothing that the strategy reads.
    const dependsOnNone = others.length === 0 || tag === BY_HAND_TAG || isClosing(name, order.market.base);
    const late = dependsOnNone ? null : markets.lateOf(others);
    const { statuses, marketNames } = blotter.venue;
    const { working } = statuses;
    return new PreTradeView(
      { nowMs, order, book, late, liveOrders, working, marketNames },
      { instance, markets, instances },
    );
  }

  /** Returns the price that a market order of a side meets first; null while none is known. */
  bestFor(symbol: string, side: Side): Units | null {
    return this.bestIn(this.options.markets.seenBook(symbol), symbol, side);
  }

  private bestIn(book: SeenBook | null, symbol: string, side: Side): Units | null {
    if (book === null) return this.options.markets.priceOf(symbol);
    return side === 'buy' ? book.bestAsk : book.bestBid;
  }
}

function executionOf({ price, stopPrice, stopLimitPrice }: RequestedOrder): Execution {
  if (stopLimitPrice !== null) return 'limit';
  if (stopPrice === null) return price === null ? 'market' : 'limit';
  return price === null ? 'stop_market' : 'stop_limit';
}

/** Returns the reason for a planned order that a lock or a check refused before it was sent. */
function refusedLater({ code, reason }: { readonly code: string; readonly reason: Sentence }): Sentence {
  return code.startsWith(LOCK)
    ? sentence('order-lock', { lock: code.slice(LOCK.length), reason })
    : sentence('order-risk', { reason });
}

const LOCK = 'lock ';

/**
 * The book that an order is checked with, its tag, and its own key if it waits already and must not count.
 */
interface CheckedAt {
  readonly book: SeenBook | null;
  readonly tag?: string | null;
  readonly exceptKey?: string;
}

type GivenView = Pick<
  RiskView,
  'nowMs' | 'order' | 'book' | 'late' | 'liveOrders' | 'working' | 'marketNames'
>;

/**
 * View of the risk checks for one requested order. Data over all markets that only some limits need is put
 * together when it is first read.
 */
class PreTradeView implements RiskView {
  readonly nowMs: number;
  readonly order: WantedOrder;
  readonly book: SeenBook | null;
  readonly standstill: RiskView['standstill'];
  readonly late: RiskView['late'];
  readonly position: Units;
  readonly liveOrders: readonly OrderRecord[];
  readonly working: readonly string[];
  readonly plannedAtMs: readonly number[];
  readonly marketNames: MarketNames;
  private readonly source: Pick<PreTradeRiskOptions, 'markets' | 'instances'> & {
    readonly instance: StrategyInstance;
  };
  private gathered: RiskView['holdings'] | null = null;
  private worked: PnlViews | null = null;

  constructor(given: GivenView, source: PreTradeView['source']) {
    const { symbol, base } = given.order.market;
    this.nowMs = given.nowMs;
    this.order = given.order;
    this.book = given.book;
    this.standstill = source.markets.standstills.of(symbol);
    this.late = given.late;
    this.position = source.instance.held(base);
    this.liveOrders = given.liveOrders;
    this.working = given.working;
    this.plannedAtMs = source.instance.plannedAtMs;
    this.marketNames = given.marketNames;
    this.source = source;
  }

  get results(): PnlViews {
    this.worked ??= this.source.instance.pnlViews(this.order.market.quote, this.nowMs);
    return this.worked;
  }

  get holdings(): RiskView['holdings'] {
    this.gathered ??= holdingsOf(this.source.markets, this.source.instances, this.marketNames);
    return this.gathered;
  }
}

/** Returns the holdings of all strategies together, by market, each coin once. */
function holdingsOf(
  markets: MarketDataCache,
  instances: readonly StrategyInstance[],
  marketNames: MarketNames,
): RiskView['holdings'] {
  const flowOf = (symbol: string): MarketFlow => {
    let position: Units = NO_UNITS;
    let cash: Units = NO_UNITS;
    for (const { ledger } of instances) {
      const flow = ledger.flowOf(symbol);
      position = addUnits(position, flow.position);
      cash = addUnits(cash, flow.cash);
    }
    return { position, cash };
  };
  const { base } = marketNames.bridge;
  const bridgeHeld = instances.reduce((sum, instance) => addUnits(sum, instance.held(base)), NO_UNITS);
  const holdings = new Map<string, { market: Market; position: Units; price: Units | null }>();
  for (const { market } of markets.all()) {
    const position = positionIn(market, flowOf, { marketNames, bridgeHeld });
    holdings.set(market.symbol, { market, position, price: markets.priceOf(market.symbol) });
  }
  return holdings;
}

/** Amount and prices as requested, in units of 1e-10. */
interface UnfittedOrder {
  readonly amount: Units;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
  readonly stopLimitPrice: Units | null;
}

/** Amount and prices on the steps of the market, or why there is no such order. */
type FittedOrder =
  | {
      readonly ok: true;
      readonly amount: Units;
      readonly price: Units | null;
      readonly stopPrice: Units | null;
      readonly stopLimitPrice: Units | null;
    }
  | { readonly ok: false; readonly reason: Sentence };

/**
 * Fits a requested order to its market: the amount down to a whole step, prices half-even, as the exchange
 * itself rounds extra digits. Refused when nothing is left, or when the value does not exceed the market's
 * minimum. `reference`: price that values an order without one; null if none is known.
 */
export function fitToMarket(market: Market, draft: UnfittedOrder, reference: Units | null): FittedOrder {
  try {
    const amount = amountUnits(market, floorAmount(market, draft.amount));
    const price = onStep(market, draft.price);
    const stopPrice = onStep(market, draft.stopPrice);
    const stopLimitPrice = onStep(market, draft.stopLimitPrice);
    if (amount === 0n) {
      const step = formatUnits(market.amountStep);
      return {
        ok: false,
        reason: sentence('amount-below-step', { step, amount: formatUnits(draft.amount) }),
      };
    }
    if (price === 0n || stopPrice === 0n || stopLimitPrice === 0n) {
      return {
        ok: false,
        reason: sentence('price-below-step', { step: formatUnits(market.priceStep) }),
      };
    }
    const valuedAt = price ?? stopPrice ?? reference;
    if (valuedAt !== null) {
      const value = multiplyUnits(valuedAt, amount, divideUp);
      if (value <= market.minOrderValue) {
        const least = `${formatUnits(market.minOrderValue)} ${market.quote}`;
        return { ok: false, reason: sentence('value-below-least', { least, value: formatUnits(value) }) };
      }
    }
    return { ok: true, amount, price, stopPrice, stopLimitPrice };
  } catch (error) {
    if (error instanceof SarrafError) return { ok: false, reason: error.message };
    throw error;
  }
}

function onStep(market: Market, units: Units | null): Units | null {
  return units === null ? null : priceUnits(market, roundPrice(market, units));
}
