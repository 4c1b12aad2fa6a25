import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests of what is pure: they touch no file, process or global, so their files share one set of modules. Loading the same modules anew for each of
 * a hundred files took longer than the tests.
 */
const PURE = [
  'configuration',
  'domain',
  'engine',
  'exchange',
  'execution',
  'flow',
  'portfolio',
  'scheduler',
  'simulator',
  'strategies',
  'virtual',
].map((folder) => `test/unit/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Processes and threads that tests start take their compiled code from it.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' },
    // A bound for what hangs, not a time that anything should take: the machine may be slow and busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two cores are what the project is planned for; more workers only make the timings of the daemon tests noisy.
    maxWorkers: 2,
    coverage: { include: ['src/**', 'strategies/**'] },
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: [...configDefaults.exclude, ...PURE] },
      },
    ],
  },
});
