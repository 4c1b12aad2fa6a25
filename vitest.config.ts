import { defineConfig } from 'vitest/config';
import { NODE_FLAGS, TEST_VARIABLES } from './test/support/node-flags.ts';
import { reporters } from './test/tally/reporters.ts';

export default defineConfig({
  test: {
    env: TEST_VARIABLES,
    setupFiles: ['test/support/compiled-code.ts'],
    execArgv: NODE_FLAGS,
    // Node runs the sources itself, as it does for whoever starts sarraf.
    experimental: { viteModuleRunner: false },
    // A bound for what hangs, not a time that anything should take: the machine may be slow and busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 300_000, interval: 20 } },
    // One more than the cores that the project is planned for, since some tests wait for processes, sockets
    // and disks. A fourth loads and compiles every module once more, which costs more than it saves.
    maxWorkers: 3,
    reporters: reporters('suite'),
    coverage: { include: ['src/**', 'strategies/**'] },
    include: ['test/**/*.test.ts', 'my-strategies/**/*.test.ts'],
    // Loading the same modules anew for each of five hundred files took longer than the tests.
    isolate: false,
  },
});
