import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Modes of a bot: the exchange is in its process, only its data is real, or all of it is. */
export const BOT_MODES = ['embedded', 'paper', 'live'] as const;

type BotMode = (typeof BOT_MODES)[number];

/**
 * The mirror's file of each mode, in the order of `mirrorPathOf`: that of a real exchange goes before those
 * that begin anew.
 */
const MIRRORS = {
  live: 'mirror.sqlite',
  paper: 'paper.sqlite',
  embedded: 'embedded.sqlite',
} as const satisfies Record<BotMode, string>;

/** The mirror's file in the data folder. */
export function mirrorName<Mode extends BotMode>(mode: Mode): (typeof MIRRORS)[Mode] {
  return MIRRORS[mode];
}

/** The mirror of a data folder; where it has none, that of a real exchange, which is not there. */
export function mirrorPathOf(data: string): string {
  const paths = Object.values(MIRRORS).map((name) => join(data, name));
  return paths.find((path) => existsSync(path)) ?? join(data, MIRRORS.live);
}
