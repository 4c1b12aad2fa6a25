/**
 * Kinds of values in a JSON body, for comparing with a hand-typed shape. Fields are listed by name. Text is
 * `decimal` (money as the interface writes it: canonical, without an exponent), `padded` (ten decimals),
 * `time` (ISO 8601 with offset) or other `text`; numbers are `integer` or `number`. A list has each shape
 * that occurs in it once.
 */
export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;
const PADDED = /^-?(?:0|[1-9]\d*)\.\d{10}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}:\d{2}$/;

export function shapeOf(value: unknown): Shape {
  if (value === null) return 'null';
  if (typeof value === 'string') return textKind(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (Array.isArray(value)) return distinct(value.map(shapeOf));
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, shapeOf(inner)]));
  return typeof value;
}

function textKind(text: string): string {
  if (DECIMAL.test(text)) return 'decimal';
  if (PADDED.test(text)) return 'padded';
  return TIME.test(text) ? 'time' : 'text';
}

const distinct = (shapes: readonly Shape[]): readonly Shape[] => [
  ...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values(),
];
