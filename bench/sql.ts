import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childUsage, SARRAF } from './child-usage.ts';
import { median, type BenchResult } from './result.ts';

const ROUNDS = 9;
const BARS = 1_000_000;

const BARE = join(import.meta.dirname, 'bare-duckdb.js');
const WRITE_BARS = join(import.meta.dirname, 'write-bars.ts');

/**
 * Measures the CPU time of `sarraf sql` for the first rows of a million bars from a cold start, against a
 * process that opens DuckDB and runs one query.
 */
export function benchSql(): BenchResult[] {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-sql-'));
  try {
    const bars = join(folder, 'bars.csv');
    const catalogue = ['--catalogue', join(folder, 'catalogue')];
    childUsage({ command: [WRITE_BARS, bars, String(BARS)], folder });
    const recorded = ['--market', 'BTCUSDT', '--timeframe', '1m', ...catalogue];
    childUsage({ command: [SARRAF, 'data', 'import', bars, ...recorded], folder });
    const query = [SARRAF, 'sql', 'select time, close from candles', ...catalogue];
    const measure = (command: readonly string[]): number => childUsage({ command, folder }).cpuMs;
    // The first start compiles the code and caches it.
    measure(query);
    const pairs = Array.from({ length: ROUNDS }, () => ({ value: measure(query), bare: measure([BARE]) }));
    const value = median(pairs.map((pair) => pair.value));
    const reference = median(pairs.map(({ bare }) => bare));
    const ratio = median(pairs.map((pair) => pair.value / pair.bare));
    const target = 3;
    const name = 'sql: first rows of a million bars, against DuckDB opened bare';
    return [{ name, value, unit: 'ms of CPU', reference, ratio, target, holds: ratio <= target }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
