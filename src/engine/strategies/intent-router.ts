import type { AlgorithmManagerOptions } from '../algorithms/algorithm-manager.ts';
import { EnginePart } from '../engine-settings.ts';
import type { AlgorithmStarterOptions } from '../algorithms/algorithm-starter.ts';
import type { Market } from '../../domain/market.ts';
import { NO_UNITS, subtractUnits, type Units } from '../../domain/money.ts';
import { type ExpiringAlgorithm, isAlgorithmIntent } from '../algorithms/algorithms.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import {
  canBeOrdered,
  onAmountGrid,
  positiveRequestedUnits,
  requestedUnits,
} from '../algorithms/requested-units.ts';
import { isFinal, labelsOf, type OrderRecord } from '../../records/order.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import type { MirrorState } from '../mirror-change.ts';
import type { RequestedOrder } from '../risk/pre-trade-risk.ts';
import { AlgorithmStarter, type BeginContext } from '../algorithms/algorithm-starter.ts';
import type { Admitted, Approvals } from './approvals.ts';
import { EXEMPT } from './intent-blotter.ts';
import type { IntentRefusal } from './strategy-notifier.ts';
import { amountFor, sizeViewOf } from './sized-intent.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { TransferManager } from '../transfer-manager.ts';
import { memberUniverseOf } from '../../strategy/strategy-port.ts';
import { universeOf } from '../../strategy/shown-universe.ts';
import type { UniverseState } from '../../strategy/rank-markets.ts';
import type { OrderTable } from '../orders/order-table.ts';

interface IntentRouterOptions
  extends
    Omit<AlgorithmManagerOptions, 'areMissing'>,
    Pick<AlgorithmStarterOptions, 'algorithms' | 'movesPerMinute'> {
  readonly members: MemberGuard;
  readonly transfers: TransferManager;
  readonly approvals: Approvals;
  /** Returns why an intent is refused while a person closes the position there; null if it is not. */
  readonly whileClosing: (instance: StrategyInstance, intent: Intent) => Sentence | null;
}

/** Result of a requested order: its key, null if an algorithm places it or in a dry run; or the refusal. */
type PlacedOrder = { readonly ok: true; readonly key: string | null } | Refused;
type Refused = { readonly ok: false } & IntentRefusal;

/** Turns the intents of strategies into orders and algorithms, or returns why not. */
export class IntentRouter extends EnginePart<IntentRouterOptions> {
  private readonly starter: AlgorithmStarter;

  constructor(options: IntentRouterOptions) {
    super(options);
    const { table } = options.orderManager.blotter;
    this.starter = new AlgorithmStarter({ ...options, table, nextId: () => this.nextId() });
    options.orderManager.blotter.listen(['end'], this.onEnd);
  }

  apply(instance: StrategyInstance, asked: Intent): void {
    const { members, approvals, notifier } = this.options;
    const closing = this.options.whileClosing(instance, asked);
    if (closing !== null) {
      notifier.refuse(instance, asked, { code: 'closed', reason: closing });
      return;
    }
    const { intent, why } = members.check(instance, asked);
    if (why !== null) notifier.refuse(instance, asked, { code: 'member', reason: why });
    if (intent === null) return;
    const needsNone = instance.settings.approval === undefined;
    const admitted: Admitted | null = needsNone ? { intent } : approvals.admit(instance, intent);
    if (admitted === null) return;
    const refusal = this.begin(instance, admitted.intent, admitted);
    if (refusal !== null) notifier.refuse(instance, admitted.intent, refusal);
  }

  /** Carries out an entry that a person approved, with all checks. Returns the refusal; null if none. */
  applyApproved(instance: StrategyInstance, intent: Intent, id: string): IntentRefusal | null {
    const closing = this.options.whileClosing(instance, intent);
    if (closing !== null) return { code: 'closed', reason: closing };
    const { why } = this.options.members.check(instance, intent);
    return why === null ? this.begin(instance, intent, { id }) : { code: 'member', reason: why };
  }

  private begin(instance: StrategyInstance, intent: Intent, context: BeginContext): IntentRefusal | null {
    if (isAlgorithmIntent(intent)) return this.starter.start(instance, intent, context);
    switch (intent.kind) {
      case 'cancel':
        return this.cancel(instance, intent.clientOrderId);
      case 'cancel-all':
        this.cancelAll(instance, intent.market ?? null);
        return null;
      case 'exit':
        return this.exit(instance, intent);
      case 'transfer':
        this.options.transfers.apply(instance, intent, () => this.nextId());
        return null;
      case 'place':
      case 'oco': {
        const placed = this.place(instance, intent, context);
        return placed.ok ? null : placed;
      }
    }
  }

