import { invariant } from '../../domain/errors.ts';
import { formatUnits, UNITS_PER_ONE, divideUp } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { readOrderName } from '../../engine/order-names.ts';
import {
  NOTHING_GIVEN,
  type GivenCoins,
  type ExchangeTruth,
  type TrueFill,
  type TrueOrder,
  NONE_REFUSED,
  namedOrders,
  Finder,
  violationsOf,
  type Violation,
  heldByStrategies,
  type HoldingBot,
} from './exchange-truth.ts';
import type { EngineOutput } from '../../engine/engine-event.ts';
import type { OrderRecord } from '../../records/order.ts';
import { algorithmFromJson } from '../../engine/algorithm-json.ts';

interface ExposureLimits {
  /** First part of the bot's order ids. */
  readonly instance: string;
  /** Largest position of one strategy by currency, in its units; a missing currency has no limit. */
  readonly maxPosition: Readonly<Record<string, bigint>>;
  /** Amounts given to strategies, which are part of their positions; none if omitted. */
  readonly given?: GivenCoins;
  /** Names of orders that the bot saw refused: what they add is no fault, and it may use what they reduce. */
  readonly refused?: ReadonlySet<string>;
}

/** Change at one time of the worst case of a strategy's orders in a market, in units of the base currency. */
interface Change {
  readonly atMs: number;
  readonly long: bigint;
  readonly short: bigint;
  /** Order whose acceptance this is; null for a fill or an end. */
  readonly opened: TrueOrder | null;
}

/**
 * Checks that no order can make its strategy's position exceed the limit, even if all orders of its side
 * trade and none of the other. It sums what the exchange accepted, filled and closed, for each strategy. It
 * is valid if a strategy has one market; a market may have several strategies. The bot can only know fewer of
 * its sales and more of its orders than there were, so the exchange's numbers are never above those that the
 * bot has checked.
 *
 * @throws if the name of one of our orders names no strategy
 */
export function checkExposure(truth: ExchangeTruth, limits: ExposureLimits): readonly Violation[] {
  const messages = positionsOf(truth, limits).flatMap(({ strategy, market, changes, given }) => {
    const limit = limits.maxPosition[parseMarket(market).base];
    return limit === undefined ? [] : worstBeyond(changes, limit, { of: `${strategy} in ${market}`, given });
  });
  return violationsOf('exposure', messages);
}

/**
 * Checks that no order lets a strategy sell more of a coin than it owns, even if every sale trades: what it
 * was given and what its purchases added, by the exchange's tables, as in `checkExposure`. A quote currency
 * is money in the markets that it prices.
 *
 * @throws if the name of one of our orders names no strategy
 */
export function checkOwnership(
  truth: ExchangeTruth,
  of: Omit<ExposureLimits, 'maxPosition'>,
): readonly Violation[] {
  const all = positionsOf(truth, of);
  const messages = [...Map.groupBy(all, ({ strategy }) => strategy)].flatMap(([strategy, positions]) => {
    const quotes = new Set(positions.map(({ market }) => parseMarket(market).quote));
    const ofCoins = Map.groupBy(positions, ({ market }) => parseMarket(market).base);
    return [...ofCoins].flatMap(([coin, markets]) =>
      quotes.has(coin)
        ? []
        : soldBeyond(inOrder(markets.flatMap(({ changes }) => changes)), {
            who: strategy,
            coin,
            given: markets[0]?.given ?? 0n,
          }),
    );
  });
  return violationsOf('ownership', messages);
}

function soldBeyond(
  changes: readonly Change[],
  { who, coin, given }: { readonly who: string; readonly coin: string; readonly given: bigint },
): readonly string[] {
  let sold = -given;
  return changes.flatMap(({ short, opened }) => {
    sold += short;
    if (opened?.side !== 'sell' || sold <= 0n) return [];
    return [
      `expected ${who} to sell no more ${coin} than it owns, order ${opened.id} (${opened.clientOrderId}) would sell ${formatUnits(sold)} more once all its sales trade; it was given ${formatUnits(given)}`,
    ];
  });
}

interface Position {
  readonly strategy: string;
  readonly market: string;
  readonly given: bigint;
  readonly changes: readonly Change[];
}

