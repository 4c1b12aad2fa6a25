// `node --import` loads it before the program under measurement. When the program ends, it writes what that
// took to the file that SARRAF_BENCH_USAGE names. With SARRAF_BENCH_UNTIL=request the program ends as it makes
// its first HTTP request. It is plain JavaScript, so that no stripping of types adds to the figure.
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { SARRAF_BENCH_USAGE: path, SARRAF_BENCH_UNTIL: until } = process.env;
if (isMainThread && path !== undefined) {
  let hasRequested = false;
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = {
      cpuMs: (userCPUTime + systemCPUTime) / 1_000,
      rssMb: (maxRSS * 1_024) / 1e6,
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
}
