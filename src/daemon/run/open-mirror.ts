import { randomInt } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { MirrorStore, type MirrorStoreOptions } from '../../mirror/mirror-store.ts';
import type { Venue } from '../../venues/venue.ts';
import { VirtualTime } from '../../virtual/virtual-time.ts';
import type { BotConfig } from '../create-bot-config.ts';

/** Opens the mirror of a run on a venue. Throws `DATA_UNUSABLE` as `MirrorStore.open` does. */
export function openMirror(
  config: BotConfig,
  venue: Venue,
  onRelief: (message: string) => void,
): MirrorStore {
  const { folder, retention } = config.data;
  const options = {
    path: join(folder, mirrorName(config.mode)),
    retention,
    nowMs: venue.time.now(),
    epoch: drawEpoch,
    // At another speed than real time, nothing is lost by a crash of the machine.
    durability: venue.time instanceof VirtualTime ? 'off' : 'full',
    onRelief,
  } as const;
  return venue.isNew ? openFreshMirror(options) : MirrorStore.open(options);
}

/**
 * The mirror of an exchange that begins anew with every run: what the last such run left is replaced.
 * Anything else of that name is left alone.
 */
function openFreshMirror(options: MirrorStoreOptions): MirrorStore {
  if (existsSync(options.path)) {
    // Opening it shows that it is a mirror, and that no other process has it open.
    MirrorStore.open(options).close();
    for (const suffix of ['', '-wal', '-shm', '.ballast', '.mark'])
      rmSync(options.path + suffix, { force: true });
  }
  return MirrorStore.open(options);
}

/** A random mark of four letters and digits: distinguishes the order ids of one mirror from all others. */
function drawEpoch(): string {
  return Array.from({ length: 4 }, () => randomInt(36).toString(36)).join('');
}
