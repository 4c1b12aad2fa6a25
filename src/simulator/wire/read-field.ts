import { fractionDigits, tryDecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';
import type { WireInput } from './handler.ts';

/** A field as text; null when it is missing, empty, or neither text nor number. */
export function textField(input: WireInput, name: string): string | null {
  const value = input[name];
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' ? String(value) : null;
}

/** An integer; null when the field is missing, `invalid` when it is something else. */
export function integerField(input: WireInput, name: string): number | null | 'invalid' {
  const value = input[name];
  if (value === undefined || value === null || value === '') return null;
  const text = textField(input, name);
  const number = text !== null && /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : 'invalid';
}

/** A decimal in units; null when it is missing, no decimal, or finer than the books keep. */
export function unitsField(input: WireInput, name: string): bigint | null {
  const text = textField(input, name);
  const decimal = text === null ? null : tryDecimalText(text);
  return decimal === null || fractionDigits(decimal) > UNIT_DECIMALS ? null : unitsOf(decimal);
}

const DAY_MS = 86_400_000;

/** The bounds of the time filters `from` and `to` (days, both included, UTC), or `invalid`. */
export function dayRange(input: WireInput): { readonly fromMs: number; readonly beforeMs: number } | 'invalid' {
  const from = textField(input, 'from');
  const to = textField(input, 'to');
  const fromMs = from === null ? Number.NEGATIVE_INFINITY : dayStartMs(from);
  const toMs = to === null ? Number.POSITIVE_INFINITY : dayStartMs(to);
  return fromMs === null || toMs === null ? 'invalid' : { fromMs, beforeMs: toMs + DAY_MS };
}

function dayStartMs(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const startMs = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(startMs) ? null : startMs;
}
