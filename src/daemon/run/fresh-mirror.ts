import { existsSync, rmSync } from 'node:fs';
import { MirrorStore, type MirrorStoreOptions } from '../../mirror/mirror-store.ts';

/**
 * The mirror of an exchange that begins anew with every run: what the last such run left is replaced.
 * Anything else of that name is left alone. Throws `DATA_UNUSABLE` as `MirrorStore.open` does.
 */
export function openFreshMirror(options: MirrorStoreOptions): MirrorStore {
  if (existsSync(options.path)) {
    // Opening it shows that it is a mirror, and that no other process has it open.
    MirrorStore.open(options).close();
    for (const suffix of ['', '-wal', '-shm', '.ballast', '.mark'])
      rmSync(options.path + suffix, { force: true });
  }
  return MirrorStore.open(options);
}
