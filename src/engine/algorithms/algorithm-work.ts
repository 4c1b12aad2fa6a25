import { NO_UNITS, type Units } from '../../domain/money.ts';
import type { Algorithm } from './algorithms.ts';
import type { AlgorithmStep, AlgorithmView, Close } from './algorithm-step.ts';
import { heldOf } from '../bracket-stock.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { NamedBracket } from './bracket-notices.ts';
import type { ClaimingWork } from '../risk/reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

/**
 * Closed orders of a quotes algorithm that it is still shown. Others count all that their orders ever filled.
 */
const CLOSED_QUOTES_SHOWN_MS = 15_000;

/** Bars that one algorithm is shown at once: more come only from a long past, and the oldest go. */
const MOST_CLOSES = 10_000;

const NO_REFUSALS: AlgorithmView['refusals'] = [];
const NO_CLOSES: readonly Close[] = [];

/** An algorithm at work: what it serves, what it has, and when it is to be asked. */
export class AlgorithmWork implements ClaimingWork {
  readonly intentId: string;
  readonly instance: StrategyInstance;
  readonly market: string;
  algorithm: Algorithm;
  /** Its own orders, and those of others whose ends it waits for; oldest first. */
  readonly orders = new Map<string, OrderRecord>();
  /** Refusals since it was last asked. */
  refusals = NO_REFUSALS;
  /** Bars that closed since it was asked last, where it wants them. */
  closes = NO_CLOSES;
  wakeAtMs = Number.POSITIVE_INFINITY;
  wantsBooks = false;
  /** @see AlgorithmStep.isComplete */
  isComplete = false;
  /** @see AlgorithmStep.awaitsOthers */
  awaitsOthers = false;
  /** Since when it can place nothing for want of something; null while it lacks nothing. */
  lacksSinceMs: number | null = null;
  /** True if the lack was reported. */
  isLackTold = false;
  /** Number of times it was asked in this step. */
  asks = 0;
  private orderList: readonly OrderRecord[] | null = null;

  constructor(of: Pick<AlgorithmWork, 'intentId' | 'instance' | 'market' | 'algorithm'>) {
    this.intentId = of.intentId;
    this.instance = of.instance;
    this.market = of.market;
    this.algorithm = of.algorithm;
  }

  /** Markets it works in. */
  get markets(): readonly string[] {
    const { algorithm, market } = this;
    return algorithm.kind === 'targets' ? algorithm.legs.map((leg) => leg.market) : [market];
  }

  /** The coin of its market. */
  get base(): string {
    return this.instance.marketNames.parseMarket(this.market).base;
  }

  /** Tag given by the author; null if none. */
  get tag(): string | null {
    const { algorithm } = this;
    if (algorithm.kind === 'expiring') return algorithm.tag;
    if (algorithm.kind !== 'bracket') return null;
    return algorithm.leaving?.tag ?? algorithm.terms.tag;
  }

  /** Strategy, market and coin, as named in notices. */
  get name(): NamedBracket {
    return { strategy: this.instance.name, market: this.market, base: this.base };
  }

  /** Amount of its coin that it holds as a bracket; other algorithms hold nothing. */
  get held(): Units {
    return this.algorithm.kind === 'bracket' ? heldOf(this.algorithm, [...this.orders.values()]) : NO_UNITS;
  }

  note(order: OrderRecord): void {
    this.orders.set(order.key, order);
    this.orderList = null;
    this.isComplete = false;
  }

  noteRefusal(refusal: AlgorithmView['refusals'][number]): void {
    this.refusals = [...this.refusals, refusal];
  }

  noteClose(close: Close): void {
    this.closes = [...this.closes.slice(1 - MOST_CLOSES), close];
  }

  /** Takes over what it answered; answers whether that changed what is kept of it. */
  take(step: AlgorithmStep<Algorithm>): boolean {
    const isChanged = step.algorithm !== this.algorithm;
    this.algorithm = step.algorithm;
    this.refusals = NO_REFUSALS;
    this.closes = NO_CLOSES;
    this.wakeAtMs = step.wakeAtMs ?? Number.POSITIVE_INFINITY;
    this.wantsBooks = step.wantsBooks;
    this.isComplete = step.isComplete ?? false;
    this.awaitsOthers = step.awaitsOthers ?? false;
    return isChanged;
  }

  /** The orders that it is shown, oldest first. */
  ordersAt(nowMs: number): readonly OrderRecord[] {
    if (this.orderList !== null) return this.orderList;
    const isOfQuotes = this.algorithm.kind === 'quotes';
    const list: OrderRecord[] = [];
    for (const order of this.orders.values()) {
      const isOver = isOfQuotes && isFinal(order);
      if (isOver && (order.closedAtMs ?? nowMs) + CLOSED_QUOTES_SHOWN_MS < nowMs)
        this.orders.delete(order.key);
      else list.push(order);
    }
    this.orderList = list;
    return list;
  }
}
