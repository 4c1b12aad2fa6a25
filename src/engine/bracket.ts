import type { Market } from '../domain/market.ts';
import {
  addUnits,
  formatUnits,
  multiplyUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  UNITS_PER_ONE,
  divideHalfEven,
} from '../domain/money.ts';
import { sentence } from '../language/sentence.ts';
import type { DecimalInput, Distance, Intent } from '../strategy/intents.ts';
import { distanceOf, priceAbove, priceBelow, type ExitLevel, type LevelOrigin } from './exit-level.ts';
import {
  canBeOrdered,
  onAmountGrid,
  positiveRequestedUnits,
  requestedUnits,
} from './algorithms/requested-units.ts';
import { NO_SETBACKS } from './algorithms/setbacks.ts';
import { refused, type Creation, NO_TALLY } from './algorithms/algorithm-step.ts';
import type { AlgorithmOf } from './algorithm-json.ts';

/**
 * A purchase and its exit. After each fill of the purchase, the exit rests at the exchange: a limit order and
 * a stop order as a pair, or one of the two. Only one exit exists at a time. The next is placed when the last
 * has ended and all its fills were read, so never more is sold than was bought.
 */
export type BracketAlgorithm = AlgorithmOf<'bracket'>;

export type Leaving = NonNullable<BracketAlgorithm['leaving']>;
type BracketTerms = BracketAlgorithm['terms'];

export type BracketIntent = Omit<Extract<Intent, { kind: 'bracket' }>, 'entry'> & {
  readonly entry: {
    readonly amount: DecimalInput;
    readonly price?: DecimalInput;
    readonly expireAfterMs?: number;
  };
};

export type ProtectIntent = Extract<Intent, { kind: 'protect' }>;

export interface CreateBracketOptions {
  readonly market: Market;
  readonly nowMs: number;
  /** Best ask, the price of a purchase at the market; null while it is unknown. */
  readonly bestAsk: Units | null;
  /** Best bid, the price of a sale at the market; null while it is unknown. */
  readonly bestBid: Units | null;
  /** True if the strategy gets bars of the market: a stop that follows closes or highs needs them. */
  readonly hasBars: boolean;
  /** Minimum time between moves of the stop, in ms; null if the strategy declares nothing about trails. */
  readonly trailEveryMs: number | null;
  /**
   * The strategy's holding of the coin outside brackets, the part of it that no order sells, and its average
   * price (null if unknown).
   */
  readonly holding: {
    readonly amount: Units;
    readonly free: () => Units;
    readonly averagePrice: Units | null;
  };
}

/** One percent as a share, in units of 1e-10. */
const ONE_PERCENT = (UNITS_PER_ONE / 100n) as Units;
/** A tenth of one percent as a share, in units of 1e-10. */
const DEFAULT_MIN_STEP = (UNITS_PER_ONE / 1_000n) as Units;

/** Level at the price paid. */
const AT_COST: ExitLevel = { by: 'ratio', units: NO_UNITS };

/** Creates a bracket whose entry is not placed yet, or says why that is impossible. */
export function createBracket(
  intent: BracketIntent,
  { market, nowMs, bestAsk, hasBars, trailEveryMs, holding }: CreateBracketOptions,
): Creation<BracketAlgorithm> {
  const amount = positiveRequestedUnits(intent.entry.amount);
  if (amount === null)
    return refused(
      sentence('positive-decimal', { field: 'entry.amount', found: String(intent.entry.amount) }),
    );
  const price = intent.entry.price === undefined ? null : positiveRequestedUnits(intent.entry.price);
  if (intent.entry.price !== undefined && price === null)
    return refused(sentence('positive-decimal', { field: 'entry.price', found: String(intent.entry.price) }));
  const from = price ?? bestAsk;
  if (from === null)
    return refused(`expected a price of ${market.symbol} to check the exits with, none is known yet`);
  const { expireAfterMs } = intent.entry;
  const expiresAtMs = expireAfterMs === undefined ? null : nowMs + expireAfterMs;
  const terms = termsOf(intent, { entry: { amount, price, expiresAtMs }, trailEveryMs });
  if (typeof terms === 'string') return refused(terms);
  const wrong =
    blind(terms, market, hasBars) ??
    impossible(terms, market, { from: { price: from, amount: onAmountGrid(market, amount) }, now: from });
  if (wrong !== null) return refused(wrong);
  const bought = dustOf(holding.amount, market, from);
  return {
    ok: true,
    algorithm: begun(terms, { bought, gross: NO_UNITS, spent: NO_UNITS, heldSinceMs: null }),
  };
}

