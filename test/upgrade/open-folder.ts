import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A copy of what version 0.1.0 left: `live` and `paper` are data folders of bots (the first was killed amid orders, the
 * second ended and has a recording), `lab` has a backtest and a study, `exchange-state.json` is the exchange that the
 * live bot traded on. All of it was written by that version, on its own exchange.
 */
export class OldFolders {
  readonly path = mkdtempSync(join(tmpdir(), 'sarraf-upgrade-'));

  constructor() {
    execFileSync('tar', ['-xzf', join(import.meta.dirname, '0.1.0/data.tar.gz'), '-C', this.path]);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A file beside the folders, such as `bot.yaml`. */
export const oldFile = (name: string): string => join(import.meta.dirname, '0.1.0', name);
