import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDelta, jsonDelta, type Json } from '../../../../src/domain/json-delta.ts';
import { levelsOf } from '../../../../src/dashboard/page/charts/candle-marks.ts';
import { EventParser } from '../../../../src/dashboard/page/api.ts';
import { ENGLISH_TEXTS } from '../../../../src/dashboard/page/texts/english.ts';
import { ENGLISH_FURTHER_TEXTS } from '../../../../src/dashboard/page/texts/english-further.ts';
import { ENGLISH_LAB_TEXTS } from '../../../../src/dashboard/page/texts/english-lab.ts';
import { PERSIAN_FURTHER_TEXTS } from '../../../../src/dashboard/page/texts/persian-further.ts';
import { PERSIAN_LAB_TEXTS } from '../../../../src/dashboard/page/texts/persian-lab.ts';
import { PERSIAN_TEXTS } from '../../../../src/dashboard/page/texts/persian.ts';
import type { MarksReply } from '../../../../src/dashboard/schema/market.ts';
import type { OrderItem } from '../../../../src/dashboard/schema/order.ts';
import { fillMarks } from '../../../../src/page/run-data.ts';
import { textProblems } from '../../../support/text-problems.ts';
import { tehranScale } from '../../../../src/dashboard/page/charts/tehran-scale.ts';
import {
  chartNumber,
  shortChartNumbers,
  timesNumber,
} from '../../../../src/dashboard/page/charts/chart-number.ts';
import { distinctTexts, formatPlain } from '../../../../src/language/format-number.ts';
import { localeOf } from '../../../../src/language/locale.ts';

const FOLDER = 'src/dashboard/page';
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.tsx?$/.test(name),
);
const read = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');

/** Returns the files that a file imports, itself included, but not those that it loads later. */
function loadedWith(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, path = ''] of read(name).matchAll(/^import (?!type )[^;]*?from '(\.[^']*)'/gm)) {
    const imported = join(dirname(name), path);
    if (sources.includes(imported)) loadedWith(imported, found);
  }
  return found;
}

describe('the page', () => {
  test('has Persian texts with the places of the English ones, and without slips', () => {
    expect(textProblems(ENGLISH_TEXTS, PERSIAN_TEXTS)).toEqual([]);
    expect(textProblems(ENGLISH_FURTHER_TEXTS, PERSIAN_FURTHER_TEXTS)).toEqual([]);
    expect(textProblems(ENGLISH_LAB_TEXTS, PERSIAN_LAB_TEXTS)).toEqual([]);
  });

  test('says nothing that is not in the dictionary', () => {
    const spoken = sources
      .filter((name) => name.endsWith('.tsx'))
      .flatMap((name) =>
        [...read(name).matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+)[.!?]?\s*</g)].map(
          ([, text]) => `${name}: ${text}`,
        ),
      );
    expect(spoken).toEqual([]);
  });

  test.each([
    ['main.tsx', { ...ENGLISH_FURTHER_TEXTS, ...ENGLISH_LAB_TEXTS }],
    ['lab/main.tsx', ENGLISH_FURTHER_TEXTS],
  ])('loads with %s the texts of all the code that it loads', (entry, later) => {
    const code = [...loadedWith(entry)].map(read).join('\n');
    expect(code).toContain('wrong-token');
    expect(
      Object.keys(later).filter((key) => code.includes(`'${key}'`) || code.includes(`"${key}"`)),
    ).toEqual([]);
  });

  test('takes only types of the schemas, so that no checker is sent to browsers', () => {
    const imports = sources.flatMap((name) =>
      [...read(name).matchAll(/^import (?!type )[^;]*?from '[^']*\/(?:schema\/|lab-schema)[^']*'/gm)].map(
        ([line]) => `${name}: ${line}`,
      ),
    );
    expect(sources.length).toBeGreaterThan(40);
    expect(imports).toEqual([]);
  });

  test('is laid out by logical properties, which follow the direction of a text', () => {
    const css = read('page.css') + read('lab/lab.css');
    expect(
      css.match(
        /^\s*(?:margin|padding|border|inset)?-?(?:left|right|top|bottom)\b.*$|^\s*(?:width|height):/gm,
      ),
    ).toBeNull();
    expect(css.match(/text-align: (?:left|right)/g)).toBeNull();
  });

  test('leaves letters of Persian joined, which browsers cut apart for a first letter or spacing', () => {
    const css = read('page.css') + read('lab/lab.css');
    const rules = css.match(/^.*(?:::first-letter|letter-spacing:).*$/gm) ?? [];
    expect(rules.filter((rule) => !rule.startsWith(":root[lang='en'] "))).toEqual([]);
  });
});

