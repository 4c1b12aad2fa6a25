import { expect, test } from 'vitest';
import type { Pulse } from '../../../../src/daemon/run-record.ts';
import {
  afterCancel,
  afterPoll,
  beginWatch,
  MOST_ATTEMPTS,
  type WatchRule,
} from '../../../../src/daemon/watchdog.ts';

const SECOND_MS = 1_000;
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