  /**
   * Places an order by hand in the book of a strategy, or only checks it: then its key is null. The strategy
   * is not notified of a refusal.
   */
  placeByHand(
    instance: StrategyInstance,
    asked: Extract<Intent, { kind: 'place' }>,
    isDryRun: boolean,
  ): PlacedOrder {
    const closing = this.options.whileClosing(instance, asked);
    if (closing !== null) return { ok: false, code: 'closed', reason: closing };
    const { why } = this.options.members.check(instance, asked);
    if (why !== null) return { ok: false, code: 'member', reason: why };
    return this.place(instance, asked, { isByHand: true, isDryRun, approval: EXEMPT });
  }

  /** Sells a strategy's holding of a market's coin, or buys back what it owes, by a target of 0. */
  sellOut(
    instance: StrategyInstance,
    market: string,
  ): { readonly ok: true; readonly intentId: string } | Refused {
    const intentId = this.nextId();
    const refusal = this.starter.start(instance, { kind: 'target', market, position: 0 }, { id: intentId });
    return refusal === null ? { ok: true, intentId } : { ok: false, ...refusal };
  }

  /** Ends the running work of a strategy that has just failed, as its policy says. */
  endAllOf(instance: StrategyInstance): void {
    const { algorithms, approvals } = this.options;
    algorithms.end((work) => work.instance === instance, sentence('ended-strategy-stopped'));
    approvals.end((entry) => entry.instance === instance, sentence('ended-strategy-stopped'));
    if (instance.settings.onError === 'cancel') this.cancelAll(instance, null);
  }

  /** Ends a strategy's algorithms and cancels its orders, in one market or in all (null). */
  cancelAll(instance: StrategyInstance, market: string | null): void {
    const { algorithms, orderManager, approvals } = this.options;
    algorithms.end(
      (work) => work.instance === instance && (market === null || work.market === market),
      'canceled',
    );
    approvals.end(
      (entry) => entry.instance === instance && (market === null || entry.markets.includes(market)),
      'canceled',
    );
    for (const order of orderManager.blotter.table.unfinished(instance.name)) {
      if (market === null || order.market === market) orderManager.cancels.cancel(order);
    }
  }

  /** Leaves a position: ends algorithms and orders in its coin, its exits last, and sells what is held. */
  private exit(instance: StrategyInstance, intent: Extract<Intent, { kind: 'exit' }>): IntentRefusal | null {
    const { markets, algorithms, intents } = this.options;
    const market = markets.get(intent.market)?.market;
    if (market === undefined) return { code: 'market', reason: markets.whyUnknown(intent.market) };
    const price = optionalUnits(intent.price);
    if (price === undefined) return { code: 'fit', reason: sentence('decimals-needed') };
    const { ownExits } = algorithms;
    const closed = this.options.closed();
    // A bracket can wait, as its exit rests at the exchange.
    if (closed !== null && !ownExits.hasBracket(instance, market.base))
      return { code: 'closed', reason: closed };
    const { marketNames } = instance;
    algorithms.end(
      (work) =>
        work.instance === instance &&
        marketNames.parseMarket(work.market).base === market.base &&
        algorithms.algorithmOf(work.intentId)?.kind !== 'bracket',
      sentence('bracket-decided'),
    );
    const intentId = this.nextId();
    intents.begin(intentId, instance.name, intent);
    ownExits.leaveAll(
      instance,
      {
        market: market.symbol,
        amount: null,
        price,
        why: intent.reason ?? sentence('bracket-decided'),
        tag: null,
        intentId,
      },
      ownExits.othersOf(instance, market.base),
    );
    const { base } = market;
    const end = ownExits.hasBracket(instance, base) ? 'exit-begun' : 'bracket-nothing-left';
    if (!algorithms.isAtWork(intentId)) intents.end(intentId, 'done', sentence(end));
    return null;
  }

  /**
   * Lets the strategy's own exits sell coins that they hold. Returns the amount that a separate order still
   * has to sell; null if they hold none of the coins.
   */
  private soldByExits(
    instance: StrategyInstance,
    intent: Extract<Intent, { kind: 'place' | 'oco' }>,
    of: { readonly market: Market; readonly draft: OrderDraft },
  ): Units | null {
    const { algorithms, reservations } = this.options;
    const { market, draft } = of;
    const isPlain = intent.kind === 'place' && intent.postOnly !== true && intent.expireAfterMs === undefined;
    if (!isPlain || draft.side === 'buy' || draft.stopPrice !== null) return null;
    if (algorithms.ownExits.heldOf(instance, market.base) === 0n) return null;
    const amount = onAmountGrid(market, draft.amount);
    const free = reservations.freeToSell(instance, market.base);
    if (amount <= free) return null;
    const { symbol } = market;
    const { price, labels } = draft;
    const why = sentence('bracket-decided');
    return algorithms.ownExits.sell(
      instance,
      { market: symbol, amount: subtractUnits(amount, free), price, why, tag: labels.tag, intentId: null },
      { free, isTotal: false },
    );
  }

