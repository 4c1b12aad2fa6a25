import type { LockKind } from '../../records/field.ts';
import { leastAmountAt } from '../../domain/market.ts';
import { countText, addUnits, subtractUnits, type Units, NO_UNITS } from '../../domain/money.ts';
import { durationText } from '../../domain/time-text.ts';
import type { FillRecord } from '../../records/fill.ts';
import { LockBook, LockRecords, MOST_BY_HAND, type LockChange } from './lock-book.ts';
import {
  lockReason,
  scopeText,
  untilText,
  type Lock,
  reaches,
  type DrawdownRule,
  type LockRecord,
  type LockRule,
} from '../lock.ts';
import { restored, type StoredTexts } from '../stored-records.ts';
import { type OrderRecord, mayTrade } from '../../records/order.ts';
import type { WantedOrder } from '../risk/risk-view.ts';
import { NO_HOLDING, type Holding, endsTrip, partOf, subtractMoney } from '../../portfolio/holding.ts';
import type { ShownLock } from '../../strategy/strategy-event.ts';
import type { LockCommand } from '../engine-event.ts';
import { type EngineSettings, EnginePart } from '../engine-settings.ts';
import { EquityOfBot, type EquityOptions } from '../strategies/equity-of-bot.ts';

import type { OrderManager } from '../orders/order-manager.ts';
import type { Outbox } from '../outbox.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { Exit } from './trade-counts.ts';
import type { LockRefusal } from '../risk/pre-trade-risk.ts';
import { exitsAmong, type HeldOf } from '../exits.ts';
import { english } from '../../language/sentence.ts';

const NO_LOCKS_SHOWN: readonly ShownLock[] = Object.freeze([]);

interface LockManagerOptions extends EquityOptions {
  readonly settings: EngineSettings;
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  /** True if an order is the sale of a bracket. */
  readonly isExitOfBracket: (order: OrderRecord) => boolean;
  /** True if strategies are running; equity is not read before that. */
  readonly hasStarted: () => boolean;
  /** Called when a strategy whose events were paused gets them again. */
  readonly onResumed: (instance: StrategyInstance) => void;
}

/**
 * Runs the locks: feeds the rules with fills, equity and time, refuses orders that add risk while a lock is
 * active, and cancels resting orders where the lock says so. It places nothing, and cancels no exit.
 */
export class LockManager extends EnginePart<LockManagerOptions> {
  private readonly book: LockBook;
  private readonly records = new LockRecords();
  readonly entries: EntryCanceler;
  private readonly equity: EquityOfBot;
  private storedVersion = 0;
  /** True if something has changed since the last `store`. */
  isChanged = false;
  /** Time of the next `advance` or equity sample. */
  dueAtMs = Number.NEGATIVE_INFINITY;
  /** Active locks as handlers see them, by strategy and market; cleared when any lock changes. */
  private readonly shown = new Map<string, readonly ShownLock[]>();
  private shownVersion = 0;
  private sampleAtMs: number;
  private before: Holding = NO_HOLDING;
  /** Drawdown rules with an unknown equity, for which a warning was logged. */
  private readonly unknown = new Set<string>();

  constructor(options: LockManagerOptions) {
    super(options);
    this.book = new LockBook(rulesOf(options.settings));
    this.equity = new EquityOfBot(options);
    this.entries = new EntryCanceler({ ...options, active: () => this.book.active() });
    this.sampleAtMs = this.book.drawdownRules.length === 0 ? Number.POSITIVE_INFINITY : 0;
    this.settle();
  }

  /** Returns the active locks, oldest first. */
  active(): readonly Lock[] {
    return this.book.active();
  }

  /** Returns the cause of an active lock. */
  kindOf(lock: Lock): LockKind {
    return this.book.kindOf(lock);
  }

  /** Returns the locks of this life in the order in which they began, and the number of those not kept. */
  history(): { readonly records: readonly LockRecord[]; readonly more: number } {
    return { records: this.records.all(), more: this.records.more };
  }

  /** Returns the active locks on new risk of a strategy in a market, the one that ends last first. */
  shownTo(strategy: string, market: string): readonly ShownLock[] {
    if (this.book.active().length === 0) return NO_LOCKS_SHOWN;
    if (this.shownVersion !== this.book.version) {
      this.shownVersion = this.book.version;
      this.shown.clear();
    }
    const key = `${strategy} ${market}`;
    const known = this.shown.get(key);
    if (known !== undefined) return known;
    const locks = Object.freeze(
      this.book.locksOn(strategy, market).map((lock) => {
        const { rule: _, pauses: _pauses, by: _by, ...rest } = lock;
        return Object.freeze({ ...rest, reason: english(lock.reason), kind: this.book.kindOf(lock) });
      }),
    );
    this.shown.set(key, locks);
    return locks;
  }

