import { EnginePart } from '../engine-settings.ts';
import type { Market } from '../../domain/market.ts';
import { subtractUnits, UNITS_PER_ONE, type Units, divideHalfEven } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { CreateBracketOptions } from '../bracket.ts';
import { createAlgorithm, type AlgorithmIntent, type SizedAlgorithmIntent } from './algorithms.ts';
import type { OrderRecord } from '../../records/order.ts';
import { NO_HOLDING, partOf } from '../../portfolio/holding.ts';
import { MOST_ALGORITHMS, type AlgorithmManager, type AlgorithmManagerOptions } from './algorithm-manager.ts';
import type { OrderTable } from '../orders/order-table.ts';
import { sizedAlgorithm, sizeViewOf } from '../strategies/sized-intent.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { Approval } from '../strategies/intent-blotter.ts';
import type { IntentRefusal } from '../strategies/strategy-notifier.ts';
import type { TrailPace } from '../../strategy/definition.ts';
import type { Algorithm } from '../algorithm-json.ts';

export interface AlgorithmStarterOptions extends Pick<
  AlgorithmManagerOptions,
  'outbox' | 'risk' | 'markets' | 'intents' | 'views' | 'reservations' | 'closed'
> {
  readonly table: Pick<OrderTable, 'get'>;
  readonly algorithms: AlgorithmManager;
  /** Moves of an order (a cancel and a new order) that the limits allow per minute; null without limits. */
  readonly movesPerMinute: number | null;
  readonly nextId: () => string;
}

/** Circumstances in which an intent begins. */
export interface BeginContext {
  /** Its id, if it has one already. */
  readonly id?: string;
  /** State of its approval; omitted if there is none. */
  readonly approval?: Approval | undefined;
}

/** Starts the algorithms that strategies request, or returns why not. */
export class AlgorithmStarter extends EnginePart<AlgorithmStarterOptions> {
  /**
   * Starts an algorithm, or gives the running one the new values. Returns the refusal; null if there is none.
   */
  start(
    instance: StrategyInstance,
    intent: AlgorithmIntent,
    context: BeginContext = {},
  ): IntentRefusal | null {
    const { markets, algorithms } = this.options;
    const replaced = intent.kind === 'replace' ? this.ownOrder(instance, intent.clientOrderId) : undefined;
    const symbol = intent.kind === 'replace' ? replaced?.market : intent.market;
    const market = symbol === undefined ? undefined : markets.get(symbol)?.market;
    if (market === undefined) {
      const reason =
        intent.kind === 'replace'
          ? sentence('no-own-order', { order: intent.clientOrderId })
          : markets.whyUnknown(intent.market);
      return { code: 'market', reason };
    }
    const atWork = intent.kind === 'quotes' ? algorithms.quotesOf(instance, market.symbol) : null;
    const closed = atWork === null ? this.whyNoMore() : null;
    if (closed !== null) return { code: 'closed', reason: closed };
    const sized = sizedAlgorithm(intent, sizeViewOf(this.options, instance, market));
    if (!sized.ok) return { code: 'fit', reason: sized.reason };
    if (atWork !== null && sized.intent.kind === 'quotes') {
      const wrong = algorithms.renew(atWork, sized.intent);
      return wrong === null ? null : { code: 'fit', reason: wrong };
    }
    return this.begin(instance, { intent, sized: sized.intent, market, replaced, context });
  }

