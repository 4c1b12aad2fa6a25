import type { RateLimit } from '../../domain/rate-limit.ts';
import type { LoggedRequest, RequestLog } from '../../simulator-server/request-log.ts';
import {
  Finder,
  violationsOf,
  type Violation,
  type ExchangeTruth,
  type IdBehind,
  type TrueOrder,
  type LeavingRequest,
  type WireWitness,
} from './exchange-truth.ts';
import { DAY_MS } from '../../domain/time-text.ts';
import { z } from 'zod';
import type { HttpResponse } from '../../exchange/transport.ts';
import type { Engine } from '../../engine/engine.ts';
import type { DrainPolicy } from '../../engine/engine-event.ts';
import { formatUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { OrderRecord } from '../../records/order.ts';

const HTTP_FORBIDDEN = 403;
const HTTP_TOO_MANY = 429;

/**
 * Checks the exchange's own log of requests against the limits: no window of the exchange's clock, both ends
 * included, has more requests of a budget than its limit, and none was refused for a limit. All requests of a
 * run come from one address and one account, so each budget is one list of times. It must be polled often
 * enough that the log drops nothing unread.
 */
export class BudgetChecker {
  private readonly log: RequestLog;
  private readonly limits: ReadonlyMap<string, Pick<RateLimit, 'limit' | 'windowMs'>>;
  /** Times of the last requests of each budget: as many as its limit. */
  private readonly times = new Map<string, number[]>();
  private readonly found: string[] = [];
  private lastNumber = 0;
  private readonly lowered: ReadonlySet<string>;
  private readonly budgetOf: (request: LoggedRequest) => string | null;

  /**
   * `lowered`: budgets whose limit the exchange lowers at times, which a 429 must name. `budgetOf`: returns
   * the budget of a request; by default that of the log.
   */
  constructor(
    log: RequestLog,
    of: {
      readonly limits: ReadonlyMap<string, Pick<RateLimit, 'limit' | 'windowMs'>>;
      readonly lowered?: ReadonlySet<string>;
      readonly budgetOf?: (request: LoggedRequest) => string | null;
    },
  ) {
    this.log = log;
    this.limits = of.limits;
    this.lowered = of.lowered ?? new Set();
    this.budgetOf = of.budgetOf ?? (({ budget }) => budget);
  }

  /** Checks the requests since the last poll. */
  poll(): void {
    for (const request of this.log.values()) {
      if (request.number <= this.lastNumber) continue;
      if (request.number > this.lastNumber + 1)
        this.found.push(
          `expected every request in the log, numbers ${this.lastNumber + 1} to ${request.number} were forgotten`,
        );
      this.lastNumber = request.number;
      this.check(request);
    }
  }

  violations(): readonly Violation[] {
    this.poll();
    return violationsOf('budgets', this.found);
  }

  private check(request: LoggedRequest): void {
    const { timeMs, status, path, number } = request;
    const budget = this.budgetOf(request);
    if (budget === null) return;
    const isLimitStated = status === HTTP_TOO_MANY && this.lowered.has(budget);
    if (!isLimitStated && (status === HTTP_FORBIDDEN || status === HTTP_TOO_MANY))
      this.found.push(
        `expected no refusal by a limit, request ${number} to ${path} got ${status} at ${timeMs}`,
      );
    const limit = this.limits.get(budget);
    if (limit === undefined) {
      this.found.push(`expected a known budget, request ${number} to ${path} is counted in "${budget}"`);
      return;
    }
    const times = this.times.get(budget) ?? [];
    this.times.set(budget, times);
    times.push(timeMs);
    if (times.length <= limit.limit) return;
    const first = times.shift() ?? 0;
    if (timeMs - first > limit.windowMs) return;
    this.found.push(
      `expected at most ${limit.limit} requests of ${budget} in ${limit.windowMs} ms, there were ${limit.limit + 1} from ${first} to ${timeMs}`,
    );
  }
}

/** Longest time from an admission to its send, in ms: a request may leave so long after a reply. */
const IN_FLIGHT_MS = 250;

/** Schema of a limit reply. It is separate from the client's, which is itself under test. */
const limitReply = z.object({ backOff: z.number().positive(), limit: z.int().positive() });

interface Lowered {
  readonly limit: number;
  /** Time the process got the reply, and time until which the limit holds, in ms. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Checks that a lowered limit is obeyed. Once a reply named a limit below the process's own, no later window
 * has more requests of the budget, also after a crash, until a day after the last limit reply. One checker
 * watches all lives of a bot.
 */
export class LoweredLimitChecker extends Finder implements WireWitness {
  protected readonly promise = 'lowered limits';
  private readonly lowered = new Map<string, Lowered>();
  /** Send times of the last requests of each budget: as many as its limit. */
  private readonly left = new Map<string, number[]>();
  private readonly onLowered: (budget: string) => void;

  constructor(onLowered: (budget: string) => void = () => undefined) {
    super();
    this.onLowered = onLowered;
  }

  leaves({ endpoint, atMs }: LeavingRequest): void {
    const { name, limit, windowMs } = endpoint.budget;
    const times = this.left.get(name) ?? [];
    this.left.set(name, times);
    times.push(atMs);
    if (times.length > limit) times.shift();
    const lowered = this.lowered.get(name);
    if (lowered === undefined || atMs <= lowered.fromMs + IN_FLIGHT_MS || atMs > lowered.untilMs) return;
    const first = times.at(-1 - lowered.limit);
    if (first === undefined || atMs - first > windowMs) return;
    this.found.push(
      `expected at most ${lowered.limit} requests of ${name} in ${windowMs} ms, as a reply at ${lowered.fromMs} has lowered it to, ${lowered.limit + 1} left from ${first} to ${atMs}`,
    );
  }

  isAnswered(
    { endpoint }: LeavingRequest,
    { response, atMs }: { readonly response: HttpResponse; readonly atMs: number },
  ): void {
    const { status, body } = response;
    if (endpoint.name === 'login' || (status !== HTTP_FORBIDDEN && status !== HTTP_TOO_MANY)) return;
    const { name, limit } = endpoint.budget;
    const before = this.lowered.get(name);
    const holds = before !== undefined && atMs <= before.untilMs ? before : null;
    const named = limitReply.safeParse(jsonOf(body)).data?.limit ?? null;
    if (named !== null && named < (holds?.limit ?? limit)) {
      this.lowered.set(name, { limit: named, fromMs: atMs, untilMs: atMs + DAY_MS });
      this.onLowered(name);
    } else if (holds !== null) this.lowered.set(name, { ...holds, untilMs: atMs + DAY_MS });
  }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

/** Least length of a lockout that the reply does not state, in ms ("HTTP status codes"). */
const UNSAID_MS = 3_600_000;

/**
 * Checks that a lockout is obeyed: once the process got a limit reply, it sends nothing of that budget before
 * the wait is over, also after a crash. One checker watches all lives of a bot.
 */
export class LockoutChecker extends Finder implements WireWitness {
  protected readonly promise = 'lockouts';
  private readonly closed = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();

  leaves({ endpoint, atMs }: LeavingRequest): void {
    const { name } = endpoint.budget;
    const lockout = this.closed.get(name);
    if (lockout === undefined || atMs <= lockout.fromMs + IN_FLIGHT_MS || atMs >= lockout.untilMs) return;
    this.found.push(
      `expected nothing of ${name} from ${lockout.fromMs} to ${lockout.untilMs}, which a reply had locked out, a request left at ${atMs}`,
    );
  }

  isAnswered(
    { endpoint }: LeavingRequest,
    { response, atMs }: { readonly response: HttpResponse; readonly atMs: number },
  ): void {
    if (response.status !== HTTP_FORBIDDEN && response.status !== HTTP_TOO_MANY) return;
    const { name } = endpoint.budget;
    const before = this.closed.get(name);
    const untilMs = Math.max(atMs + waitOf(response), before?.untilMs ?? 0);
    const fromMs = before !== undefined && before.untilMs > atMs ? before.fromMs : atMs;
    this.closed.set(name, { fromMs, untilMs });
  }
}

/**
 * Returns the longest wait that a reply names, in ms: in its body, and in `Retry-After`, which remains when a
 * body is cut off. It does not use the client's code, which is itself under test.
 */
function waitOf({ body, headers }: HttpResponse): number {
  const inBody = /"backOff":\s*(\d+)/.exec(body)?.[1];
  const inHeader = /^\d+$/.exec(headers['retry-after'] ?? '')?.[0];
  const seconds = [inBody, inHeader].filter((text) => text !== undefined).map(Number);
  return seconds.length === 0 ? UNSAID_MS : Math.max(...seconds) * 1_000;
}

/** State of one strategy at a drain, in a market of its own. */
interface DrainedStrategy {
  readonly name: string;
  readonly held: bigint;
  readonly orders: readonly OrderRecord[];
}

const NO_ORDERS: ReadonlySet<OrderRecord> = new Set();

/** State at the beginning of a drain: strategies without open questions and without requests in flight. */
export interface DrainBeginning {
  readonly policy: DrainPolicy;
  readonly strategies: readonly DrainedStrategy[];
}

/** Reads the state just before a drain. A halt cancels everything, so nothing is judged then. */
export function drainBeginning(engine: Engine, policy: DrainPolicy): DrainBeginning {
  const unfinished = engine.haltReason() === null ? engine.unfinishedOrders() : [];
  const strategies = engine.instances.flatMap((instance) => {
    const { name, runner } = instance;
    // One that goes from market to market has positions in several, of which this one knows nothing.
    if (runner.subscriptions.some(({ kind }) => kind === 'universe')) return [];
    const orders = unfinished.filter(({ strategy }) => strategy === name);
    const keys = new Set(orders.map(({ key }) => key));
    const isQuiet = orders.every(
      ({ state, key, venueId, pairKey }) =>
        state === 'open' &&
        venueId !== null &&
        // Where one leg of a pair has ended, the exchange has ended the other, which the bot may be about to
        // read.
        (pairKey === null || keys.has(pairKey)) &&
        !engine.orderManager.cancels.wantsEndOf(key),
    );
    return orders.length > 0 && isQuiet
      ? [{ name, held: instance.held(parseMarket(runner.market).base), orders }]
      : [];
  });
  return { policy, strategies };
}

/**
 * Checks that the orders a drain left open are those of its policy, derived independently here: for a
 * strategy whose orders did not trade since, and whose position agrees with the exchange's trades. A lock
 * that cancels entries and began since may end orders that a drain leaves open, but no exit. `judged` counts
 * the orders checked.
 */
export function checkDrain(
  truth: ExchangeTruth,
  { policy, strategies }: DrainBeginning,
  { hasLockCanceled, idBehind }: { readonly hasLockCanceled: boolean; readonly idBehind: IdBehind },
): { readonly violations: readonly Violation[]; readonly judged: number } {
  const byId = new Map(truth.orders.map((order) => [String(order.id), order]));
  const messages: string[] = [];
  let judged = 0;
  for (const { name, held, orders } of strategies) {
    const truthOf = ({ venueId }: OrderRecord): TrueOrder | undefined =>
      venueId === null ? undefined : byId.get(idBehind(venueId));
    const hasTraded = orders.some((order) => truthOf(order)?.matched !== order.matched);
    if (hasTraded) continue;
    const stays =
      policy === 'keep' ? new Set(orders) : policy === 'cancel' ? NO_ORDERS : exitsOf(orders, held);
    const judgedOf = hasLockCanceled && policy === 'keep' ? exitsOf(orders, held) : new Set(orders);
    for (const order of orders) {
      if (!judgedOf.has(order)) continue;
      judged += 1;
      const isOpen = truthOf(order)?.isOpen === true;
      if (isOpen === stays.has(order)) continue;
      messages.push(
        `expected ${order.key} (${order.side} ${formatUnits(order.amount)}) of ${name}, which held ${formatUnits(held)}, to be ${isOpen ? 'canceled' : 'left open'} by a drain with ${policy}`,
      );
    }
  }
  return { violations: violationsOf('drain', messages), judged };
}

/** Returns the exits by the documented rule: pairs, stops, the rest, the older first, while there is room. */
function exitsOf(orders: readonly OrderRecord[], held: bigint): ReadonlySet<OrderRecord> {
  const side = held > 0n ? 'sell' : 'buy';
  let room = held > 0n ? held : -held;
  const stays = new Set<OrderRecord>();
  const exits = orders.filter((order) => order.side === side);
  const firsts = exits.filter(({ key, pairKey }) => pairKey === null || key < pairKey);
  for (const first of firsts.toSorted((a, b) => rank(a) - rank(b) || a.plannedAtMs - b.plannedAtMs)) {
    const legs = exits.filter((order) => order === first || order.key === first.pairKey);
    const most = legs
      .map(({ amount, filled }) => amount - filled)
      .reduce((left, right) => (left > right ? left : right), 0n);
    if (most > room) continue;
    room -= most;
    for (const leg of legs) stays.add(leg);
  }
  return stays;
}

function rank({ pairKey, stopPrice }: OrderRecord): number {
  if (pairKey !== null) return 0;
  return stopPrice === null ? 2 : 1;
}
