import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

type Hook = (run: () => void) => void;

function folderBetween(before: Hook, after: Hook, name = 'sarraf'): string {
  const folder = join(tmpdir(), `${name}-${randomUUID()}`);
  before(() => mkdirSync(folder, { mode: 0o700 }));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Path of a folder that is new and empty before each test; it is removed after later hooks have run. */
export const folderOfEachTest = (): string => folderBetween(beforeEach, afterEach);

/** Path of a folder that all tests of the file share; its name begins with `name`. */
export const folderOfAllTests = (name?: string): string => folderBetween(beforeAll, afterAll, name);

/** Path of a new folder, which is removed when the running test ends. */
export const folderOfThisTest = (): string => folderBetween((make) => make(), onTestFinished);
