import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childUsage, SARRAF } from './child-usage.ts';
import { median, type BenchResult } from './result.ts';

const ROUNDS = 7;

/** An address where nobody answers: the bot makes its first request, and that is all. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Measures the CPU time of commands until they are of use: `--help`, `status` of a bot that ran for a second,
 * and `run` until its first poll of the exchange.
 */
export function benchStart(): BenchResult[] {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-start-'));
  try {
    const data = join(folder, 'data');
    // Makes a mirror that `status` can read.
    childUsage({ command: [SARRAF, 'run', '--for', '1s', '--data', data], folder });
    const paper = ['run', '--config', 'config/paper.yaml'];
    const commands = [
      { name: 'start: sarraf --help', args: ['--help'], target: 120, untilRequest: false },
      { name: 'start: sarraf status', args: ['status', '--data', data], target: 150, untilRequest: false },
      { name: 'start: sarraf run to its first poll', args: paper, target: 500, untilRequest: true },
    ];
    return commands.map(({ name, args, target, untilRequest }) => {
      const measure = (): number => {
        // A ledger with unanswered requests would hold the next run back.
        const own = mkdtempSync(join(folder, 'own-'));
        const ownData = untilRequest ? ['--data', join(own, 'data')] : [];
        return childUsage({
          command: [SARRAF, ...args, ...ownData],
          folder,
          environment: { EXCHANGE_URL: NOWHERE, XDG_STATE_HOME: join(own, 'state') },
          untilRequest,
        }).cpuMs;
      };
      // The first start compiles the code and caches it.
      measure();
      const value = median(Array.from({ length: ROUNDS }, measure));
      return { name, value, unit: 'ms of CPU', reference: null, ratio: null, target, holds: value <= target };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
