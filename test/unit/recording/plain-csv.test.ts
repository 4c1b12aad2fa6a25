import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { CandleBlocks } from '../../../src/recording/stage-blocks.ts';
import { CandleCollector } from '../../../src/recording/candle-collector.ts';
import type { ImportReport, ImportTableOptions } from '../../../src/recording/import-report.ts';
import { importTable } from '../../../src/recording/import-table.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { BTCIRT, temporaryCatalogue, USUAL_IMPORT } from './temporary-catalogue.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';
import { scenarios } from '../../support/scenarios.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2024, 0, 31, 20);
const HEADER = 'time,open,high,low,close,volume';
const line = (hour: number, values = '60000.5,60001,59999.25,60000,0.5'): string =>
  `${START + hour * HOUR},${values}`;
const iso = (hour: number): string => new Date(START + hour * HOUR).toISOString();

interface How {
  readonly byRow?: boolean;
  readonly name?: string;
  readonly options?: Partial<ImportTableOptions>;
}

interface ImportOutcome {
  /** Result of the import, or its error. */
  readonly outcome: unknown;
  /** True if the whole file was read as columns. */
  readonly isPlain: boolean;
}

/** Writes a file for this test, and returns how to import it: as a command does, or row by row. */
function given(text: string, { byRow = false, name = 'file.csv', options = {} }: How) {
  const path = join(folderOfThisTest(), name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  const reading = { isPlain: false };
  const tracked = (blocks: CandleBlocks | null | undefined): CandleBlocks | null =>
    byRow || !blocks
      ? null
      : {
          ...blocks,
          async *read() {
            yield* blocks.read();
            reading.isPlain = true;
          },
        };
  const asked = {
    ...USUAL_IMPORT,
    path,
    kind: 'candles',
    timeframe: '1h',
    source: name,
    ...options,
  } as const;
  return { asked, tracked, reading };
}

const reported = ({ result, rows, firstBad, notes }: ImportReport): unknown => ({
  result,
  rows,
  firstBad: firstBad === null ? null : [firstBad.line, firstBad.problem],
  notes,
});

/** Imports a file into a new catalogue, and reads the result back. */
async function importing(text: string, how: How = {}): Promise<ImportOutcome> {
  const catalogue = temporaryCatalogue();
  const { asked, tracked, reading } = given(text, how);
  const report = await importTable({
    ...asked,
    catalogue: {
      appendCandles: ({ blocks, ...rest }) => catalogue.appendCandles({ ...rest, blocks: tracked(blocks) }),
    },
  });
  const manifest = catalogue.manifest({ market: BTCIRT, kind: 'candles', timeframe: '1h' });
  const columns =
    report.result === 'imported' && report.rows > 0
      ? await catalogue.readCandles({ market: BTCIRT, timeframe: '1h', ...ALL_TIME })
      : null;
  const partitions = manifest?.partitions.map(
    ({ name: month, rows, fromMs, toMs, priceDecimals, amountDecimals }) => [
      month,
      rows,
      fromMs,
      toMs,
      priceDecimals,
      amountDecimals,
    ],
  );
  return { ...reading, outcome: { report: reported(report), partitions, bars: columns && cellsOf(columns) } };
}

/** Imports a file into memory. */
async function collecting(text: string, how: How = {}): Promise<ImportOutcome> {
  const collector = new CandleCollector();
  const { asked, tracked, reading } = given(text, how);
  const report = await importTable({
    ...asked,
    catalogue: {
      appendCandles: ({ blocks, ...rest }) => collector.appendCandles({ ...rest, blocks: tracked(blocks) }),
    },
  });
  const columns = report.result === 'imported' ? collector.candlesOf(BTCIRT) : null;
  return { ...reading, outcome: { report: reported(report), bars: columns && cellsOf(columns) } };
}

/** Returns the columns without the spare room behind their bars. */
const cellsOf = ({
  length,
  openTimeMs,
  open,
  high,
  low,
  close,
  volume,
  ...rest
}: CandleColumns): unknown => ({
  ...rest,
  columns: [openTimeMs, open, high, low, close, volume].map((column) => [...column.subarray(0, length)]),
});

/** Returns the result of an import, or its error. */
async function outcomeOf(result: Promise<ImportOutcome>): Promise<unknown> {
  try {
    return (await result).outcome;
  } catch (error) {
    if (error instanceof SarrafError) return error.message.replace(/^.*\/file/, 'file');
    throw error;
  }
}

scenarios<readonly [string, How]>(async (_, [text, how]) => {
  const plain = await collecting(text, how);
  expect(plain.isPlain).toBe(true);
  expect(plain.outcome).toEqual((await collecting(text, { ...how, byRow: true })).outcome);
  expect(plain.outcome).toMatchObject({ report: { result: 'imported' } });
}, 'a CSV file that is read as columns %s')`
  has milliseconds ${[[HEADER, line(0), line(1)].join('\n'), {}]}
  has no titles ${[[line(0), line(1)].join('\n'), {}]}
  is packed ${[[HEADER, line(0), line(1)].join('\n'), { name: 'file.csv.gz' }]}
  has lines of Windows ${[[HEADER, line(0), line(1)].join('\r\n'), {}]}
  has semicolons ${[[HEADER, line(0), line(1)].join('\n').replaceAll(',', ';'), {}]}
  has the newest first ${[[HEADER, line(3), line(2), line(1)].join('\n'), {}]}
  has the same bar twice ${[[HEADER, line(0), line(0), line(1)].join('\n'), {}]}
  has zeros after the decimals
    ${[[HEADER, line(0, '60000.5000000000,60001,59999,60000.0,0.50000000')].join('\n'), {}]}
  has rial prices
    ${[[HEADER, line(0, '62000000000,62000000010,61999999990,62000000000,1775.183381')].join('\n'), {}]}
  has dates and times
    ${[[HEADER, ...[0, 1].map((hour) => line(hour).replace(/^\d+/, iso(hour).slice(0, 19).replace('T', ' ')))].join('\n'), {}]}
  has ISO times
    ${[[HEADER, ...[0, 1].map((hour) => line(hour).replace(/^\d+/, iso(hour).replace('.000', '')))].join('\n'), {}]}
  has other columns ${[[`x,${HEADER}`, `a,${line(0)}`, `"b, c",${line(1)}`].join('\n'), {}]}
  has a name that looks like a pattern ${[[HEADER, line(0), line(1)].join('\n'), { name: 'bars[1].csv' }]}
  has a name with a quote ${[[HEADER, line(0), line(1)].join('\n'), { name: "trader's.csv" }]}
  has empty lines ${[[HEADER, line(0), '', line(1), '', ''].join('\n'), {}]}
  has quotes around its numbers ${[[HEADER, line(0).replaceAll(/[^,]+/g, '"$&"'), line(1)].join('\n'), {}]}
  ends each line with an empty field ${[[`${HEADER},`, `${line(0)},`, `${line(1)},`].join('\n'), {}]}
  has finer decimals in another month
    ${[[HEADER, line(0), line(6, '60000.5,60001,59999.125,60000,0.1234567')].join('\n'), {}]}
  is longer than what is read at a time
    ${[[HEADER, ...Array.from({ length: 2_000 }, (_, hour) => line(hour))].join('\n'), {}]}
  reaches over months ${[[HEADER, ...Array.from({ length: 12 }, (_, hour) => line(hour))].join('\n'), {}]}
`;

describe('a CSV file that is imported as columns', () => {
  const many = Array.from({ length: 9_000 }, (_, hour) => line(hour, `60000,60001,59999,60000,${hour % 9}`));
  test.each([
    ['of several months', [HEADER, ...Array.from({ length: 12 }, (_, hour) => line(hour))]],
    ['of the newest first', [HEADER, line(9), line(2), line(1)]],
    ['of the same bar twice', [HEADER, line(0), line(0), line(1)]],
    ['of finer decimals later on', [HEADER, ...many, line(9_000, '60000.5,60001,59999.125,60000,0.1234567')]],
    ['of a bar of two contents', [HEADER, line(0), line(1), line(1, '1,1,1,1,1')]],
    ['of a bad row at its end', [HEADER, ...many, line(9_001, '60000,59999,59999,60000,1')]],
  ])('%s', async (_, lines) => {
    const text = lines.join('\n');
    expect(await outcomeOf(importing(text))).toEqual(await outcomeOf(importing(text, { byRow: true })));
  });
});

/** Makes the CSV of consecutive minutes, which `change` may alter. */
const minutes = (count: number, change: (lines: string[]) => void = () => {}): string => {
  const lines = Array.from({ length: count }, (_, minute) =>
    line(minute / 60, `5,9,${1 + (minute % 4)}.5,5,0.1`),
  );
  change(lines);
  return [HEADER, ...lines].join('\n');
};

test.each([
  ['rising', minutes(9_000)],
  ['of the newest first', minutes(180, (lines) => lines.reverse())],
  ['with gaps', minutes(300, (lines) => lines.splice(70, 100))],
  ['with a bar twice', minutes(180, (lines) => lines.splice(70, 0, lines[69] ?? ''))],
  ['with two bars of a time', minutes(180, (lines) => lines.push(line(1, '5,9,1,5,7')))],
  ['with a bad row at its end', minutes(9_000, (lines) => lines.push(line(200, '5,9,6,5,1')))],
  ['of less than one bar', minutes(30)],
])('a CSV file of finer bars %s comes to the same as columns and row by row', async (_, text) => {
  const how = { options: { mayResample: true } };
  // A space after the comma forces a line to be read row by row, and changes nothing else.
  const byRow = text.replaceAll(',', ', ');
  expect(await outcomeOf(collecting(text, how))).toEqual(await outcomeOf(collecting(byRow, how)));
});

scenarios<readonly [string, How]>(async (_, [text, how]) => {
  const plain = await collecting(text, how);
  expect(plain.isPlain).toBe(false);
  expect(plain.outcome).toEqual((await collecting(text, { ...how, byRow: true })).outcome);
}, 'a CSV file that takes a look at each row %s')`
  has numbers with an exponent ${[[HEADER, line(0, '6e4,60001,59999,60000,1E-3')].join('\n'), {}]}
  has a number that is none ${[[HEADER, line(0), line(1, '60000,60001,x,60000,1')].join('\n'), {}]}
  has a price of 0 ${[[HEADER, line(0), line(1, '0,60001,0,60000,1')].join('\n'), {}]}
  has a low above its open ${[[HEADER, line(0), line(1, '60000,60001,60000.5,60001,1')].join('\n'), {}]}
  has a bar off its place
    ${[[HEADER, line(0), line(1), line(2.5)].join('\n'), { options: { timeframe: '1h' } }]}
  has more decimals than money ${[[HEADER, line(0, '60000,60001,59999,60000,0.12345678901')].join('\n'), {}]}
  has more digits than a float keeps
    ${[[HEADER, line(0, '60000.1234567890,60001,59999,60000,12345678.1234567891')].join('\n'), {}]}
  has a line that is cut short ${[[HEADER, line(0), line(1).slice(0, 20)].join('\n'), {}]}
  has an empty field ${[[HEADER, line(0), line(1, ',60001,59999,60000,1')].join('\n'), {}]}
  has a field too many ${[[`${HEADER},`, `${line(0)},`, `${line(1)},7`].join('\n'), {}]}
  has a space before a number ${[[HEADER, line(0), line(1, ' 60000,60001,59999,60000,1')].join('\n'), {}]}
  changes the unit of its times
    ${[[HEADER, line(0), `${(START + HOUR) / 1_000},60000,60001,59999,60000,1`].join('\n'), {}]}
  has a day that is none
    ${[[HEADER, '2024-02-30 00:00:00,1,1,1,1,1', '2024-03-01 00:00:00,1,1,1,1,1'].join('\n'), {}]}
  is multiplied ${[[HEADER, line(0), line(1)].join('\n'), { options: { priceFactor: 10 } }]}
  goes back once
    ${[[HEADER, ...Array.from({ length: 30 }, (_, hour) => line(hour < 20 ? hour : hour - 3))].join('\n'), {}]}
`;

/** Styles in which a CSV file may be written. */
const style = fc.record({
  hasHeader: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
  separator: fc.constantFrom(',', ';', '\t'),
  quote: fc.constantFrom('', '"'),
  end: fc.constantFrom('', '\n', '\r\n', '\n\n'),
  begin: fc.constantFrom('', '', '', '', '', '\uFEFF', '\n'),
  time: fc.constantFrom<(timeMs: number) => string>(
    String,
    (timeMs) => String(timeMs / 1_000),
    (timeMs) => `${timeMs}000`,
    (timeMs) => `${timeMs}123456`,
    (timeMs) => new Date(timeMs).toISOString(),
    (timeMs) => new Date(timeMs).toISOString().replace('.000Z', '+00:00'),
    (timeMs) => new Date(timeMs).toISOString().slice(0, 19).replace('T', ' '),
    (timeMs) => new Date(timeMs).toISOString().slice(0, 16),
    (timeMs) => new Date(timeMs).toISOString().slice(0, 10),
  ),
});

const price = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 99_999_999 }).map(String), weight: 2 },
  {
    arbitrary: fc.tuple(fc.nat(999_999), fc.nat(99_999)).map(([whole, part]) => `${whole}.${part}`),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom('00.10', '0.0000000001', '7.00000000000', '60000.50', '123456789.12345'),
    weight: 1,
  },
);

