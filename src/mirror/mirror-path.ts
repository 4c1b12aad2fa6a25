import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the mirror in a data folder: that of a real exchange goes before those that begin anew. */
const MIRRORS = ['mirror.sqlite', 'paper.sqlite', 'embedded.sqlite'] as const;

/** The mirror of a data folder; where it has none, that of a real exchange, which is not there. */
export function mirrorPathOf(data: string): string {
  const paths = MIRRORS.map((name) => join(data, name));
  return paths.find((path) => existsSync(path)) ?? join(data, MIRRORS[0]);
}
