import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { venueTradeId } from '../../../../src/domain/order.ts';
import { openDatabase, queryRows } from '../../../../src/recording/duckdb.ts';
import { sarrafHere, failed } from '../../../support/sarraf-here.ts';
import type { Finished } from '../../../support/sarraf-process.ts';
import { ACCOUNT, BEGAN, IN_MAY, lineOf, makeAccount, NOW, tradeOf } from './account-mirror.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const ONE = decimalText('1');
const folder = folderOfAllTests();
const path = join(folder, 'mirror.sqlite');

beforeAll(() => makeAccount(path));

interface Printed {
  readonly isBalanced: boolean;
  readonly notes: readonly { readonly code: string; readonly isGrave: boolean; readonly text: string }[];
  readonly balances: readonly Readonly<Record<string, string>>[];
  readonly realised: readonly {
    readonly coin: string;
    readonly in: string;
    readonly proceeds: string;
    readonly unrated: string;
    readonly average: Readonly<Record<string, string>>;
    readonly fifo: Readonly<Record<string, string>>;
  }[];
  readonly months: readonly { readonly month: string }[];
}

async function jsonOf(mirror: string, ...args: string[]): Promise<Printed & Pick<Finished, 'code'>> {
  const { code, out, error } = await sarrafHere(['statement', '--mirror', mirror, ...args, '--json']);
  if (out === '') throw new Error(error);
  return { ...(JSON.parse(out) as Printed), code };
}

/** Makes the mirror of another account, and returns its statement of the year 1405. */
async function statementOf(name: string, options: Parameters<typeof makeAccount>[1]) {
  const other = join(folder, `${name}.sqlite`);
  makeAccount(other, options);
  return jsonOf(other, '--year', '1405');
}

const codesOf = ({ notes }: Printed): readonly string[] => notes.map(({ code }) => code);
const closingOf = ({ balances }: Printed) =>
  Object.fromEntries(balances.map(({ currency = '', closing }) => [currency, closing]));

