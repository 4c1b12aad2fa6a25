import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { backtest, loadCandles, type BacktestResult } from '../../src/research.ts';

/** Length of a hash: enough to tell two runs apart, short enough to compare by eye. */
const HASH_LENGTH = 16;

const CATALOGUE = 'data/example';
const MARKETS = ['BTCUSDT', 'BTCIRT', 'USDTIRT'] as const;
const ACCOUNT = {
  balances: { usdt: 10_000, rls: 10_000_000_000, btc: 0.5 },
  feePercent: 0.1,
} as const;

/** Hash of orders, fills and summary, column by column; texts are left out, as their wording may change. */
function hashOf({ orders, fills, summary }: BacktestResult): string {
  const { key, pairKey, market, side, execution, price, stopPrice, amount, state, plannedAtMs, closedAtMs } =
    orders;
  const { orderKey, atMs, price: paid, amount: filled, total, fee } = fills;
  const traded = [
    [key, pairKey, market, side, execution, price, stopPrice, amount, state, plannedAtMs, closedAtMs],
    [orderKey, atMs, paid, filled, total, fee],
    [summary.initialEquity, summary.finalEquity, summary.fees],
  ];
  return createHash('sha256').update(JSON.stringify(traded)).digest('hex').slice(0, HASH_LENGTH);
}

/** Strategies that quote both sides: they begin with coins; for the others a coin is a position. */
const QUOTING = new Set(['market-maker', 'triangle', 'rebalance']);

const strategiesOf = (strategy: string, market: string) => [
  { strategy, market, inventory: QUOTING.has(strategy) ? { btc: 0.5 } : {} },
];

async function onCandles(): Promise<Record<string, string>> {
  const candles = await Promise.all(
    MARKETS.map(async (market) => loadCandles({ catalogue: CATALOGUE, market, timeframe: '5m' })),
  );
  const names = [
    'ma-cross',
    'breakout',
    'mean-reversion',
    'dca',
    'grid',
    'rebalance',
    'market-maker',
    'triangle',
  ];
  const hashes: Record<string, string> = {};
  for (const name of names) {
    for (const market of name === 'triangle' ? ['BTCUSDT'] : ['BTCUSDT', 'BTCIRT']) {
      const { result } = await backtest({ ...ACCOUNT, candles, strategies: strategiesOf(name, market) });
      hashes[`${name} ${market}, ${result.orders.key.length} orders`] = hashOf(result);
    }
  }
  return hashes;
}

async function onRecording(): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const name of ['grid', 'market-maker', 'triangle']) {
    const { result } = await backtest({
      ...ACCOUNT,
      recording: CATALOGUE,
      strategies: strategiesOf(name, 'BTCUSDT'),
      from: '2026-01-05T12:00:00Z',
      to: '2026-01-05T12:30:00Z',
    });
    hashes[`${name}, ${result.orders.key.length} orders`] = hashOf(result);
  }
  return hashes;
}

/** A line that `sarraf fuzz --json` writes for one seed; its last line is about the whole suite. */
const SEED_LINE = z.object({ seed: z.number(), isRepeat: z.boolean(), tradingHash: z.string() });

async function inFuzz(): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['src/cli/main.ts', 'fuzz', '--seeds', '4', '--hours', '1', '--json'],
    { maxBuffer: 100_000_000 },
  );
  const seeds = stdout
    .trimEnd()
    .split('\n')
    .map((line) => SEED_LINE.safeParse(JSON.parse(line)).data)
    .filter((line) => line?.isRepeat === false);
  return Object.fromEntries(
    seeds.map((line) => [`seed ${line?.seed}`, line?.tradingHash.slice(0, HASH_LENGTH) ?? '']),
  );
}

/** A change that trades differently on purpose updates these (`-u`), and its commit message says why. */
test.each([
  ['candles', onCandles],
  ['a recording', onRecording],
  ['a faulty exchange', inFuzz],
])('the same orders, fills, times and money as before on %s', async (_, run) => {
  expect(await run()).toMatchSnapshot();
});
