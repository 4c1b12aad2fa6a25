import { z } from 'zod';
import type { EngineOutput } from '../../engine/engine-event.ts';
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

/** A lock that was written to the mirror: it holds until its end, in later lives too. */
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

/** An order that was planned while a lock held, as computed by this checker. */
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
 * Checks that no order with new risk is sent while a lock holds, over all lives, and that no lock refuses an
 * exit. Locks are those written before the present step, until their end or an unlock, and those of the
 * rules' calendars. Handlers see exactly these. The exchange's own trades decide if an order adds risk.
 */
export class LockChecker {
  /** True if a lock that cancels entries has begun since this was last set to false. */
  hasCanceled = false;
  private readonly options: LockCheckerOptions;
  private readonly locks = new Map<string, KnownLock>();
  private readonly planned = new Map<string, LockedOrder>();
  private readonly refusedExits: string[] = [];
  private readonly shown = new ShownLocks();
  private held = new Map<string, bigint>();
  /** Locks written by the last step; they count once another step shows that they are on the disk. */
  private unsure: string | null = null;
  /** True once an older mirror was restored: the bot then has to rediscover its positions. */
  private isBlind = false;

  constructor(options: LockCheckerOptions) {
    this.options = options;
  }

  /** True if a lock holds. */
  get isLocked(): boolean {
    return this.locks.size > 0;
  }

  /** Called when an older mirror has replaced the present one: what was written since is unknown. */
  forget(): void {
    this.locks.clear();
    this.unsure = null;
    this.shown.beginAnew();
    this.isBlind = true;
  }

  /** Called when the process has died: its last step may not be written. */
  died(): void {
    this.unsure = null;
    this.shown.beginAnew();
  }

  /** Checks one step, at a time of the bot's clock and of the exchange's. What it writes counts later. */
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

  /** Checks a refusal: a sale of at most the holding must pass while no other order of the strategy sells. */
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

const keyOf = ({ name, rule, strategy, market }: Omit<KnownLock, 'endsAtMs'>): string =>
  JSON.stringify([name, rule, strategy, market]);

/** Schema of the locks that a step wrote to the mirror. */
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

/** Parts of the bot that the checker of shown locks reads. */
export interface ShowingBot {
  readonly instances: readonly { readonly name: string; readonly runner: { readonly market: string } }[];
  readonly locks: Pick<Engine['locks'], 'shownTo'>;
}

type WrittenLock = z.output<typeof writtenLocks>['locks'][number];

/** Maximum number of differences that are reported. */
const MOST_NAMED = 20;

/** Checks after each step that handlers would see exactly the written locks of strategy and market. */
export class ShownLocks {
  /** Locks last written in this life; null before that. */
  private written: readonly WrittenLock[] | null = null;
  private nowMs = Number.NEGATIVE_INFINITY;
  readonly differences: string[] = [];

  /** Called for a new process or an older mirror: its locks are known once it writes some. */
  beginAnew(): void {
    this.written = null;
    this.nowMs = Number.NEGATIVE_INFINITY;
  }

  /** Checks a step; `json` is what it wrote of locks, null for nothing. */
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
