import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Modes of a bot: simulated exchange in its process, real market data only, or everything real. */
export const BOT_MODES = ['embedded', 'paper', 'live'] as const;

type BotMode = (typeof BOT_MODES)[number];

/**
 * File name of the mirror by mode, in the order in which `mirrorPathOf` tries them: that of a real exchange
 * first, since the others start empty.
 */
const MIRRORS = {
  live: 'mirror.sqlite',
  paper: 'paper.sqlite',
  embedded: 'embedded.sqlite',
} as const satisfies Record<BotMode, string>;

/** Returns the file name of the mirror of a mode. */
export function mirrorName<Mode extends BotMode>(mode: Mode): (typeof MIRRORS)[Mode] {
  return MIRRORS[mode];
}

/** Returns the path of the first mirror in a data folder; without any, the path of a live one. */
export function mirrorPathOf(data: string): string {
  const paths = Object.values(MIRRORS).map((name) => join(data, name));
  return paths.find((path) => existsSync(path)) ?? join(data, MIRRORS.live);
}

/** Venue of every mirror before others could be named, and of a configuration that names none. */
export const FIRST_VENUE = 'service';
