/** Fields of a value that has not been checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** True if a value can have fields; this includes lists. */
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const NONE: Fields = Object.freeze({});

/** Returns the fields of an unchecked value; an empty object if it can have none. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NONE);

/**
 * Returns a copy of the engine's data that a strategy may hold and that nobody can change. Plain objects and
 * lists are copied at every level. An instance of a class is returned as it is.
 */
export const frozenCopy = <Value>(value: Value): Value => (isPlain(value) ? copyOf(value) : value) as Value;

/** Freezes plain objects and lists at every level, in place. An object that is already frozen is skipped. */
export function deepFreeze<Value>(value: Value): Value {
  if (isPlain(value)) freezePlain(value);
  return value;
}

/** Freezes an object and the objects in it. Texts are skipped first: a book has eighty of them. */
function freezePlain(value: object): void {
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value;
    for (let index = 0; index < parts.length; index += 1) freezePart(parts[index]);
  } else for (const part of Object.values(value)) freezePart(part);
}

function freezePart(part: unknown): void {
  if (typeof part === 'object' && isPlain(part)) freezePlain(part);
}

function copyOf(value: object): object {
  if (Array.isArray(value)) return Object.freeze((value as readonly unknown[]).map(partOf));
  const copy: Record<string, unknown> = {};
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(fields)) copy[name] = partOf(fields[name]);
  return Object.freeze(copy);
}

const partOf = (part: unknown): unknown => (isPlain(part) ? copyOf(part) : part);

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
