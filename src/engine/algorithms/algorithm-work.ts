import { NO_UNITS, type Units, formatUnits } from '../../domain/money.ts';
import type { AlgorithmStep, AlgorithmView, Close } from './algorithm-step.ts';
import { followsCloses } from '../bracket.ts';
import { heldOf } from '../bracket-stock.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { ClaimingWork } from '../risk/reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { Market } from '../../domain/market.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import { retryAtMsOf } from './setbacks.ts';
import type { Outbox } from '../outbox.ts';
import { english, type Sentence } from '../../language/sentence.ts';
import type { Algorithm } from '../algorithm-json.ts';

/** Time for which a quotes algorithm still sees its closed orders, in ms; others see all their orders. */
const CLOSED_QUOTES_SHOWN_MS = 15_000;

/**
 * Maximum number of bars in one view of an algorithm: more come only from a long past, and the oldest are
 * dropped.
 */
const MOST_CLOSES = 10_000;

const NO_REFUSALS: AlgorithmView['refusals'] = [];
const NO_CLOSES: readonly Close[] = [];

/** A running algorithm: its intent, its state, its orders, and when it runs next. */
export class AlgorithmWork implements ClaimingWork {
  readonly intentId: string;
  readonly instance: StrategyInstance;
  readonly market: string;
  algorithm: Algorithm;
  /** Its own orders, and those of others whose ends it waits for; oldest first. */
  readonly orders = new Map<string, OrderRecord>();
  /** Refusals since its last step. */
  refusals = NO_REFUSALS;
  /** Bars that closed since its last step; brackets alone get them. */
  closes = NO_CLOSES;
  wakeAtMs = Number.POSITIVE_INFINITY;
  wantsBooks = false;
  /** @see AlgorithmStep.restsAbove */
  restsAbove: Units | null = null;
  /** @see AlgorithmStep.isComplete */
  isComplete = false;
  /** @see AlgorithmStep.awaitsOthers */
  awaitsOthers = false;
  /** Time since which it can place nothing because something is missing; null while nothing is missing. */
  missingSinceMs: number | null = null;
  /** True if it was logged that something is missing. */
  isMissingLogged = false;
  /** Number of times it has run in this step of the engine. */
  asks = 0;
  private orderList: readonly OrderRecord[] | null = null;

  constructor(of: Pick<AlgorithmWork, 'intentId' | 'instance' | 'market' | 'algorithm'>) {
    this.intentId = of.intentId;
    this.instance = of.instance;
    this.market = of.market;
    this.algorithm = of.algorithm;
  }

  /** Markets that it works in. */
  get markets(): readonly string[] {
    const { algorithm, market } = this;
    return algorithm.kind === 'targets' ? algorithm.legs.map((leg) => leg.market) : [market];
  }

  /** The coin of its market. */
  get base(): string {
    return this.instance.marketNames.parseMarket(this.market).base;
  }

  /** True if any book or closed bar of its market may let it act. */
  get wantsPrices(): boolean {
    const { wantsBooks, restsAbove, algorithm } = this;
    if (wantsBooks) return restsAbove === null;
    return algorithm.kind === 'bracket' && followsCloses(algorithm.terms);
  }

  /** Tag that the strategy gave it; null if none. */
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

  /** Applies the result of its step. Returns true if its state changed, so that it has to be stored. */
  apply(step: AlgorithmStep<Algorithm>): boolean {
    const isChanged = step.algorithm !== this.algorithm;
    this.algorithm = step.algorithm;
    this.refusals = NO_REFUSALS;
    this.closes = NO_CLOSES;
    this.wakeAtMs = step.wakeAtMs ?? Number.POSITIVE_INFINITY;
    this.wantsBooks = step.wantsBooks;
    this.restsAbove = step.restsAbove ?? null;
    this.isComplete = step.isComplete ?? false;
    this.awaitsOthers = step.awaitsOthers ?? false;
    return isChanged;
  }

  /** Returns the orders for its view, oldest first. */
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

/** View of an algorithm. The book is computed when it is read, which most algorithms never do. */
export class WorkView implements AlgorithmView {
  readonly nowMs: number;
  readonly market: Market;
  readonly orders: readonly OrderRecord[];
  readonly position: Units;
  readonly equity: Units | null;
  readonly closes: readonly Close[];
  readonly refusals: AlgorithmView['refusals'];
  readonly refusalPauseMs: number;
  readonly refusalCauseOf: AlgorithmView['refusalCauseOf'];
  readonly priceBand: Units | null;
  readonly portfolio: AlgorithmView['portfolio'];
  readonly liveAmong: AlgorithmView['liveAmong'];
  private readonly exits: () => Units;
  private readonly of: {
    readonly markets: MarketDataCache;
    readonly closed: () => Sentence | null;
    readonly areMissing: (coin: string) => boolean;
  };

