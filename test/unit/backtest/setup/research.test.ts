import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { candleAt } from '../../../../src/domain/candle-columns.ts';
import { backtest, loadCandles, type BacktestSignal, type Candles } from '../../../../src/research.ts';
import { cellsOf } from '../../../../src/backtest/research-candles.ts';
import maCross from '../../../../strategies/ma-cross.ts';
import { writeAlerts, writeFollower, type Alert } from '../../study/follower.ts';
import { sarrafHere } from '../../../support/sarraf-here.ts';
import { TETHER, walkOf } from '../candle-run.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';
import { scenarios } from '../../../support/scenarios.ts';

const walk = walkOf(TETHER, { bars: 400, seed: 3, price: 60_000 });
const PARAMS = { fast: 5, slow: 12 };

const folder = folderOfAllTests();
let file: string;
beforeAll(() => {
  file = join(folder, 'hours.csv');
  const rows = Array.from({ length: walk.length }, (_, index) => {
    const { openTimeMs, open, high, low, close, volume } = candleAt(walk, index);
    return [openTimeMs, open, high, low, close, volume].join(',');
  });
  writeFileSync(file, ['time_ms,open,high,low,close,volume', ...rows, ''].join('\n'));
});

const load = (): Promise<Candles> => loadCandles({ file, market: 'BTCUSDT', timeframe: '1h' });

const runOf = async (strategy: string | typeof maCross) =>
  backtest({
    strategies: [{ strategy, market: 'BTCUSDT', params: PARAMS }],
    candles: [await load()],
    balances: { usdt: '10000' },
    from: '2024-01-03',
  });

describe('a backtest of a program', () => {
  test('is that of the command line, to the last digit', async () => {
    const { code, out } = await sarrafHere(
      `backtest ma-cross --csv ${file} --market BTCUSDT --param fast=5 --param slow=12 --cash 10000 --fee 0.1% --json --no-save`.split(
        ' ',
      ),
    );
    expect(code).toBe(0);
    const { summary, orders, fills, trades } = JSON.parse(out) as Record<string, unknown>;
    const { result, equity, problems } = await backtest({
      strategies: [{ strategy: 'ma-cross', market: 'BTCUSDT', params: PARAMS }],
      candles: [await load()],
      balances: { usdt: 10_000 },
      feePercent: 0.1,
    });
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ summary, orders, fills, trades });
    expect(result.orders.key.length).toBeGreaterThan(10);
    expect(equity.value.at(-1)).toBeCloseTo(Number(result.summary.finalEquity), 6);
    expect(problems).toEqual([]);
  });

  test('is told signals of a list as those of a file, and refuses what does not fit', async () => {
    const strategy = writeFollower(folder);
    const alerts = [20, 60, 90].map((bar, index): Alert => [
      walk.openTimeMs[bar] ?? 0,
      index === 1 ? 'sell' : 'buy',
    ]);
    const told = async (signals: string | readonly BacktestSignal[]) =>
      backtest({
        strategies: [{ strategy, market: 'BTCUSDT' }],
        candles: [await load()],
        balances: { usdt: 10_000 },
        signals,
      });
    const given = alerts.map(([time, payload]) => ({ time, name: 'alert', payload }));
    const [listed, read] = [await told(given), await told(writeAlerts(join(folder, 'a.jsonl'), alerts))];
    const { summary, orders, fills, warnings, config } = listed.result;
    expect(fills.atMs).toEqual(alerts.map(([atMs]) => atMs));
    expect(read.result).toMatchObject({ summary, orders, fills, warnings });
    expect([warnings.join().includes('signal'), config]).toMatchObject([false, { signals: 3 }]);
    await expect(told([...given, { time: '2024-01-05', payload: 'buy', name: 'alert' }])).rejects.toThrow(
      'signals:4: expected a time in ms as in the first row, found "2024-01-05"',
    );
    await expect(told([{ time: 0, payload: 'buy', name: 'other' }])).rejects.toThrow(
      'signals:1: expected one of the declared signals (follower alert)',
    );
  });

  test('sees what was changed in the candles since the last run', async () => {
    const candles = await load();
    const run = async () => {
      const { result } = await backtest({
        strategies: [{ strategy: 'ma-cross', market: 'BTCUSDT', params: PARAMS }],
        candles: [candles],
        balances: { usdt: '10000' },
      });
      return { fills: result.fills, last: result.markets[0]?.lastPrice };
    };
    const before = await run();
    expect(await run()).toEqual(before);
    const end = candles.close.length - 1;
    const [close = 0, high = 0] = [candles.close[end], candles.high[end]];
    candles.high[end] = high + 1;
    candles.close[end] = high + 0.125;
    expect((await run()).last).toBe(String(high + 0.125));
    candles.high[end] = high;
    candles.close[end] = close;
    expect(await run()).toEqual(before);
  });

  test('walks the inside of candles on detail where that agrees, of one timeframe', async () => {
    const hours = await load();
    const half = { ...hours, timeframe: '30m' } as const;
    const run = async (detail: readonly Candles[]) =>
      backtest({
        strategies: [{ strategy: 'ma-cross', market: 'BTCUSDT', params: PARAMS }],
        candles: [hours],
        detail,
        balances: { usdt: 10_000 },
      });
    const { result } = await run([half]);
    expect(JSON.stringify(result)).toContain('400 of 400 bars were walked whole');
    expect(JSON.stringify(result)).toContain('each bar is walked on those of 30m');
    await expect(run([half, { ...half, timeframe: '15m' }])).rejects.toThrow('detail of one timeframe');
    await expect(run([hours])).rejects.toThrow('expected a detail finer than the candles');
  });

  test('takes a definition as well as the name of its file', async () => {
    const [named, given] = [await runOf(resolve('strategies/ma-cross.ts')), await runOf(maCross)];
    expect(given.result.fills).toEqual(named.result.fills);
    expect(given.result.fills.tradeId.length).toBeGreaterThan(0);
  });

  test.each([
    ['no candles', { candles: [] }, 'expected candles of a market, or a recording, were none'],
    [
      'no strategy of that name',
      { strategies: [{ strategy: 'nobody', market: 'BTCUSDT' }] },
      'ma-cross, market-maker, ',
    ],
    ['money that is no decimal', { balances: { usdt: 'much' } }, 'balances.usdt: expected a decimal'],
    ['a fee of more than all', { feePercent: 101 }, 'paper.fees'],
    ['money that is no number', { balances: { usdt: Number.NaN } }, 'balances.usdt: expected a decimal'],
    [
      'candles of another market',
      { strategies: [{ strategy: 'ma-cross', market: 'ETHUSDT' }] },
      'found none of ETHUSDT',
    ],
    ['a time that is none', { from: 'soon' }, 'from: expected a time in s, ms'],
  ])('refuses %s', async (_what, changed, message) => {
    const options = { strategies: [{ strategy: 'ma-cross', market: 'BTCUSDT' }], balances: { usdt: 1 } };
    await expect(backtest({ ...options, candles: [await load()], ...changed })).rejects.toThrow(message);
  });
});

