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