  private cancel(instance: StrategyInstance, key: string): IntentRefusal | null {
    const { orderManager } = this.options;
    const order = orderManager.blotter.table.get(key);
    if (order?.strategy !== instance.name)
      return { code: 'unknown', reason: sentence('no-own-order', { order: key }) };
    orderManager.cancels.cancel(order);
    return null;
  }

  private place(
    instance: StrategyInstance,
    intent: Extract<Intent, { kind: 'place' | 'oco' }>,
    context: BeginContext & { readonly isByHand?: boolean; readonly isDryRun?: boolean },
  ): PlacedOrder {
    const { isByHand = false, isDryRun = false } = context;
    const { risk, placer, markets, intents } = this.options;
    const state = markets.get(intent.market);
    if (state === undefined) return { ok: false, code: 'market', reason: markets.whyUnknown(intent.market) };
    const amount = amountFor(intent, sizeViewOf(this.options, instance, state.market));
    let draft = amount.ok && amount.units !== null ? draftOf(intent, amount.units) : null;
    if (!amount.ok || draft === null) {
      const reason = amount.ok ? sentence('decimals-needed') : amount.reason;
      return { ok: false, code: 'fit', reason };
    }
    const closed = this.options.closed();
    if (closed !== null) return { ok: false, code: 'closed', reason: closed };
    const isPostOnly = intent.kind === 'place' && intent.postOnly === true;
    const crossed = isPostOnly ? risk.crossedBy(state.market, draft) : null;
    if (crossed !== null) return { ok: false, code: 'fit', reason: crossed };
    const intentId = isDryRun ? '' : (context.id ?? this.nextId());
    if (!isDryRun) intents.begin(intentId, instance.name, intent, context.approval);
    if (intent.kind === 'place' && intent.expireAfterMs !== undefined) {
      const algorithm = expiringOf(draft, this.options.outbox.nowMs + intent.expireAfterMs);
      this.options.algorithms.begin(instance, intentId, { market: intent.market, algorithm });
      return { ok: true, key: null };
    }
    // An order by hand is placed as it is, and no exit is canceled for it.
    const rest = isByHand ? null : this.soldByExits(instance, intent, { market: state.market, draft });
    if (rest !== null) {
      if (
        !canBeOrdered(state.market, {
          amount: rest,
          price: draft.price ?? risk.bestFor(intent.market, 'sell') ?? NO_UNITS,
        })
      ) {
        intents.end(intentId, 'done', sentence('exit-begun'));
        return { ok: true, key: null };
      }
      draft = { ...draft, amount: rest };
    }
    const outcome = risk.approve(instance, state.market, { ...draft, intentId, isDryRun });
    if (outcome.ok) return { ok: true, key: isDryRun ? null : placer.place({ ...outcome.plan, isPostOnly }) };
    intents.end(intentId, 'refused', outcome.reason);
    return outcome;
  }

  /**
   * Restores the intents that were at work before a restart, after their orders and algorithms, and ends
   * those that have none any more.
   */
  restore({ intents: records, orders }: MirrorState): void {
    const { intents, algorithms, orderManager, transfers, approvals } = this.options;
    const { table } = orderManager.blotter;
    intents.restore(records);
    approvals.restore(records, orderManager.takeover.isPutBack);
    const live = new Set(table.unfinished().map(({ intentId }) => intentId));
    const lastKeys = new Map(orders.map(({ intentId, key }) => [intentId, key]));
    for (const { id } of records) {
      if (live.has(id) || algorithms.isAtWork(id) || transfers.isAtWork(id) || approvals.waiting.has(id))
        continue;
      const lastKey = lastKeys.get(id);
      const last = lastKey === undefined ? undefined : table.get(lastKey);
      if (last?.state === 'rejected') intents.end(id, 'refused', last.reason ?? 'rejected');
      else intents.end(id, 'done', last?.state ?? sentence('ended-before-restart'));
    }
  }

  /** Ends an intent of a single order or pair together with it. */
  private readonly onEnd = (order: OrderRecord): void => {
    const { intents, algorithms } = this.options;
    if (algorithms.works.has(order.intentId)) return;
    const pair =
      order.pairKey === null ? undefined : this.options.orderManager.blotter.table.get(order.pairKey);
    if (pair !== undefined && !isFinal(pair)) return;
    if (order.state === 'rejected') intents.end(order.intentId, 'refused', order.reason ?? 'rejected');
    else intents.end(order.intentId, 'done', order.state);
  };

  private nextId(): string {
    return `i${this.options.rows.next().toString(36)}`;
  }
}