describe('a backtest on a recording', () => {
  const options = { strategies: [{ strategy: 'grid', market: 'BTCUSDT' }], balances: { usdt: 1 } };

  test('says where nothing is recorded', async () => {
    await expect(backtest({ ...options, recording: folder })).rejects.toThrow(
      `expected recorded books of BTCUSDT in ${folder}`,
    );
  });

  test('takes the rules of a recording alone, and no candles', async () => {
    const mixed = { ...options, recording: folder, candles: [await load()] };
    // @ts-expect-error a backtest is on candles or on a recording
    await expect(backtest(mixed)).rejects.toThrow('expected candles or a recording, were both');
    const rules = { path: 'worst-first' } as const;
    // @ts-expect-error rules of candles
    await expect(backtest({ ...options, recording: folder, rules })).rejects.toThrow('recorded books');
  });
});

describe('candles in columns', () => {
  test('are the nearest numbers, and come back as the decimals that they were read from', async () => {
    const candles = await load();
    expect(candles.close[7]).toBe(Number(candleAt(walk, 7).close));
    const cells = cellsOf(candles);
    for (const index of [0, 7, 399]) expect(candleAt(cells, index)).toEqual(candleAt(walk, index));
  });

  scenarios<(candles: Candles) => Partial<Candles>>(async (message, change) => {
    const candles = await load();
    expect(() => cellsOf({ ...candles, ...change(candles) })).toThrow(message);
  }, 'are refused with %s')`
    a shorter column ${({ low }) => ({ low: low.subarray(1) })}
      expected candles of BTCUSDT: 400 numbers in low
    a time off the timeframe ${({ timeMs }) => ({ timeMs: timeMs.map((at) => at + 1) })}
      where candles of 1h, which begin at UTC, begin
    times that fall ${({ timeMs }) => ({ timeMs: timeMs.toReversed() })}: times that rise
    a high below the low ${({ low, high }) => ({ low: high, high: low })}: low <= open, close <= high
    a number that is none ${({ close }) => ({ close: close.map(() => Number.NaN) })}
      low <= open, close <= high
    a price of too many digits ${({ high }) => ({ high: high.map(() => 1e12 / 7) })}: at most 15 digits
  `;
});

test('the example of the page runs', async () => {
  const page = readFileSync('docs/backtest.md', 'utf8');
  const code = /```ts\n(import \{ backtest, loadCandles \}.*?)```/s.exec(page)?.[1] ?? '';
  const program = join(folder, 'example.ts');
  writeFileSync(
    program,
    code
      .replace("'sarraf/research'", JSON.stringify(resolve('src/research.ts')))
      .replace("'hours.csv'", JSON.stringify(file)),
  );
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import(program);
  expect(log.mock.calls.map(([fast]) => fast as number)).toEqual([5, 10, 20]);
  log.mockRestore();
});
