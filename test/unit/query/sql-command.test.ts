import { existsSync, mkdirSync, readdirSync, writeFileSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { VIEW_NAMES, VIEWS } from '../../../src/query/views.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { openMirror } from '../../support/open-mirror.ts';
import { DURABLE, noteChange, NOW_MS } from '../mirror/mirror-fixture.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests("sarraf-sql's [1]");
const data = join(folder, 'data');
beforeAll(async () => {
  const account = ['--catalogue', 'data/example', '--cash', '10000', '--fee', '0.1%', '--data', data];
  const market = ['--market', 'BTCUSDT', '--timeframe', '5m'];
  const runs = [
    ['backtest', 'ma-cross', ...market, ...account, '--param', 'fast=3', '--param', 'slow=9', '--parquet'],
    [
      'study',
      'run',
      'mean-reversion',
      ...market,
      ...account,
      ...'--trials 4 --seed 7 --workers 1 --json'.split(' '),
    ],
  ];
  const store = openMirror(join(data, 'mirror.sqlite'), NOW_MS);
  store.apply([noteChange('k1', 'پیش از خبر', 'خبر')], DURABLE);
  store.close();
  for (const args of runs) {
    const { code, error } = await sarrafHere(args);
    expect({ args, code, error: code === 0 ? '' : error }).toEqual({ args, code: 0, error: '' });
  }
}, 60_000);

const sql = (...args: readonly string[]): ReturnType<typeof sarrafHere> =>
  sarrafHere(['sql', '--catalogue', 'data/example', '--data', data, ...args]);

const rowsOf = async (query: string): Promise<unknown> => {
  const { out, error, code } = await sql(query, '--json');
  expect({ error, code }).toEqual({ error: '', code: 0 });
  return JSON.parse(out);
};

describe('the views', () => {
  test('have the columns that are listed, with rows and without', async () => {
    const columns = VIEW_NAMES.flatMap((view) =>
      VIEWS[view].columns.map(({ name, sqlType }) => ({ view, column_name: name, column_type: sqlType })),
    );
    const query = VIEW_NAMES.map(
      (view) => `select '${view}' as view, column_name, column_type from (describe ${view})`,
    ).join(' union all ');
    expect(await rowsOf(query)).toEqual(columns);
    const empty = ['--catalogue', join(folder, 'none'), '--data', join(folder, 'none')];
    const { out, error, code } = await sql(query, '--json', ...empty);
    expect({ rows: JSON.parse(out) as unknown, code }).toEqual({ rows: columns, code: 0 });
    for (const view of VIEW_NAMES) expect(error).toContain(`${view} has no rows: there are no`);
  });

  test('have the notes of people', async () => {
    expect(await rowsOf('select * from trip_notes')).toEqual([
      { entry: 'k1', text: 'پیش از خبر', tags: '["خبر"]', by: 'ali', time: '2023-11-14T22:13:20Z' },
    ]);
  });

  test('name market and timeframe of candles, and money exactly', async () => {
    expect(
      await rowsOf(
        "select market, timeframe, time, open from candles where market = 'BTCIRT' and timeframe = '1h' limit 1",
      ),
    ).toEqual([{ market: 'BTCIRT', timeframe: '1h', time: '2026-01-02T12:00:00Z', open: '60060928210' }]);
  });

  test('hold of fills and orders what the result of a run says', async () => {
    const [run = ''] = readdirSync(join(data, 'backtests'));
    const file = readFileSync(join(data, 'backtests', run, 'result.json.zst'));
    const result = JSON.parse(zstdDecompressSync(file).toString()) as {
      summary: { profit: string; fills: number };
      fills: { price: string[]; fee: string[] };
      orders: { key: string[] };
    };
    expect(await rowsOf('select price, fee from fills')).toEqual(
      result.fills.price.map((price, index) => ({ price, fee: result.fills.fee[index] })),
    );
    expect(await rowsOf('select run, key from orders')).toEqual(
      result.orders.key.map((key) => ({ run, key })),
    );
    const { profit, fills } = result.summary;
    expect(await rowsOf('select run, profit, fills from runs')).toEqual([{ run, profit, fills }]);
  });

  test('read runs of before and after their file was compressed', async () => {
    const other = join(folder, 'mixed');
    const [run = ''] = readdirSync(join(data, 'backtests'));
    for (const name of ['before', 'new'])
      cpSync(join(data, 'backtests', run), join(other, 'backtests', name), { recursive: true });
    const file = join(other, 'backtests', 'before', 'result.json');
    writeFileSync(file, zstdDecompressSync(readFileSync(`${file}.zst`)));
    rmSync(`${file}.zst`);
    const { out } = await sql(
      'select run, count(*) as n from orders group by run order by run',
      '--json',
      '--data',
      other,
    );
    const { summary } = JSON.parse(readFileSync(file, 'utf8')) as { summary: { orders: number } };
    expect(JSON.parse(out)).toEqual(['before', 'new'].map((name) => ({ run: name, n: summary.orders })));
  });

  test('hold of a study its trials, with params', async () => {
    expect(await rowsOf('select number, params is not null as has from trials order by number')).toEqual(
      [0, 1, 2, 3].map((number) => ({ number, has: true })),
    );
    expect(await rowsOf('select seed, wanted, done from studies')).toEqual([{ seed: 7, wanted: 4, done: 4 }]);
  });

  test('are listed without a query', async () => {
    const { out, code } = await sql('--json');
    expect(code).toBe(0);
    expect((JSON.parse(out) as { views: { name: string }[] }).views.map(({ name }) => name)).toEqual(
      VIEW_NAMES,
    );
    expect((await sql()).out).toContain('round_trips: round trips');
  });
});

describe('a query', () => {
  test.each([
    [
      'select clos from candles',
      'expected a column of candles, found "clos": did you mean close? there are market, ',
    ],
    [
      'select * from candle',
      'expected a view, found "candle": did you mean candles? there are candles, trades, ',
    ],
    ['selec 1', 'expected a query that DuckDB can run, found: Parser Error'],
    ['', 'expected one SELECT, found nothing to run'],
    ['select 1; select 2', 'expected one SELECT: nothing else is run, so that nothing is written; found 2'],
    ['create table x (a int)', 'nothing is written; found CREATE'],
    ["copy (select 1) to 'x.csv'", 'one that reaches beyond them'],
    ["attach 'x.db'", 'nothing is written; found ATTACH'],
    ['install httpfs', 'expected'],
    ['set threads = 1', 'expected'],
    ["select * from read_text('/etc/hostname')", 'one that reaches beyond them'],
    ["select * from glob('/*')", 'one that reaches beyond them'],
    ["select * from read_csv('package.json')", 'one that reaches beyond them'],
    ["select * from read_parquet('https://127.0.0.1/x.parquet')", 'one that reaches beyond them'],
    ["select * from '/etc/hostname'", 'expected a view, found "/etc/hostname"'],
    ["select cast('x' as int)", 'Could not convert'],
    ['select $1', 'found a parameter'],
  ])('%j is refused in one line', async (query, expected) => {
    const { code, out, error } = await sql(query);
    expect({ code, out, lines: error.trimEnd().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 });
    expect(error).toContain(expected);
  });

  test.each([
    [['--format', 'parquet'], 'expected --out with --format parquet'],
    [['--out', 'x.parquet', '--format', 'csv'], 'expected --format parquet with --out'],
    [['--json', '--format', 'csv'], 'expected --json or --format csv'],
    [['--out', 'package.json'], 'expected no file at package.json yet'],
    [['--out', 'nowhere/x.parquet'], 'expected a folder nowhere'],
    [['--rows', '0'], 'expected a whole number from 1'],
  ])('refuses %j', async (options, expected) => {
    const { code, out, error } = await sql('select 1', ...options);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(expected);
  });

  test('can not write one of the files that it reads', async () => {
    const { code } = await sql(
      "copy (select 1) to 'data/example/BTCUSDT/candles-1h/2026-01.1.parquet' (format parquet)",
    );
    expect(code).toBe(2);
    expect(
      await rowsOf("select count(*) as n from candles where market = 'BTCUSDT' and timeframe = '1h'"),
    ).toEqual([{ n: 73 }]);
  });

  test('reads a folder whose name has a quote and a pattern', async () => {
    const catalogue = join(folder, "it's '); drop [a-z]*", 'catalogue');
    mkdirSync(catalogue, { recursive: true });
    cpSync('data/example', catalogue, { recursive: true });
    const { out, code } = await sql(
      'select count(distinct market) as n from candles',
      '--json',
      '--catalogue',
      catalogue,
    );
    expect({ code, rows: JSON.parse(out) as unknown }).toEqual({ code: 0, rows: [{ n: 3 }] });
  });

  test('that fails in the middle of its rows says so', async () => {
    const query =
      "select cast(case when range = 100000 then 'x' else '1' end as int) as a from range(200000)";
    const { code, out, error } = await sql(query, '--format', 'csv');
    expect({ code, error }).toEqual({
      code: 2,
      error:
        "expected a query that DuckDB can run, found: Conversion Error: Could not convert string 'x' to INT32\n",
    });
    expect(out.split('\n').length).toBeLessThan(120_000);
  });

  test('of a damaged recording names the file', async () => {
    const catalogue = join(folder, 'broken');
    cpSync('data/example/BTCUSDT/candles-1h', join(catalogue, 'BTCUSDT', 'candles-1h'), { recursive: true });
    const file = '2026-01.1.parquet';
    const path = join(catalogue, 'BTCUSDT', 'candles-1h', file);
    const bytes = readFileSync(path);
    // The pages of the columns are overwritten, and the footer that describes the file is left.
    writeFileSync(path, bytes.fill(0x5a, 40, 900));
    const { code, out, error } = await sql('from candles', '--format', 'csv', '--catalogue', catalogue);
    expect({ code, lines: out.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(error).toMatch(
      /^DATA_UNUSABLE: expected recordings that can be read, found a damaged file .*restore/,
    );
    expect(error).toContain(file);
  });

  test('names what it leaves out, and fails', async () => {
    const other = join(folder, 'damaged');
    mkdirSync(join(other, 'backtests', 'run'), { recursive: true });
    mkdirSync(join(other, 'studies'), { recursive: true });
    writeFileSync(join(other, 'backtests', 'run', 'summary.json'), '{"schema":1}');
    writeFileSync(join(other, 'studies', 'one.sqlite'), 'not SQLite');
    const runs = await sql('select count(*) as n from runs', '--json', '--data', other);
    expect(runs).toMatchObject({ code: 1, out: '[\n{"n":0}\n]\n' });
    expect(runs.error).toContain('run the backtest again');
    const trials = await sql('select count(*) as n from trials', '--json', '--data', other);
    expect(trials).toMatchObject({ code: 1, error: expect.stringContaining('found another file') });
  });
});

describe('a result', () => {
  test('as a table shows so many rows and says that there are more', async () => {
    const { out } = await sql('select number from trials order by 1', '--rows', '2');
    expect(out).toBe('number\n     0\n     1\n\nthe first 2 rows: --rows shows more, --format csv all\n');
    expect((await sql("select 'a\u001b[31m' as x, null as y")).out).toBe(
      'x          y\na [31m  null\n\n1 row\n',
    );
  });

  test('as CSV quotes what needs it', async () => {
    const { out } = await sql(
      'select \'a,"b"\' as "x,y", null as n, 1.50::decimal(9,3) as d',
      '--format',
      'csv',
    );
    expect(out).toBe('"x,y",n,d\n"a,""b""",,1.5\n');
  });

  test('as JSON is exact, and has a name for each column', async () => {
    const query =
      "select 1 as a, 2 as a, -0.05::decimal(4,2) as d, 'nan'::double as f, 9007199254740993 as h, [1.10] as l, {'k': true} as s";
    expect((await sql(query, '--json')).out).toBe(
      '[\n{"a":1,"a:1":2,"d":"-0.05","f":"NaN","h":"9007199254740993","l":["1.1"],"s":{"k":true}}\n]\n',
    );
    expect((await sql('select 1 as a where false', '--json')).out).toBe('[]\n');
  });

  test('as Parquet has DECIMAL, and is refused over a file that is there', async () => {
    const path = join(folder, 'candles.parquet');
    expect(await sql('from candles; -- all', '--out', path)).toMatchObject({
      code: 0,
      out: `${path}: 7,347 rows\n`,
    });
    expect(readFileSync(path).toString('latin1', 0, 4)).toBe('PAR1');
    expect(await sql('select 1', '--out', path)).toMatchObject({ code: 2 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  test('of a long query goes out in order', async () => {
    const { out } = await sql('select range as n from range(100000)', '--format', 'csv');
    expect(out).toBe(`n\n${Array.from({ length: 100_000 }, (_, index) => `${index}\n`).join('')}`);
  });
});

const parquetOfRun = (...args: readonly string[]): ReturnType<typeof sarrafHere> =>
  sarrafHere(['report', 'parquet', 'last', '--data', data, ...args]);

describe('the tables of a run as Parquet', () => {
  test('are written beside it or elsewhere', async () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    const [run = ''] = readdirSync(join(data, 'backtests'));
    const names = ['trades', 'orders', 'fills', 'equity'].map((name) => `${name}.parquet`);
    // The backtest had written Parquet files, too.
    expect(readdirSync(join(data, 'backtests', run))).toEqual(expect.arrayContaining(names));
    const { out, code } = await parquetOfRun('--out', shared, '--json');
    expect({ code, printed: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      printed: { run, files: names.map((name) => join(shared, name)) },
    });
    expect(await parquetOfRun()).toMatchObject({
      code: 0,
      out: `${names.map((name) => join(data, 'backtests', run, name)).join('\n')}\n`,
    });
  });

  test('are refused where there is no folder or no run to keep them in', async () => {
    expect(await parquetOfRun('--out', join(folder, 'nowhere'))).toMatchObject({
      code: 2,
      error: expect.stringContaining('expected a folder at'),
    });
    expect(await sarrafHere(['backtest', 'ma-cross', '--parquet', '--no-save'])).toMatchObject({
      code: 2,
      error: expect.stringContaining('expected --parquet without --no-save'),
    });
  });
});

test('the page shows commands that run as they are', async () => {
  const page = readFileSync('docs/sql.md', 'utf8');
  const commands = [...page.matchAll(/^sarraf sql(.*)$/gm)].map(([, line = '']) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare),
  );
  expect(commands).toHaveLength(7);
  for (const args of commands) {
    const here = args.map((arg) => (arg === 'trials.parquet' ? join(folder, 'page.parquet') : arg));
    const { code, error, out } = await sql(...here);
    expect({ args, code, error }).toEqual({ args, code: 0, error: '' });
    expect(out).not.toBe('');
  }
  for (const name of VIEW_NAMES) expect(page).toContain(`\`${name}\``);
});
