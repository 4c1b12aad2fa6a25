import { inDigits, type FactFigure } from '../language/fact.ts';

/** A share of a setting as a percentage in full, without the noise of floats: `0.07` of 700 millionths. */
export function percentOf(millionths: number): FactFigure {
  return inDigits(Number((millionths / 10_000).toFixed(4)));
}
