/** Forgets the oldest entries of a map or a set beyond so many. One that is set again keeps its place. */
export function keepNewest<Key>(
  kept: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  most: number,
): void {
  if (kept.size <= most) return;
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
