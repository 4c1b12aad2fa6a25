import { expect, test } from 'vitest';
import type { CanceledEntries } from '../../../../src/daemon/cancel-entries.ts';
import {
  MOST_ATTEMPTS,
  Watchdog,
  type WatchdogNews,
  runWatchdog,
  isTrouble,
  watchdogText,
  afterCancel,
  afterPoll,
  beginWatch,
  type WatchRule,
} from '../../../../src/daemon/watchdog.ts';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readRun, RunRecord, type RunBeginning, type Pulse } from '../../../../src/daemon/run-record.ts';
import { configWith } from '../../../support/embedded-bot.ts';
import type { BotConfig } from '../../../../src/daemon/create-bot-config.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const RULE: WatchRule = { silentAfterMs: 60_000, cancelEntriesAfterMs: 90_000 };
const PULSE: Pulse = { pid: 7, sinceMs: 0, beatMs: 0, endedAtMs: null, failure: null };

type Beat = (second: number) => Pulse | null;

/** Polls every second; returns the steps taken, each with its second. `isAsleep`: seconds without a poll. */
function looks(of: {
  readonly seconds: number;
  readonly pulseAt: Beat;
  readonly rule?: WatchRule;
  readonly isAsleep?: (second: number) => boolean;
  readonly isCanceled?: boolean;
}): readonly string[] {
  const { seconds, pulseAt, rule = RULE, isAsleep = () => false, isCanceled = true } = of;
  let watch = beginWatch({ steadyMs: 0, pulse: pulseAt(0) });
  const done: string[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    if (isAsleep(second)) continue;
    const [next, step] = afterPoll(watch, { steadyMs: second * SECOND_MS, pulse: pulseAt(second) }, rule);
    watch = step.kind === 'cancel-entries' && isCanceled ? afterCancel(next) : next;
    if (step.kind !== 'none') done.push(`${second} ${step.kind}`);
  }
  return done;
}

/** Makes a loop that turns each second until `untilSecond`, and again from `fromSecond` on. */
const beating =
  (untilSecond: number, fromSecond = Number.POSITIVE_INFINITY): Beat =>
  (second) => ({
    ...PULSE,
    beatMs: second < fromSecond ? Math.min(second, untilSecond) : second,
  });

test('says nothing of a bot whose loop turns, but that it began', () => {
  expect(looks({ seconds: 3_600, pulseAt: beating(Number.POSITIVE_INFINITY) })).toEqual(['1 began']);
});

test('reports a silence once, cancels once, and says when the bot is back', () => {
  expect(looks({ seconds: 400, pulseAt: beating(10, 300) })).toEqual([
    '1 began',
    '70 silent',
    '100 cancel-entries',
    '300 back',
  ]);
});

test('cancels nothing where that is not configured, and nothing of a bot that is back in time', () => {
  const rule = { ...RULE, cancelEntriesAfterMs: null };
  expect(looks({ seconds: 9_000, pulseAt: beating(10), rule })).toEqual(['1 began', '70 silent']);
  expect(looks({ seconds: 300, pulseAt: beating(10, 99) })).toEqual(['1 began', '70 silent', '99 back']);
});

test('tries again what could not be canceled, ever later, and not for ever', () => {
  const tries = looks({ seconds: 86_400, pulseAt: beating(10), isCanceled: false }).slice(2);
  expect(tries.slice(0, 3)).toEqual(['100 cancel-entries', '130 cancel-entries', '190 cancel-entries']);
  expect(tries).toHaveLength(MOST_ATTEMPTS);
});

test('takes neither its own sleep nor that of the machine for a silence of the bot', () => {
  expect(
    looks({
      seconds: 4_100,
      pulseAt: (second) => ({ ...PULSE, beatMs: second < 20 || second >= 4_020 ? second : 20 }),
      isAsleep: (second: number): boolean => second > 20 && second < 4_000,
    }),
  ).toEqual(['1 began']);
});

test('looks once more before it cancels, where it slept itself', () => {
  const done = looks({
    seconds: 300,
    pulseAt: beating(10, 201),
    isAsleep: (second: number): boolean => second > 80 && second < 200,
  });
  expect(done).toEqual(['1 began', '70 silent', '201 back']);
});

test('takes a stepped wall clock for no silence and no beat of another run', () => {
  expect(
    looks({ seconds: 200, pulseAt: (second) => ({ ...PULSE, beatMs: second + (second > 50 ? -3_600 : 0) }) }),
  ).toEqual(['1 began']);
});

test('reports a folder in which no bot ever showed itself, and cancels nothing there', () => {
  expect(looks({ seconds: 500, pulseAt: () => null })).toEqual(['60 silent']);
});

test('takes a file that is gone for silence, and cancels nothing, since the bot may live', () => {
  expect(
    looks({ seconds: 300, pulseAt: (second) => (second < 10 ? { ...PULSE, beatMs: second } : null) }),
  ).toEqual(['1 began', '69 silent']);
});

test('says that a run ended and begins anew with the next one', () => {
  expect(
    looks({
      seconds: 600,
      pulseAt: (second) =>
        second < 10
          ? { ...PULSE, beatMs: second }
          : second < 500
            ? { ...PULSE, beatMs: 10, endedAtMs: 10 }
            : { ...PULSE, pid: 8, beatMs: second },
    }),
  ).toEqual(['1 began', '10 ended', '500 began']);
});

const SECOND_MS = 1_000;
const NOTHING: CanceledEntries = { canceled: [], kept: [], left: [], unseen: [], isBack: false };

test('counts only tries that begin, however long one of them takes', async () => {
  let steadyMs = 0;
  let tries = 0;
  const news: WatchdogNews[] = [];
  const hanging = Promise.withResolvers<CanceledEntries>();
  const watchdog = new Watchdog({
    rule: { silentAfterMs: 10 * SECOND_MS, cancelEntriesAfterMs: 20 * SECOND_MS },
    readPulse: () => ({ pid: 1, sinceMs: 0, beatMs: 1, endedAtMs: null, failure: null }),
    steadyMs: () => steadyMs,
    cancel: async () => {
      tries += 1;
      if (tries === 1) return hanging.promise;
      if (tries < MOST_ATTEMPTS) throw new Error('locked out');
      return NOTHING;
    },
    onNews: (one) => news.push(one),
  });
  const look = async (forMs: number): Promise<void> => {
    for (const untilMs = steadyMs + forMs; steadyMs < untilMs;) {
      steadyMs += 5 * SECOND_MS;
      watchdog.poll();
      if (tries !== 1) await watchdog.rest();
    }
  };
  // Longer than all waits between the attempts together.
  await look(10_000 * SECOND_MS);
  expect(tries).toBe(1);
  hanging.reject(new Error('no answer'));
  await watchdog.rest();
  await look(10_000 * SECOND_MS);
  expect(tries).toBe(MOST_ATTEMPTS);
  expect(news.at(-1)).toMatchObject({ kind: 'canceled' });
});

const folder = folderOfEachTest();

/** Makes the configuration of a bot whose exchange does not listen, with short times of its watchdog. */
function config(): BotConfig {
  const made = configWith({
    mode: 'live',
    exchange: {
      baseUrl: 'http://127.0.0.1:9',
      credentials: { token: 'a-token' },
      ledgerFolder: join(folder, 'ledgers'),
    },
    strategies: [{ plugin: 'ma-cross', market: 'BTCIRT' }],
    data: { folder },
  });
  return { ...made, watchdog: { silentAfterMs: 30, cancelEntriesAfterMs: 40 } };
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