describe('sarraf statement', () => {
  test('shows balances, every kind of movement and profit, in rial and by month', async () => {
    const { code, out, error } = await sarrafHere(['statement', '--data', folder, '--year', '۱۴۰۵']);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('rls is rial, not toman');
    expect(out).toMatch(
      /^rls \(rial\) +1,000,000,000 +-275,650,000 +-324,350 +500,000,000 +-100,000,000 +1,124,025,650$/m,
    );
    // Bitcoin was bought for tether, which is valued at 600,000 rial, the price of the trade before.
    expect(out).toMatch(/^btc +rls \(rial\) +0\.00499 +324,025,650 +300,000,000 +24,025,650$/m);
    expect(out).toMatch(
      /^usdt +rls \(rial\) +500 +300,000,000 +300,300,300\.3003003003 +-300,300\.3003003003$/m,
    );
    expect(out).toMatch(/^1405\/01 .*\n.*\n.*\n1405\/02 /m);
    expect(out).toContain('the mirror begins at 2026-03-25T00:00:00Z');
  });

  test('says what is rounded, to how many decimals and how, where a coin was sold', async () => {
    const { realised, notes } = await jsonOf(path, '--year', '1405');
    const rounded = notes.find(({ code }) => code === 'rounding');
    expect(rounded?.text).toContain('rounded to 10 decimals, half to even');
    for (const { proceeds, average } of realised) {
      const parts = [average['cost'], average['profit'], average['uncosted']].map((part) =>
        parseUnits(part ?? ''),
      );
      expect(parts.reduce<bigint>((sum, part) => sum + part, 0n)).toBe(parseUnits(proceeds));
    }
    const before = await jsonOf(path, '--from', '1405/01/05', '--to', '1405/01/05');
    expect(codesOf(before)).not.toContain('rounding');
  });

  test('writes every movement, which adds up to the balances', async () => {
    const out = join(folder, '1405.csv');
    const { balances, code } = await jsonOf(path, '--year', '1405', '--out', out);
    expect(code).toBe(0);
    const [titles = '', ...lines] = readFileSync(out, 'utf8').trimEnd().split('\n');
    const names = titles.split(',');
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])),
    );
    for (const { currency, opening = '', closing = '' } of balances) {
      const moved = rows.filter((row) => row['currency'] === currency);
      const sum = moved.reduce(
        (all, { amount = '' }) => all + parseUnits(amount),
        parseUnits(opening) as bigint,
      );
      expect(sum).toBe(parseUnits(closing));
      expect(moved.at(-1)?.['balance']).toBe(closing);
    }
    expect(rows.map((row) => `${row['kind']} ${row['amount']} ${row['unit']}`)).toContain('fee -324350 rial');
    expect(rows.find((row) => row['market'] === 'BTCUSDT')).toMatchObject({
      tehran_day: '1405/01/08',
      rate: '600000',
      rate_time: '2026-03-27T10:00:00Z',
      rate_from: 'trade',
    });
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  test('writes the same as Parquet, exact', async () => {
    const out = join(folder, '1405.parquet');
    const { code } = await jsonOf(path, '--year', '2026', '--method', 'fifo', '--out', out);
    expect(code).toBe(0);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const database = await openDatabase();
    try {
      const rows = await queryRows(
        database,
        `SELECT count(*)::VARCHAR, sum(amount) FILTER (currency = 'rls')::VARCHAR, any_value(typeof(amount)),
           max(fifo_cost)::VARCHAR, count(average_cost)::VARCHAR, min(tehran_day) FROM read_parquet('${out}')`,
        'read it',
      );
      expect(rows).toEqual([
        ['11', '124025650.0000000000', 'DECIMAL(38,10)', '300300300.3003003003', '0', '2026-03-26'],
      ]);
    } finally {
      database[Symbol.dispose]();
    }
    expect(readdirSync(folder).filter((name) => /csv$|tmp/.test(name) && name.includes('parquet'))).toEqual(
      [],
    );
  });

  test('goes on where the stretch before it ends', async () => {
    const first = await jsonOf(path, '--from', '1405/01/01', '--to', '1405/01/31');
    const second = await jsonOf(path, '--from', '2026-04-21', '--to', '2026-05-10', '--calendar', 'jalali');
    const openings = Object.fromEntries(
      second.balances.map(({ currency = '', opening }) => [currency, opening]),
    );
    expect(openings).toEqual(closingOf(first));
    expect(second.realised).toMatchObject([{ coin: 'btc', average: { profit: '24025650' } }]);
    expect(second.months.map(({ month }) => month)).toEqual(['1405/02']);
  });

  test('names the currency that does not balance, by how much and since when', async () => {
    const stolen = await statementOf('stolen', { now: { ...NOW, rls: '1124025640' } });
    expect(stolen).toMatchObject({ code: 1, isBalanced: false });
    expect(stolen.notes[0]).toMatchObject({
      code: 'unexplained',
      isGrave: true,
      text: expect.stringContaining(
        'rls does not balance: -10 rial between 2026-05-01T00:00:00Z and 2026-05-10T00:00:00Z',
      ),
    });
    expect(stolen.balances.find(({ currency }) => currency === 'rls')).toMatchObject({
      unexplained: '-10',
      closing: '1124025640',
    });
  });

  test('says what a balance below zero means', async () => {
    const missing = await statementOf('missing', {
      changes: ACCOUNT.slice(1),
      marks: [],
      now: { ...NOW, rls: '-475974350' },
    });
    const below = await statementOf('below', {
      marks: [['2026-03-25T01:00', { ...BEGAN, rls: '0' }]],
      now: { ...NOW, rls: '124025650' },
    });
    expect(codesOf(missing)).toContain('below-zero');
    expect(below.notes[0]?.text).toContain('it was -100000000 rial at 2026-03-27T10:00:00Z');
    expect(below.code).toBe(1);
  });

  test('makes up no cost and no rate: proceeds of what has none stand apart', async () => {
    const made = await statementOf('uncosted', {
      changes: [
        { kind: 'fill', fill: tradeOf(70, '2026-03-28T09:00', 'buy 0.005 BTCUSDT at 100000', '0') },
        lineOf(5, '2026-03-29T09:00', '0.005 btc', 'Deposit 2'),
        { kind: 'fill', fill: tradeOf(71, '2026-04-25T12:00', 'sell 0.006 BTCIRT at 65000000000', '0') },
        { kind: 'fill', fill: tradeOf(72, '2026-04-26T12:00', 'sell 0.004 BTCUSDT at 120000', '0') },
      ],
      marks: [],
      now: { rls: '390000000', usdt: '480', btc: '0' },
    });
    const codes = 'one-record began-later not-over rounding no-cost no-cost no-rate';
    expect(codesOf(made).join(' ')).toBe(codes);
    const nothing = { cost: '0', profit: '0' };
    expect(made.realised).toMatchObject([
      { coin: 'btc', in: 'rls', average: { ...nothing, uncosted: '390000000' }, fifo: nothing },
      { coin: 'usdt', in: 'rls', proceeds: '0', unrated: '500' },
      // One half was bought for 500 tether, the other half came from outside.
      {
        coin: 'btc',
        in: 'usdt',
        average: { cost: '200', profit: '40', uncosted: '240' },
        fifo: { uncosted: '480' },
      },
    ]);
  });

  test('takes the rate of a candle that has closed', async () => {
    const candles = [7, 8, 9].map((hour) => {
      const openTimeMs = Date.parse(`2026-03-28T0${hour}:00Z`);
      const close = decimalText(699_993 + hour);
      const candle = { openTimeMs, open: ONE, high: ONE, low: ONE, close, volume: ONE };
      return { kind: 'candle', market: 'USDTIRT', timeframe: '1h', candle } as const;
    });
    const { realised } = await statementOf('candle', { changes: [...ACCOUNT, ...candles] });
    // At the trade, at 09:00, the candle of 08:00 had just ended and that of 09:00 was open.
    expect(realised.find(({ coin }) => coin === 'usdt')?.proceeds).toBe('350000500');
  });

  test('knows a transfer, a trade of which only the line is known, and the lines of a placeholder', async () => {
    const ofMany = tradeOf(90, '2026-05-09T12:00', 'buy 0.003 BTCIRT at 65000000000', '0.00003');
    const { balances, notes, code } = await statementOf('moved', {
      changes: [
        ...ACCOUNT,
        lineOf(8, '2026-05-03T12:00', '-99 usdt', 'Transfer spot to margin'),
        lineOf(9, '2026-05-04T12:00', '-7 rls', 'Trade'),
        { kind: 'fill', fill: { ...ofMany, tradeId: venueTradeId('placeholder 90') } },
        ...[20, 30, 40].flatMap((minute) => [
          lineOf(minute, `2026-05-03T11:${minute}`, '-65000000 rls', 'Trade'),
          lineOf(minute + 1, `2026-05-03T11:${minute}`, '0.00099 btc', 'Trade'),
        ]),
      ],
      marks: [['2026-05-01T00:00', IN_MAY]],
      now: { rls: '929025643', usdt: '400', btc: '0.00297' },
    });
    expect(balances.find(({ currency }) => currency === 'usdt')).toMatchObject({ transfer: '-99' });
    expect(balances.find(({ currency }) => currency === 'rls')).toMatchObject({ unexplained: '-7' });
    expect(notes[0]).toMatchObject({ code: 'unknown-trade', text: expect.stringContaining('1 line') });
    expect(code).toBe(1);
  });

  test('says loudly what retention has deleted, and begins where all is there', async () => {
    const mirror = join(folder, 'cut.sqlite');
    makeAccount(mirror);
    const database = new Database(mirror);
    database.exec('DELETE FROM fills WHERE id <= 2');
    database.close();
    const cut = await jsonOf(mirror, '--year', '1405');
    expect(cut.code).toBe(1);
    expect(cut.notes[0]).toMatchObject({
      code: 'deleted-trades',
      text: expect.stringMatching(/^retention has DELETED 2 trades: .* since 2026-04-25T12:00:00Z/),
    });
    expect(closingOf(cut)).toEqual(NOW);
    expect(cut.realised).toMatchObject([{ coin: 'btc', fifo: { cost: '0', uncosted: '324025650' } }]);
  });

  test('says where lines of a wallet may be gone, and not where one merely began late', async () => {
    const mirror = join(folder, 'cut-lines.sqlite');
    makeAccount(mirror);
    const database = new Database(mirror);
    database.exec(`DELETE FROM transactions WHERE ordinal = 1;
      WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 2000)
      INSERT INTO transactions (currency, id, at_ms, amount, description)
      SELECT 'rls', 'x' || value, 1777000000000, '0', 'Deposit' FROM numbers`);
    database.close();
    const { notes, code } = await jsonOf(mirror, '--year', '1405');
    expect(code).toBe(1);
    expect(notes.filter(({ code: name }) => name === 'deleted-lines')).toMatchObject([
      { isGrave: true, text: expect.stringContaining('DELETED old lines of the wallet of rls') },
    ]);
  });

  test.each([
    [
      ['--year', '1399'],
      /expected a time of which .* 2026-03-25T00:00:00Z to 2026-05-10T00:00:00Z, was 1399/,
    ],
    [['--year', '1410'], /expected a time of which/],
    [['--year', '26'], /--year: expected a year such as 1405 or 2026, was "26"/],
    [['--year', '1405', '--calendar', 'gregorian'], /expected a gregorian year/],
    [['--year', '1405', '--from', '1405/01/01'], /expected --year, or --from and --to, were both/],
    [['--to', '1405/01/01'], /expected --from with --to/],
    [['--from', '1405/02/01', '--to', '1405/01/01'], /expected a last day that is not before the first/],
    [['--from', '1404/12/30'], /expected a date that exists/],
    [['--year', '1405', '--out', 'x.xlsx'], /ends in \.csv or \.parquet/],
    [['--year', '1405', '--out', 'no-folder/x.csv'], /found none: make it/],
    [['--year', '1405', '--method', 'lifo'], /Allowed choices are average, fifo/],
  ])('refuses %j', async (args, message) => {
    const { code, out, error } = await sarrafHere(['statement', '--mirror', path, ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(message);
  });

  test('leaves a file that is there as it is', async () => {
    const taken = join(folder, 'taken.csv');
    writeFileSync(taken, 'mine');
    const { code } = await sarrafHere(['statement', '--mirror', path, '--year', '1405', '--out', taken]);
    expect(code).toBe(2);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
  });

  test('names what is wrong with a mirror, and writes nothing', async () => {
    const other = join(folder, 'version.sqlite');
    makeAccount(other);
    const database = new Database(other);
    database.pragma('user_version = 99');
    database.close();
    const damaged = join(folder, 'damaged.sqlite');
    makeAccount(damaged);
    const spoiled = new Database(damaged);
    spoiled.exec(`UPDATE fills SET amount = 'much' WHERE id = 1`);
    spoiled.close();
    const odd = join(folder, 'odd.sqlite');
    makeAccount(odd);
    const changed = new Database(odd);
    changed.exec(`UPDATE fills SET market = 'BTC' WHERE id = 1`);
    changed.close();
    const out = join(folder, 'none.csv');
    for (const [mirror, message] of [
      [join(folder, 'none.sqlite'), 'found nothing'],
      [other, 'version 99'],
      [damaged, 'a damaged row in the table fills'],
      [odd, 'a damaged row (expected a market'],
    ] as const) {
      expect(await sarrafHere(['statement', '--mirror', mirror, '--year', '1405', '--out', out])).toEqual(
        failed(1, message),
      );
      expect(existsSync(out)).toBe(false);
    }
  });
});

test('the page shows commands that run as they are', async () => {
  const page = readFileSync('docs/statement.md', 'utf8');
  const commands = [...page.matchAll(/^npx sarraf (statement .*)$/gm)].map(([, line = '']) =>
    line.split(' '),
  );
  expect(commands.length).toBeGreaterThan(2);
  for (const args of commands) {
    const here = args.map((arg) => (/^\w+\.(csv|parquet)$/.test(arg) ? join(folder, `page-${arg}`) : arg));
    const { code, error } = await sarrafHere([...here, '--data', folder]);
    expect({ args, code, error }).toEqual({ args, code: 0, error: '' });
  }
});