/** Returns the possible results of each strategy's orders in each market, in the order of time. */
function positionsOf(truth: ExchangeTruth, limits: Omit<ExposureLimits, 'maxPosition'>): readonly Position[] {
  const { refused = NONE_REFUSED, given = NOTHING_GIVEN } = limits;
  const own = namedOrders(truth, limits.instance);
  const nameOf = new Map(own.map(({ order, name }) => [order.id, name]));
  const isRefused = ({ id }: TrueOrder): boolean => refused.has(nameOf.get(id) ?? '');
  const fillsOf = Map.groupBy(truth.fills, ({ orderId }) => orderId);
  const instances = Map.groupBy(own, ({ order, name }) => `${strategyOf(name)} in ${order.market}`);
  return [...instances.values()].flatMap((orders) => {
    const [first] = orders;
    if (first === undefined) return [];
    const { market } = first.order;
    const strategy = strategyOf(first.name);
    const changes = changesOf(
      orders.map(({ order }) => order),
      { fillsOf, isRefused },
    );
    return [{ strategy, market, changes, given: given.get(`${strategy} ${parseMarket(market).base}`) ?? 0n }];
  });
}

function strategyOf(name: string): string {
  const read = readOrderName(name);
  invariant(read !== null, () => `expected an order of ours to name its strategy, was "${name}"`);
  return read.strategy;
}

function worstBeyond(
  changes: readonly Change[],
  limit: bigint,
  { of, given }: { readonly of: string; readonly given: bigint },
): readonly string[] {
  const messages: string[] = [];
  let long = given;
  let short = -given;
  for (const change of changes) {
    long += change.long;
    short += change.short;
    const { opened } = change;
    if (opened === null) continue;
    const worst = opened.side === 'buy' ? long : short;
    if (worst <= limit) continue;
    messages.push(
      `expected at most ${formatUnits(limit)} ${opened.side === 'buy' ? 'long' : 'short'} of ${of} once all its orders trade, order ${opened.id} (${opened.clientOrderId}) made it ${formatUnits(worst)}`,
    );
  }
  return messages;
}

interface Known {
  readonly fillsOf: ReadonlyMap<number, readonly TrueFill[]>;
  readonly isRefused: (order: TrueOrder) => boolean;
}

/** Returns the changes by time; at one time removals come before additions, and orders by their ids. */
function changesOf(orders: readonly TrueOrder[], known: Known): readonly Change[] {
  const pairs = Map.groupBy(orders, ({ id, pairId }) => Math.min(id, pairId ?? id)).values();
  return inOrder([...pairs].flatMap((legs) => changesOfLegs(legs, known)));
}

function inOrder(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted(
    (left, right) => left.atMs - right.atMs || Number(left.opened !== null) - Number(right.opened !== null),
  );
}

/** Returns the changes of one order, or of the two of an OCO, of which only one trades. */
function changesOfLegs(legs: readonly TrueOrder[], { fillsOf, isRefused }: Known): readonly Change[] {
  const [first] = legs;
  if (first === undefined) return [];
  const { side, amount, openedAtMs } = first;
  const isBuy = side === 'buy';
  const fills = legs.flatMap(({ id }) => fillsOf.get(id) ?? []);
  if (isRefused(first))
    return fills.map(({ atMs, amount: filled, fee }) => ({
      atMs,
      long: isBuy ? 0n : -filled,
      short: isBuy ? fee - filled : 0n,
      opened: null,
    }));
  const onOwnSide = (units: bigint) => (isBuy ? { long: units, short: 0n } : { long: 0n, short: units });
  const changes: Change[] = [{ atMs: openedAtMs, ...onOwnSide(amount), opened: first }];
  for (const { atMs, amount: filled, fee } of fills) {
    const traded = isBuy ? { long: -fee, short: fee - filled } : { long: -filled, short: 0n };
    changes.push({ atMs, ...traded, opened: null });
  }
  const closedAtMs = Math.max(...legs.map((leg) => leg.closedAtMs ?? Number.POSITIVE_INFINITY));
  const matched = legs.reduce((sum, leg) => sum + leg.matched, 0n);
  if (Number.isFinite(closedAtMs))
    changes.push({ atMs: closedAtMs, ...onOwnSide(matched - amount), opened: null });
  return changes;
}

/** The exchange's own data on a currency. */
export interface TrueFunds {
  readonly total: bigint;
  /** Amount held by the bot's own open orders. */
  readonly heldByOwn: bigint;
  /** Amount held by the open orders of the strategy that is checked. */
  readonly heldByStrategy: bigint;
  /** Amount that strategy has bought, by its books. */
  readonly bought: bigint;
}

/** Time after a trade, withdrawal or loss of others in which it may explain missing money, in ms. */
const OUTSIDE_LASTS_MS = 900_000;

/** Largest rounding difference, in units. */
const ROUNDING = 100n;

/**
 * Checks that no two strategies spend the same money: the exchange refuses no order for lack of balance while
 * the bot's own orders alone hold the missing amount. It is not judged shortly after somebody else used the
 * account; nor, after any such use, for a sale of what the strategy has bought: the exchange decides if the
 * coins are still there.
 */
