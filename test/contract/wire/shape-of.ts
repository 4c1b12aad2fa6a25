/**
 * What kinds of values a JSON body is made of, for comparing with a hand-typed shape: every field by name,
 * text divided into `decimal` (as the interface writes money: canonical, without an exponent), `padded`
 * (ten decimals), `time` (ISO 8601 with offset) and other `text`, numbers into `integer` and `number`. A list
 * has the shapes that occur in it, each once.
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
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, shapeOf(inner)]));
  }
  return typeof value;
}

function textKind(text: string): string {
  if (DECIMAL.test(text)) return 'decimal';
  if (PADDED.test(text)) return 'padded';
  return TIME.test(text) ? 'time' : 'text';
}

function distinct(shapes: readonly Shape[]): readonly Shape[] {
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()];
}
