import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRun, RunRecord, type RunBeginning } from '../../../../src/daemon/run-record.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import type { BotConfig } from '../../../../src/daemon/create-bot-config.ts';
import { runWatchdog, type WatchdogNews, isTrouble, watchdogText } from '../../../../src/daemon/watchdog.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();

const set = (path: string, value: unknown) => [path, JSON.stringify(value)] as const;

/** Makes the configuration of a bot whose exchange does not listen, with short times of its watchdog. */
function config(): BotConfig {
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: folder,
    overrides: [
      set('mode', 'live'),
      set('exchange', {
        baseUrl: 'http://127.0.0.1:9',
        credentials: { token: 'a-token' },
        ledgerFolder: join(folder, 'ledgers'),
      }),
      set('strategies', [{ plugin: 'ma-cross', market: 'BTCIRT' }]),
      set('data', { folder }),
    ],
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return { ...reading.config, watchdog: { silentAfterMs: 30, cancelEntriesAfterMs: 40 } };
}

const BEGINNING: RunBeginning = { mode: 'live', instance: 'bot', strategies: [] };

test('reports silence, and that nothing could be canceled where there is no way to the exchange', async () => {
  const standsStill = { pid: 7, wallMs: Date.now, every: () => () => undefined };
  const record = new RunRecord(folder, BEGINNING, standsStill);
  const news: WatchdogNews[] = [];
  const controller = new AbortController();
  await runWatchdog({
    config: config(),
    everyMs: 5,
    signal: controller.signal,
    onNews(one) {
      news.push(one);
      if (one.kind === 'not-canceled') controller.abort();
    },
  });
  record[Symbol.dispose]();
  expect(news.map(({ kind }) => kind)).toEqual(['silent', 'not-canceled']);
  expect(news.every(isTrouble)).toBe(true);
  const [silent = '', failed = ''] = news.map(watchdogText);
  expect(silent).toMatch(/^the bot \(pid \d+\) is silent since .* can fill$/);
  expect(failed).toMatch(/^the entries of the silent bot could not be canceled: .*; it is tried again$/);
});

test('a second watchdog of a folder is refused', async () => {
  const controller = new AbortController();
  const options = { config: config(), onNews: () => undefined, signal: controller.signal, everyMs: 5 };
  const first = runWatchdog(options);
  await expect(runWatchdog(options)).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
  controller.abort();
  await first;
});

test('a record shows why a run ended, and is made anew where somebody deleted it', async () => {
  const record = new RunRecord(folder, BEGINNING);
  expect(readRun(folder).pulse).toMatchObject({ pid: process.pid, endedAtMs: null, failure: null });
  rmSync(join(folder, 'run.json'));
  expect(readRun(folder).pulse).toBeNull();
  await expect.poll(() => readRun(folder).pulse, { timeout: 20_000 }).toMatchObject({ endedAtMs: null });
  record.failure = 'the disk is full';
  record[Symbol.dispose]();
  expect(readRun(folder).pulse).toMatchObject({
    endedAtMs: expect.any(Number),
    failure: 'the disk is full',
  });
});