  /** Returns why an order is refused; null if it is not. `reduces`: true if it only reduces a position. */
  refusalOf(order: WantedOrder, reduces: () => boolean): LockRefusal | null {
    if (this.isIdle) return null;
    const { nowMs } = this.options.outbox;
    this.advance();
    // Exits of brackets change within a bar, where a backtest has no price.
    if (!order.isExit) this.checkEquity(nowMs);
    const [lock] = this.book.locksOn(order.strategy, order.market.symbol);
    if (lock === undefined || order.isExit || reduces()) return null;
    const refusal = { code: `lock ${lock.name}`, reason: lockReason(lock) };
    if (order.isDryRun !== true && this.records.refuse(lock, order.strategy))
      this.logRefusal(order.strategy, refusal);
    return refusal;
  }

  /** Applies an operator's command. Returns the changes of locks. */
  apply(command: LockCommand): readonly LockChange[] {
    const { outbox, markets, instances } = this.options;
    const { nowMs } = outbox;
    outbox.durable();
    outbox.journal('control', command.kind, { ...command });
    this.advance();
    const { strategy, market } = command;
    if (command.kind === 'unlock') {
      const scope = command.isAll ? null : { strategy, market };
      return this.announce(this.book.unlock({ name: command.name, scope }), nowMs);
    }
    const isKnown =
      (market === null || markets.get(market) !== undefined) &&
      (strategy === null || instances.some(({ name }) => name === strategy));
    if (!isKnown) {
      outbox.alarm(`the lock ${command.name} was not taken: this bot has no ${scopeText(command)}`);
      return [];
    }
    if (!this.book.hasRoom) {
      outbox.alarm(`the lock ${command.name} was not taken: ${MOST_BY_HAND} locks by hand hold already`);
      return [];
    }
    const change = this.book.lockByHand(lockOf(command, nowMs), nowMs);
    const { name } = command;
    if (change === null) outbox.info(`the lock ${name} of ${scopeText(command)} changes nothing`);
    return this.announce(change === null ? [] : [change], nowMs);
  }

  /** True if a rule counts trades: then each fill is passed in before and after it is booked. */
  get countsTrades(): boolean {
    return this.book.countsTrades;
  }

  /** Listener that notes what is held before a fill is booked. */
  readonly ahead = {
    onFill: (fill: FillRecord, order: OrderRecord | null): void => {
      this.before = this.holdingOf(fill, order);
    },
  };

  /** Passes a fill that was booked on to the rules. */
  onFill(fill: FillRecord, order: OrderRecord | null): void {
    if (order === null) return;
    const instance = this.instanceOf(order.strategy);
    const market = this.options.markets.get(fill.market)?.market;
    if (instance === undefined || market === undefined) return;
    const exit = exitOfFill({
      fill,
      order,
      before: this.before,
      after: this.holdingOf(fill, order),
      leastAmount: leastAmountAt(market, fill.price),
      currency: instance.ledger.currency,
      isOfBracket: this.options.isExitOfBracket(order),
    });
    if (exit === null) return;
    const { nowMs } = this.options.outbox;
    this.advance();
    this.announce(this.book.onExit(exit, nowMs), nowMs);
  }

  pump(nowMs: number): void {
    this.advance();
    if (nowMs >= this.sampleAtMs) {
      this.checkEquity(nowMs);
      this.sampleAtMs = this.book.nextSampleMs(nowMs);
      this.settle();
    }
    if (this.entries.isDue) this.entries.pump();
  }

  /** Stores what has changed in this step. */
  store(): void {
    this.storedVersion = this.book.version;
    this.isChanged = false;
    this.options.outbox.persist('locks', this.book.stored());
  }

  restore(texts: StoredTexts): void {
    const stored = restored(texts, 'locks');
    if (stored === null) return;
    const { outbox } = this.options;
    const gone = this.book.restore(stored);
    for (const lock of gone)
      outbox.warn(
        `the lock ${lock.name} of ${scopeText(lock)} is gone: its rule is not in the configuration any more`,
      );
    this.advance();
    for (const lock of this.book.active())
      outbox.warn(`the lock ${lock.name} of ${scopeText(lock)} holds ${whyText(lock)}`);
    this.entries.isDue = true;
    this.setPaused();
    this.settle();
  }

  private settle(): void {
    const { book } = this;
    this.dueAtMs = Math.min(book.nextChangeMs(), this.sampleAtMs);
    this.isChanged = book.version !== this.storedVersion;
  }

  /** Pauses the events of strategies that a lock pauses, and resumes those of the others. */
  private setPaused(): void {
    const pauses = this.book.active().filter((lock) => lock.pauses === true);
    for (const instance of this.options.instances) {
      const isPaused = pauses.some(({ strategy }) => strategy === instance.name);
      if (isPaused === instance.isPausedByHand) continue;
      instance.isPausedByHand = isPaused;
      if (!isPaused) this.options.onResumed(instance);
    }
  }

