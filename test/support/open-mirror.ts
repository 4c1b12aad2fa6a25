import { DEFAULT_RETENTION } from '../../src/mirror/pruner.ts';
import { MirrorStore } from '../../src/mirror/mirror-store.ts';

/** A mirror that is written as fast as the disk allows, at a time, with an epoch where it has none yet. */
export const openMirror = (path: string, nowMs = 0, epoch = 'e001'): MirrorStore =>
  MirrorStore.open({ path, retention: DEFAULT_RETENTION, nowMs, epoch: () => epoch, durability: 'off' });
