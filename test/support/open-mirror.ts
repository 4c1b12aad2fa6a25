import { DEFAULT_RETENTION } from '../../src/mirror/pruner.ts';
import { MirrorStore } from '../../src/mirror/mirror-store.ts';

/** Opens a mirror that writes as fast as the disk allows, at a time; a new one gets the epoch. */
export const openMirror = (path: string, nowMs = 0, epoch = 'e001'): MirrorStore =>
  MirrorStore.open({ path, retention: DEFAULT_RETENTION, nowMs, epoch: () => epoch, durability: 'off' });