test('a change of JSON makes the later value of the earlier one, whatever both are', () => {
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, 'a', 'b', 1, 2.5),
      fc.array(tie('json') as fc.Arbitrary<Json>, { maxLength: 4 }),
      fc.record({ a: tie('json'), b: tie('json') }, { requiredKeys: ['a'] }) as fc.Arbitrary<Json>,
    ),
  }));
  fc.assert(
    fc.property(json as fc.Arbitrary<Json>, json as fc.Arbitrary<Json>, (before, after) => {
      const delta = jsonDelta(before, after);
      expect(applyDelta(before, JSON.parse(JSON.stringify(delta)))).toEqual(after);
      expect(jsonDelta(after, structuredClone(after))).toBeNull();
    }),
  );
});

test('a change of a long list names the rows that came, and the fields that changed', () => {
  const rows = [5, 4, 3, 2].map((id) => ({ id, state: 'open' }));
  const came = { id: 6, state: 'open' };
  const change = { fields: { state: { value: 'filled' } } };
  expect(jsonDelta(rows, [came, ...rows])).toEqual({ list: [{ value: came }, [0, 4]] });
  expect(jsonDelta(rows, rows.toSpliced(1, 1, { id: 4, state: 'filled' }))).toEqual({
    list: [[0, 1], { at: 1, change }, [2, 2]],
  });
  // Of a list with a maximum length the oldest row leaves; an open one at its head may change meanwhile.
  expect(jsonDelta(rows, [came, ...rows.slice(0, 3)])).toEqual({ list: [{ value: came }, [0, 3]] });
  const [open, ...others] = rows;
  expect(jsonDelta(rows, [{ ...open, state: 'filled' }, came, ...others.slice(0, 2)])).toEqual({
    list: [{ at: 0, change }, { value: came }, [1, 2]],
  });
});

describe('the reader of server-sent events', () => {
  const first = 'id: 3.17\ndata: {"seq":17}\n\n';

  test('takes pieces that end anywhere', () => {
    const text = `: still here\n\n${first}event: state\nid: 3.18\ndata: {"a":\ndata: 1}\n\n`;
    for (let cut = 1; cut < text.length; cut += 1) {
      const parser = new EventParser();
      const events = [...parser.parse(text.slice(0, cut)), ...parser.parse(text.slice(cut))];
      expect(events).toEqual([
        { name: 'message', data: '{"seq":17}', id: '3.17' },
        { name: 'state', data: '{"a":\n1}', id: '3.18' },
      ]);
    }
  });

  test('keeps no more of an endless event than it may', () => {
    const parser = new EventParser();
    expect(parser.parse('x'.repeat(3_000_000))).toEqual([]);
    expect(parser.parse(`\n\n${first}`)).toHaveLength(1);
  });
});

const order = (fields: Partial<OrderItem>): OrderItem =>
  ({ side: 'sell', price: null, stopPrice: null, exit: null, ...fields }) as OrderItem;

describe('the marks of a chart', () => {
  test('are one for the fills of a side in a candle', () => {
    const fills = [
      { time: 100, isBuy: true, price: 10 },
      { time: 100, isBuy: true, price: 20 },
      { time: 300, isBuy: false, price: 10 },
    ];
    expect(fillMarks(fills)).toEqual([
      { time: 100, isBuy: true, price: 15, count: 2 },
      { time: 300, isBuy: false, price: 10, count: 1 },
    ]);
  });

  test('are lines for orders at work, and for levels of brackets that no order stands for', () => {
    const marks = {
      orders: [
        order({ side: 'buy', price: '10' }),
        order({ stopPrice: '8' }),
        order({ price: '14', exit: 'take-profit' }),
      ],
      brackets: [{ stop: '8', takeProfits: ['14', '16'] }],
    } as unknown as MarksReply;
    const words = { buy: 'b', sell: 's', stop: 'stop', takeProfit: 'take' };
    expect(levelsOf(marks, words)).toEqual([
      { price: 10, title: 'b', tone: 'buy' },
      { price: 8, title: 'stop', tone: 'stop' },
      { price: 14, title: 'take', tone: 'sell' },
      { price: 16, title: 'take', tone: 'take' },
    ]);
    expect(levelsOf(null, words)).toEqual([]);
  });

  test('are drawn once where the order of a bracket is fitted to the steps of its market', () => {
    const words = { buy: 'b', sell: 's', stop: 'stop', takeProfit: 'take' };
    const marks = {
      orders: [{ price: '63822.32', stopPrice: '64466.99', side: 'sell', exit: 'stop-loss' }],
      brackets: [{ stop: '64466.9932', takeProfits: [] }],
    } as unknown as MarksReply;
    expect(levelsOf(marks, words)).toEqual([{ price: 64_466.99, title: 'stop', tone: 'stop' }]);
  });
});

