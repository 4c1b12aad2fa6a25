import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { ImportTableOptions } from '../../../src/recording/import/import-table-options.ts';
import { importTable } from '../../../src/recording/import/import-table.ts';
import { ALL_TIME } from '../../../src/recording/read-partitions.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { BTCIRT, temporaryCatalogue, temporaryFolder } from './temporary-catalogue.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2024, 0, 31, 20);
const HEADER = 'time,open,high,low,close,volume';
const line = (hour: number, values = '60000.5,60001,59999.25,60000,0.5'): string =>
  `${START + hour * HOUR},${values}`;
const iso = (hour: number): string => new Date(START + hour * HOUR).toISOString();

interface Outcome {
  readonly result: string;
  readonly rows: number;
  readonly firstBad: string | null;
  readonly notes: readonly string[];
  readonly partitions: unknown;
  readonly bars: readonly unknown[];
}

/**
 * Imports a file into a catalogue of its own: as a command does, or row by row. Answers what came of it, and
 * whether DuckDB took the file alone.
 */
async function importing(
  text: string,
  how: {
    readonly byRow?: boolean;
    readonly name?: string;
    readonly options?: Partial<ImportTableOptions>;
  } = {},
): Promise<{ readonly outcome: Outcome; readonly isStaged: boolean }> {
  const { byRow = false, name = 'file.csv', options = {} } = how;
  const catalogue = temporaryCatalogue();
  const path = join(temporaryFolder(), name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  let isStaged = false;
  const report = await importTable({
    catalogue: {
      appendCandles: ({ stage, ...rest }) =>
        catalogue.appendCandles({
          ...rest,
          stage: async (database) => {
            const staged = byRow ? null : ((await stage?.(database)) ?? null);
            isStaged = staged !== null;
            return staged;
          },
        }),
    },
    path,
    market: BTCIRT,
    kind: 'candles',
    timeframe: '1h',
    mayResample: false,
    preset: null,
    columns: new Map(),
    skipBadRows: false,
    source: name,
    ...options,
  });
  const manifest = catalogue.manifest({ market: BTCIRT, kind: 'candles', timeframe: '1h' });
  const columns =
    report.result === 'imported' && report.rows > 0
      ? await catalogue.readCandles({ market: BTCIRT, timeframe: '1h', ...ALL_TIME })
      : null;
  const outcome = {
    result: report.result,
    rows: report.rows,
    firstBad: report.firstBad?.problem ?? null,
    notes: report.notes,
    partitions: manifest?.partitions.map(
      ({ name: month, rows, fromMs, toMs, priceDecimals, amountDecimals }) => [
        month,
        rows,
        fromMs,
        toMs,
        priceDecimals,
        amountDecimals,
      ],
    ),
    bars:
      columns === null ? [] : Array.from({ length: columns.length }, (_, index) => candleAt(columns, index)),
  };
  return { outcome, isStaged };
}

/** What came of an import, or why nothing did. */
async function told(result: ReturnType<typeof importing>): Promise<unknown> {
  try {
    return (await result).outcome;
  } catch (error) {
    if (error instanceof SarrafError) return error.message.replace(/^.*\/file/, 'file');
    throw error;
  }
}

describe('a CSV file that DuckDB reads alone', () => {
  test.each<[string, string, { readonly name?: string; readonly options?: Partial<ImportTableOptions> }]>([
    ['has milliseconds', [HEADER, line(0), line(1)].join('\n'), {}],
    ['has no titles', [line(0), line(1)].join('\n'), {}],
    ['is packed', [HEADER, line(0), line(1)].join('\n'), { name: 'file.csv.gz' }],
    ['has lines of Windows', [HEADER, line(0), line(1)].join('\r\n'), {}],
    ['has semicolons', [HEADER, line(0), line(1)].join('\n').replaceAll(',', ';'), {}],
    ['has the newest first', [HEADER, line(3), line(2), line(1)].join('\n'), {}],
    ['has the same bar twice', [HEADER, line(0), line(0), line(1)].join('\n'), {}],
    [
      'has zeros after the decimals',
      [HEADER, line(0, '60000.5000000000,60001,59999,60000.0,0.50000000')].join('\n'),
      {},
    ],
    [
      'has rial prices',
      [HEADER, line(0, '62000000000,62000000010,61999999990,62000000000,1775.183381')].join('\n'),
      {},
    ],
    [
      'has dates and times',
      [
        HEADER,
        ...[0, 1].map((hour) => line(hour).replace(/^\d+/, iso(hour).slice(0, 19).replace('T', ' '))),
      ].join('\n'),
      {},
    ],
    [
      'has ISO times',
      [HEADER, ...[0, 1].map((hour) => line(hour).replace(/^\d+/, iso(hour).replace('.000', '')))].join('\n'),
      {},
    ],
    ['has other columns', [`x,${HEADER}`, `a,${line(0)}`, `"b, c",${line(1)}`].join('\n'), {}],
    ['has a name with a quote', [HEADER, line(0), line(1)].join('\n'), { name: "trader's.csv" }],
    ['has empty lines', [HEADER, line(0), '', line(1), '', ''].join('\n'), {}],
    ['has quotes around its numbers', [HEADER, line(0).replaceAll(/[^,]+/g, '"$&"'), line(1)].join('\n'), {}],
    ['ends each line with an empty field', [`${HEADER},`, `${line(0)},`, `${line(1)},`].join('\n'), {}],
    [
      'has finer decimals in another month',
      [HEADER, line(0), line(6, '60000.5,60001,59999.125,60000,0.1234567')].join('\n'),
      {},
    ],
    [
      'is longer than what is read at a time',
      [HEADER, ...Array.from({ length: 2_000 }, (_, hour) => line(hour))].join('\n'),
      {},
    ],
    ['reaches over months', [HEADER, ...Array.from({ length: 12 }, (_, hour) => line(hour))].join('\n'), {}],
  ])('%s', async (_, text, how) => {
    const staged = await importing(text, how);
    expect(staged.isStaged).toBe(true);
    expect(staged.outcome).toEqual((await importing(text, { ...how, byRow: true })).outcome);
    expect(staged.outcome).toMatchObject({ result: 'imported' });
  });
});

describe('a CSV file that takes a look at each row', () => {
  test.each<[string, string, { readonly name?: string; readonly options?: Partial<ImportTableOptions> }]>([
    ['has numbers with an exponent', [HEADER, line(0, '6e4,60001,59999,60000,1E-3')].join('\n'), {}],
    ['has a number that is none', [HEADER, line(0), line(1, '60000,60001,x,60000,1')].join('\n'), {}],
    ['has a price of 0', [HEADER, line(0), line(1, '0,60001,0,60000,1')].join('\n'), {}],
    ['has a low above its open', [HEADER, line(0), line(1, '60000,60001,60000.5,60001,1')].join('\n'), {}],
    [
      'has a bar off its place',
      [HEADER, line(0), line(1), line(2.5)].join('\n'),
      { options: { timeframe: '1h' } },
    ],
    [
      'has more decimals than money',
      [HEADER, line(0, '60000,60001,59999,60000,0.12345678901')].join('\n'),
      {},
    ],
    [
      'has more digits than a float keeps',
      [HEADER, line(0, '60000.1234567890,60001,59999,60000,12345678.1234567891')].join('\n'),
      {},
    ],
    ['has a line that is cut short', [HEADER, line(0), line(1).slice(0, 20)].join('\n'), {}],
    ['has an empty field', [HEADER, line(0), line(1, ',60001,59999,60000,1')].join('\n'), {}],
    ['has a field too many', [`${HEADER},`, `${line(0)},`, `${line(1)},7`].join('\n'), {}],
    ['has a space before a number', [HEADER, line(0), line(1, ' 60000,60001,59999,60000,1')].join('\n'), {}],
    [
      'changes the unit of its times',
      [HEADER, line(0), `${(START + HOUR) / 1_000},60000,60001,59999,60000,1`].join('\n'),
      {},
    ],
    [
      'has a day that is none',
      [HEADER, '2024-02-30 00:00:00,1,1,1,1,1', '2024-03-01 00:00:00,1,1,1,1,1'].join('\n'),
      {},
    ],
    ['is multiplied', [HEADER, line(0), line(1)].join('\n'), { options: { priceFactor: 10 } }],
    [
      'goes back once',
      [HEADER, ...Array.from({ length: 30 }, (_, hour) => line(hour < 20 ? hour : hour - 3))].join('\n'),
      {},
    ],
    ['has a name that looks like a pattern', [HEADER, line(0), line(1)].join('\n'), { name: 'bars[1].csv' }],
  ])('%s', async (_, text, how) => {
    const staged = await importing(text, how);
    expect(staged.isStaged).toBe(false);
    expect(staged.outcome).toEqual((await importing(text, { ...how, byRow: true })).outcome);
  });
});

test('both ways come to the same, whatever the file holds', async () => {
  const number = fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 99_999_999 }).map(String), weight: 3 },
    {
      arbitrary: fc.tuple(fc.nat(999_999), fc.nat(99_999)).map(([whole, part]) => `${whole}.${part}`),
      weight: 6,
    },
    {
      arbitrary: fc.constantFrom(
        '0',
        '00.10',
        '1.',
        '.5',
        '1e3',
        '-1',
        '+2',
        ' 3',
        '99999999999999',
        '123456789.12345',
        '0.0000000001',
        '7.00000000000',
      ),
      weight: 1,
    },
  );
  const bar = fc
    .tuple(fc.nat(40), fc.array(number, { minLength: 5, maxLength: 5 }), fc.boolean())
    .map(([hour, values, isSorted]) => {
      const [volume = '', ...prices] = values;
      const [low = '', open = '', close = '', high = ''] = isSorted
        ? prices.toSorted((left, right) => Number(left) - Number(right))
        : prices;
      return line(hour, `${open},${high},${low},${close},${volume}`);
    });
  await fc.assert(
    fc.asyncProperty(fc.array(bar, { minLength: 1, maxLength: 12 }), async (lines) => {
      const text = [HEADER, ...lines].join('\n');
      const [staged, byRow] = [await told(importing(text)), await told(importing(text, { byRow: true }))];
      expect(staged).toEqual(byRow);
    }),
    { numRuns: deepRuns(6) },
  );
});
