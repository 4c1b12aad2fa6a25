import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { EngineOutput, EngineEvent } from '../../engine/engine-event.ts';
import type { PositionMoveRecord } from '../../engine/mirror-change.ts';
import type { Engine } from '../../engine/engine.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { type OrderRecord, isFinal } from '../../records/order.ts';
import { Finder, inMirror, violationsOf, type Violation, type ExchangeTruth } from './exchange-truth.ts';
import type { MarketStats } from '../../domain/order-book.ts';

/**
 * Checks that after somebody else canceled a bracket's exit, none is placed until a person decides on the
 * position; a market sale after the price has passed its stop is not such an exit. Orders that the bot itself
 * wanted canceled are not judged.
 */
export class PositionChecker extends Finder {
  protected readonly promise = 'positions by hand';
  /** Strategies whose books a person changed: their fills alone do not give their holdings. */
  readonly moved = new Set<string>();
  private readonly canceled = new Set<string>();
  private readonly askedByBot = new Set<string>();
  /** Waiting brackets by intent, with their strategy and the exit that was canceled. */
  private readonly waiting = new Map<string, { readonly strategy: string; readonly canceled: string }>();
  private readonly count: (what: string) => void;

  constructor(count: (what: string) => void) {
    super();
    this.count = count;
  }

  /** Called when somebody else has canceled an order of the bot, by its id at the exchange. */
  applied(id: number): void {
    this.canceled.add(String(id));
  }

  watch({ changes, requests }: Pick<EngineOutput, 'changes' | 'requests'>): void {
    for (const { call } of requests) {
      if (call.kind !== 'cancel') continue;
      if (call.clientOrderId !== null) this.askedByBot.add(call.clientOrderId);
      if (call.venueId !== null) this.askedByBot.add(call.venueId);
    }
    for (const change of changes) {
      if (change.kind === 'order') this.applyOrder(change.order);
      else if (change.kind === 'algorithm-end') this.waiting.delete(change.intentId);
      // An id that was lost with what was on the disk is taken again.
      else if (change.kind === 'intent' && change.intent.status === 'working')
        this.waiting.delete(change.intent.id);
      else if (change.kind === 'position-move') this.applyMove(change.move);
      else if (
        change.kind === 'journal' &&
        change.entry.kind === 'control' &&
        change.entry.subject === 'position'
      )
        this.applyMessage(change.entry.json);
    }
  }

  private applyOrder({
    key,
    intentId,
    strategy,
    side,
    state,
    venueId,
    filled,
    exit,
    execution,
  }: OrderRecord): void {
    const isAsked = this.askedByBot.has(key) || this.askedByBot.has(venueId ?? '');
    const isCanceled = state === 'cancelled' && filled === 0n && this.canceled.has(venueId ?? '');
    if (isCanceled && exit !== null && !isAsked) {
      this.count('exits that somebody else canceled');
      this.waiting.set(intentId, { strategy, canceled: key });
    }
    const waiting = this.waiting.get(intentId);
    if (state !== 'sending' || side !== 'sell' || execution === 'market' || waiting === undefined) return;
    this.waiting.delete(intentId);
    this.found.push(
      `expected no exit of ${intentId} (${strategy}) after somebody else canceled ${waiting.canceled} and before a person said what became of the position, was ${key}`,
    );
  }

  private applyMove({ act, from, to }: PositionMoveRecord): void {
    this.count(`position ${act} in the books`);
    for (const strategy of [from, to]) if (strategy !== null) this.moved.add(strategy);
  }

  private applyMessage(json: string): void {
    const { strategy, to } = JSON.parse(json) as { readonly strategy: string; readonly to: string | null };
    for (const [intentId, { strategy: owner }] of this.waiting)
      if (owner === strategy || owner === to) this.waiting.delete(intentId);
  }
}

type MoveRow = Pick<PositionMoveRecord, 'from' | 'to' | 'asset' | 'amount'>;

/** Reads a person's changes to the books of strategies from a mirror. */
export function readPositionMoves(database: Database.Database): readonly MoveRow[] {
  return database
    .prepare<[], MoveRow>(
      'SELECT from_strategy AS "from", to_strategy AS "to", asset, amount FROM position_moves',
    )
    .all();
}

/** Returns the amount that a change adds to a strategy, or to all (null); zero if it concerns others. */
export function movedBy({ from, to, amount }: MoveRow, strategy: string | null): bigint {
  const isOf = (owner: string | null): boolean => owner !== null && (strategy === null || owner === strategy);
  return (isOf(to) ? parseUnits(amount) : 0n) - (isOf(from) ? parseUnits(amount) : 0n);
}

interface HoldingRow {
  readonly strategy: string;
  readonly market: string;
  readonly side: string;
  readonly amount: string;
  readonly fee: string;
}

/**
 * Compares the coins held by strategies with the sum of their fills, their inventory and a person's
 * statements on positions, each counted once. Returns the differences; null if all agree.
 */
