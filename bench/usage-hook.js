// `node --import` loads it before the program under measurement. When the program ends, it writes what that
// took to the file that SARRAF_BENCH_USAGE names. It is plain JavaScript, so that no stripping of types adds to
// the figure. SARRAF_BENCH_UNTIL=request ends the program as it makes its first HTTP request.
// SARRAF_BENCH_BETWEEN=from,to ends it after `to` ms, and measures only what lies between.
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** How often the lag of the loop is looked at; often enough to see a millisecond, and rare enough to be cheap. */
const RESOLUTION_MS = 10;

const { SARRAF_BENCH_USAGE: path, SARRAF_BENCH_UNTIL: until, SARRAF_BENCH_BETWEEN: between } = process.env;

function cpuMs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1_000;
}

if (isMainThread && path !== undefined) {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let hasRequested = false;
  let begun = { cpuMs: 0, atMs: 0 };
  process.on('exit', () => {
    const usage = {
      cpuMs: cpuMs() - begun.cpuMs,
      wallMs: performance.now() - begun.atMs,
      rssMb: (process.resourceUsage().maxRSS * 1_024) / 1e6,
      // The histogram counts the wait itself.
      lagMs: Math.max(0, lag.percentile(99) / 1e6 - RESOLUTION_MS),
      hasRequested,
    };
    writeFileSync(path, JSON.stringify(usage));
  });
  if (until === 'request') {
    subscribe('undici:request:create', () => {
      hasRequested = true;
      process.exit(0);
    });
  }
  if (between !== undefined) {
    const [fromMs, toMs] = between.split(',').map(Number);
    setTimeout(() => {
      begun = { cpuMs: cpuMs(), atMs: performance.now() };
      lag.enable();
    }, fromMs);
    setTimeout(() => process.exit(0), toMs);
  }
}
