/**
 * An object whose fields are looked up when they are read, and that can not be changed. It has a prototype of
 * its own: fields of that kind on objects of one origin make all of them slow.
 */
export function readOnlyFields<Value>(
  looks: Iterable<readonly [name: string, look: () => Value]>,
): Readonly<Record<string, Value>> {
  const fields = Object.create(Object.freeze({})) as Record<string, Value>;
  for (const [name, get] of looks) Object.defineProperty(fields, name, { get, enumerable: true });
  return Object.freeze(fields);
}