/**
 * Returns an amount that earlier exits left, if it is too small for its own order; else zero. The next exit
 * sells it. Otherwise it would grow with each bracket until it looks like a position.
 */
function dustOf(amount: Units, market: Market, price: Units): Units {
  if (amount <= 0n || canBeOrdered(market, { amount: onAmountGrid(market, amount), price })) return NO_UNITS;
  return amount;
}

/** Creates a bracket for a position that already exists, or says why that is impossible. */
export function createProtection(
  intent: ProtectIntent,
  { market, nowMs, holding, hasBars, trailEveryMs, bestBid }: CreateBracketOptions,
): Creation<BracketAlgorithm> {
  const amount = intent.amount === undefined ? holding.amount : positiveRequestedUnits(intent.amount);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (amount <= 0n || amount > holding.amount)
    return refused(
      `expected a position of at least ${formatUnits(amount)} ${market.base} that no exit and no sale has, to protect it; was ${formatUnits(holding.free())}`,
    );
  const price =
    intent.averagePrice === undefined ? holding.averagePrice : positiveRequestedUnits(intent.averagePrice);
  if (price === null)
    return refused(
      `expected a known average price of the position in ${market.symbol}, or averagePrice, was none`,
    );
  const terms = termsOf(intent, { entry: null, trailEveryMs });
  if (typeof terms === 'string') return refused(terms);
  const wrong =
    blind(terms, market, hasBars) ??
    impossible(terms, market, {
      from: { price, amount: onAmountGrid(market, amount) },
      now: bestBid ?? price,
    });
  if (wrong !== null) return refused(wrong);
  const spent = multiplyUnits(amount, price, divideHalfEven);
  const algorithm = begun(terms, { bought: amount, gross: amount, spent, heldSinceMs: nowMs });
  return { ok: true, algorithm: { ...algorithm, trailsFrom: bestBid } };
}

function begun(
  terms: BracketTerms,
  { bought, gross, spent, heldSinceMs }: Pick<BracketAlgorithm, 'bought' | 'gross' | 'spent' | 'heldSinceMs'>,
): BracketAlgorithm {
  return {
    kind: 'bracket',
    terms,
    entry: terms.entry === null ? 'ended' : 'planned',
    bought,
    gross,
    spent,
    exits: NO_TALLY,
    heldSinceMs,
    trailsFrom: null,
    highest: null,
    closeAtMs: 0,
    raisedStop: null,
    raisedBy: null,
    trailedAtMs: null,
    isMoving: false,
    isStopAlone: false,
    leaving: null,
    awaited: [],
    unclear: null,
    setbacks: NO_SETBACKS,
  };
}

const NO_TERMS: BracketTerms = {
  entry: null,
  takeProfit: null,
  laterTargets: [],
  stopLoss: null,
  trail: null,
  breakEvenAt: null,
  timeStopMs: null,
  stopSlip: NO_UNITS,
  whenCanceled: 'ask',
  tag: null,
};

/**
 * Creates a bracket without entry and exit levels that only sells coins which no bracket holds. It first
 * waits for the end of the strategy's other orders that hold them (`awaited`).
 */
export function createLeaving(of: {
  readonly leaving: Leaving;
  readonly awaited: readonly string[];
}): BracketAlgorithm {
  const nothing = { bought: NO_UNITS, gross: NO_UNITS, spent: NO_UNITS, heldSinceMs: null };
  return { ...begun(NO_TERMS, nothing), ...of, entry: 'planned' };
}