export class FundsChecker extends Finder {
  protected readonly promise = 'funds';
  private outsideAtMs = Number.NEGATIVE_INFINITY;

  /** Called when something outside the bot changed the account. */
  disturbed(atMs: number): void {
    this.outsideAtMs = atMs;
  }

  watch(
    { changes }: Pick<EngineOutput, 'changes'>,
    fundsOf: (currency: string, strategy: string) => TrueFunds,
    atMs: number,
  ): void {
    if (atMs - this.outsideAtMs < OUTSIDE_LASTS_MS) return;
    for (const change of changes) {
      if (change.kind !== 'order') continue;
      const { state, reason, key, strategy, side } = change.order;
      if (state !== 'rejected' || reason !== 'OverValueOrder' || key.endsWith('/2')) continue;
      const { currency, needed } = paymentOf(change.order);
      const { total, heldByOwn, heldByStrategy, bought } = fundsOf(currency, strategy);
      if (heldByOwn + needed <= total + ROUNDING) continue;
      const isExit = side === 'sell' && heldByStrategy + needed <= bought + ROUNDING;
      if (isExit && this.outsideAtMs > Number.NEGATIVE_INFINITY) continue;
      this.found.push(
        `expected ${key} to want no money that own orders hold already: it needs ${formatUnits(needed)} ${currency}, they hold ${formatUnits(heldByOwn)} of ${formatUnits(total)} (${atMs})`,
      );
    }
  }
}

function paymentOf({ market, side, amount, price, stopPrice }: OrderRecord): {
  readonly currency: string;
  readonly needed: bigint;
} {
  const { base, quote } = parseMarket(market);
  if (side === 'sell') return { currency: base, needed: amount };
  return { currency: quote, needed: divideUp(amount * (price ?? stopPrice ?? 0n), UNITS_PER_ONE) };
}

/** Maximum number of violations that are reported. */
const MOST_NAMED = 20;

/** Dust of earlier brackets that a bracket includes. */
interface Claim {
  readonly holder: string;
  readonly dust: bigint;
}

/**
 * Checks that dust is sold once: a bracket that begins includes no more than its strategy holds, less the
 * amounts included by brackets that have sold nothing yet. One checker watches all lives of a bot.
 */
export class DustChecker extends Finder {
  protected readonly promise = 'dust';
  private readonly seen = new Set<string>();
  /** Running brackets without an exit yet, by intent. */
  private readonly claims = new Map<string, Claim>();
  private held: ReadonlyMap<string, bigint> = new Map();

  /** Called when the process has died: it may not have written its last brackets. */
  died(): void {
    this.claims.clear();
  }

  /** Checks one step. Returns the number of brackets that included dust. */
  watch(bot: HoldingBot, { changes }: Pick<EngineOutput, 'changes'>): number {
    const held = heldByStrategies(bot);
    let count = 0;
    for (const change of changes) {
      // An id that another life died over before it was written is taken again.
      if (change.kind === 'intent' && change.intent.status === 'working') this.seen.delete(change.intent.id);
      else if (change.kind === 'algorithm-end') this.claims.delete(change.intentId);
      else if (change.kind === 'order' && change.order.side === 'sell')
        this.claims.delete(change.order.intentId);
      else if (change.kind === 'algorithm') {
        const { intentId, strategy, market, json } = change.algorithm;
        if (this.seen.has(intentId)) continue;
        this.seen.add(intentId);
        const dust = dustIn(json);
        if (dust === 0n) continue;
        count += 1;
        const holder = `${strategy} ${parseMarket(market).base}`;
        this.claims.set(intentId, { holder, dust });
        // What else this step brought may have come before or after.
        this.hold(holder, [this.held.get(holder) ?? 0n, held.get(holder) ?? 0n]);
      }
    }
    this.held = held;
    return count;
  }

  private hold(holder: string, held: readonly bigint[]): void {
    let used = 0n;
    for (const claim of this.claims.values()) if (claim.holder === holder) used += claim.dust;
    if (held.some((units) => used <= units) || this.found.length >= MOST_NAMED) return;
    this.found.push(
      `expected brackets of ${holder} to take at most what is held, ${held.map((units) => formatUnits(units)).join(' or ')}, they took ${formatUnits(used)}`,
    );
  }
}

/** Returns the dust included in a bracket that has just begun; zero for one that protects a position. */
function dustIn(json: string): bigint {
  const algorithm = algorithmFromJson(json);
  const isNew =
    algorithm.kind === 'bracket' && algorithm.terms.entry !== null && algorithm.entry === 'planned';
  return isNew ? algorithm.bought : 0n;
}
