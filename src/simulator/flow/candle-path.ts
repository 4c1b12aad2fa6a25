/** A bar in public steps of its market. */
export interface StepBar {
  readonly openTimeMs: number;
  readonly lengthMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** A moment of a path: `amount` is traded at `price`; 0 when the price only passes. */
export interface PathPoint {
  readonly timeMs: number;
  readonly price: number;
  readonly amount: number;
}

/**
 * The legs of bars at least this long are cut into pieces: two, or as many as keep a piece below this share
 * of the price, but not more.
 */
const LONG_BAR_MS = 300_000;
const PIECE_SHARE = 0.008;
const MOST_PIECES = 8;

/**
 * The way a price may have gone within a bar: open, then whichever of high and low is nearer to the open (the
 * low when they are equally near), then the other, then the close; one trade at each and at points between
 * them, at even distances in time, the first at the bar's start and the last in its last millisecond. The
 * volume is shared out evenly, the rest going to the close; each trade has one step at least, so a bar of
 * fewer steps than points comes out larger. A bar without volume has no trades.
 */
export function candlePath(bar: StepBar): readonly PathPoint[] {
  const { open, high, low, close } = bar;
  const extremes = high - open < open - low ? [high, low] : [low, high];
  const corners = [open, ...extremes, close];
  const prices = bar.lengthMs < LONG_BAR_MS ? corners : cutIntoPieces(corners);
  const last = prices.length - 1;
  const share = bar.volume === 0 ? 0 : Math.max(1, Math.floor(bar.volume / prices.length));
  const rest = bar.volume === 0 ? 0 : Math.max(1, bar.volume - share * last);
  return prices.map((price, index) => ({
    timeMs: bar.openTimeMs + Math.floor(((bar.lengthMs - 1) * index) / last),
    price,
    amount: index === last ? rest : share,
  }));
}

function cutIntoPieces(corners: readonly number[]): number[] {
  return corners.flatMap((price, index) => {
    const next = corners[index + 1];
    if (next === undefined) return [price];
    const pieces = Math.min(
      MOST_PIECES,
      Math.max(2, Math.ceil(Math.abs(next - price) / (price * PIECE_SHARE))),
    );
    return Array.from({ length: pieces }, (_, piece) =>
      Math.round(price + ((next - price) * piece) / pieces),
    );
  });
}
