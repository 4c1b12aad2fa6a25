/** Copies by what they were made of: a book that ten strategies look at is copied once. */
const COPIES = new WeakMap<object, unknown>();

/**
 * What a strategy may hold of the engine's data: a copy that nobody can change, nothing of which the engine
 * reads again. Plain objects and lists are copied through and through; the same input gives the same copy, so
 * the input must not change afterwards. What is of a class is handed on as it is.
 */
export function frozenCopy<Value>(value: Value): Value {
  if (!isPlain(value)) return value;
  const known = COPIES.get(value);
  if (known !== undefined) return known as Value;
  const copy = copyOf(value);
  COPIES.set(value, copy);
  return copy as Value;
}

/**
 * Freezes what is nobody else's, such as what came from another thread, and takes it for its own frozen copy.
 */
export function frozenAsCopy<Value>(value: Value): Value {
  if (!isPlain(value)) return value;
  deepFreeze(value);
  COPIES.set(value, value);
  return value;
}

/**
 * Freezes plain objects and lists through and through, in place. What holds itself is no plain data, and is
 * not looked into twice.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (isPlain(value)) freezePlain(value);
  return value;
}

/** A book has eighty texts: only what is an object is looked into. */
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

function partOf(part: unknown): unknown {
  return isPlain(part) ? copyOf(part) : part;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