/** Changes that make a line unusual or wrong. */
const oddity = fc.constantFrom<(line: string) => string>(
  (text) => text.slice(0, 12),
  (text) => `${text},1`,
  (text) => text.replace(/\d+$/, ''),
  (text) => text.replace(/\d+$/, '-1'),
  (text) => text.replace(/\d+$/, ' 3'),
  (text) => text.replace(/\d+$/, '1e3'),
  (text) => text.replace(/\d+$/, '1.'),
  (text) => text.replace(/\d+$/, '.5'),
  (text) => text.replace(/\d+$/, '99999999999999'),
  (text) => text.replace(/\d+$/, '1234567890123456'),
  (text) => text.replace(/\d+$/, '0.30000000000000004'),
  (text) => text.replace(/\d+$/, '1"2'),
  (text) => text.replace(/,[\d.]+,/, ',0,'),
  (text) => text.replace(/,[\d.]+,/, ',9007199254740993,'),
  (text) => text.replace(/^\d/, '9'),
  (text) => `0${text}`,
  () => '',
);

const file = fc
  .record({
    style,
    order: fc.constantFrom('rising', 'rising', 'falling', 'any'),
    bars: fc.array(
      fc.record({
        hour: fc.nat(40),
        prices: fc.array(price, { minLength: 4, maxLength: 4 }),
        volume: fc.oneof({ arbitrary: price, weight: 9 }, { arbitrary: fc.constant('0'), weight: 1 }),
        odd: fc.oneof({ arbitrary: fc.constant(null), weight: 40 }, { arbitrary: oddity, weight: 1 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  })
  .map(({ style: how, order, bars }) => {
    const { separator, quote, eol } = how;
    const sorted = bars.map(({ hour }, index) => (order === 'any' ? hour : index + (hour === 40 ? 1 : 0)));
    if (order === 'falling') sorted.reverse();
    const lines = sorted.map((hour, index) => {
      const { prices = [], volume = '', odd = null } = bars[index] ?? {};
      const [low = '', first = '', second = '', high = ''] = prices.toSorted(
        (left, right) => Number(left) - Number(right),
      );
      const fields = [how.time(START + hour * HOUR), first, high, low, second, volume];
      const written = fields.map((field) => `${quote}${field}${quote}`).join(',');
      return (odd === null ? written : odd(written)).replaceAll(',', separator);
    });
    const header = how.hasHeader ? [HEADER.replaceAll(',', separator)] : [];
    return how.begin + [...header, ...lines].join(eol) + how.end;
  });

const PLAIN_FILE = [HEADER, line(0), line(1), line(2), ''].join('\n');

test('a file comes to the same as columns and row by row, good or bad', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(file, async (text) => {
      const asColumns = await outcomeOf(
        collecting(text).then((read) => ((plain += Number(read.isPlain)), read)),
      );
      expect(asColumns).toEqual(await outcomeOf(collecting(text, { byRow: true })));
    }),
    // Few of the drawn files are plain, and of some draws none.
    { numRuns: deepRuns(100, 15), examples: [[PLAIN_FILE]] },
  );
  expect(plain).toBeGreaterThan(0);
});

test('a file is imported as columns as it is row by row', async () => {
  await fc.assert(
    fc.asyncProperty(file, async (text) => {
      expect(await outcomeOf(importing(text))).toEqual(await outcomeOf(importing(text, { byRow: true })));
    }),
    { numRuns: deepRuns(3, 2) },
  );
});
