import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MachineTimeline, timelyTransport } from '../../../src/venues/machine-timeline.ts';
import type { Transport } from '../../../src/exchange/transport.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const DAY_MS = 86_400_000;

beforeEach(() =>
  vi.useFakeTimers({ now: 5_000, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }),
);
afterEach(() => vi.useRealTimers());

/** Runs an action on a time line; returns after how many ms of real time it ran. */
function doneAt(
  speed: number,
  afterMs: number,
): { readonly times: readonly number[]; readonly cancel: () => void } {
  const line = new MachineTimeline({ startMs: START_MS, speed });
  const times: number[] = [];
  const begunMs = performance.now();
  const cancel = line.at(START_MS + afterMs, () => {
    times.push(performance.now() - begunMs);
  });
  return { times, cancel };
}

describe('the time of the machine', () => {
  test('begins at the given time, and runs at its speed', () => {
    const line = new MachineTimeline({ startMs: START_MS, speed: 10 });
    expect(line.now()).toBe(START_MS);
    vi.advanceTimersByTime(1_234);
    expect(line.now()).toBe(START_MS + 12_340);
  });

  test('does not move with the wall clock when that is stepped', () => {
    const line = new MachineTimeline({ startMs: START_MS, speed: 1 });
    vi.setSystemTime(Date.now() - DAY_MS);
    vi.advanceTimersByTime(100);
    expect(line.now()).toBe(START_MS + 100);
  });

  test.each([
    [1, 1_000, 1_000],
    [10, 1_000, 100],
    [0.5, 1_000, 2_000],
    [10, 1_005, 101],
    [1, 0, 0],
    [1, -5_000, 0],
  ])('at speed %d does what is due after %i ms after %i ms of the wall', (speed, afterMs, wallMs) => {
    const { times } = doneAt(speed, afterMs);
    vi.advanceTimersByTime(10_000);
    expect(times).toEqual([wallMs]);
  });

  test('waits longer than any timer of the machine can', () => {
    const { times } = doneAt(1, 60 * DAY_MS);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(times).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(times).toEqual([60 * DAY_MS]);
  });

  test.each([100, 10 * DAY_MS])('forgets what is canceled, after %i ms too', (passedMs) => {
    const { times, cancel } = doneAt(1, 20 * DAY_MS);
    vi.advanceTimersByTime(passedMs);
    cancel();
    vi.advanceTimersByTime(30 * DAY_MS);
    expect(times).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('never does anything before its time, though timers may end early', () => {
    const line = new MachineTimeline({ startMs: START_MS, speed: 1 });
    const times: number[] = [];
    line.at(START_MS + 100.5, () => times.push(line.now()));
    vi.advanceTimersByTime(200);
    expect(times).toEqual([START_MS + 101]);
  });
});

test('counts the time for which the machine slept, and ends within a minute what is due by then', () => {
  let sleptMs = 0;
  const line = new MachineTimeline({ startMs: START_MS, speed: 1, sleptMs: () => sleptMs });
  const times: number[] = [];
  line.at(START_MS + DAY_MS, () => times.push(line.now()));
  vi.advanceTimersByTime(1_000);
  sleptMs = DAY_MS;
  expect(line.now()).toBe(START_MS + DAY_MS + 1_000);
  vi.advanceTimersByTime(60_000);
  expect(times).toEqual([START_MS + DAY_MS + 60_000]);
});

test('a sleep lasts as long as its speed says', async () => {
  vi.useRealTimers();
  const line = new MachineTimeline({ startMs: START_MS, speed: 1_000 });
  await line.sleep(10_000);
  expect(line.now()).toBeGreaterThanOrEqual(START_MS + 5_000);
  await line.sleep(-1);
});

const HOUR_MS = 3_600_000;
const NOON_MS = Date.parse('2026-11-21T12:00:00Z');
const REQUEST = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 1_000 } as const;

/** Returns how far the bot's time, which began at noon, leaps after a reply, in whole minutes. */
async function leapOf({ machineMs, date }: { machineMs: number; date: number | null }) {
  const headers = date === null ? {} : { date: new Date(date).toUTCString() };
  const inner: Transport = {
    send: async () => ({ status: 200, headers, body: '{}' }),
    close: async () => {},
  };
  const time = new MachineTimeline({ startMs: NOON_MS, speed: 1 });
  const said: string[] = [];
  const transport = timelyTransport(inner, {
    time,
    wallMs: () => machineMs,
    log: (line) => said.push(line),
  });
  await transport.send(REQUEST);
  expect(said).toHaveLength(time.now() - NOON_MS > HOUR_MS / 2 ? 1 : 0);
  return Math.round((time.now() - NOON_MS) / 60_000);
}

test.each([
  ['where the machine and the exchange agree on a later time', NOON_MS + HOUR_MS, NOON_MS + HOUR_MS, 60],
  ['not where only the machine says so', NOON_MS + HOUR_MS, NOON_MS, 0],
  ['not where only the exchange says so', NOON_MS, NOON_MS + HOUR_MS, 0],
  ['not where they say different times', NOON_MS + HOUR_MS, NOON_MS + 2 * HOUR_MS, 0],
  ['not back, where both are earlier', NOON_MS - HOUR_MS, NOON_MS - HOUR_MS, 0],
  ['not for some seconds', NOON_MS + 8_000, NOON_MS + 8_000, 0],
  ['not where the reply has no time', NOON_MS + HOUR_MS, null, 0],
])('the time of a bot leaps %s', async (_where, machineMs, date, minutes) => {
  expect(await leapOf({ machineMs, date })).toBe(minutes);
});
