import { z } from 'zod';
import type { EngineOutput } from '../../engine/engine-command.ts';
import type { Engine } from '../../engine/engine.ts';
import { calendarAt } from '../../engine/trading-calendar.ts';
import type { LockRule } from '../../engine/lock.ts';
import type { OrderRecord } from '../../records/order.ts';
import { parseUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import {
  addedRisk,
  PROMPT_MS,
  type SentOrder,
  type GivenCoins,
  type ExchangeTruth,
  heldByStrategies,
  violationsOf,
  type Violation,
} from './exchange-truth.ts';
import { english } from '../../language/sentence.ts';

/** A lock that was written to the mirror: it holds until its end, whatever life comes next. */
interface KnownLock {
  readonly strategy: string | null;
  readonly market: string | null;
  readonly name: string;
  readonly rule: string | null;
  readonly endsAtMs: number;
}

const ended = z.object({
  name: z.string(),
  rule: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string().nullable(),
});
const begun = z.object({ entries: z.enum(['keep', 'cancel']) });
const request = z.object({ side: z.literal('sell'), market: z.string(), amount: z.string() });

/** An order that was planned while a lock held by this checker's own account. */
interface LockedOrder extends SentOrder {
  readonly lock: string;
}

/** Parts of the bot that the checker reads. */
export type LockedBot = Pick<Engine, 'instances' | 'unfinishedOrders'> & ShowingBot;

interface LockCheckerOptions {
  readonly instance: string;
  readonly given?: GivenCoins;
  readonly rules: readonly LockRule[];
  readonly count: (what: string) => void;
}

/**
 * No order of new risk leaves while a lock holds, over all lives; and no way out is refused by one. Locks
 * are those that were written before the step at hand, until their end or an unlock, and what the calendars
 * of the rules say by themselves. Handlers see just those. Whether an order adds risk is worked out from the
 * exchange's own trades.
 */
export class LockChecker {
  /** True if a lock that cancels entries began since this was last set to false. */
  hasCanceled = false;
  private readonly options: LockCheckerOptions;
  private readonly locks = new Map<string, KnownLock>();
  private readonly planned = new Map<string, LockedOrder>();
  private readonly refusedExits: string[] = [];
  private readonly shown = new ShownLocks();
  private held = new Map<string, bigint>();
  /** Locks written by the step before; they count once another step shows that they are on the disk. */
  private unsure: string | null = null;
  /** True if an older mirror was restored: the bot then has to rediscover what it knew of its positions. */
  private isBlind = false;

  constructor(options: LockCheckerOptions) {
    this.options = options;
  }

  /** True if a lock holds. */
  get isLocked(): boolean {
    return this.locks.size > 0;
  }

  /** An older mirror took the place of the one at hand: what was written since is not known any more. */
  forget(): void {
    this.locks.clear();
    this.unsure = null;
    this.shown.beginAnew();
    this.isBlind = true;
  }

  /** The process died: whether it had written its last step is not known. */
  died(): void {
    this.unsure = null;
    this.shown.beginAnew();
  }

  /**
   * One step, at a time of the bot's clock and of the exchange's. What it writes counts from the next step
   * on.
   */
  watch(
    engine: LockedBot,
    { changes }: Pick<EngineOutput, 'changes'>,
    atMs: number,
    exchangeMs: number = atMs,
  ): void {
    if (this.unsure !== null) this.applyStored(this.unsure, atMs);
    this.unsure = null;
    for (const [key, lock] of this.locks) if (lock.endsAtMs <= atMs) this.locks.delete(key);
    // Of locks that ended early in this very step, orders after it are free.
    const before = new Map(this.locks);
    for (const change of changes) {
      if (change.kind !== 'journal' || change.entry.kind !== 'control') continue;
      if (change.entry.subject.startsWith('lock ')) this.options.count(change.entry.subject);
      if (change.entry.subject === 'lock begun') {
        const { entries } = begun.parse(JSON.parse(change.entry.json));
        if (entries === 'cancel') this.hasCanceled = true;
      }
      if (change.entry.subject !== 'lock ended early') continue;
      const key = keyOf(ended.parse(JSON.parse(change.entry.json)));
      this.locks.delete(key);
      before.delete(key);
    }
    for (const change of changes) {
      if (change.kind === 'order') this.order(change.order, before, { atMs, exchangeMs });
      else if (change.kind === 'intent' && change.intent.status === 'refused')
        this.refusal(engine, change.intent, english(change.intent.reason) ?? '');
      else if (change.kind === 'kept' && change.name === 'locks') this.unsure = change.json;
    }
    this.shown.watch(engine, this.unsure, atMs);
    this.held = heldByStrategies(engine);
  }

  violations(
    truth: ExchangeTruth,
    { refused, exits }: { readonly refused: ReadonlySet<string>; readonly exits: ReadonlySet<string> },
  ): readonly Violation[] {
    const found = addedRisk(truth, this.planned, { ...this.options, refused }).flatMap(
      ({ order, name, sent }) =>
        exits.has(name)
          ? []
          : [
              `expected ${name} (${order.side} ${order.amount} in ${order.market}) not to leave in ${sent.lock}`,
            ],
    );
    return violationsOf('locks', [...found, ...this.refusedExits, ...this.shown.differences]);
  }

  private order(
    order: OrderRecord,
    locks: ReadonlyMap<string, KnownLock>,
    { atMs, exchangeMs }: { readonly atMs: number; readonly exchangeMs: number },
  ): void {
    if (order.state !== 'sending' || order.clientOrderId === null || order.attempts > 1) return;
    // A name that another life died over before it was written is taken again.
    this.planned.delete(order.clientOrderId);
    if (this.isBlind || atMs - order.plannedAtMs > PROMPT_MS) return;
    const lock = this.lockOn(order, locks, atMs);
    if (lock === null) return;
    this.options.count('orders that left in a lock');
    this.planned.set(order.clientOrderId, { strategy: order.strategy, lock, sentAtMs: exchangeMs });
  }

  private lockOn(
    { strategy, market }: OrderRecord,
    locks: ReadonlyMap<string, KnownLock>,
    atMs: number,
  ): string | null {
    for (const lock of locks.values()) {
      const isOf =
        (lock.strategy === null || lock.strategy === strategy) &&
        (lock.market === null || lock.market === market);
      if (isOf) return `the lock ${lock.name} until ${lock.endsAtMs}`;
    }
    for (const rule of this.options.rules) {
      const isClosed = rule.kind === 'hours' && !calendarAt(rule.calendar, atMs).isOpen;
      if (isClosed) return `the closed hours of ${rule.name}`;
    }
    return null;
  }

  /** A sale of no more than is held, while nothing else of the strategy would sell, is a way out. */
  private refusal(
    engine: LockedBot,
    { strategy, json }: { readonly strategy: string; readonly json: string },
    reason: string,
  ): void {
    if (!reason.startsWith('the lock ')) return;
    this.options.count('lock refusals');
    const read = request.safeParse(JSON.parse(json));
    if (!read.success) return;
    const { base } = parseMarket(read.data.market);
    const name = `${strategy} ${base}`;
    const held = [this.held.get(name) ?? 0n, heldByStrategies(engine).get(name) ?? 0n];
    const isFree = engine.unfinishedOrders().every((one) => one.strategy !== strategy || one.side !== 'sell');
    const amount = parseUnits(read.data.amount);
    if (isFree && held.every((units) => amount <= units))
      this.refusedExits.push(`expected a sale of ${read.data.amount} by ${strategy} to pass: ${reason}`);
  }

  private applyStored(json: string, atMs: number): void {
    for (const lock of writtenLocks.parse(JSON.parse(json)).locks) {
      if (lock.endsAtMs > atMs) this.locks.set(keyOf(lock), lock);
    }
  }
}

function keyOf({ name, rule, strategy, market }: Omit<KnownLock, 'endsAtMs'>): string {
  return JSON.stringify([name, rule, strategy, market]);
}

/** The locks that a step wrote to the mirror. */
const writtenLocks = z.object({
  locks: z.array(
    z.object({
      name: z.string(),
      rule: z.string().nullable(),
      strategy: z.string().nullable(),
      market: z.string().nullable(),
      endsAtMs: z.number(),
    }),
  ),
});

/** Parts of the bot that are read. */
export interface ShowingBot {
  readonly instances: readonly { readonly name: string; readonly runner: { readonly market: string } }[];
  readonly locks: Pick<Engine['locks'], 'shownTo'>;
}

type WrittenLock = z.output<typeof writtenLocks>['locks'][number];

/** As many differences are named. */
const MOST_NAMED = 20;

/**
 * Checks that the locks handlers would see after each step are those the bot has written: those of the
 * strategy and the market, up to their ends.
 */
export class ShownLocks {
  /** Locks written last in this life; null before that. */
  private written: readonly WrittenLock[] | null = null;
  private nowMs = Number.NEGATIVE_INFINITY;
  readonly differences: string[] = [];

  /** A new process, or an older mirror: what it has is known once it writes. */
  beginAnew(): void {
    this.written = null;
    this.nowMs = Number.NEGATIVE_INFINITY;
  }

  /** A step is over; `json` is what it wrote of locks, null for nothing. */
  watch(engine: ShowingBot, json: string | null, atMs: number): void {
    if (json !== null) this.written = writtenLocks.parse(JSON.parse(json)).locks;
    // The time of an engine does not go back.
    this.nowMs = Math.max(this.nowMs, atMs);
    if (this.written === null || this.differences.length >= MOST_NAMED) return;
    const holding = this.written.filter(({ endsAtMs }) => endsAtMs > this.nowMs);
    const named = new Set(this.written.flatMap(({ market }) => market ?? []));
    for (const { name, runner } of engine.instances) {
      for (const symbol of named.add(runner.market))
        this.compare(engine, { strategy: name, market: symbol }, holding);
    }
  }

  private compare(
    engine: ShowingBot,
    of: { readonly strategy: string; readonly market: string },
    holding: readonly WrittenLock[],
  ): void {
    const expected = holding.filter(
      ({ strategy, market }) => [null, of.strategy].includes(strategy) && [null, of.market].includes(market),
    );
    const shown = engine.locks.shownTo(of.strategy, of.market);
    const [wanted, found] = [expected, shown].map((locks) =>
      locks
        .map((lock) => `${lock.name} of ${lock.market}/${lock.strategy} until ${lock.endsAtMs}`)
        .toSorted()
        .join(', '),
    );
    if (wanted === found) return;
    this.differences.push(
      `expected ${of.strategy} to see in ${of.market} [${wanted}] at ${this.nowMs}, was [${found}]`,
    );
  }
}
