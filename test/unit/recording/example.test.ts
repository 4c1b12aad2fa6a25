import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { backtest, loadCandles } from '../../../src/research.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';

const MARKETS = ['BTCUSDT', 'BTCIRT', 'USDTIRT'];

/** Entry of `sarraf data list --json`. */
interface Listed {
  readonly market: string;
  readonly folder: string;
  readonly rows: number;
}

describe('the recording that ships with sarraf', () => {
  test('has the checksums of its manifests, and no gap, duplicate or impossible price', async () => {
    const { code, out } = await sarrafHere(['data', 'verify', '--catalogue', 'data/example']);
    expect({ code, found: out.split('\n').filter((line) => !line.endsWith('nothing found')) }).toEqual({
      code: 0,
      found: [''],
    });
    expect(out.trim().split('\n')).toHaveLength(MARKETS.length * 6);
  });

  test('has an hour of books, trades and statistics of three markets, and candles before it', async () => {
    const { out } = await sarrafHere(['data', 'list', '--catalogue', 'data/example', '--json']);
    const recordings = (JSON.parse(out) as { readonly recordings: readonly Listed[] }).recordings;
    const rows = (market: string): Readonly<Record<string, number>> =>
      Object.fromEntries(
        recordings.flatMap((one) => (one.market === market ? [[one.folder, one.rows]] : [])),
      );
    for (const market of MARKETS) {
      const { trades, ...others } = rows(market);
      expect(others).toEqual({
        books: 1_201,
        stats: 121,
        'candles-1m': 1_500,
        'candles-5m': 876,
        'candles-1h': 73,
      });
      expect(trades).toBeGreaterThan(2_000);
    }
  });

  test('is packed with sarraf', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly files: readonly string[];
    };
    expect(files).toContain('data/example');
  });
});

test('timers of a backtest begin with its first bar', async () => {
  const candles = await loadCandles({ catalogue: 'data/example', market: 'BTCUSDT', timeframe: '5m' });
  const { result } = await backtest({
    strategies: [{ strategy: 'dca', market: 'BTCUSDT', params: { cron: '0 9 * * *' } }],
    candles: [candles],
    balances: { usdt: 10_000 },
  });
  expect(result.orders.plannedAtMs.map((atMs) => new Date(atMs).toISOString())).toEqual([
    '2026-01-03T09:00:00.000Z',
    '2026-01-04T09:00:00.000Z',
    '2026-01-05T09:00:00.000Z',
  ]);
});
