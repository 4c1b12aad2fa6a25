import { UNIT_DECIMALS, formatUnits } from '../../domain/money.ts';
import type { WireForms } from './forms.ts';

/**
 * `JSON.rawJSON` of Node 24, which the type library does not know yet: text that the JSON writer prints as it
 * stands.
 */
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => object };

/**
 * A decimal in the form that replies are to have: canonical text, text with all ten decimals, or a bare
 * number of any length.
 */
export function writeDecimal(units: bigint, forms: Pick<WireForms, 'decimals'>): string | object {
  // Half of an order's decimals are nothing yet.
  if (units === 0n && forms.decimals === 'canonical') return '0';
  const text = formatUnits(units);
  if (forms.decimals === 'canonical') return text;
  if (forms.decimals === 'number') return rawJSON(text);
  const point = text.indexOf('.');
  const fraction = point === -1 ? '' : text.slice(point + 1);
  return `${point === -1 ? text : text.slice(0, point)}.${fraction.padEnd(UNIT_DECIMALS, '0')}`;
}

/** A decimal where the interface says number: bare, with every digit that it has. */
export function writeNumber(units: bigint): object {
  return rawJSON(formatUnits(units));
}

let lastMs = Number.NaN;
let lastText = '';

/** A time of records: ISO 8601 with offset, in UTC. Source: interface, "General conventions". */
export function writeTime(timeMs: number): string {
  // Many records share their moment: the last text is kept.
  if (timeMs !== lastMs) {
    lastText = `${new Date(timeMs).toISOString().slice(0, -1)}+00:00`;
    lastMs = timeMs;
  }
  return lastText;
}
