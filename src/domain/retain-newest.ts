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

/** Lists the first texts, and counts the others: `a, b and 3 more`. */
export function listText(texts: readonly string[], most = 20): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
