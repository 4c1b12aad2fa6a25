import { defineConfig } from 'vitest/config';
import { NODE_FLAGS } from './test/support/node-flags.ts';
import { reporters } from './test/tally/reporters.ts';

/**
 * Tests of the daemon as a process: killed, stopped, without disk, under a clock that is set; and whole
 * commands that take seconds. They take minutes, so they are not part of `npm test`: `npm run test:process`, and at length `SARRAF_KILLS=50
 * SARRAF_STOP_SECONDS=90 SARRAF_SHORT_STOPS=50 SARRAF_CLOCK_SECONDS=150 SARRAF_SHARED_SECONDS=120 npm run
 * test:process`. SARRAF_SEED repeats the draws of a run, though not its moments. A full disk is only tried
 * where a tmpfs can be mounted.
 */
export default defineConfig({
  test: {
    // Node runs the sources itself, as it does for whoever starts sarraf.
    experimental: { viteModuleRunner: false },
    execArgv: NODE_FLAGS,
    // Processes and threads that tests start take their compiled code from it.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' },
    include: ['test/process/**/*.process.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    // Bots mostly wait, so more of them than there are cores go well beside one another.
    maxWorkers: 4,
    reporters: reporters('process', 'verbose'),
  },
});
