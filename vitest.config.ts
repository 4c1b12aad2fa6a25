import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // Two cores are what the project is planned for; more workers only make the timings of the daemon tests noisy.
    maxWorkers: 2,
    coverage: { include: ['src/**', 'strategies/**'] },
  },
});
