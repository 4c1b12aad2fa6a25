import { queryObjects } from 'node:v8';

/**
 * Loaded before the program: prints what lives after a collection, again and again, among the lines of the
 * log.
 */
const EVERY_MS = 5_000;

setInterval(() => {
  // Counting the promises collects the garbage first.
  const promises = Number(queryObjects(Promise));
  globalThis.gc?.();
  const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ event: 'heap', heapBytes, rssBytes, promises })}\n`);
}, EVERY_MS).unref();
