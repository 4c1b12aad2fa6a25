import type { WatchRule, WatchdogNews } from '../../daemon/watchdog.ts';
import { closing } from '../../domain/closing.ts';
import {
  violationsOf,
  type Violation,
  broughtOf,
  NOTHING_GIVEN,
  type GivenCoins,
  type ExchangeTruth,
  type TrueOrder,
  readMirrorRows,
  type IdBehind,
  namedOrders,
  type NamedOrder,
  type LeavingRequest,
  type WireWitness,
} from './exchange-truth.ts';
import Database from 'better-sqlite3';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { readOrderName } from '../../engine/order-names.ts';
import { movedBy, readPositionMoves } from './position-checker.ts';

interface WatchdogCheckerOptions {
  readonly rule: WatchRule;
  readonly nowMs: () => number;
  /** Lead of the exchange's clock over the true time, in ms. */
  readonly clockSkewMs: number;
  /** True on a slow machine, where the loop of a working bot may have no turn for seconds. */
  readonly isSlow: boolean;
  /** Returns the bot's orders at the exchange now. */
  readonly orders: () => WatchdogOrders;
  readonly count: (what: string) => void;
}

const BEAT_MS = 1_000;

/** Longest time from the end of a wait to the action, in ms: a poll each second and a heartbeat. */
const PROMPT_MS = 4_000;

/** Time before the last list within which it may lack new orders, in ms: the longest delay here. */
const UNSEEN_MS = 20_000;
const LATEST_MS = 120_000;

/**
 * Checks that a watchdog acts and notifies only while its bot is silent, and then does so: once for each
 * silence. It cancels no exit, and when it reports that nothing is left, no entry is.
 */
export class WatchdogChecker implements WireWitness {
  readonly bot: Presence;
  readonly watchdog: Presence;
  private readonly options: WatchdogCheckerOptions;
  private readonly found: string[] = [];
  /** Messages about silences, each with the life of the watchdog that sent it. */
  private readonly notices: { readonly atMs: number; readonly life: number }[] = [];
  private readonly tries: { readonly fromMs: number; toMs: number }[] = [];
  private lives = 0;
  private listLeftAtMs = 0;

  constructor(options: WatchdogCheckerOptions) {
    this.options = options;
    this.bot = new Presence(options.nowMs());
    this.watchdog = new Presence(options.nowMs());
  }

  /** Called when a life of the watchdog begins. */
  begins(): void {
    this.triesEnd();
    this.lives += 1;
    this.watchdog.begins(this.options.nowMs());
  }

  /** Called when it begins to cancel, which may wait for a slot and outlast the silence. */
  triesBegin(): void {
    this.tries.push({ fromMs: this.options.nowMs(), toMs: Number.POSITIVE_INFINITY });
  }

  triesEnd(): void {
    const last = this.tries.at(-1);
    if (last?.toMs === Number.POSITIVE_INFINITY) last.toMs = this.options.nowMs();
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (!this.mayAct(`a request to ${endpoint.name}`)) return;
    if (endpoint.name === 'ordersList') this.listLeftAtMs = atMs;
    if (endpoint.name !== 'updateOrderStatus') return;
    const wrong = this.options.orders().wrongCancel(Number(fields['order']));
    if (wrong !== null) this.found.push(`${wrong}, a cancel left at ${atMs}`);
  }

  isAnswered(): void {}

  /** Applies a message of the watchdog. */
  news(news: WatchdogNews): void {
    this.options.count(`watchdog ${news.kind}`);
    const nowMs = this.options.nowMs();
    if (news.kind === 'silent') this.isSilent(news.forMs, nowMs);
    if (news.kind === 'canceled') this.hasCanceled(news, nowMs);
    if (news.kind === 'back') this.isBack(nowMs);
  }

  violations(): readonly Violation[] {
    const missed = this.bot.absences.flatMap((absence) => this.missedIn(absence));
    return violationsOf('watchdog', [...this.found, ...missed]);
  }

