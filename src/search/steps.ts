import { decimalText, fractionDigits, SURE_DIGITS, type DecimalText } from '../domain/decimal-text.ts';

/**
 * The values `first`, `first + stride`, … of a range, counted in whole numbers of 10^-decimals. A float keeps
 * whole numbers of 15 digits exactly, and so every step.
 */
export interface Steps {
  readonly first: number;
  readonly stride: number;
  readonly count: number;
  readonly decimals: number;
}

/** A range whose values could not be told apart, or the reason why it is none. */
type ReadSteps =
  | { readonly ok: true; readonly steps: Steps }
  | { readonly ok: false; readonly at: 'min' | 'max' | 'step'; readonly problem: string };

/** Whole numbers below it have at most 15 digits. */
const MOST_UNITS = 10 ** SURE_DIGITS;

/** Reads a range with steps; `min` is below `max`. */
export function readSteps(range: {
  readonly min: DecimalText;
  readonly max: DecimalText;
  readonly step: DecimalText;
}): ReadSteps {
  const decimals = Math.max(...Object.values(range).map(fractionDigits));
  const units = { min: 0, max: 0, step: 0 };
  for (const at of ['min', 'max', 'step'] as const) {
    const whole = wholeUnits(range[at], decimals);
    if (Math.abs(whole) >= MOST_UNITS)
      return { ok: false, at, problem: `expected at most ${SURE_DIGITS} digits, found ${range[at]}` };
    units[at] = whole;
  }
  const { min: first, max: last, step: stride } = units;
  if (stride <= 0) return { ok: false, at: 'step', problem: `expected more than 0, found ${range.step}` };
  const between = (last - first) / stride;
  if (last - first >= MOST_UNITS || (last - first) % stride !== 0) {
    const problem = `expected a step that leads from ${range.min} to ${range.max}, found ${range.step}`;
    return { ok: false, at: 'step', problem };
  }
  return { ok: true, steps: { first, stride, decimals, count: between + 1 } };
}

/** The value at a place, counted from 0, as the float next to it: its shortest text is the exact value. */
export function valueAtPlace({ first, stride, decimals }: Steps, place: number): number {
  return (first + place * stride) / 10 ** decimals;
}

/** The same as its exact text. */
export function textAtPlace(steps: Steps, place: number): DecimalText {
  return decimalText(valueAtPlace(steps, place));
}

/** The place of the value next to `value`. */
export function nearestPlace({ first, stride, decimals, count }: Steps, value: number): number {
  const place = Math.round((value * 10 ** decimals - first) / stride);
  return Math.min(count - 1, Math.max(0, place));
}

/** A decimal as a whole number of 10^-decimals; too large ones come out too large. */
function wholeUnits(text: DecimalText, decimals: number): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(`${whole}${fraction.padEnd(decimals, '0')}`);
}
