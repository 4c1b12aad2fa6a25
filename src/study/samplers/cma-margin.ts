import type { NumericAxis } from '../space/numeric-axis.ts';
import { gaussianCdf, gaussianQuantile } from './gaussian.ts';

/** The distribution of one dimension: its mean, and its deviation without and with what the margin adds. */
export interface Marginal {
  readonly mean: number;
  /** By how much samples are stretched around the mean before they are rounded. */
  readonly stretch: number;
}

/** A probability on one side is kept off a half, where its quantile is 0. */
const OFF_HALF = 1e-10;

/**
 * Keeps a stepped parameter from being stuck at one value: the chance of another one is `margin` at least, on
 * both sides together. For this the mean moves and samples are stretched, and the distribution stays as it is
 * (R. Hamano et al., "CMA-ES with margin", 2022, arXiv:2205.13482, section 4.2).
 */
export function withMargin(
  { mean, stretch }: Marginal,
  of: {
    readonly deviation: number;
    readonly margin: number;
    /** The stretch of the value next to the mean; both ends are the same for an outer value. */
    readonly cell: readonly [left: number, right: number];
  },
): Marginal {
  const { deviation, margin } = of;
  const [left, right] = of.cell;
  const width = deviation * stretch;
  const below = gaussianCdf((left - mean) / width);
  const above = gaussianCdf((mean - right) / width);
  if (left === right || Math.max(below, above) > 0.5) {
    if (Math.min(below, above) >= margin) return { mean, stretch };
    const side = mean < right ? -1 : 1;
    return { mean: right + side * width * gaussianQuantile(1 - margin), stretch };
  }
  const inside = 1 - below - above;
  const [least, most] = [Math.max(below, margin / 2), Math.max(above, margin / 2)];
  const share = (1 - least - most - inside) / (least + inside + most - 1.5 * margin);
  const toLeft = quantileBeyond(least + share * (least - margin / 2));
  const toRight = quantileBeyond(most + share * (most - margin / 2));
  return {
    mean: (left * toRight + right * toLeft) / (toLeft + toRight),
    stretch: (right - left) / ((toLeft + toRight) * deviation),
  };
}

function quantileBeyond(share: number): number {
  return gaussianQuantile(1 - Math.min(0.5 - OFF_HALF, Math.max(OFF_HALF, share)));
}

/** The stretch of the value next to a place on the line, as `withMargin` wants it. */
export function marginCell(axis: NumericAxis, coordinate: number): readonly [left: number, right: number] {
  const [left, right] = axis.cellAt(axis.snapped(coordinate));
  const tolerance = (right - left) / 2;
  if (left < axis.low + tolerance) return [right, right];
  if (right > axis.high - tolerance) return [left, left];
  return [left, right];
}