  /** True if it may act now; otherwise records a violation. */
  private mayAct(what: string): boolean {
    const bot = this.notSilentFor(this.options.rule.cancelEntriesAfterMs ?? Number.POSITIVE_INFINITY);
    if (bot === null) return true;
    const nowMs = this.options.nowMs();
    this.found.push(`expected the watchdog to leave the bot alone, which ${bot}: ${what} left at ${nowMs}`);
    return false;
  }

  private isSilent(forMs: number, nowMs: number): void {
    const { silentAfterMs } = this.options.rule;
    const bot = this.notSilentFor(silentAfterMs);
    if (bot !== null) {
      const found = `one of ${forMs} was told at ${nowMs} of a bot that ${bot}`;
      this.found.push(`expected a silence of ${silentAfterMs} ms, ${found}`);
      return;
    }
    const { shownMs } = this.bot;
    if (this.notices.some(({ atMs, life }) => life === this.lives && atMs > shownMs))
      this.found.push(`expected the silence since ${shownMs} once, told again at ${nowMs}`);
    this.notices.push({ atMs: nowMs, life: this.lives });
  }

  /** Returns the reason that the bot is not silent for that long since its last heartbeat; null if it is. */
  private notSilentFor(leastMs: number): string | null {
    const nowMs = this.options.nowMs();
    const absence = this.bot.at(nowMs);
    if (absence?.isWanted === true) return 'ended in order';
    if (absence === null && !this.options.isSlow) return 'is alive';
    return nowMs - this.bot.shownMs < leastMs ? `showed itself at ${this.bot.shownMs}` : null;
  }

  /** Checks a report that the bot is back: it has shown itself since the notice, and may be gone again. */
  private isBack(nowMs: number): void {
    if (this.bot.shownMs < (this.notices.at(-1)?.atMs ?? 0))
      this.found.push(`expected "back" of a bot that is, it was said at ${nowMs}`);
  }

  private hasCanceled(
    { result, isRepeat }: Extract<WatchdogNews, { readonly kind: 'canceled' }>,
    nowMs: number,
  ): void {
    const { count, orders, clockSkewMs } = this.options;
    const { canceled, kept, left, unseen, isBack } = result;
    if (canceled.length > 0) count('watchdog canceled entries');
    if (kept.length > 0) count('watchdog kept exits');
    if (unseen.length > 0) count('watchdog waits for what may turn up');
    if (isBack) count('bot back amid the cancels of a watchdog');
    if (isRepeat) count('watchdog said nothing twice');
    const open = orders();
    for (const name of canceled) {
      if (open.isOpen(name)) this.found.push(`expected ${name} to be canceled, it is open at ${nowMs}`);
    }
    const absence = this.bot.at(nowMs);
    if (
      absence === null ||
      absence.fromMs > this.listLeftAtMs ||
      isBack ||
      left.length > 0 ||
      unseen.length > 0
    )
      return;
    count('watchdog has nothing left');
    // What came late in spite of all was not to be seen; what was there before was.
    const isLate = this.listLeftAtMs - absence.fromMs >= LATEST_MS;
    const untilMs = this.listLeftAtMs - (isLate ? UNSEEN_MS : 0);
    for (const entry of open.openEntries(untilMs + clockSkewMs))
      this.found.push(`expected no entry to be left at ${nowMs}, there is ${entry}`);
  }

