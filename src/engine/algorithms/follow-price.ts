import type { ExitKind } from '../../domain/order.ts';
import { multiplyUnits, type Units, UNITS_PER_ONE, divideHalfEven } from '../../domain/money.ts';
import type { AlgorithmView, Close } from './algorithm-step.ts';
import type { BracketStock } from '../bracket-stock.ts';
import type { BracketAlgorithm } from '../bracket.ts';
import { priceAbove, priceBelow, type LevelOrigin } from '../exit-level.ts';

/** Price of a stop and the rule that set it. */
export interface StopLevel {
  readonly price: Units;
  readonly kind: Extract<ExitKind, 'stop-loss' | 'trail' | 'break-even'>;
}

/** Amount bought before fees, and its cost. */
type Bought = Pick<BracketStock, 'gross' | 'spent'>;

/** Fields that change when following the price. */
type FollowedPrice = Pick<
  BracketAlgorithm,
  'highest' | 'raisedStop' | 'raisedBy' | 'trailedAtMs' | 'closeAtMs'
>;

/**
 * Applies the prices that count, one after the other, and raises the stop where it has to follow. Bars that
 * closed while the bot was down count as if they had been seen one by one.
 */
export function followPrice(
  bracket: BracketAlgorithm,
  stock: BracketStock,
  view: AlgorithmView,
): FollowedPrice {
  let followed: FollowedPrice = bracket;
  const { trail, breakEvenAt } = bracket.terms;
  if (trail === null && breakEvenAt === null) return followed;
  const origin = originOf(stock);
  for (const close of seenPrices(bracket, view))
    followed = afterPrice(bracket, followed, { close, origin, stock });
  const closeAtMs = Math.max(bracket.closeAtMs, view.closes.at(-1)?.atMs ?? 0);
  return { ...followed, closeAtMs };
}

/** Returns the new prices that count: the best bid for a stop that follows polls, else closed bars. */
function seenPrices(
  { terms, closeAtMs, heldSinceMs }: BracketAlgorithm,
  view: AlgorithmView,
): readonly Close[] {
  if (terms.trail?.on === 'poll') {
    const bid = view.book?.bestBid ?? null;
    return bid === null ? [] : [{ price: bid, high: bid, atMs: view.nowMs }];
  }
  const sinceMs = Math.max(closeAtMs, heldSinceMs ?? 0);
  return view.closes.filter(({ atMs }) => atMs > sinceMs);
}

function afterPrice(
  bracket: BracketAlgorithm,
  before: FollowedPrice,
  seen: { readonly close: Close; readonly origin: LevelOrigin; readonly stock: BracketStock },
): FollowedPrice {
  const { trail, breakEvenAt } = bracket.terms;
  const { close, origin, stock } = seen;
  const known = before.highest ?? bracket.trailsFrom ?? origin.price;
  const price = trail?.on === 'high' ? close.high : close.price;
  const highest = price > known ? price : known;
  let { raisedStop, raisedBy, trailedAtMs } = before;
  const currentPrice = (): Units | null => stopOf({ ...bracket, raisedStop, raisedBy }, stock)?.price ?? null;
  if (
    breakEvenAt !== null &&
    highest >= priceAbove(breakEvenAt, origin) &&
    origin.price > (currentPrice() ?? 0n)
  ) {
    raisedStop = origin.price;
    raisedBy = 'break-even';
  }
  const isFollowing = trail !== null && (trail.after === null || highest >= priceAbove(trail.after, origin));
  if (isFollowing && (trailedAtMs === null || trailedAtMs + trail.everyMs <= close.atMs)) {
    const wanted = priceBelow(trail.by, { price: highest, amount: origin.amount });
    const least = multiplyUnits(wanted > 0n ? wanted : origin.price, trail.minStep, divideHalfEven);
    const from = currentPrice();
    if (wanted > 0n && (from === null || wanted - from >= (least > 0n ? least : 1n))) {
      raisedStop = wanted;
      raisedBy = 'trail';
      trailedAtMs = close.atMs;
    }
  }
  return { highest, raisedStop, raisedBy, trailedAtMs, closeAtMs: before.closeAtMs };
}

/** Returns the origin of levels: the average price paid, and the total amount bought. */
export function originOf({ gross, spent }: Bought): LevelOrigin {
  return { price: divideHalfEven(spent * UNITS_PER_ONE, gross) as Units, amount: gross };
}

/** Returns the current stop; null if there is none. */
export function stopOf(
  {
    terms,
    raisedStop,
    raisedBy,
    trailsFrom,
  }: Pick<BracketAlgorithm, 'terms' | 'raisedStop' | 'raisedBy' | 'trailsFrom'>,
  stock: Bought,
): StopLevel | null {
  const origin = originOf(stock);
  let highest: StopLevel | null = null;
  const consider = (price: Units, kind: StopLevel['kind']): void => {
    if (price > (highest?.price ?? 0n)) highest = { price, kind };
  };
  if (terms.stopLoss !== null) consider(priceBelow(terms.stopLoss, origin), 'stop-loss');
  if (terms.trail !== null && terms.trail.after === null)
    consider(priceBelow(terms.trail.by, { ...origin, price: trailsFrom ?? origin.price }), 'trail');
  if (raisedStop !== null) consider(raisedStop, raisedBy ?? 'trail');
  return highest;
}
