import { formatUnits } from '../../domain/money.ts';
import type { Market } from '../../domain/market.ts';
import { readOrderName } from '../../engine/order-names.ts';
import {
  type ExchangeTruth,
  type TrueFill,
  type NamedOrder,
  namedOrders,
  violationsOf,
  type Violation,
} from './exchange-truth.ts';
import { algorithmFromJson } from '../../engine/algorithm-json.ts';
import type { EngineOutput } from '../../engine/engine-event.ts';
import type { PositionMoveRecord } from '../../engine/mirror-change.ts';
import type { OrderRecord } from '../../records/order.ts';

interface ProtectionLimits {
  readonly instance: string;
  readonly brackets: readonly WatchedBracket[];
  readonly excuses: readonly Excuse[];
  /** Longest time a position may be without its exit while nothing prevents one, in ms. */
  readonly longestMs: number;
  /** Markets as they were at the start. */
  readonly markets: readonly Market[];
  /** Lead of the exchange's clock over the true time, in ms. */
  readonly clockSkewMs: number;
  /** Names of orders that the bot saw refused although they exist. */
  readonly refused: ReadonlySet<string>;
}

/** Multiple of the minimum order value that is enough for an exit at any of its prices. */
const CLEARLY_ENOUGH = 2n;
const ONE = 10_000_000_000n;

interface Own extends NamedOrder {
  readonly fills: readonly TrueFill[];
}

/** Orders and trades of one strategy in one market, by the exchange. */
interface Book {
  readonly orders: readonly Own[];
  readonly brackets: readonly WatchedBracket[];
  readonly market: Market;
}

/**
 * Checks that no bracket's position is without its exit for longer than stated, by the exchange's own orders
 * and trades. Time does not count while something prevents exits, and starts again after it. `gapsMs`: length
 * of each time without an exit, in ms.
 */
export function checkProtection(
  truth: ExchangeTruth,
  limits: ProtectionLimits,
): { readonly violations: readonly Violation[]; readonly gapsMs: readonly number[] } {
  const messages: string[] = [];
  const gapsMs: number[] = [];
  for (const book of booksOf(truth, limits)) {
    for (const bracket of book.brackets) {
      for (const gap of gapsOf(book, bracket, limits)) {
        gapsMs.push(gap.lastsMs);
        if (gap.lastsMs <= limits.longestMs) continue;
        messages.push(
          `expected an exit of intent ${bracket.intentId} (${bracket.strategy}) within ${limits.longestMs} ms, there was none for ${formatUnits(gap.bare)} from ${gap.fromMs} on for ${gap.lastsMs} ms`,
        );
      }
    }
  }
  return { violations: violationsOf('protection', messages), gapsMs };
}

function booksOf(truth: ExchangeTruth, limits: ProtectionLimits): readonly Book[] {
  const fills = Map.groupBy(truth.fills, ({ orderId }) => orderId);
  const own = namedOrders(truth, limits.instance).map((named): Own => ({
    ...named,
    fills: fills.get(named.order.id) ?? [],
  }));
  const byStrategy = Map.groupBy(own, ({ name }) => readOrderName(name)?.strategy ?? '');
  // A strategy may trade other coins beside: each market is a book of its own.
  const byBook = Map.groupBy(limits.brackets, ({ strategy, market }) => `${strategy} ${market}`);
  return [...byBook.values()].flatMap((brackets) => {
    const [first] = brackets;
    const market = limits.markets.find(({ symbol }) => symbol === first?.market);
    if (first === undefined || market === undefined) return [];
    const orders = byStrategy.get(first.strategy)?.filter(({ order }) => order.market === first.market);
    return [{ orders: orders ?? [], brackets, market }];
  });
}

interface Gap {
  readonly fromMs: number;
  readonly lastsMs: number;
  /** Amount without an exit when it began. */
  readonly bare: bigint;
}

function gapsOf(book: Book, bracket: WatchedBracket, limits: ProtectionLimits): readonly Gap[] {
  const { names, fromMs, untilMs } = bracket;
  // What the bot was told is not there it can not protect.
  if ([...names].some((name) => limits.refused.has(name))) return [];
  const endMs = Number.isFinite(untilMs) ? untilMs : fromMs;
  const skewMs = limits.clockSkewMs;
  const times = new Set([fromMs]);
  for (const { order, fills } of book.orders) {
    for (const atMs of [order.openedAtMs, order.closedAtMs ?? fromMs, ...fills.map((fill) => fill.atMs)])
      if (atMs - skewMs > fromMs && atMs - skewMs < endMs) times.add(atMs - skewMs);
  }
  const gaps: Gap[] = [];
  let since: { readonly atMs: number; readonly bare: bigint } | null = null;
  const sorted = [...times].toSorted((left, right) => left - right);
  for (const atMs of sorted) {
    const bare = bareAt(book, bracket, atMs + skewMs);
    if (bare > 0n) since ??= { atMs, bare };
    else if (since !== null) {
      gaps.push(gapOf(since, atMs, [...limits.excuses, ...bracket.excuses]));
      since = null;
    }
  }
  if (since !== null) gaps.push(gapOf(since, endMs, [...limits.excuses, ...bracket.excuses]));
  return gaps;
}

