import { describe, expect, test } from 'vitest';
import { type Units, formatUnits } from '../../../../src/domain/money.ts';
import {
  decimalCell,
  flagCell,
  numberCell,
  TableFormat,
  textCell,
  writeCsv,
} from '../../../../src/backtest/result/result-tables.ts';
import { written } from './written.ts';
import fc from 'fast-check';
import { ByteWriter } from '../../../../src/backtest/byte-writer.ts';

/** Typical numbers: with few digits, with as many as a float has, and at the edges of both. */
const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.double({ min: 1, max: 20_000, noNaN: true }),
  fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 15 }))
    .map(([value, decimals]) => value / 10 ** decimals),
  fc.tuple(fc.constantFrom(9, 99, 99_999), fc.integer({ min: 0, max: 20 })).map(([nines, shift]) => {
    const edge = nines + 1;
    return edge - edge * Number.EPSILON * shift;
  }),
);

describe('bytes', () => {
  test('of a number are its shortest decimal', () => {
    fc.assert(
      fc.property(numbers, (value) => {
        expect(written((out) => out.number(value))).toBe(String(value));
      }),
      { numRuns: 1_000 },
    );
  });

  test('of money are its canonical decimal', () => {
    const units = fc.oneof(
      fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
      fc.maxSafeInteger().map(BigInt),
      fc.integer({ min: 0, max: 900_720 }).map((whole) => BigInt(whole) * 10n ** 10n - 1n),
    );
    fc.assert(
      fc.property(units, (value) => {
        expect(written((out) => out.units(value as Units))).toBe(formatUnits(value));
      }),
      { numRuns: 500 },
    );
  });

  test('of moments are what toISOString has, in any order', () => {
    const moments = fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 });
    fc.assert(
      fc.property(moments, (dates) => {
        const text = written((out) => dates.forEach((date) => out.isoTime(date.getTime())));
        expect(text).toBe(dates.map((date) => date.toISOString()).join(''));
      }),
    );
    expect(() => written((out) => out.isoTime(Number.NaN))).toThrow(RangeError);
  });

  test('of a text are UTF-8, however long it is', () => {
    const texts = [
      '',
      'a',
      'é',
      'تتر',
      '😀',
      'x'.repeat(65_536),
      'y'.repeat(200_000),
      'z'.repeat(65_530),
      'end',
    ];
    const text = written((out) => {
      for (const one of texts) out.text(one);
      out.number(0.1);
    });
    expect(text).toBe(`${texts.join('')}0.1`);
  });

  test('are passed on in pieces of bounded size, without a byte lost between them', () => {
    const sizes: number[] = [];
    const out = new ByteWriter((piece) => sizes.push(piece.length));
    for (let index = 0; index < 50_000; index += 1) out.text('0123456789');
    out.flush();
    out.flush();
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(500_000);
    expect(sizes.length).toBeLessThan(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  });
});

interface Row {
  readonly name: string | null;
  readonly price: string | null;
  readonly change: number | null;
  readonly atMs: number | null;
  readonly isOpen: boolean;
}

type Source = Omit<Row, 'price'> & { readonly price: Units | null };

const TABLE = new TableFormat<Source, Row>({
  name: textCell((source) => source.name),
  price: decimalCell((source) => source.price),
  change: numberCell((source) => source.change),
  atMs: numberCell((source) => source.atMs),
  isOpen: flagCell((source) => source.isOpen),
});

const SOURCES: readonly Source[] = [
  { name: 'plain', price: 15_000_000_000n as Units, change: -0.25, atMs: 1_700_000_000_000, isOpen: true },
  { name: 'a "b", c\\', price: 0n as Units, change: 1e-7, atMs: 0, isOpen: false },
  { name: 'تتر\nline', price: -(10n ** 22n) as Units, change: 1e21, atMs: -1, isOpen: false },
  { name: '\ud800', price: null, change: null, atMs: null, isOpen: true },
  { name: null, price: null, change: 0, atMs: null, isOpen: true },
];

describe('a table', () => {
  test('has the same columns as an object and in JSON', () => {
    const columns = TABLE.columns(SOURCES);
    const layout = { before: '\n  ', after: '\n' };
    const text = written((out) => TABLE.writeJson(SOURCES, layout, out));
    expect(JSON.parse(text)).toEqual(columns);
    expect(text.split('\n')).toHaveLength(2 + Object.keys(columns).length);
    expect(columns).toEqual({
      name: SOURCES.map(({ name }) => name),
      price: ['1.5', '0', '-1000000000000', null, null],
      change: [-0.25, 1e-7, 1e21, null, 0],
      atMs: [1_700_000_000_000, 0, -1, null, null],
      isOpen: [true, false, false, true, true],
    });
  });

  test('has empty columns where it has no rows', () => {
    const columns = { name: [], price: [], change: [], atMs: [], isOpen: [] };
    expect(TABLE.columns([])).toEqual(columns);
    expect(written((out) => TABLE.writeJson([], { before: '', after: '' }, out))).toBe(
      JSON.stringify(columns),
    );
  });

  test('is quoted in CSV where a reader would take a cell for more than one', () => {
    const names = ['name', 'atMs', 'price', 'change', 'isOpen'];
    const csv = (sources: readonly Source[]): string =>
      written((out) => writeCsv(names, TABLE.columns(sources), out));
    expect(csv(SOURCES).split('\n').slice(0, 3)).toEqual([
      'name,at,price,return,is_open',
      'plain,2023-11-14T22:13:20.000Z,1.5,-0.25,true',
      '"a ""b"", c\\",1970-01-01T00:00:00.000Z,0,1e-7,false',
    ]);
    const [, , third, , last] = SOURCES;
    if (third === undefined || last === undefined) throw new Error('expected five sources');
    expect(csv([third, last])).toBe(
      'name,at,price,return,is_open\n' +
        '"تتر\nline",1969-12-31T23:59:59.999Z,-1000000000000,1e+21,false\n' +
        ',,,0,true\n',
    );
  });

  test('has empty cells in CSV where a column is newer than the table', () => {
    expect(written((out) => writeCsv(['name', 'exit'], { name: ['a', null] }, out))).toBe(
      'name,exit\na,\n,\n',
    );
  });
});
