import { BareNumber } from './bare-number.ts';
import type { WireInput } from './handler.ts';

/** A field as text; null when it is missing, empty, or neither text nor number. */
export function textField(input: WireInput, name: string): string | null {
  const value = input[name];
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || value instanceof BareNumber ? String(value) : null;
}