  /** Returns what a watchdog that was always there has missed: it must have notified and tried. */
  private missedIn(absence: Absence): readonly string[] {
    const { fromMs, shownMs, isWanted } = absence;
    const { silentAfterMs, cancelEntriesAfterMs } = this.options.rule;
    const toMs = Math.min(absence.toMs, this.options.nowMs());
    if (isWanted || !this.watchdog.isThere(fromMs - 2 * BEAT_MS, toMs)) return [];
    const hasNotified = this.notices.some(({ atMs }) => atMs > shownMs && atMs <= toMs + A_MOMENT_MS);
    const hasTried = this.tries.some((one) => one.fromMs <= toMs && one.toMs > shownMs);
    const lasts = `${fromMs} to ${toMs}`;
    const messages: string[] = [];
    if (toMs - fromMs >= silentAfterMs + PROMPT_MS && !hasNotified)
      messages.push(`expected the silence from ${lasts} to be told, it was not`);
    const tryAfterMs = Math.max(silentAfterMs, cancelEntriesAfterMs ?? Number.POSITIVE_INFINITY);
    if (toMs - fromMs >= tryAfterMs + PROMPT_MS && !hasTried)
      messages.push(`expected entries to be canceled in the silence from ${lasts}, it was not tried`);
    return messages;
  }
}

/** A range of time in which a process did nothing: it stood still, or did not exist. */
interface Absence {
  readonly fromMs: number;
  /** Time of the last sign of the process when it began; the absence ends with the next sign. */
  readonly shownMs: number;
  /** End in ms; infinity while it is not known. */
  toMs: number;
  /** True if the process announced its end. */
  isWanted: boolean;
}

/** Time after an absence that still counts as a part of it, in ms, unless the loop turned. */
const A_MOMENT_MS = 1;

/** Tracks when a process was there, from what is done to it, in ms of the true time. */
export class Presence {
  readonly absences: Absence[] = [];
  /** Time at which it last began or its loop turned, as others can see it. */
  shownMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: number) {
    this.ends(nowMs);
  }

  begins(nowMs: number): void {
    this.shownMs = nowMs;
    const last = this.absences.at(-1);
    if (last?.toMs === Number.POSITIVE_INFINITY) last.toMs = nowMs;
  }

  /** Notes that the process stands still, if it exists, possibly longer than it did already. */
  stands(nowMs: number, forMs: number): void {
    const absence = this.absent(nowMs);
    absence.toMs = Math.max(absence.toMs, nowMs + forMs);
  }

  /** Notes that the process ends. `isWanted`: true if it announces that. */
  ends(nowMs: number, isWanted = false): void {
    const absence = this.absent(nowMs);
    absence.toMs = Number.POSITIVE_INFINITY;
    absence.isWanted ||= isWanted;
  }

  /** Notes that its loop has turned, which may be all that it did between two absences. */
  turns(nowMs: number): void {
    this.shownMs = nowMs;
  }

  /** Returns the absence at a time, including the moment at which it ends; null if the process was there. */
  at(timeMs: number): Absence | null {
    const last = this.absences.findLast(({ fromMs }) => fromMs <= timeMs);
    return last !== undefined && timeMs <= last.toMs + A_MOMENT_MS ? last : null;
  }

  /** True if it was there from one time to another without a break. */
  isThere(fromMs: number, toMs: number): boolean {
    return this.absences.every((absence) => absence.toMs < fromMs || absence.fromMs > toMs);
  }

  private absent(nowMs: number): Absence {
    const going = this.at(nowMs);
    if (going?.shownMs === this.shownMs) return going;
    const absence = { fromMs: nowMs, shownMs: this.shownMs, toMs: nowMs, isWanted: false };
    this.absences.push(absence);
    return absence;
  }
}

interface WatchdogOrdersOptions {
  /** First part of every id of the bot's orders. */
  readonly instance: string;
  readonly mirrorPath: string;
  /** Names of the exit orders of brackets, which only the bot ends. */
  readonly exitNames: ReadonlySet<string>;
  readonly truth: ExchangeTruth;
  readonly given?: GivenCoins;
  readonly idBehind?: IdBehind;
}

/** Role of an order by the exchange's own trades; `unclear` if they do not show it. */
type Role = 'entry' | 'exit' | 'unclear';

/**
 * Roles of the orders that a watchdog cancels, derived from the exchange's own tables: sales of at most a
 * strategy's holding are exits, purchases of a strategy that owes nothing are entries.
 */
export class WatchdogOrders {
  private readonly options: WatchdogOrdersOptions;
  private readonly own: readonly NamedOrder[];

