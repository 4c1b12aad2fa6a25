import { existsSync, statfsSync } from 'node:fs';

/**
 * How Node runs tests: they make much garbage that dies at once, so much room for it from the start saves a
 * sixth of their time.
 */
export const NODE_FLAGS = ['--max-semi-space-size=64', '--min-semi-space-size=32'];

const IN_MEMORY = '/dev/shm';
const LEAST_BYTES = 2 * 1024 ** 3;

/**
 * Variables of the tests. Every ledger, mirror and catalogue waits for the disk with each write; where Linux
 * has a file system in memory with room for the suite, the folders of tests are there, as the fuzzer's are.
 * Processes and threads that tests start take their compiled code from the cache.
 */
export const TEST_VARIABLES = {
  NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
  ...(hasRoom(IN_MEMORY) ? { TMPDIR: IN_MEMORY } : {}),
};

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= LEAST_BYTES;
}
