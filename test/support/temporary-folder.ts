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

/** The path of a folder that is new and empty before each test, and gone after what the caller closes later. */
export const folderOfEachTest = (): string => folderBetween(beforeEach, afterEach);

/** The path of a folder that all tests of the file share, whose name begins so. */
export const folderOfAllTests = (name?: string): string => folderBetween(beforeAll, afterAll, name);

/** A new folder, gone when the test that is running has ended. */
export const folderOfThisTest = (): string => folderBetween((make) => make(), onTestFinished);