/** Returns the bracket with a sale of `leaving.amount` more of what it holds; null: of all of it. */
export function leftBracket(bracket: BracketAlgorithm, leaving: Leaving): BracketAlgorithm {
  const { amount } = leaving;
  const before = bracket.leaving?.amount ?? null;
  const more = amount === null || before === null ? amount : addUnits(before, amount);
  return { ...bracket, leaving: { ...leaving, amount: more } };
}

type ExitFields = Pick<
  ProtectIntent,
  | 'takeProfit'
  | 'laterTargets'
  | 'stopLoss'
  | 'trail'
  | 'breakEvenAt'
  | 'timeStopMs'
  | 'stopSlip'
  | 'whenCanceled'
  | 'tag'
>;

/** Returns the terms in units, or the text on which of them is wrong. */
function termsOf(
  fields: ExitFields,
  of: { readonly entry: BracketTerms['entry']; readonly trailEveryMs: number | null },
): BracketTerms | string {
  const { takeProfit, stopLoss, trail, breakEvenAt, timeStopMs, stopSlip, whenCanceled, tag } = fields;
  const levels: Record<string, ExitLevel | null> = {};
  for (const [name, distance] of Object.entries({
    takeProfit,
    stopLoss,
    'trail.by': trail?.by,
    'trail.after': trail?.after,
    breakEvenAt,
  })) {
    const level = distance === undefined ? null : levelOf(distance);
    if (level === undefined)
      return `expected a positive distance as ${name}, was ${JSON.stringify(distance)}`;
    levels[name] = level;
  }
  const {
    takeProfit: target = null,
    stopLoss: stop = null,
    'trail.by': by = null,
    'trail.after': after = null,
    breakEvenAt: even = null,
  } = levels;
  const laterTargets: { afterMs: number; at: ExitLevel }[] = [];
  for (const { afterMs, ...distance } of fields.laterTargets ?? []) {
    const at = Number(distance.percent) === 0 ? AT_COST : levelOf(distance);
    if (at === undefined)
      return `expected a distance from 0 on in laterTargets, was ${JSON.stringify(distance)}`;
    laterTargets.push({ afterMs, at });
  }
  if (
    target === null &&
    laterTargets.length === 0 &&
    stop === null &&
    by === null &&
    timeStopMs === undefined
  )
    return 'expected one of takeProfit, laterTargets, stopLoss, trail, timeStopMs, was none';
  if (by?.by === 'price') return 'expected a distance for trail.by, was a price';
  if (even !== null && stop === null && by === null)
    return 'expected a stopLoss or a trail with breakEvenAt, was neither';
  const slip = stopSlip === undefined ? ONE_PERCENT : percentUnits(stopSlip);
  if (slip === null || slip >= UNITS_PER_ONE)
    return `expected a stopSlip from 0 to below 100 percent, was "${String(stopSlip)}"`;
  const minStep = trail?.minStep === undefined ? DEFAULT_MIN_STEP : percentUnits(trail.minStep);
  if (minStep === null) return `expected percent as trail.minStep, was "${String(trail?.minStep)}"`;
  const everyMs = of.trailEveryMs ?? 0;
  if (by !== null && of.trailEveryMs === null)
    return 'expected the strategy to say how many stops follow the price at once, as trailing: { most: 1 } beside its data, said nothing';
  return {
    entry: of.entry,
    takeProfit: target,
    laterTargets,
    stopLoss: stop,
    trail: by === null ? null : { by, after, minStep, on: trail?.on ?? 'close', everyMs },
    breakEvenAt: even,
    timeStopMs: timeStopMs ?? null,
    stopSlip: slip,
    whenCanceled: whenCanceled ?? 'ask',
    tag: tag ?? null,
  };
}

