/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

type JsonObject = Readonly<Record<string, Json>>;

/**
 * Elements of a list after a change: `[from, count]` are those of the list before, `at` is one of them with
 * its change, and `value` is a new one.
 */
type ListPart =
  | readonly [from: number, count: number]
  | { readonly at: number; readonly change: JsonDelta }
  | { readonly value: Json };

/** Change from one JSON value to another: a new value, changed fields of an object, or parts of a list. */
export type JsonDelta =
  | { readonly value: Json }
  | { readonly fields: Readonly<Record<string, JsonDelta>> }
  | { readonly list: readonly ListPart[] };

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const isRun = (part: ListPart): part is readonly [number, number] => Array.isArray(part);

const NO_RUN: ListPart = [0, 0];

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

/**
 * Returns the change of a list, whose elements may have moved: rows come at its head, leave at its end, and
 * change meanwhile. An element without its equal is a change of the one that left its place, if one did.
 */
function listDelta(before: readonly Json[], after: readonly Json[]): JsonDelta | null {
  const texts = before.map((value) => JSON.stringify(value));
  const places = new Map(texts.map((text, place) => [text, place] as const).toReversed());
  const parts: ListPart[] = [];
  let next = 0;
  let others: Json[] = [];
  /** Adds the elements without an equal, which stand before the place `to` of the list before. */
  const addOthers = (to: number): void => {
    for (const [index, value] of others.entries()) {
      const at = next + index;
      const change = at < to ? jsonDelta(before[at] ?? null, value) : null;
      parts.push(change === null ? { value } : { at, change });
    }
    others = [];
  };
  for (const value of after) {
    const text = JSON.stringify(value);
    const place = texts[next + others.length] === text ? next + others.length : (places.get(text) ?? -1);
    if (place < next) {
      others.push(value);
      continue;
    }
    addOthers(place);
    const last = parts.at(-1);
    if (last !== undefined && isRun(last) && last[0] + last[1] === place)
      parts.splice(-1, 1, [last[0], last[1] + 1]);
    else parts.push([place, 1]);
    next = place + 1;
  }
  addOthers(before.length);
  const [first = NO_RUN] = parts;
  const isSame = isRun(first) && parts.length < 2 && first[0] === 0 && first[1] === before.length;
  return isSame ? null : { list: parts };
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
  return delta.list.flatMap((part) => {
    if (isRun(part)) return list.slice(part[0], part[0] + part[1]);
    return ['value' in part ? part.value : applyDelta(list[part.at] ?? null, part.change)];
  });
}