/** Returns the longest part of it in which nothing prevented an exit. */
function gapOf(
  since: { readonly atMs: number; readonly bare: bigint },
  toMs: number,
  excuses: readonly Excuse[],
): Gap {
  let lastsMs = 0;
  let freeFromMs = since.atMs;
  for (const excuse of excuses.toSorted((left, right) => left.fromMs - right.fromMs)) {
    if (excuse.toMs < freeFromMs || excuse.fromMs > toMs) continue;
    lastsMs = Math.max(lastsMs, excuse.fromMs - freeFromMs);
    freeFromMs = Math.max(freeFromMs, excuse.toMs);
  }
  return { fromMs: since.atMs, lastsMs: Math.max(lastsMs, toMs - freeFromMs), bare: since.bare };
}

/** Returns the part of a position that no order would sell at a time; 0 if that is too little to sell. */
function bareAt(book: Book, bracket: WatchedBracket, atMs: number): bigint {
  const { market, brackets, orders } = book;
  let left = positionOf(orders, atMs);
  for (const older of brackets) {
    if (older === bracket) break;
    if (older.fromMs <= atMs && older.untilMs > atMs) left -= heldBy(older, orders, atMs);
  }
  const own = heldBy(bracket, orders, atMs);
  const held = own < left ? own : left;
  if (held <= 0n) return 0n;
  const cost = costOf(bracket, orders, atMs);
  const cover = coverOf(bracket, orders, atMs);
  const bare = cover === null ? 0n : held - cover;
  // Steps change: what is too little for an order of its own is not counted.
  if (cost === null || (bare * cost) / ONE < CLEARLY_ENOUGH * market.minOrderValue) return 0n;
  return bare;
}

function positionOf(orders: readonly Own[], atMs: number): bigint {
  let sum = 0n;
  for (const { fills } of orders) for (const fill of fills) if (fill.atMs <= atMs) sum += netOf(fill);
  return sum;
}

const netOf = ({ side, amount, fee }: TrueFill): bigint => (side === 'buy' ? amount - fee : -amount);

function heldBy({ names, before }: WatchedBracket, orders: readonly Own[], atMs: number): bigint {
  return (
    before +
    positionOf(
      orders.filter(({ name }) => names.has(name)),
      atMs,
    )
  );
}

/** Returns the average price paid; for a protection the price of its strategy's last trade. */
function costOf(
  { names, isProtection }: WatchedBracket,
  orders: readonly Own[],
  atMs: number,
): bigint | null {
  let amount = 0n;
  let total = 0n;
  for (const { name, fills } of orders) {
    for (const fill of fills) {
      if (fill.atMs > atMs || (!isProtection && (!names.has(name) || fill.side === 'sell'))) continue;
      amount += fill.amount;
      total += fill.total;
    }
  }
  return amount === 0n ? null : (total * ONE) / amount;
}

/**
 * Returns the amount that open sales of a bracket would still sell; the legs of a pair count once. Null while
 * a limit sale by the strategy's decision rests in place of its exit: then the stop is in the bot.
 */
function coverOf({ names, sales }: WatchedBracket, orders: readonly Own[], atMs: number): bigint | null {
  const pairs = new Map<string, bigint>();
  for (const { order, name, fills } of orders) {
    if (order.side !== 'sell' || !names.has(name)) continue;
    if (order.openedAtMs > atMs || (order.closedAtMs !== null && order.closedAtMs <= atMs)) continue;
    if (sales.has(name)) return null;
    const filled = fills.reduce((sum, fill) => sum + (fill.atMs <= atMs ? fill.amount : 0n), 0n);
    const rest = order.amount - filled;
    if (rest > (pairs.get(name) ?? 0n)) pairs.set(name, rest);
  }
  return [...pairs.values()].reduce((sum, rest) => sum + rest, 0n);
}

/** A range of time in which something prevents exits, in ms of the true time. */
export interface Excuse {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A running bracket, by the bot's own data. */
export interface WatchedBracket {
  readonly intentId: string;
  readonly strategy: string;
  readonly market: string;
  readonly fromMs: number;
  untilMs: number;
  /** True if it protects a position that existed before. */
  readonly isProtection: boolean;
  /** Amount that existed before: for a protection all of it, for a bracket the dust of earlier ones. */
  readonly before: bigint;
  /** Names under which its orders were placed. */
  readonly names: Set<string>;
  /** Those of the names that are limit sales by the strategy's decision. */
  readonly sales: Set<string>;
  /** Times at which its own orders had no clear answer, or were refused. */
  readonly excuses: Excuse[];
}

/** Watches which brackets run, their orders, and what prevents exits. */
export class BracketWatch {
  readonly brackets: WatchedBracket[] = [];
  readonly excuses: Excuse[] = [];
  private readonly atWork = new Map<string, WatchedBracket>();
  private readonly sinceMs = new Map<string, number>();
  /** Strategies whose books a person changed: their fills no longer add up to their holdings. */
  private readonly moved = new Set<string>();