type Points = Parameters<ReturnType<typeof tehranScale>['fillWeightsForPoints']>[0];

/** Returns the weights of hourly marks that begin at a time, in a calendar. */
function weightsOf(fromIso: string, hours: number, calendar: 'gregorian' | 'jalali'): readonly number[] {
  const from = Date.parse(fromIso) / 1_000;
  const points = Array.from({ length: hours }, (_, hour) => ({
    originalTime: from + hour * 3_600,
    timeWeight: 0,
  })) as unknown as Points;
  tehranScale(calendar).fillWeightsForPoints(points, 0);
  return points.map(({ timeWeight }) => timeWeight);
}

test('a day, a month and a year begin on the axis where they begin in Tehran', () => {
  // 20:30 UTC is midnight in Tehran; the first candle after it opens at 21:00 UTC.
  const newYear = weightsOf('2026-03-20T18:00:00Z', 6, 'jalali');
  expect(newYear).toEqual([30, 30, 30, 70, 30, 30]);
  expect(weightsOf('2026-03-20T18:00:00Z', 6, 'gregorian')).toEqual([30, 30, 30, 50, 30, 30]);
  expect(weightsOf('2026-03-31T18:00:00Z', 6, 'gregorian')[3]).toBe(60);
  expect(weightsOf('2026-04-20T18:00:00Z', 6, 'jalali')[3]).toBe(60);
});

const english = localeOf('en');
const persian = localeOf('fa');

describe('a number of a chart', () => {
  test('is short on a narrow axis, and in Persian its word stands at its left', () => {
    expect(shortChartNumbers([99_500_000_000], 'rls', english)).toEqual(['99.5B']);
    expect(shortChartNumbers([99_500_000_000], 'rls', persian)).toEqual(['\u2067۹۹٫۵\u00A0میلیارد\u2069']);
    expect(shortChartNumbers([99_500_000_000], 'rls', localeOf('fa', 'toman'))).toEqual([
      '\u2067۹٫۹۵\u00A0میلیارد\u2069',
    ]);
  });

  test('has as many digits on an axis as neighbours need to differ', () => {
    const ticks = [20_000_000_000, 20_000_500_000, 20_001_000_000];
    expect(shortChartNumbers(ticks, 'rls', english)).toEqual(['20.0000B', '20.0005B', '20.0010B']);
    const evenly = (values: readonly number[], locale = english) => shortChartNumbers(values, 'rls', locale);
    expect(evenly([60.1e9, 60e9, 59.9e9])).toEqual(['60.1B', '60.0B', '59.9B']);
    expect(evenly([60.1e9, 60e9], persian).join()).toContain('۶۰٫۰');
    expect(evenly([0, 5e5, 1.5e6])).toEqual(['0', '500K', '1.5M']);
    expect(distinctTexts([1.01, 1.02], (value, more) => value.toFixed(more))).toEqual(['1.01', '1.02']);
  });

  test('has the digits of the language', () => {
    expect(chartNumber(1_234.5, 'usdt', persian)).toBe('۱٬۲۳۴٫۵');
    expect(chartNumber(60_122_732_341, 'rls', english)).toBe('60,122,732,341');
    expect(chartNumber(60_122_732_341, 'rls', localeOf('en', 'toman'))).toBe('6,012,273,234.1');
    expect(formatPlain('fa', 41.5)).toBe('۴۱٫۵');
    expect(timesNumber(12, english)).toBe('×12');
    expect(timesNumber(12, persian)).toBe('×۱۲');
  });
});
