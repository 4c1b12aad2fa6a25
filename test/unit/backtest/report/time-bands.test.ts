import { describe, expect, test } from 'vitest';
import type { BacktestRun } from '../../../../src/backtest/backtest-run.ts';
import { reportHtml } from '../../../../src/backtest/report/report-html.ts';
import { bandColumns, lockBands, memberBands } from '../../../../src/backtest/report/report-data.ts';
import { finishRun } from '../../../../src/backtest/finish-run.ts';
import { demoRun } from '../demo-run.ts';
import { lockRecord, memberRecord } from '../run-records.ts';

const HOUR_MS = 3_600_000;
const run = demoRun({ bars: 100 });
const { fromMs, toMs } = run;
const hour = (count: number): number => fromMs + count * HOUR_MS;

const withLocks = (...records: BacktestRun['locks']['records']): BacktestRun => ({
  ...run,
  locks: { records, more: 0 },
});

const withMembers = (more: number, ...records: BacktestRun['members']['records']): BacktestRun => ({
  ...run,
  members: { records, more },
});

/** Returns the rows of a section's tables as lines of text. */
function rowsOf(html: string, id: string): readonly string[] {
  const section = new RegExp(`<section id="${id}".*?</section>`, 's').exec(html)?.[0] ?? '';
  return [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    row.replaceAll(/<\/t[hd]><t[hd][^>]*>/g, ' | ').replaceAll(/<[^>]*>/g, ''),
  );
}

describe('bands of locks', () => {
  test('last as the lock held, to the millisecond; to the end of the run where it held on', () => {
    const bands = lockBands(
      withLocks(
        lockRecord({ name: 'night', beganAtMs: hour(1) + 1, endedAtMs: hour(3) - 1, refused: 2 }),
        lockRecord({ name: 'stops', market: 'BTCUSDT', beganAtMs: hour(5), endedAtMs: null }),
      ),
    );
    expect(bands.map(({ market, fromMs: at, untilMs }) => [market, at, untilMs])).toEqual([
      [null, hour(1) + 1, hour(3) - 1],
      ['BTCUSDT', hour(5), toMs],
    ]);
    expect(bands.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'night (all markets): a rule; 2 orders refused',
      'stops (BTCUSDT): a rule; 0 orders refused',
    ]);
  });

  test('are of one market of the page or of all, and never of another', () => {
    const bands = lockBands(
      withLocks(
        lockRecord({ beganAtMs: hour(1), market: 'ETHUSDT' }),
        lockRecord({ beganAtMs: hour(2), market: 'BTCUSDT' }),
        lockRecord({ beganAtMs: hour(4) }),
      ),
    );
    const { market, fromMs: at, all } = bandColumns(bands, new Map([['BTCUSDT', 0]]));
    expect({ market, at, all }).toEqual({ market: [0, -1], at: [hour(2), 2 * HOUR_MS], all: 2 });
  });

  test('are the longest, in order, where there are too many', () => {
    const records = [3, 1, 2].map((hours, index) =>
      lockRecord({ beganAtMs: hour(index), endedAtMs: hour(index + hours) }),
    );
    const { lengthMs, all } = bandColumns(lockBands(withLocks(...records)), new Map(), 2);
    expect({ lengthMs, all }).toEqual({ lengthMs: [3 * HOUR_MS, 2 * HOUR_MS], all: 3 });
  });
});

describe('bands of members', () => {
  test('last from entering to leaving, and to the end of the run for who stayed', () => {
    const bands = memberBands(
      withMembers(
        0,
        memberRecord({ market: 'BTCUSDT', atMs: hour(1), kind: 'entered' }),
        memberRecord({ market: 'ETHUSDT', atMs: hour(2), kind: 'entered' }),
        memberRecord({ market: 'BTCUSDT', atMs: hour(3), kind: 'left' }),
        memberRecord({ market: 'BTCUSDT', atMs: hour(9), kind: 'entered' }),
      ),
    );
    expect(bands.map(({ market, fromMs: at, untilMs }) => [market, at, untilMs])).toEqual([
      ['BTCUSDT', hour(1), hour(3)],
      ['ETHUSDT', hour(2), toMs],
      ['BTCUSDT', hour(9), toMs],
    ]);
  });

  test('end with the last change that is listed where later ones are not', () => {
    const bands = memberBands(
      withMembers(
        1,
        memberRecord({ market: 'BTCUSDT', atMs: hour(1), kind: 'entered' }),
        memberRecord({ market: 'ETHUSDT', atMs: hour(4), kind: 'entered' }),
      ),
    );
    expect(bands.map(({ untilMs }) => untilMs)).toEqual([hour(4), hour(4)]);
  });
});

describe('tables of a page', () => {
  test('have each lock with its scope and what it refused', () => {
    const lock = { name: 'stops', market: 'BTCUSDT', strategy: 'ma-cross', reason: '3 <stops>' };
    const html = reportHtml(
      finishRun(
        withLocks(
          lockRecord({ ...lock, beganAtMs: hour(1), endedAtMs: hour(2), refused: 1_234 }),
          lockRecord({ beganAtMs: hour(5), endedAtMs: null }),
        ),
      ),
    );
    expect(rowsOf(html, 'locks')).toEqual([
      'Name | Scope | From | Until | Orders refused | Reason',
      'stops | BTCUSDT for ma-cross | 2023-01-01 01:00:00 | 2023-01-01 02:00:00 | 1,234 | 3 &lt;stops&gt;',
      'night | all markets | 2023-01-01 05:00:00 | end of the run | 0 | a rule',
    ]);
  });

  test('have the locks that refused most, and say how many there are', () => {
    const records = Array.from({ length: 150 }, (_, index) =>
      lockRecord({ beganAtMs: hour(index % 90), endedAtMs: hour((index % 90) + 1), refused: index }),
    );
    const html = reportHtml(finishRun(withLocks(...records)));
    expect(rowsOf(html, 'locks')).toHaveLength(1 + 100);
    expect(html).toContain(
      'Of 150, the 100 that refused most orders, then the longest, are here; sarraf report csv writes all.',
    );
    expect(rowsOf(html, 'locks').join('\n')).not.toContain('| 49 |');
  });

  test('have who entered and left, the last of them where there are too many', () => {
    const records = Array.from({ length: 120 }, (_, index) =>
      memberRecord({
        market: 'BTCUSDT',
        atMs: hour(Math.floor(index / 2)),
        kind: index % 2 === 0 ? 'entered' : 'left',
      }),
    );
    const html = reportHtml(finishRun(withMembers(0, ...records)));
    const rows = rowsOf(html, 'members');
    expect(rows).toHaveLength(1 + 100);
    expect(rows.at(-1)).toBe(
      '2023-01-03 11:00:00 | busiest/members | BTCUSDT | left | 3 | its rank by volume24h is 3, of 2',
    );
    expect(html).toContain('Of 120, the 100 that came last are here; sarraf report csv writes all.');
  });

  test('are not there without locks and universes', () => {
    expect(reportHtml(finishRun(run))).not.toMatch(/<section id="(?:locks|members)"/);
  });
});