type OrderDraft = Omit<RequestedOrder, 'intentId'>;

function expiringOf(
  { side, amount, price, stopPrice, labels }: OrderDraft,
  expiresAtMs: number,
): ExpiringAlgorithm {
  return { kind: 'expiring', side, amount, price, stopPrice, tag: labels.tag, expiresAtMs, isPlaced: false };
}

/** Returns an intent in units; null if a number is no positive decimal. */
function draftOf(intent: Extract<Intent, { kind: 'place' | 'oco' }>, amount: Units): OrderDraft | null {
  const price = optionalUnits(intent.price);
  const stopPrice = optionalUnits(intent.stopPrice);
  const stopLimitPrice = optionalUnits(intent.kind === 'oco' ? intent.stopLimitPrice : undefined);
  if (price === undefined || stopPrice === undefined || stopLimitPrice === undefined) return null;
  const whenIdentical = intent.allowIdentical === true ? 'insist' : 'hold';
  return {
    labels: labelsOf(intent),
    side: intent.side,
    amount,
    price,
    stopPrice,
    stopLimitPrice,
    whenIdentical,
    exit: null,
    stopLegExit: null,
  };
}

/** Converts a number to units: null if it was left out, undefined if it is no positive decimal. */
function optionalUnits(input: DecimalInput | undefined): Units | null | undefined {
  return input === undefined ? null : (positiveRequestedUnits(input) ?? undefined);
}

interface MemberGuardOptions {
  readonly universeOf: (instance: StrategyInstance, name: string) => UniverseState | null;
  readonly table: Pick<OrderTable, 'get'>;
}

/** Permitted part of an intent, and why the rest is refused. */
interface Guarded {
  readonly intent: Intent | null;
  readonly why: Sentence | null;
}

/**
 * Guards a strategy that runs in each member of a universe: it buys only in members, and in a market that has
 * left it may only sell its holding. Orders and algorithms that are live there go on.
 */
export class MemberGuard extends EnginePart<MemberGuardOptions> {
  check(instance: StrategyInstance, intent: Intent): Guarded {
    const name = memberUniverseOf(instance.runner)?.name ?? null;
    if (name === null) return { intent, why: null };
    const state = this.options.universeOf(instance, name);
    const isOut = (market: string): boolean => !universeOf(state).isMember(market);
    if (intent.kind === 'quotes' && isOut(intent.market)) {
      // The reduced set is passed on even if it is empty, or the quotes of the last set would stay.
      const quotes = intent.quotes.filter(({ side }) => side === 'sell');
      const isWhole = quotes.length === intent.quotes.length;
      return isWhole
        ? { intent, why: null }
        : { intent: { ...intent, quotes }, why: this.whyNot(intent.market, state) };
    }
    const market = this.boughtIn(instance, intent, isOut);
    return market === null ? { intent, why: null } : { intent: null, why: this.whyNot(market, state) };
  }

  /** Returns the market in which an intent may buy though it is no member; null if there is none. */
  private boughtIn(
    instance: StrategyInstance,
    intent: Intent,
    isOut: (market: string) => boolean,
  ): string | null {
    switch (intent.kind) {
      case 'cancel':
      case 'cancel-all':
      case 'protect':
      case 'exit':
      case 'quotes':
      case 'transfer':
        return null;
      case 'place':
      case 'oco':
      case 'twap':
      case 'vwap':
      case 'ladder':
      case 'peg':
      case 'iceberg':
        return intent.side === 'buy' && isOut(intent.market) ? intent.market : null;
      case 'dca':
      case 'bracket':
        return isOut(intent.market) ? intent.market : null;
      case 'replace': {
        const order = this.options.table.get(intent.clientOrderId);
        return order?.side === 'buy' && isOut(order.market) ? order.market : null;
      }
      case 'target':
        return isOut(intent.market) && !isReduction(instance, intent) ? intent.market : null;
      case 'targets':
        return Object.keys(intent.shares).find((one) => isOut(one) && !isNothing(intent.shares[one])) ?? null;
    }
  }

  private whyNot(market: string, state: UniverseState | null): Sentence {
    const reason = universeOf(state).whyNot(market) ?? 'it is one';
    return sentence('no-member', { market, reason });
  }
}

/** True if a target is at most the current holding; a target by value or by share must be 0. */
function isReduction(instance: StrategyInstance, intent: Extract<Intent, { kind: 'target' }>): boolean {
  const { position, value, equityShare } = intent;
  if (position === undefined) return isNothing(value ?? equityShare);
  const wanted = requestedUnits(position);
  const { base } = instance.marketNames.parseMarket(intent.market);
  return wanted !== null && wanted <= instance.held(base);
}

function isNothing(share: DecimalInput | undefined): boolean {
  return share !== undefined && requestedUnits(share) === 0n;
}