export function wrongHoldings({ instances }: Pick<Engine, 'instances'>, mirrorPath: string): string | null {
  if (!existsSync(mirrorPath)) return null;
  const { fills, moves } = inMirror(mirrorPath, (database) => ({
    fills: database
      .prepare<[], HoldingRow>(
        'SELECT strategy, market, side, amount, fee FROM fills WHERE strategy IS NOT NULL',
      )
      .all(),
    moves: readPositionMoves(database),
  }));
  const sums = new Map<string, bigint>();
  const add = (strategy: string, asset: string, units: bigint): void =>
    void sums.set(`${strategy} ${asset}`, (sums.get(`${strategy} ${asset}`) ?? 0n) + units);
  for (const { strategy, market, side, amount, fee } of fills)
    add(
      strategy,
      parseMarket(market).base,
      side === 'buy' ? parseUnits(amount) - parseUnits(fee) : 0n - parseUnits(amount),
    );
  for (const { from, to, asset, amount } of moves) {
    if (from !== null) add(from, asset, 0n - parseUnits(amount));
    if (to !== null) add(to, asset, parseUnits(amount));
  }
  const wrong = instances.flatMap(({ name, ledger, quotes }) =>
    [...ledger.state.holdings].flatMap(([asset, { held }]) => {
      const sum = (sums.get(`${name} ${asset}`) ?? 0n) + ledger.inventoryOf(asset);
      return quotes.has(asset) || sum === held
        ? []
        : [`expected ${name} to hold ${formatUnits(sum)} ${asset}, was ${formatUnits(held)}`];
    }),
  );
  return wrong[0] ?? null;
}

/**
 * Checks that a set of shares buys with the proceeds of its sales: no purchase is planned before the bot
 * knows that all sales of the set have ended. At the exchange a market order ends before the next one comes,
 * so this checks what the bot knew.
 */
export class SharesChecker extends Finder {
  protected readonly promise = 'shares';
  /** Running sets, with the keys of their sales that have not ended. */
  private readonly sets = new Map<string, Set<string>>();
  private readonly seen = new Set<string>();

  watch({ changes }: Pick<EngineOutput, 'changes'>): void {
    for (const change of changes) {
      if (change.kind === 'intent') {
        const { id, kind, status } = change.intent;
        // An id may be that of a set that another life died over before it was written.
        this.sets.delete(id);
        if (kind === 'targets' && status === 'working') this.sets.set(id, new Set());
      } else if (change.kind === 'order') this.order(change.order);
    }
  }

  private order(order: OrderRecord): void {
    const sales = this.sets.get(order.intentId);
    if (sales === undefined) return;
    const { key, side, intentId } = order;
    if (side === 'sell') {
      if (isFinal(order)) sales.delete(key);
      else sales.add(key);
    } else if (!this.seen.has(key) && sales.size > 0)
      this.found.push(
        `expected intent ${intentId} to buy once all is sold, ${key} was planned before the end of ${[...sales].join(', ')} was known`,
      );
    this.seen.add(key);
  }
}

/** Longest time an order without an intent may stay open, in ms: failed cancels are soon repeated. */
const LONGEST_MS = 300_000;

/**
 * Checks that no order the bot has taken over stays open for long, except protective ones: no intent manages
 * it, and a strategy that continues from an older state places such an order again.
 */
export class OrphanChecker {
  private life: object | null = null;
  /** Open orders that were taken over, with the time since, by the bot's clock. */
  private readonly open = new Map<string, { readonly order: OrderRecord; sinceMs: number }>();
  private readonly left = new Map<string, OrderRecord>();

  /** Checks a step of the life that `engine` belongs to. */
  watch(engine: object, { changes }: EngineOutput, nowMs: number): void {
    if (engine !== this.life) {
      this.life = engine;
      for (const known of this.open.values()) known.sinceMs = nowMs;
    }
    for (const change of changes) {
      if (change.kind !== 'order' || change.order.intentId !== 'adopted') continue;
      const { order } = change;
      if (order.state === 'open') this.open.set(order.key, { order, sinceMs: nowMs });
      else this.open.delete(order.key);
    }
    for (const [key, { order, sinceMs }] of this.open)
      if (nowMs - sinceMs > LONGEST_MS) this.left.set(key, order);
  }

  violations({ orders }: ExchangeTruth): readonly Violation[] {
    const protective = new Set(
      orders.filter(({ isStop, pairId }) => isStop || pairId !== null).map(({ id }) => String(id)),
    );
    return violationsOf(
      'orphans',
      [...this.left.values()]
        .filter(({ venueId }) => venueId !== null && !protective.has(venueId))
        .map(({ key }) => `expected ${key}, which was taken over, to be canceled, it stayed open`),
    );
  }
}

/** Rules of the checked universe: one member, the best by a number of the last reply. */
export interface CheckedUniverse {
  readonly strategy: string;
  readonly key: string;
  readonly rankBy: 'volume24h' | 'volatility' | 'spread' | 'change';
  readonly quote: string;
  readonly hysteresis: number;
}

