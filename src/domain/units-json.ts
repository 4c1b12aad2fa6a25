import { formatUnits, parseUnits } from './money.ts';

/** For `JSON.stringify`, which has no form for money: `{ "$units": "12.5" }`. */
export function writeUnits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { $units: formatUnits(value) } : value;
}

/** For `JSON.parse`: money as `writeUnits` writes it. Throws `INVALID_DECIMAL` where it is none. */
export function readUnits(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$units' in value)) return value;
  return typeof value.$units === 'string' ? parseUnits(value.$units) : value;
}
