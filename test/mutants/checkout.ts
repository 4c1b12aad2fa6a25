import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { planted, type Mutant } from './mutant.ts';

/** What the command needs to run. */
const COPIED = ['src', 'bin', 'strategies', 'config', 'package.json'] as const;
/** What a test needs besides. */
const FOR_TESTS = ['test', 'vitest.config.ts'] as const;

/** A copy of the project in a folder of its own, with one bug planted or none. */
export class Checkout {
  readonly folder: string;

  /**
   * `project` is the top of the project. `hasTests`: whether tests are to be run there, and not the fuzzer
   * alone. Throws where the mutant does not fit.
   */
  constructor(project: string, mutant: Mutant | null, hasTests = mutant?.test !== undefined) {
    this.folder = mkdtempSync(join(tmpdir(), 'sarraf-mutant-'));
    try {
      for (const name of [...COPIED, ...(hasTests ? FOR_TESTS : [])])
        cpSync(join(project, name), join(this.folder, name), { recursive: true });
      symlinkSync(resolve(project, 'node_modules'), join(this.folder, 'node_modules'));
      if (mutant !== null) this.plant(mutant);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private plant(mutant: Mutant): void {
    const path = join(this.folder, mutant.file);
    writeFileSync(path, planted(readFileSync(path, 'utf8'), mutant));
  }
}
