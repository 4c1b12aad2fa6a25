import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  EventFile,
  readEvents,
  readSessionFile,
  writeSessionFile,
} from '../../../src/daemon/session-file.ts';
import { configWith } from '../../support/embedded-bot.ts';
import { createMarket } from '../../../src/domain/market.ts';
import type { EngineEvent } from '../../../src/engine/engine-event.ts';
import { EMPTY_MIRROR_STATE } from '../../../src/engine/mirror-change.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();

const MARKET = createMarket({
  market: parseMarket('BTCIRT'),
  priceStep: '10',
  amountStep: '0.000001',
  minOrderValue: '3000000',
});

test('a session is read as it was written, with its money, and without where its exchange is', () => {
  const config = configWith({
    'risk.maxOrderValue.rls': '1000.5',
    'exchange.baseUrl': 'https://exchange.example',
  });
  const record = { folder: join(config.data.folder, 'catalogue'), raw: false, eventsMb: 1 };
  const data = { ...config.data, folder };
  const state = { ...EMPTY_MIRROR_STATE, epoch: 'abcd' };
  const of = {
    beganMs: 5,
    others: new Map(),
    pollStretch: 1,
    mirror: 'mirror.sqlite',
    markets: [MARKET],
    state,
  };
  writeSessionFile({ ...config, data, record }, of);
  const session = readSessionFile(folder);
  // A session does not store the places of strategies in their file.
  expect(session.config.strategies).toEqual(
    config.strategies.map(({ describe: _place, ...strategy }) => strategy),
  );
  expect(session.config.execution).toEqual(config.execution);
  expect(session).toMatchObject({
    beganMs: 5,
    mode: 'embedded',
    mirror: join(folder, 'mirror.sqlite'),
    state,
  });
  expect(session.markets).toEqual([MARKET]);
  expect(readFileSync(join(folder, 'session.json'), 'utf8')).not.toContain('exchange.example');
});

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['another version', '{"version": 2}'],
])('a folder with %s is refused with what to give', (_, content) => {
  if (content !== null) writeFileSync(join(folder, 'session.json'), content);
  expect(() => readSessionFile(folder)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
});

const EVENTS = (): string => join(folder, 'session-events.jsonl.gz');

const TICK: EngineEvent = { kind: 'tick', atMs: 7 };

async function eventsIn(of: string): Promise<readonly EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of readEvents(of)) events.push(event);
  return events;
}

/** Time-out for a machine that is busy, in ms. */
const HANGS_MS = 30_000;

const problems: string[] = [];

const open = (of: Partial<ConstructorParameters<typeof EventFile>[0]> = {}): EventFile => {
  problems.length = 0;
  return new EventFile({ folder, mostMb: 1, onProblem: (message) => problems.push(message), ...of });
};

const ticks = (count: number): readonly EngineEvent[] =>
  Array.from({ length: count }, (_, index) => ({ ...TICK, atMs: index }));

async function store(file: EventFile, events: readonly EngineEvent[]): Promise<void> {
  for (const event of events) file.apply(event);
  await file.close();
}

test('events come back from a tenth of their size, and a second run begins anew', async () => {
  expect(await eventsIn(folder)).toEqual([]);
  const events = ticks(5_000);
  await store(open(), events);
  expect(await eventsIn(folder)).toEqual(events);
  const { size } = statSync(EVENTS());
  expect(size * 10).toBeLessThan(events.map((event) => JSON.stringify(event)).join('').length);
  await open().close();
  expect(await eventsIn(folder)).toEqual([]);
  expect(problems).toEqual([]);
});

test('events come back until where a killed process left them, and damaged ones are refused', async () => {
  const events = ticks(20_000);
  await store(open(), events);
  const whole = readFileSync(EVENTS());
  writeFileSync(EVENTS(), whole.subarray(0, whole.length / 2));
  const some = await eventsIn(folder);
  expect(some.length).toBeGreaterThan(5_000);
  expect(some).toEqual(events.slice(0, some.length));
  writeFileSync(EVENTS(), Buffer.from(whole).fill(255, whole.length >> 1));
  await expect(eventsIn(folder)).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
});

test('an event that comes while the file is closed is no error, and is not in it', async () => {
  const file = open();
  const closing = store(file, ticks(3));
  file.apply(TICK);
  await closing;
  expect(problems).toEqual([]);
  expect(await eventsIn(folder)).toEqual(ticks(3));
});

test('a file that has its maximum ends there, is reported once, and can be read', async () => {
  const file = open();
  await vi.waitFor(() => {
    const message = randomBytes(400_000).toString('base64');
    file.apply({ ...TICK, message } as never);
    expect(problems).toEqual([expect.stringContaining('has 1 MB; record.eventsMb allows more')]);
  }, HANGS_MS);
  await store(file, [TICK]);
  expect(problems).toHaveLength(1);
  expect((await eventsIn(folder)).length).toBeGreaterThan(1);
});
