/** Returns the value of a key in a map; it is made the first time. */
export function madeOnce<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  map.set(key, made);
  return made;
}

/** Removes the oldest entries of a map or a set beyond a limit. An entry set again does not get newer. */
export function retainNewest<Key>(
  items: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  most: number,
): void {
  if (items.size <= most) return;
  for (const oldest of items.keys()) {
    if (items.size <= most) return;
    items.delete(oldest);
  }
}