  constructor(
    of: WorkView['of'],
    view: Omit<AlgorithmView, 'book' | 'levels' | 'canPlace' | 'inExits' | 'areCoinsMissing'> & {
      readonly exits: () => Units;
    },
  ) {
    this.of = of;
    this.nowMs = view.nowMs;
    this.market = view.market;
    this.orders = view.orders;
    this.position = view.position;
    this.equity = view.equity;
    this.closes = view.closes;
    this.refusals = view.refusals;
    this.refusalPauseMs = view.refusalPauseMs;
    this.refusalCauseOf = view.refusalCauseOf;
    this.priceBand = view.priceBand;
    this.portfolio = view.portfolio;
    this.liveAmong = view.liveAmong;
    this.exits = view.exits;
  }

  get canPlace(): boolean {
    return this.of.closed() === null;
  }

  get inExits(): Units {
    return this.exits();
  }

  get areCoinsMissing(): boolean {
    return this.of.areMissing(this.market.base);
  }

  get book(): AlgorithmView['book'] {
    return this.of.markets.seenBook(this.market.symbol);
  }

  get levels(): AlgorithmView['levels'] {
    return this.of.markets.get(this.market.symbol)?.book ?? null;
  }
}

/** Names for a message about a bracket: its strategy, its market, and its coin. */
interface NamedBracket {
  readonly strategy: string;
  readonly market: string;
  readonly base: string;
}

/** Number of refusals in a row from which a position without an exit is an alarm. */
const ALARM_FROM = 2;

/**
 * Logs that the exit of a bracket was refused once more, how often, and when it is tried again. A refused
 * entry leaves no position, and its strategy gets a `reject`.
 */
export function logRefusedExit(
  outbox: Outbox,
  { strategy, market }: NamedBracket,
  of: {
    readonly before: Algorithm;
    readonly after: Algorithm;
    readonly orders: readonly OrderRecord[];
    readonly pauseMs: number;
  },
): void {
  const { before, after, orders, pauseMs } = of;
  if (before.kind !== 'bracket' || after.kind !== 'bracket') return;
  const { inARow, reason } = after.setbacks;
  const inMs = (retryAtMsOf(after.setbacks, pauseMs) ?? outbox.nowMs) - outbox.nowMs;
  const hasLostStop = before.isStopAlone && !after.isStopAlone && inMs > 0;
  if ((inARow <= before.setbacks.inARow && !hasLostStop) || heldOf(after, orders) <= 0n) return;
  const times = inARow === 1 ? 'once' : `${inARow} times in a row`;
  const has = after.isStopAlone ? 'its stop goes alone' : 'the position has no exit';
  const message = `${strategy}: the exit of its bracket in ${market} was refused ${times} (${english(reason)}): ${has}, and the bot tries again in ${Math.ceil(inMs / 1_000)} s`;
  if (after.isStopAlone || inARow < ALARM_FROM) outbox.warn(message, strategy);
  else outbox.alarm(message, strategy);
}

/** Logs that it is unknown if a position is still there, and the commands by which a person can decide it. */
export function logUnclear(
  outbox: Outbox,
  {
    name,
    algorithm,
    held,
  }: { readonly name: NamedBracket; readonly algorithm: Algorithm; readonly held: Units },
  before: Algorithm,
): void {
  if (algorithm.kind !== 'bracket' || before.kind !== 'bracket') return;
  const { strategy, market, base } = name;
  const { unclear } = algorithm;
  if (unclear === null || unclear.why === before.unclear?.why) return;
  const why =
    unclear.why === 'exit-canceled'
      ? 'somebody else canceled its exit'
      : `the account has less ${base.toUpperCase()} than its strategies hold`;
  outbox.alarm(
    `${strategy}: ${why}, so ${formatUnits(held)} ${base} of its bracket in ${market} have no exit, and none is placed until you say what became of them: "sarraf position adopt ${strategy} ${market}" (they are still there), "sarraf position write-off ${strategy} ${market}" (sold or moved by hand), "sarraf position move ${strategy} TO ${market}" (they are another strategy's)`,
    strategy,
  );
}

/** Logs that a bracket was ended from outside while it still holds something or may still buy. */
export function logLeft(
  outbox: Outbox,
  { strategy, market, base }: NamedBracket,
  of: { readonly algorithm: Algorithm; readonly orders: readonly OrderRecord[]; readonly reason: Sentence },
): void {
  const { algorithm, orders, reason } = of;
  if (algorithm.kind !== 'bracket') return;
  const held: Units = heldOf(algorithm, orders);
  const mayBuy = orders.some((order) => order.side === 'buy' && !isFinal(order));
  if (held <= 0n && !mayBuy) return;
  const what = held > 0n ? `${formatUnits(held)} ${base}` : 'what its entry may still buy';
  outbox.warn(
    `${strategy}: its bracket in ${market} ended (${english(reason)}): ${what} has no exit any more; ctx.protect places one`,
    strategy,
  );
}