interface UniverseNotice {
  readonly entered: readonly string[];
  readonly left: readonly string[];
  readonly members: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Derives the members of a universe independently from the replies that the bot got. The best market of the
 * last reply enters; there is at most one member; a holding in a market that has left is still followed.
 */
export class UniverseChecker extends Finder {
  protected readonly promise = 'universe';
  private readonly universe: CheckedUniverse;
  /** Requests for statistics of this life that wait for their reply. */
  private readonly asked = new Set<number>();
  /** Best markets of the last two replies; null for a reply that can not be ranked with certainty. */
  private best: readonly (string | null)[] = [];
  private members: readonly string[] = [];
  private engine: Engine | null = null;

  constructor(universe: CheckedUniverse) {
    super();
    this.universe = universe;
  }

  /** Checks a step; returns the notices of the universe in it. */
  watch(engine: Engine, event: EngineEvent, output: EngineOutput, atMs: number): readonly UniverseNotice[] {
    if (engine !== this.engine) this.beginLife(engine);
    if (event.kind === 'answer' && this.asked.delete(event.requestId) && event.answer.outcome === 'value')
      this.best = [bestOf(event.answer.value as readonly MarketStats[], this.universe), ...this.best].slice(
        0,
        2,
      );
    // Those of a book that may stand still are asked for as a backfill, and rank nothing.
    for (const { id, call, requestClass } of output.requests)
      if (call.kind === 'stats' && requestClass !== 'backfill') this.asked.add(id);
    const notices = output.changes.flatMap((change) =>
      change.kind === 'journal' &&
      change.entry.kind === 'universe' &&
      change.entry.subject === this.universe.key
        ? [JSON.parse(change.entry.json) as UniverseNotice]
        : [],
    );
    for (const one of notices) this.check(engine, one, atMs);
    return notices;
  }

  /** Starts with the members that a new process knows from before. */
  private beginLife(engine: Engine): void {
    this.engine = engine;
    this.asked.clear();
    this.best = [];
    const instance = engine.instances.find(({ name }) => name === this.universe.strategy);
    const state = instance === undefined ? null : engine.universes.stateOf(instance, 'members');
    this.members = state?.members.map(({ market }) => market) ?? [];
  }

  private check(engine: Engine, { entered, left, members, kept }: UniverseNotice, atMs: number): void {
    const log = (message: string): void => void this.found.push(`${message} at ${atMs}`);
    const expected = [...this.members.filter((market) => !left.includes(market)), ...entered];
    if (members.length > 1) log(`expected one member at most, were ${members.join(', ')}`);
    if (expected.join() !== members.join())
      log(
        `expected the members ${expected.join()} after ${left.join()} left and ${entered.join()} entered, were ${members.join()}`,
      );
    this.members = members;
    const [last, before] = this.best;
    // A reply may come between the choice of a market and its bars.
    const isClear = this.universe.hysteresis === 0 && last !== undefined && last !== null && before !== null;
    for (const market of entered) {
      if (isClear && market !== last && market !== before)
        log(
          `expected ${last} to enter, which the last reply has as the best by ${this.universe.rankBy}, was ${market}`,
        );
    }
    const own = engine.unfinishedOrders().filter(({ strategy }) => strategy === this.universe.strategy);
    const open = new Set(own.map(({ market }) => market));
    for (const market of left) {
      if (open.has(market) && !kept.includes(market) && !members.includes(market))
        log(`expected ${market}, which left with an order open, to be followed`);
    }
  }
}

/** Returns the best market of a reply by the documented rule; null if the reply is not plain. */
function bestOf(stats: readonly MarketStats[], { quote, rankBy }: CheckedUniverse): string | null {
  let best: { readonly market: string; readonly figure: number } | null = null;
  for (const one of stats) {
    if (one.market.quote !== quote) continue;
    if (one.isClosed || !isPlain(one)) return null;
    const figure = figureOf(one, rankBy);
    if (Number.isNaN(figure)) return null;
    const { symbol } = one.market;
    const isBetter =
      best === null || figure > best.figure || (figure === best.figure && symbol < best.market);
    if (isBetter) best = { market: symbol, figure };
  }
  return best?.market ?? null;
}

/** True if no number of a market could be mistaken for an error. */
function isPlain({ bestBuy, bestSell, latest }: MarketStats): boolean {
  const [bid, ask, last] = [Number(bestBuy), Number(bestSell), Number(latest)];
  return bid > 0 && ask > bid && last > bid / 2 && last < ask * 2;
}

const number = (text: string | null): number => (text === null ? Number.NaN : Number(text));

function figureOf(stats: MarketStats, rankBy: CheckedUniverse['rankBy']): number {
  const { bestBuy, bestSell, dayLow, dayHigh, dayChange, quoteVolume } = stats;
  const [bid, ask] = [number(bestBuy), number(bestSell)];
  switch (rankBy) {
    case 'spread':
      return -(((ask - bid) / ((ask + bid) / 2)) * 10_000);
    case 'change':
      return number(dayChange);
    case 'volatility':
      return ((number(dayHigh) - number(dayLow)) / number(dayLow)) * 100;
    case 'volume24h':
      return number(quoteVolume);
  }
}