  /** Applies the changes of one step of the bot. */
  apply({ changes }: Pick<EngineOutput, 'changes'>, nowMs: number): void {
    for (const change of changes) {
      if (change.kind === 'algorithm') this.applyAlgorithm(change.algorithm, nowMs);
      else if (change.kind === 'algorithm-end') this.end(change.intentId, nowMs);
      else if (change.kind === 'order') this.applyOrder(change.order, nowMs);
      else if (change.kind === 'position-move') this.applyMove(change.move, nowMs);
    }
  }

  /** Notes the start or the end of something that prevents exits. */
  hold(what: string, isSo: boolean, nowMs: number): void {
    const fromMs = this.sinceMs.get(what);
    if (isSo && fromMs === undefined) this.sinceMs.set(what, nowMs);
    else if (!isSo && fromMs !== undefined) {
      this.sinceMs.delete(what);
      this.excuses.push({ fromMs, toMs: nowMs });
    }
  }

  /** Ends all brackets: the bot ends them itself, or can no longer know of them. */
  endAll(nowMs: number): void {
    for (const { intentId } of this.atWork.values()) this.end(intentId, nowMs);
    for (const what of this.sinceMs.keys()) this.hold(what, false, nowMs);
  }

  /**
   * Begins a life with the brackets in the mirror. Others are removed from their beginning on: the last life
   * died before they were on the disk, and nothing of them was sent.
   */
  begin(onDisk: ReadonlySet<string>): void {
    for (const { intentId, fromMs } of this.atWork.values())
      if (!onDisk.has(intentId)) this.end(intentId, fromMs);
  }

  private applyAlgorithm(
    {
      intentId,
      strategy,
      market,
      json,
    }: {
      readonly intentId: string;
      readonly strategy: string;
      readonly market: string;
      readonly json: string;
    },
    nowMs: number,
  ): void {
    const algorithm = algorithmFromJson(json);
    if (algorithm.kind !== 'bracket') return;
    const { terms } = algorithm;
    const hasExit = terms.stopLoss !== null || terms.takeProfit !== null || terms.trail !== null;
    // What is only held until its time is over has no exit to rest.
    if (!hasExit || this.moved.has(strategy)) return;
    let bracket = this.atWork.get(intentId);
    if (bracket === undefined) {
      bracket = {
        intentId,
        strategy,
        market,
        fromMs: nowMs,
        untilMs: Number.POSITIVE_INFINITY,
        isProtection: terms.entry === null,
        before: terms.entry === null || algorithm.entry !== 'ended' ? algorithm.bought : 0n,
        names: new Set(),
        sales: new Set(),
        excuses: [],
      };
      this.atWork.set(intentId, bracket);
      this.brackets.push(bracket);
    }
    const { setbacks, isStopAlone, unclear } = algorithm;
    this.holdOne(bracket, 'unclear', unclear !== null, nowMs);
    // Its stop goes at once where only the pair was refused.
    this.holdOne(bracket, 'refused', setbacks.inARow > 0 && !isStopAlone, nowMs);
  }

  private applyMove({ from, to }: PositionMoveRecord, nowMs: number): void {
    for (const strategy of [from, to]) if (strategy !== null) this.moved.add(strategy);
    for (const { intentId, strategy } of this.atWork.values())
      if (this.moved.has(strategy)) this.end(intentId, nowMs);
  }

  private applyOrder(order: OrderRecord, nowMs: number): void {
    const { key, intentId, state, clientOrderId } = order;
    const bracket = this.atWork.get(intentId);
    if (bracket === undefined) return;
    if (clientOrderId !== null) bracket.names.add(clientOrderId);
    if (clientOrderId !== null && order.exit === 'decision' && order.execution === 'limit')
      bracket.sales.add(clientOrderId);
    this.holdOne(bracket, `unknown ${key}`, state === 'unknown', nowMs);
    if (state === 'rejected') bracket.excuses.push({ fromMs: nowMs, toMs: nowMs });
  }

  private holdOne(bracket: WatchedBracket, what: string, isSo: boolean, nowMs: number): void {
    const name = `${bracket.intentId} ${what}`;
    const fromMs = this.sinceMs.get(name);
    if (isSo && fromMs === undefined) this.sinceMs.set(name, nowMs);
    else if (!isSo && fromMs !== undefined) {
      this.sinceMs.delete(name);
      bracket.excuses.push({ fromMs, toMs: nowMs });
    }
  }

  private end(intentId: string, nowMs: number): void {
    const bracket = this.atWork.get(intentId);
    if (bracket === undefined) return;
    for (const name of this.sinceMs.keys())
      if (name.startsWith(`${intentId} `))
        this.holdOne(bracket, name.slice(intentId.length + 1), false, nowMs);
    bracket.untilMs = nowMs;
    this.atWork.delete(intentId);
  }
}