  private get isIdle(): boolean {
    return this.book.rules.length === 0 && this.book.active().length === 0;
  }

  /** Ends locks that are over and begins those of calendars, so that handlers see what orders would meet. */
  advance(): void {
    const { nowMs } = this.options.outbox;
    if (nowMs >= this.book.nextChangeMs()) this.announce(this.book.advance(nowMs), nowMs);
  }

  private checkEquity(nowMs: number): void {
    if (this.book.drawdownRules.length === 0 || !this.options.hasStarted()) return;
    for (const rule of this.book.drawdownRules) {
      for (const strategy of this.strategiesOf(rule)) this.checkEquityOf(rule, strategy, nowMs);
    }
  }

  private checkEquityOf(rule: DrawdownRule, strategy: string | null, nowMs: number): void {
    const { orderManager, outbox } = this.options;
    const reading = this.equity.of(strategy, nowMs);
    const known = this.book.baseOf(rule, strategy);
    const isSettled = known !== null || orderManager.blotter.unsettled() === null;
    const base = known ?? (isSettled ? (reading?.base() ?? null) : null);
    if (reading === null || base === null) {
      const of = `${rule.name} ${strategy ?? ''}`;
      if (reading !== null || this.unknown.has(of)) return;
      this.unknown.add(of);
      outbox.warn(
        `the lock ${rule.name} does not know the equity of ${strategy ?? 'the bot'}: something held has no price yet; it looks again`,
      );
      return;
    }
    const { quote, result } = reading;
    const equity = addUnits(base, result);
    this.announce(this.book.onEquity(rule, { strategy, equity, base, quote }, nowMs), nowMs);
  }

  private strategiesOf({ strategy, reach }: DrawdownRule): readonly (string | null)[] {
    if (strategy !== null) return [strategy];
    return reach === 'all' ? [null] : this.options.instances.map(({ name }) => name);
  }

  private holdingOf(fill: FillRecord, order: OrderRecord | null): Holding {
    const instance = order === null ? undefined : this.instanceOf(order.strategy);
    if (instance === undefined) return NO_HOLDING;
    const { base } = instance.marketNames.parseMarket(fill.market);
    return instance.ledger.state.holdings.get(base) ?? NO_HOLDING;
  }

  private instanceOf(strategy: string): StrategyInstance | undefined {
    return this.options.instances.find(({ name }) => name === strategy);
  }

  private logRefusal(strategy: string, { code, reason }: LockRefusal): void {
    const { outbox } = this.options;
    outbox.journal('intent', strategy, { refusedBy: code, reason });
    outbox.info(
      `${strategy}: refused (${code}): ${english(reason)}. Later refusals by it are not logged`,
      strategy,
    );
  }

  /** Records and logs what changed. */
  private announce(changes: readonly LockChange[], nowMs: number): readonly LockChange[] {
    const { outbox } = this.options;
    this.settle();
    if (changes.length > 0) this.setPaused();
    for (const change of changes) {
      const { kind, lock } = change;
      const refused = this.records.note(change, nowMs);
      // If this were lost in a crash, refused orders would be accepted afterwards.
      if (kind !== 'ended') outbox.durable();
      if (kind === 'begun' || kind === 'extended') this.entries.isDue = true;
      outbox.journal('control', `lock ${kind}`, { ...lock, refused });
      if (!outbox.isWatched) continue;
      const what = `the lock ${lock.name} of ${scopeText(lock)}`;
      if (kind === 'begun')
        outbox.warn(`${what} begins: ${effectText(lock)} ${whyText(lock)}. ${restText(lock)}`);
      else if (kind === 'extended') outbox.warn(`${what} holds longer: ${whyText(lock)}`);
      else {
        const heldMs = Math.max(0, nowMs - lock.beganAtMs);
        outbox.info(
          `${what} has ${kind === 'ended' ? 'ended' : 'been ended'} after ${durationText(heldMs)}; it refused ${countText(refused, 'order')}`,
        );
      }
    }
    return changes;
  }
}

function lockOf(command: Extract<LockCommand, { kind: 'lock' }>, nowMs: number): Lock {
  const { name, strategy, market, reason, untilMs, entries, pauses, by } = command;
  return {
    name,
    rule: null,
    strategy,
    market,
    reason,
    entries,
    beganAtMs: nowMs,
    endsAtMs: untilMs,
    // Left out if they are not set, as in what older versions stored.
    ...(pauses === true ? { pauses } : {}),
    ...(by === undefined ? {} : { by }),
  };
}

