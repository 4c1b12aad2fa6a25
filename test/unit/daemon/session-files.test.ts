import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  EventFile,
  readEvents,
  readSessionFile,
  writeSessionFile,
} from '../../../src/daemon/session-file.ts';
import { readBotConfig } from '../../../src/daemon/read-bot-config.ts';
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
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: folder,
    overrides: [
      ['risk.maxOrderValue.rls', '"1000.5"'],
      ['exchange.baseUrl', '"https://exchange.example"'],
    ],
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const { config } = reading;
  const record = { folder: join(config.data.folder, 'catalogue'), raw: false };
  const data = { ...config.data, folder };
  const state = { ...EMPTY_MIRROR_STATE, epoch: 'abcd' };
  const of = { beganMs: 5, pollStretch: 1, mirror: 'mirror.sqlite', markets: [MARKET], state };
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

const TICK: EngineEvent = { kind: 'tick', atMs: 7 };

async function eventsIn(of: string): Promise<readonly EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of readEvents(of)) events.push(event);
  return events;
}

test('events come back until a line that was not written whole, and a second run begins anew', async () => {
  const problems: string[] = [];
  const open = (): EventFile => new EventFile({ folder, onProblem: (message) => problems.push(message) });
  expect(await eventsIn(folder)).toEqual([]);
  const first = open();
  first.apply(TICK);
  first.apply({ ...TICK, atMs: 8 });
  await first.close();
  appendFileSync(join(folder, 'session-events.jsonl'), '{"kind":"ti');
  expect(await eventsIn(folder)).toEqual([TICK, { ...TICK, atMs: 8 }]);
  await open().close();
  expect(await eventsIn(folder)).toEqual([]);
  expect(problems).toEqual([]);
});

test('a folder that can not be written to is reported, and the run goes on', async () => {
  const problems: string[] = [];
  writeFileSync(join(folder, 'taken'), '');
  const file = new EventFile({
    folder: join(folder, 'taken'),
    onProblem: (message) => problems.push(message),
  });
  file.apply(TICK);
  await file.close();
  expect(problems).toHaveLength(1);
});
