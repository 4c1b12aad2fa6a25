import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { candleAt } from '../../../../src/domain/candle-columns.ts';
import * as research from '../../../../src/research.ts';
import { TETHER, walkOf } from '../../backtest/candle-run.ts';
import { drawnTrials } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';

const PAGE = readFileSync('docs/statistics.md', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'sarraf-statistics-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the example of the page runs, and finds no skill in a random walk', async () => {
  const walk = walkOf(TETHER, { bars: 400, seed: 3, price: 60_000 });
  const rows = Array.from({ length: walk.length }, (_, index) => {
    const { openTimeMs, open, high, low, close, volume } = candleAt(walk, index);
    return [openTimeMs, open, high, low, close, volume].join(',');
  });
  const file = join(folder, 'hours.csv');
  writeFileSync(file, ['time_ms,open,high,low,close,volume', ...rows, ''].join('\n'));
  const program = join(folder, 'example.ts');
  const code = /```ts\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
  writeFileSync(
    program,
    code
      .replace("'sarraf/research'", JSON.stringify(resolve('src/research.ts')))
      .replace("'hours.csv'", JSON.stringify(file)),
  );
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import(program);
  const said = new Map(log.mock.calls.map(([what, value]) => [what as string, value as number]));
  log.mockRestore();
  expect([...said.keys()]).toEqual(['better than luck:', 'overfitted:', 'p value:']);
  for (const value of said.values()) expect(value).toBeGreaterThanOrEqual(0);
  expect(said.get('better than luck:')).toBeLessThan(0.95);
  expect(said.get('p value:')).toBeGreaterThan(0.05);
});

describe('the page', () => {
  test('names every statistic that the library has', () => {
    const statistics = Object.entries(research)
      .filter(([name, value]) => typeof value === 'function' && !name.startsWith('normal'))
      .map(([name]) => name);
    expect(statistics.length).toBeGreaterThan(15);
    const elsewhere = new Set(['latencyOfSession']);
    expect(statistics.filter((name) => !elsewhere.has(name) && !PAGE.includes(name))).toEqual([]);
  });

  test('says what the best of 60 guesses shows in 500 days', () => {
    const ratios = drawnTrials({ seed: 1, count: 500 }, 60).map((trial) =>
      knownValue(research.observedSharpe(trial)),
    );
    expect(Math.max(...ratios)).toBeGreaterThan(0.08);
    const expected = knownValue(research.expectedMaximumSharpe({ trials: 60, variance: 1 / 500 }));
    expect(expected).toBeCloseTo(0.1, 1);
    expect(expected * Math.sqrt(365)).toBeCloseTo(2, 0);
  });
});
