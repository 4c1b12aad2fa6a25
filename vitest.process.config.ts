import { defineConfig } from 'vitest/config';

/** Tests of the daemon as a process: killed, stopped, without disk. They take minutes, so they are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/process/**/*.process.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    // Bots mostly wait, so more of them than there are cores go well beside one another.
    maxWorkers: 4,
    reporters: ['verbose'],
  },
});