function effectText({ pauses, strategy }: Lock): string {
  return pauses === true ? `${strategy} is told nothing and takes no new risk` : 'no new risk';
}

function whyText({ endsAtMs, reason }: Lock): string {
  return `${untilText(endsAtMs)}: ${english(reason)}`;
}

function restText({ entries }: Lock): string {
  return entries === 'cancel' ? 'Resting orders that add risk are canceled' : 'Resting orders stay';
}

interface BookedFill {
  readonly fill: FillRecord;
  readonly order: OrderRecord;
  /** The strategy's holding of the coin before and after the fill. */
  readonly before: Holding;
  readonly after: Holding;
  /** The smallest amount that can be an order in the market. */
  readonly leastAmount: Units;
  /** Currency in which the strategy's costs are kept. */
  readonly currency: Currency;
  /** True if the order is the sale of a bracket. */
  readonly isOfBracket: boolean;
}

/** Returns the part of a position that a fill closed, for the rules of locks; null if it closed nothing. */
function exitOfFill(booked: BookedFill): Exit | null {
  const { fill, order, before, after, leastAmount, isOfBracket } = booked;
  const isLess = size(after.held) < size(before.held) || (before.held > 0n && after.held < 0n);
  const isTurned = before.held < 0n && after.held > 0n;
  if (before.held === 0n || (!isLess && !isTurned)) return null;
  const isBracketAtMarket = isOfBracket && order.execution === 'market' && order.exit !== 'decision';
  return {
    strategy: order.strategy,
    market: order.market,
    atMs: fill.atMs,
    intentId: order.intentId,
    isStop: order.stopPrice !== null || isBracketAtMarket,
    endsPosition: endsTrip(before, after, leastAmount),
    result: resultOf(booked),
  };
}

/** Returns the profit and cost of the closed part; null if a part of it is in another currency. */
function resultOf({ before, after, currency }: BookedFill): Exit['result'] {
  const realised = subtractMoney(after.realised, before.realised);
  const isTurned = before.held > 0n !== after.held > 0n && after.held !== 0n;
  const closed = isTurned ? before.cost : subtractMoney(before.cost, after.cost);
  const others = [...Object.keys(realised), ...Object.keys(closed)].filter((one) => one !== currency);
  if (others.some((other) => partOf(realised, other) !== 0n || partOf(closed, other) !== 0n)) return null;
  const cost = partOf(closed, currency);
  const profit = partOf(realised, currency);
  return { currency, profit, cost: cost < 0n ? subtractUnits(0n as Units, cost) : cost };
}

function size(units: bigint): bigint {
  return units < 0n ? -units : units;
}

interface EntryCancelerOptions {
  readonly orderManager: OrderManager;
  readonly instances: readonly StrategyInstance[];
  /** True if an order is the sale of a bracket. */
  readonly isExitOfBracket: (order: OrderRecord) => boolean;
  /** Returns the active locks. */
  readonly active: () => readonly Lock[];
}

/** Cancels resting orders within the reach of active locks that cancel entries; exits stay. */
class EntryCanceler extends EnginePart<EntryCancelerOptions> {
  /** True if such a lock or a life of the bot has begun, or an order turned up while a lock is active. */
  isDue = false;

  constructor(options: EntryCancelerOptions) {
    super(options);
    // Called for an order that turns up, or whose outcome becomes known.
    options.orderManager.blotter.listen(['open'], () => {
      if (!this.isDue) this.isDue = this.locks().length > 0;
    });
  }

  pump(): void {
    this.isDue = false;
    const locks = this.locks();
    if (locks.length === 0) return;
    const { orderManager, isExitOfBracket } = this.options;
    const { blotter, cancels } = orderManager;
    const orders = blotter.table
      .unfinished()
      .filter((order) => mayTrade(order) && order.state !== 'planned' && !cancels.wantsEndOf(order.key));
    const exits = exitsAmong(orders, this.heldOf, blotter.venue.marketNames);
    for (const order of orders) {
      const isLocked = locks.some((lock) => reaches(lock, order.strategy, order.market));
      if (isLocked && !exits.has(order.key) && !isExitOfBracket(order)) cancels.cancel(order);
    }
  }

  private readonly heldOf: HeldOf = (strategy, asset) =>
    this.options.instances.find(({ name }) => name === strategy)?.held(asset) ?? NO_UNITS;

  private locks(): readonly Lock[] {
    return this.options.active().filter(({ entries }) => entries === 'cancel');
  }
}

/** Returns all rules of locks: those of the bot, and those of each strategy under its own name. */
function rulesOf({ locks = [], instances }: EngineSettings): readonly LockRule[] {
  const own = instances.flatMap(({ locks: ofOne = [], runner }) =>
    ofOne.map((rule) => ({ ...rule, strategy: runner.name })),
  );
  return [...locks, ...own];
}