  private begin(
    instance: StrategyInstance,
    of: {
      readonly intent: AlgorithmIntent;
      readonly sized: SizedAlgorithmIntent;
      readonly market: Market;
      readonly replaced: OrderRecord | undefined;
      readonly context: BeginContext;
    },
  ): IntentRefusal | null {
    const { algorithms, intents, markets, outbox, reservations, risk } = this.options;
    const { intent, sized, market, replaced } = of;
    const { trailing } = instance.runner;
    const noTrail = whyNoTrail(intent, { pace: trailing, atWork: algorithms.brackets.trailsOf(instance) });
    if (noTrail !== null) return { code: 'fit', reason: noTrail };
    const made = createAlgorithm(sized, {
      market,
      nowMs: outbox.nowMs,
      replaced,
      bestAsk: risk.bestFor(market.symbol, 'buy'),
      bestBid: risk.bestFor(market.symbol, 'sell'),
      hasBars: instance.firstTimeframeOf(market.symbol) !== null,
      trailEveryMs: trailing?.everyMs ?? null,
      holding: this.holdingOf(instance, market),
      movesPerMinute: this.options.movesPerMinute,
      pegShares: algorithms.pegShares,
      marketOf: (symbol) => markets.get(symbol)?.market ?? null,
    });
    if (!made.ok) return { code: 'fit', reason: made.reason };
    const refusal = replaced === undefined ? null : this.whyNotReplaced(replaced);
    if (refusal !== null) return { code: 'fit', reason: refusal };
    const short = reservations.objectionToAlgorithm(instance, {
      market: market.symbol,
      algorithm: made.algorithm,
      orders: replaced === undefined ? [] : [replaced],
    });
    if (short !== null) return { code: 'funds', reason: short };
    const intentId = of.context.id ?? this.options.nextId();
    const algorithm = this.inPlaceOfOthers(instance, market.symbol, made.algorithm);
    intents.begin(intentId, instance.name, intent, of.context.approval);
    algorithms.begin(instance, intentId, { market: market.symbol, algorithm });
    return null;
  }

  private whyNoMore(): Sentence | null {
    const isFull = this.options.algorithms.size >= MOST_ALGORITHMS;
    return this.options.closed() ?? (isFull ? sentence('algorithms-full', { count: MOST_ALGORITHMS }) : null);
  }

  private whyNotReplaced({ key, intentId }: OrderRecord): Sentence | null {
    const { algorithms } = this.options;
    // Two replacements of one order would each place a new order.
    if (algorithms.isReplacing(key)) return sentence('replaced-twice', { order: key });
    // An order of a running algorithm is changed by that algorithm alone.
    return algorithms.isAtWork(intentId) ? sentence('order-of-algorithm', { order: key }) : null;
  }

  /** Ends the targets that a new target or set of shares replaces; a set waits until their orders ended. */
  private inPlaceOfOthers(instance: StrategyInstance, market: string, made: Algorithm): Algorithm {
    const { algorithms } = this.options;
    if (made.kind === 'target') algorithms.endTargets(instance, [market]);
    if (made.kind !== 'targets') return made;
    const markets = made.legs.map((leg) => leg.market);
    return { ...made, awaited: algorithms.endTargets(instance, markets, true) };
  }

  /** @see CreateBracketOptions */
  private holdingOf(instance: StrategyInstance, { base, quote }: Market): CreateBracketOptions['holding'] {
    const { held, cost } = instance.ledger.state.holdings.get(base) ?? NO_HOLDING;
    const paid = partOf(cost, quote);
    const isKnown = held > 0n && paid > 0n;
    const amount = subtractUnits(held, this.options.algorithms.brackets.heldOf(instance, base));
    return {
      amount,
      free: () => {
        const unsold = this.options.reservations.freeToSell(instance, base);
        return unsold < amount ? unsold : amount;
      },
      averagePrice: isKnown ? (divideHalfEven(paid * UNITS_PER_ONE, held) as Units) : null,
    };
  }

  private ownOrder(instance: StrategyInstance, key: string): OrderRecord | undefined {
    const order = this.options.table.get(key);
    return order?.strategy === instance.name ? order : undefined;
  }
}

/** Returns the reason why one more stop may not follow the price; null if it may or the intent has none. */
export function whyNoTrail(
  intent: AlgorithmIntent,
  of: { readonly pace: TrailPace | null; readonly atWork: number },
): Sentence | null {
  if ((intent.kind !== 'bracket' && intent.kind !== 'protect') || intent.trail === undefined) return null;
  const { pace, atWork } = of;
  // Without a pace the bracket itself says what is missing.
  if (pace === null || atWork < pace.most) return null;
  return sentence('trails-full', { most: pace.most, atWork });
}
