import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CROSS } from './backtest.ts';
import { BARS, MARKET } from './bar-walk.ts';
import { childUsage, SARRAF } from './child-usage.ts';
import type { BenchResult } from './result.ts';

const LONGEST_CPU_S = 3;
const MOST_RSS_MB = 250;

const summarySchema = z.object({ summary: z.object({ orders: z.int().positive() }) });

/**
 * Measures the whole command that a user types, on a million bars: from CSV for the first time, again, and
 * with its report saved. Compiled code is there from an earlier start.
 */
export function benchCommand(): BenchResult[] {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-command-'));
  try {
    const csv = join(folder, 'bars.csv');
    execFileSync(process.execPath, [join(import.meta.dirname, 'write-bars.ts'), csv, String(BARS)]);
    childUsage({ command: [SARRAF, 'backtest', '--help'], folder });
    const data = join(folder, 'data');
    const environment = { XDG_CACHE_HOME: join(folder, 'cache') };
    const command = [SARRAF, 'backtest', 'ma-cross', ...optionsOf(csv), '--data', data];
    const cold = childUsage({ command, folder, environment });
    const cached = childUsage({ command, folder, environment });
    const orders = ordersOf(join(data, 'backtests'));
    const seconds = (name: string, ms: number, target: number | null): BenchResult => ({
      name: `command: ${name}, ${BARS} bars, ${orders} orders, report saved`,
      value: ms / 1_000,
      unit: 's of CPU',
      reference: null,
      ratio: null,
      target,
      holds: target === null || ms <= target * 1_000,
    });
    return [
      seconds('from CSV', cold.cpuMs, LONGEST_CPU_S),
      seconds('from the same CSV again', cached.cpuMs, null),
      {
        name: 'command: most memory of the first',
        value: cold.rssMb,
        unit: 'MB',
        reference: null,
        ratio: null,
        target: MOST_RSS_MB,
        holds: cold.rssMb <= MOST_RSS_MB,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function optionsOf(csv: string): readonly string[] {
  const { fast, slow, share } = CROSS;
  const params = Object.entries({ fast, slow, share }).flatMap(([name, value]) => [
    '--param',
    `${name}=${value}`,
  ]);
  const market = ['--market', MARKET.symbol, '--timeframe', '1m', '--price-step', '0.01'];
  return [
    '--csv',
    csv,
    ...market,
    '--amount-step',
    '0.000001',
    '--cash',
    '10000',
    '--fee',
    '0.1%',
    ...params,
  ];
}

function ordersOf(backtests: string): number {
  const [first] = readdirSync(backtests);
  if (first === undefined) throw new Error(`expected a run below ${backtests}, was none`);
  const text = readFileSync(join(backtests, first, 'summary.json'), 'utf8');
  return summarySchema.parse(JSON.parse(text)).summary.orders;
}
