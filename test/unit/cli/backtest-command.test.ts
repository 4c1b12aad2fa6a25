import { mkdirSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import type { Finished } from '../../support/sarraf-process.ts';
import { scenarios } from '../../support/scenarios.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();
let csv: string;

/** Makes the CSV of hours whose price swings around 100. */
function hours(count: number): string {
  const lines = ['time_ms,open,high,low,close,volume'];
  let open = 100;
  for (let hour = 0; hour < count; hour += 1) {
    const close = Number((100 + 10 * Math.sin(hour / 7)).toFixed(2));
    const [high, low] = [Math.max(open, close) + 0.5, Math.min(open, close) - 0.5].map((price) =>
      price.toFixed(2),
    );
    lines.push([1_704_067_200_000 + hour * 3_600_000, open, high, low, close, 1_000].join(','));
    open = close;
  }
  return `${lines.join('\n')}\n`;
}

beforeAll(() => {
  csv = join(folder, 'hours.csv');
  writeFileSync(csv, hours(300));
});

const inFolder = (args: readonly string[]): readonly string[] => [
  'backtest',
  ...args,
  '--data',
  join(folder, 'data'),
  '--catalogue',
  join(folder, 'catalogue'),
];

const backtest = async (...args: readonly string[]): Promise<Finished> => sarrafHere(inFolder(args));

const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

const SHORT = words('ma-cross --market BTCUSDT --param fast=5 --param slow=12 --cash 10000 --fee 0.1%');

/** Writes a strategy whose handler of bars runs the given code and logs; returns its file. */
const plugin = (name: string, body: string): string => {
  const file = join(folder, `${name}.ts`);
  const source = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: '${name}',
  params: z.strictObject({}),
  state: z.strictObject({ bars: z.int().default(0) }),
  data: ({ market }) => ({ bars: market.candles('1h') }),
  on: { bars({ state, setState, log, data }) {
    log('bar', { bars: state.bars });
    ${body}
    setState({ bars: state.bars + 1 });
  } },
});
`;
  writeFileSync(file, source);
  return file;
};

const on = (file: string) => [file, '--market', 'BTCUSDT', '--cash', '10000', '--fee', '0.1%', '--csv', csv];

test('a run that can not be stored is shown all the same', async () => {
  const data = join(folder, 'no-room');
  mkdirSync(data);
  writeFileSync(join(data, 'backtests'), '');
  const { code, out, error } = await sarrafHere(['backtest', ...SHORT, '--csv', csv, '--data', data]);
  expect(code).toBe(1);
  expect(out).toContain('Longest drawdown');
  expect(error).toContain(`expected to store the run under ${join(data, 'backtests')}`);
  expect(error).toContain('choose another folder with --data');
});

describe('a strategy that fails in a backtest', () => {
  // An error that nobody catches ends its process: test/process/backtest-command.process.ts.
  test('is reported with file, line and handler, and its log is in the result', async () => {
    const file = plugin('no-book', 'if (state.bars === 2) data.book.bids.at(0);');
    const { code, out, error } = await backtest(...on(file), '--json');
    const failure = `on.bars: Cannot read properties of undefined (reading 'bids') (${file}:10)`;
    expect(code).toBe(1);
    expect(JSON.parse(error)).toHaveProperty(
      'error.message',
      expect.stringContaining(`no-book stopped: ${failure}`),
    );
    const { strategies } = JSON.parse(out) as { readonly strategies: readonly unknown[] };
    expect(strategies).toMatchObject([
      {
        failure,
        log: [0, 1, 2].map((bars) => ({
          atMs: 1_704_070_800_000 + bars * 3_600_000,
          text: 'bar',
          fields: { bars },
        })),
      },
    ]);
  });
});

/** Writes hours that open and close at the same price; returns the value of `--csv` for them. */
const bars = (name: string, prices: readonly number[]): string => {
  const rows = prices.map((price, hour) =>
    [1_704_067_200_000 + hour * 3_600_000, price, price, price, price, 1_000_000].join(','),
  );
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, ['time_ms,open,high,low,close,volume', ...rows].join('\n'));
  return `${name}=${file}`;
};

describe('sarraf backtest', () => {
  test('runs a strategy on the candles of a file, and keeps the run', async () => {
    const { code, out, error } = await backtest(...SHORT, '--csv', csv, '--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const result = JSON.parse(out) as {
      folder: string | null;
      metricsMs: number;
      saveMs: number | null;
      summary: { initialEquity: string; finalEquity: string; trades: number };
      fidelity: { kind: string; rules: unknown[] };
      trades: { number: unknown[] };
      timing: { events: number };
    };
    expect(result.summary).toMatchObject({ initialEquity: '10000' });
    expect(result.summary.trades).toBeGreaterThan(5);
    expect(result.trades.number.length).toBeGreaterThanOrEqual(result.summary.trades);
    expect(result.fidelity.kind).toBe('candles');
    expect(result.timing.events).toBe(300);
    expect(existsSync(join(result.folder ?? '', 'report.html'))).toBe(true);
    expect(result.metricsMs).toBeGreaterThan(0);
    expect(result.saveMs).toBeGreaterThan(0);
    const again = JSON.parse(
      (await backtest(...SHORT, '--csv', csv, '--json', '--no-save')).out,
    ) as typeof result;
    expect(again.summary).toEqual(result.summary);
    expect([again.folder, again.saveMs]).toEqual([null, null]);
  });

  test('runs a triangle of three files in one account, in either currency', async () => {
    const rial = bars('BTCIRT', [60_000_000_000, 58_000_000_000, 58_000_000_000, 60_000_000_000]);
    const others = [
      bars('BTCUSDT', [60_000, 60_000, 60_000, 60_000]),
      bars('USDTIRT', Array(4).fill(1_000_000)),
    ];
    const args = ['triangle', '--market', 'BTCIRT', '--no-save', '--json', '--csv', rial];
    const money = words(
      '--balance rls=10000000000 --balance usdt=10000 --balance btc=0.5 --inventory btc=0.5',
    );
    const [first = '', second = ''] = others;
    for (const [currency, equity] of [
      ['rls', '50000000000'],
      ['usdt', '50000'],
    ] as const) {
      const run = await backtest(...args, '--csv', first, '--csv', second, ...money, '--currency', currency);
      expect(run.code, run.error).toBe(0);
      const { summary, fills } = JSON.parse(run.out) as {
        summary: { quote: string; initialEquity: string };
        fills: { readonly market: readonly string[] };
      };
      expect(summary).toMatchObject({ quote: currency, initialEquity: equity });
      expect([...new Set(fills.market)].toSorted()).toEqual(['BTCIRT', 'BTCUSDT', 'USDTIRT']);
    }
    const short = await backtest(...args, '--csv', first, ...money);
    expect(short.code).toBe(2);
    expect(short.error).toContain('expected data of USDTIRT');
    const files = [first, second, `ETHIRT=${csv}`].flatMap((file) => ['--csv', file]);
    const stray = await backtest(...args, ...files, ...money);
    expect(stray.code).toBe(2);
    expect(stray.error).toContain('was ETHIRT, none that a strategy subscribes to');
  });

  test('runs a strategy once in each of several markets, in one account', async () => {
    const files = ['BTCUSDT', 'ETHUSDT'].flatMap((market) => [
      '--market',
      market,
      '--csv',
      `${market}=${csv}`,
    ]);
    const { code, out } = await backtest('ma-cross', ...files, ...SHORT.slice(3), '--no-save', '--json');
    expect(code).toBe(0);
    const { strategies } = JSON.parse(out) as { readonly strategies: readonly object[] };
    expect(strategies).toMatchObject([
      { name: 'ma-cross-1', market: 'BTCUSDT' },
      { name: 'ma-cross-2', market: 'ETHUSDT' },
    ]);
  });

  test('walks the inside of candles on finer ones of the catalogue, and counts the candles without', async () => {
    const { code, out, error } = await sarrafHere(
      words(
        'backtest breakout --market BTCIRT --timeframe 1h --detail 1m --catalogue data/example --cash 1000000000 --no-save --json',
      ),
    );
    expect(code, error).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ config: { detail: '1m' } });
    expect(out).toContain('48 of 73 bars were walked whole');
  });

  test('runs the strategies of a configuration on candles of the catalogue', async () => {
    const imported = await sarrafHere([
      'data',
      'import',
      csv,
      '--market',
      'BTCUSDT',
      '--catalogue',
      join(folder, 'catalogue'),
    ]);
    expect(imported.code, imported.error).toBe(0);
    const config = join(folder, 'bot.yaml');
    writeFileSync(
      config,
      [
        'paper: { balances: { usdt: "5000" } }',
        'strategies:',
        '  - { plugin: ma-cross, market: BTCUSDT, timeframe: 3h, params: { fast: 2, slow: 5 } }',
      ].join('\n'),
    );
    const range = words('--timeframe 1h --from 2024-01-03 --json --no-save');
    const { code, out, error } = await backtest('--config', config, ...range);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const { summary, fromMs } = JSON.parse(out) as {
      summary: { initialEquity: string; orders: number };
      fromMs: number;
    };
    expect(summary.initialEquity).toBe('5000');
    expect(summary.orders).toBeGreaterThan(5);
    expect(new Date(fromMs).toISOString()).toBe('2024-01-03T00:00:00.000Z');
  });

  scenarios(async (line) => {
    const [args = '', message = ''] = line.split(/ ?=> /);
    const { code, error } = await backtest(...words(args));
    expect([code, error.trim().split('\n').length], error).toEqual([2, 1]);
    expect(error).toContain(message);
  }, 'refuses %s in one line')`
    nothing to run
      => expected a strategy such as strategies/ma-cross.ts, or --config bot.yaml
    no market
      ma-cross => expected --market
    a market twice
      ma-cross --market BTCUSDT --market btc-usdt => --market: expected every market once, found BTCUSDT twice
    money of two currencies
      ma-cross --market BTCUSDT --market BTCIRT --cash 100 => expected --balance for each currency
    two timeframes
      ma-cross --market BTCUSDT --timeframe 1h --resolution 5m => expected --timeframe or --resolution, found 1h and 5m
    rules that are no JSON
      ma-cross --universe rls => expected rules as JSON
    rules of a market that is named
      ma-cross --market BTCUSDT --universe {"quote":"usdt","rankBy":"volume24h","take":3} => expected --market or --universe, found both
    rules that are none
      ma-cross --universe {"quote":"usdt","rankBy":"volume24h","take":0} => take: Too small
    a market without data
      ma-cross --market ETHUSDT => ETHUSDT
    a market whose steps nobody knows
      ma-cross --market FOOUSDT => give --price-step and --amount-step
    an empty range
      ma-cross --market BTCUSDT --from 2030-01-01 => those there reach
    a range that ends before it begins
      ma-cross --market BTCUSDT --from 2024-01-05 --to 2024-01-03 => --to: expected a range that begins before it ends, found 2024-01-05T00:00:00Z to 2024-01-03T00:00:00Z
    a range behind the last candle of its month
      ma-cross --market BTCUSDT --from 2024-01-30 => from 2024-01-30T00:00:00Z to the end: those there reach
    a timeframe that the data can not give
      ma-cross --market BTCUSDT --timeframe 30m => but those of 1h are: of which these can not be made
    a fee without its sign
      ma-cross --market BTCUSDT --fee 0.25 => such as 0.25% or 25%: say which you mean
    a timeframe that is none
      ma-cross --market BTCUSDT --timeframe 7h => expected one of 1m, 5m,
    a timeframe that can be made
      ma-cross --market BTCUSDT --timeframe 4h => make them with "sarraf data resample --market BTCUSDT --timeframe 4h --catalogue 
    a step that is none
      ma-cross --market BTCUSDT --price-step abc => expected a positive decimal
    a strategy that is not there
      nothing --market BTCUSDT => dip, grid, ma-cross, 
    a time that is none
      ma-cross --market BTCUSDT --from soon => --from
    a file that is not there
      ma-cross --market BTCUSDT --csv nothing.csv => nothing.csv
    a latency that nothing has in candles
      ma-cross --market BTCUSDT --latency 50 => --latency: expected it with --fidelity poll, found candles, which does not use it
    two kinds of slippage
      ma-cross --market BTCUSDT --slippage-bps 1 --slippage-range 2 => expected --slippage-bps or --slippage-range, found both
    books that were not recorded
      ma-cross --market BTCUSDT --fidelity poll => recorded books
  `;

  test('tells everything that does not fit at once, a line each, by the names of the options', async () => {
    const named = ['ma-cross', '--config', 'bot.yaml', '--inventory', 'btc=1', '--csv', csv];
    const rules = ['--latency', '5', '--queue', 'front', '--detail', '1h'];
    const { code, error } = await backtest(...named, ...rules);
    expect([code, error.trimEnd().split('\n')]).toEqual([
      2,
      [
        '--latency: expected it with --fidelity poll, found candles, which does not use it',
        '--queue: expected it with --fidelity poll, found candles, which does not use it',
        '--detail: expected a timeframe finer than that of the candles, 1h, found 1h',
        'expected a strategy or --config, found both: a configuration names its strategies',
        '--inventory: expected it with a strategy, found --config: write it in that file',
        '--csv: expected --market, or a file for each market: a file does not say whose bars it has',
      ],
    ]);
  });

  test.each([
    [
      'lacks a column',
      'time_ms,open,high,close,volume',
      '1704067200000,1,1,1,1',
      'a column for low of candles in',
    ],
    [
      'has a bad row',
      'time_ms,open,high,low,close,volume',
      '1704067200000,1,1,x,1,1',
      'bad.csv:2: expected a decimal',
    ],
  ])('refuses a file that %s in one line', async (_, header, row, message) => {
    const path = join(folder, 'bad.csv');
    writeFileSync(path, `${header}\n${row}\n`);
    const { code, error } = await backtest('ma-cross', '--market', 'BTCUSDT', '--csv', path, '--no-save');
    expect([code, error.trim().split('\n').length], error).toEqual([2, 1]);
    expect(error).toContain(message);
    expect(error).toContain('sarraf data import');
  });

  test('warns where the bars have prices that the step does not allow', async () => {
    const args = [...SHORT, '--csv', csv, '--no-save', '--json', '--price-step'];
    expect((await backtest(...args, '0.01')).error).toBe('');
    expect((await backtest(...args, '7')).error).toMatch(
      /^warning: \d+ % of the bars of BTCUSDT close off the price step of 7: give that of the data with --price-step\n$/,
    );
  });

  test('names the strategies that are there for one that is not', async () => {
    const { error } = await backtest('gird', '--market', 'BTCUSDT');
    expect(error).toMatch(
      /^expected one of the strategies in \S+ \(.*grid, .*\), was gird: did you mean grid\?\n$/,
    );
  });

  test('names the option, what was expected and what was found for a param that is refused', async () => {
    const params = ['--param', 'fast=1.5', '--param', 'slow=x', '--param', 'share=2', '--param', 'slwo=3'];
    const { code, error } = await backtest('ma-cross', '--market', 'BTCUSDT', '--csv', csv, ...params);
    expect([code, error.trimEnd().split('\n')]).toEqual([
      2,
      [
        '--param fast: expected a whole number, was 1.5',
        '--param slow: expected a number, was "x"',
        '--param share: expected at most 1, was 2',
        expect.stringMatching(
          /^--param slwo: expected the name of a parameter \(fast, slow, .*\), was slwo: did you mean slow\?$/,
        ),
      ],
    ]);
  });

  test('says at which candle a strategy stopped, and ends with 1', async () => {
    const strategy = join(folder, 'breaks.ts');
    writeFileSync(
      strategy,
      [
        `import { z } from 'zod';`,
        `import { defineStrategy } from '#sdk';`,
        `export default defineStrategy({`,
        `  name: 'breaks', params: z.strictObject({}),`,
        `  state: z.strictObject({ seen: z.int().default(0) }),`,
        `  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),`,
        `  on: { bars({ state, setState }) {`,
        `    if (state.seen === 9) throw new Error('ten is too many'); setState({ seen: state.seen + 1 });`,
        `  } },`,
        `});`,
      ].join('\n'),
    );
    expect(await backtest(strategy, '--market', 'BTCUSDT', '--csv', csv, '--no-save')).toEqual(
      failed(1, /breaks stopped: on\.bars: ten is too many/),
    );
  });
});
