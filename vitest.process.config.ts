import { defineConfig } from 'vitest/config';

/** Tests of the daemon as a process: killed, stopped, without disk. They take minutes, so they are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/process/**/*.process.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    // One after the other: several bots at once would only slow one another down.
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
