import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { NODE_FLAGS, TEST_VARIABLES } from './test/support/node-flags.ts';
import { reporters } from './test/tally/reporters.ts';

/**
 * Every test that has a deep part: `npm run test:deep`, or `SARRAF_DEEP=100 npm run test:deep` for a hundred
 * times the cases of `npm test`.
 */
export default defineConfig({
  test: {
    env: { ...TEST_VARIABLES, SARRAF_DEEP: process.env['SARRAF_DEEP'] ?? '10' },
    setupFiles: ['test/support/compiled-code.ts'],
    execArgv: NODE_FLAGS,
    experimental: { viteModuleRunner: false },
    include: globSync('test/**/*.test.ts').filter((file) =>
      readFileSync(file, 'utf8').includes('deep-runs.ts'),
    ),
    isolate: false,
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    maxWorkers: 2,
    reporters: reporters('deep'),
  },
});
