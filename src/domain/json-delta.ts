/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

type JsonObject = Readonly<Record<string, Json>>;

/**
 * Change from one JSON value to another: a new value, changed fields, or a list of which the elements from an
 * index on changed (`each`, null for one that did not) or were replaced by others (`splice`).
 */
export type JsonDelta =
  | { readonly value: Json }
  | { readonly fields: Readonly<Record<string, JsonDelta>> }
  | { readonly from: number; readonly each: readonly (JsonDelta | null)[] }
  | { readonly from: number; readonly removed: number; readonly splice: readonly Json[] };

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Returns the change from a value to another; null if they are equal. */
export function jsonDelta(before: Json, after: Json): JsonDelta | null {
  if (before === after) return null;
  if (isList(before) && isList(after)) return listDelta(before, after);
  if (!isObject(before) || !isObject(after)) return { value: after };
  const names = Object.keys(after);
  // A reply has the same fields each time; another set of them is a new value.
  if (Object.keys(before).length !== names.length || !names.every((name) => Object.hasOwn(before, name)))
    return { value: after };
  const fields: Record<string, JsonDelta> = {};
  for (const name of names) {
    const delta = jsonDelta(before[name] ?? null, after[name] ?? null);
    if (delta !== null) fields[name] = delta;
  }
  return Object.keys(fields).length === 0 ? null : { fields };
}

/** A list of the same length changes by element; another has elements put in and taken out in one place. */
function listDelta(before: readonly Json[], after: readonly Json[]): JsonDelta | null {
  const isEqualAt = (left: number, right: number): boolean =>
    jsonDelta(before[left] ?? null, after[right] ?? null) === null;
  const least = Math.min(before.length, after.length);
  let from = 0;
  while (from < least && isEqualAt(from, from)) from += 1;
  if (from === before.length && from === after.length) return null;
  let end = 0;
  while (end < least - from && isEqualAt(before.length - 1 - end, after.length - 1 - end)) end += 1;
  const removed = before.length - from - end;
  const middle = after.slice(from, after.length - end);
  if (removed !== middle.length) return { from, removed, splice: middle };
  return { from, each: middle.map((value, index) => jsonDelta(before[from + index] ?? null, value)) };
}

/** Returns the value after a change; what did not change is shared with the value before. */
export function applyDelta(before: Json, delta: JsonDelta | null): Json {
  if (delta === null) return before;
  if ('value' in delta) return delta.value;
  if ('fields' in delta) {
    const object = before as JsonObject;
    const changed = Object.entries(delta.fields).map(([name, part]) => [
      name,
      applyDelta(object[name] ?? null, part),
    ]);
    return { ...object, ...Object.fromEntries(changed) };
  }
  const list = before as readonly Json[];
  if ('splice' in delta) return list.toSpliced(delta.from, delta.removed, ...delta.splice);
  const { from, each } = delta;
  return list.map((value, index) => applyDelta(value, each[index - from] ?? null));
}
