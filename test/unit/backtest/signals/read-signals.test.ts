import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readSignals, signalsFor } from '../../../../src/backtest/signals.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const folder = folderOfAllTests();

async function reading(name: string, text: string | Buffer) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return readSignals(path);
}

const AT_MS = Date.UTC(2026, 0, 5, 12);

test('a CSV file and lines of JSON say the same', async () => {
  const csv = await reading(
    'signals.csv',
    `time,name,payload,id,strategy,sentAt,source
2026-01-05T12:00:00Z,alert,"{""side"":""buy""}",a,follow,2026-01-05T11:59:58Z,desk
2026-01-05T12:00:01Z,alert,5,,,,
`,
  );
  const rows = [
    {
      time: AT_MS,
      name: 'alert',
      payload: { side: 'buy' },
      id: 'a',
      strategy: 'follow',
      sentAt: AT_MS - 2_000,
      source: 'desk',
    },
    { time: AT_MS + 1_000, name: 'alert', payload: 5, id: 'line-3' },
  ];
  const text = rows.map((row) => JSON.stringify(row)).join('\n\n');
  const json = await reading('signals.jsonl.gz', gzipSync(text));
  const plain = (signal: (typeof csv)[number]) => ({ ...signal, place: '' });
  expect(csv.map(plain)).toEqual(json.map(plain));
  expect(csv.map(plain)).toEqual([
    {
      atMs: AT_MS,
      strategy: 'follow',
      name: 'alert',
      id: 'a',
      payload: { side: 'buy' },
      sentAtMs: AT_MS - 2_000,
      source: 'desk',
      place: '',
    },
    {
      atMs: AT_MS + 1_000,
      strategy: null,
      name: 'alert',
      id: 'line-3',
      payload: 5,
      sentAtMs: null,
      source: 'file',
      place: '',
    },
  ]);
});

test.each([
  ['a.csv', 'time,payload\n', 'expected signals in'],
  [
    'a.csv',
    'time,payload,text\n',
    ':1: expected a header of time, strategy, name, payload, id, sentAt, source, found "text"',
  ],
  ['a.csv', '2026-01-05,alert,5\n', ':1: expected a header of'],
  ['a.csv', 'time,name,payload\n2026-01-05,alert,{side}\n', ':2: expected payload as JSON, found "{side}"'],
  ['a.csv', 'time,name,payload\n2026-01-05,alert,\n', ':2: expected a payload, found none'],
  ['a.csv', 'time,name,payload\ntoday,alert,5\n', ':2: expected a time in s, ms'],
  ['a.csv', 'time,payload\n2026-01-05,5\n', ':2: expected a strategy or the name of a signal, found neither'],
  ['a.csv', 'time,name,payload,id\n2026-01-05,alert,5,no spaces\n', ':2: id: expected 1 to 64 letters'],
  ['a.jsonl', '{"time":1767614400000,"name":"a","payload":1}\n{', ':2: expected a line as JSON, found "{"'],
  ['a.jsonl', '[]', ':1: Invalid input: expected object, received array'],
  ['a.jsonl', '{"time":1,"name":"a","payload":1,"atMs":2}', ':1: Unrecognized key: "atMs"'],
])('%s: %j is refused', async (name, text, part) => {
  await expect(reading(name, text)).rejects.toThrow(
    expect.objectContaining({ code: 'INVALID_FILE', message: expect.stringContaining(part) as string }),
  );
});

test('a file that is not there is named', async () => {
  await expect(readSignals(join(folder, 'none.csv'))).rejects.toThrow('expected a file at');
});

const signal = (name: string) => ({ kind: 'signal', name, maxAgeMs: 60_000 }) as const;

const instance = (name: string, ...names: readonly string[]) =>
  ({ runner: { name, subscriptions: names.map(signal) } }) as unknown as Parameters<
    typeof signalsFor
  >[1][number];

test('a line without a strategy is for each that declares its name, and one without a name for the only one', async () => {
  const instances = [instance('one', 'alert'), instance('two', 'alert', 'stop'), instance('three')];
  const told = async (more: object) => {
    const rows = await reading('b.jsonl', JSON.stringify({ time: AT_MS, payload: 1, ...more }));
    return signalsFor(rows, instances).map(({ command: { strategy, name } }) => `${strategy} ${name}`);
  };
  expect(await told({ name: 'alert' })).toEqual(['one alert', 'two alert']);
  expect(await told({ strategy: 'one' })).toEqual(['one alert']);
  expect(await told({ strategy: 'two', name: 'stop' })).toEqual(['two stop']);
  const declared = 'b.jsonl:1: expected one of the declared signals (one alert, two alert, two stop), found';
  await expect(told({ strategy: 'two' })).rejects.toThrow(`${declared} the strategy two and no name`);
  await expect(told({ name: 'other' })).rejects.toThrow(`${declared} no strategy and the name other`);
});