  constructor(options: WatchdogOrdersOptions) {
    this.options = options;
    this.own = namedOrders(options.truth, options.instance);
  }

  /** Returns the fault of a cancel that is sent now; null if there is none. */
  wrongCancel(id: number): string | null {
    const canceled = this.own.find(({ order }) => order.id === id);
    if (canceled === undefined) return `expected a cancel of an order of the bot, was of ${id}`;
    if (!canceled.order.isOpen || this.roleOf(canceled) !== 'exit') return null;
    return `expected the exit ${textOf(canceled)} to stay`;
  }

  /** Returns the open entries; `untilMs`: only those that existed by then, on the exchange's clock. */
  openEntries(untilMs: number): readonly string[] {
    return this.own
      .filter(({ order }) => order.isOpen && order.openedAtMs <= untilMs)
      .filter((one) => this.roleOf(one) === 'entry')
      .map(textOf);
  }

  isOpen(name: string): boolean {
    return this.own.some((one) => one.name === name && one.order.isOpen);
  }

  private roleOf({ order, name }: NamedOrder): Role {
    const { exitNames } = this.options;
    if (exitNames.has(name)) return 'exit';
    const strategy = readOrderName(name)?.strategy ?? '';
    const all = this.own.filter((one) => readOrderName(one.name)?.strategy === strategy);
    const { base } = parseMarket(order.market);
    // What a strategy with several markets holds, the trades of one do not show.
    if (all.some((one) => one.order.market !== order.market) || !this.knows(all)) return 'unclear';
    const held = this.positionOf(strategy, all, base);
    const isOwed = held < 0n;
    if ((order.side === 'sell') === isOwed || held === 0n) return 'entry';
    const size = isOwed ? -held : held;
    if (restOf(order) > size) return 'entry';
    const exits = all.filter((one) => one.order.isOpen && one.order.side === order.side);
    return largestRests(exits) <= size ? 'exit' : 'unclear';
  }

  private positionOf(strategy: string, all: readonly NamedOrder[], base: string): bigint {
    const { given = NOTHING_GIVEN } = this.options;
    const ids = new Set(all.map(({ order }) => order.id));
    const fills = this.options.truth.fills.filter(({ orderId }) => ids.has(orderId));
    const traded = fills.reduce((sum, fill) => sum + broughtOf(base, fill), 0n);
    return traded + this.movedByHand(strategy, base) + (given.get(`${strategy} ${base}`) ?? 0n);
  }

  /** Returns the coins that a person added to a strategy, less those removed. */
  private movedByHand(strategy: string, base: string): bigint {
    using database = closing(new Database(this.options.mirrorPath, { readonly: true }));
    const moves = readPositionMoves(database).filter(({ asset }) => asset === base);
    return moves.reduce((sum, move) => sum + movedBy(move, strategy), 0n);
  }

  /** True if the mirror has the trades of these orders: a bot that went silent lacks its last fills. */
  private knows(all: readonly NamedOrder[]): boolean {
    const rows = readMirrorRows(this.options.mirrorPath, this.options.idBehind).orders;
    const filled = new Map(rows.map((row) => [row.venueId, parseUnits(row.filled)]));
    return all.every(({ order }) => (filled.get(String(order.id)) ?? 0n) === order.matched);
  }
}

const restOf = ({ amount, matched }: TrueOrder): bigint => amount - matched;

/** Returns the largest remaining amount of all orders together; only one leg of a pair trades. */
function largestRests(orders: readonly NamedOrder[]): bigint {
  const rests = new Map<string, bigint>();
  for (const { order, name } of orders) {
    const rest = restOf(order);
    if (rest > (rests.get(name) ?? 0n)) rests.set(name, rest);
  }
  return [...rests.values()].reduce((sum, rest) => sum + rest, 0n);
}

const textOf = ({ order, name }: NamedOrder): string =>
  `${name} (${order.side} ${formatUnits(restOf(order))} in ${order.market})`;
