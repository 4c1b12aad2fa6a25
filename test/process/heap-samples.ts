import { queryObjects } from 'node:v8';

/** Loaded before the program: prints the objects that survive a collection, every 5 s, in its log. */
const EVERY_MS = 5_000;

setInterval(() => {
  // The count of the promises collects the garbage first.
  const promises = Number(queryObjects(Promise));
  globalThis.gc?.();
  const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ event: 'heap', heapBytes, rssBytes, promises })}\n`);
}, EVERY_MS).unref();