/** Returns a distance as a level in units; undefined if it is not a positive decimal. */
function levelOf(distance: Distance): ExitLevel | undefined {
  if (distance.percent !== undefined) {
    const ratio = percentUnits(distance.percent);
    return ratio === null || ratio === 0n ? undefined : { by: 'ratio', units: ratio };
  }
  const [by, input] =
    distance.price !== undefined
      ? (['price', distance.price] as const)
      : distance.distance !== undefined
        ? (['distance', distance.distance] as const)
        : (['money', distance.money] as const);
  const units = positiveRequestedUnits(input);
  return units === null ? undefined : { by, units };
}

/** Returns percent as a share in units of 1e-10; null if it is negative or not a decimal. */
function percentUnits(input: DecimalInput): Units | null {
  const units = requestedUnits(input);
  return units === null ? null : (divideHalfEven(units, 100n) as Units);
}

/** True if its stop follows the closes or highs of bars. */
export function followsCloses({ trail, breakEvenAt }: BracketTerms): boolean {
  return trail === null ? breakEvenAt !== null : trail.on !== 'poll';
}

/** Returns why a stop that follows bars would never move: the strategy gets none. Null if it would move. */
function blind(terms: BracketTerms, { symbol }: Market, hasBars: boolean): string | null {
  if (!followsCloses(terms) || hasBars) return null;
  return `expected candles of ${symbol} among the data of the strategy, whose closes the stop follows, or a trail on 'poll', was neither`;
}

/**
 * Returns why these levels can not work, with numbers; null if they can. Levels are measured from the price
 * paid, a trail from the current price. A level may lie between the two: a stop above the price paid secures
 * a profit, and if a level is reached already, the position is sold at the market.
 */
function impossible(
  terms: BracketTerms,
  market: Market,
  { from, now }: { readonly from: LevelOrigin; readonly now: Units },
): string | null {
  const { takeProfit, stopLoss, trail, breakEvenAt, stopSlip } = terms;
  const { quote, base } = market;
  const lower = now < from.price ? now : from.price;
  const higher = now > from.price ? now : from.price;
  const at = (price: Units): string => `the price of ${formatUnits(price)} ${quote}`;
  if (from.amount === 0n)
    return `expected an amount of at least one step of ${formatUnits(market.amountStep)} ${base}`;
  const target = takeProfit === null ? null : priceAbove(takeProfit, from);
  if (target !== null && target <= lower)
    return `expected a takeProfit above ${at(lower)}, was ${formatUnits(target)}`;
  let before = target;
  for (const { afterMs, at: level } of terms.laterTargets) {
    const later = priceAbove(level, from);
    if (later < lower || (before !== null && later >= before))
      return `expected laterTargets that fall, to ${at(lower)} at the least, was ${formatUnits(later)} after ${afterMs} ms`;
    before = later;
  }
  const begins = trail === null || trail.after === null ? null : priceAbove(trail.after, from);
  if (begins !== null && begins <= from.price)
    return `expected a trail.after above ${at(from.price)}, was ${formatUnits(begins)}`;
  const even = breakEvenAt === null ? null : priceAbove(breakEvenAt, from);
  if (even !== null && even <= from.price)
    return `expected a breakEvenAt above ${at(from.price)}, was ${formatUnits(even)}`;
  for (const [name, level, origin] of [
    ['stopLoss', stopLoss, from],
    ['trail', trail?.by ?? null, { ...from, price: now }],
  ] as const) {
    if (level === null) continue;
    const stop = priceBelow(level, origin);
    if (stop <= 0n)
      return `expected a ${name} of less than ${at(origin.price)}, was ${formatUnits(distanceOf(level, origin))}`;
    if (stop >= higher) return `expected a ${name} below ${at(higher)}, was ${formatUnits(stop)}`;
    const lowest = stopLimitOf(stop, stopSlip);
    if (!canBeOrdered(market, { amount: from.amount, price: lowest }))
      return `expected an exit above the least value of ${formatUnits(market.minOrderValue)} ${quote}, was ${formatUnits(from.amount)} ${base} at ${formatUnits(lowest)} ${quote}`;
  }
  return null;
}

/** Returns the limit price of the stop leg. */
export function stopLimitOf(stop: Units, slip: Units): Units {
  return subtractUnits(stop, multiplyUnits(stop, slip, divideHalfEven));
}
