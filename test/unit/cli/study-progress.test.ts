import { describe, expect, test } from 'vitest';
import { ProgressReport } from '../../../src/cli/progress-report.ts';
import { StudyProgress, type TrialCounts } from '../../../src/cli/study/study-lines.ts';
import { type StoredTrial } from '../../../src/study/study-rows.ts';

/** Makes a report whose clock the test moves; `lines` are the lines it has written. */
function reporting(): { report: ProgressReport; lines: string[]; pass: (ms: number) => void } {
  const lines: string[] = [];
  let nowMs = 0;
  const report = new ProgressReport({
    form: 'lines',
    write: (text) => void lines.push(text.trim()),
    clock: () => nowMs,
  });
  return {
    report,
    lines,
    pass(ms) {
      nowMs += ms;
    },
  };
}

function trial(number: number, value: number | null): StoredTrial {
  return {
    number,
    point: {},
    params: {},
    outcome:
      value === null
        ? { kind: 'failed', reason: 'it threw' }
        : { kind: 'complete', values: [value], violation: 0 },
    failure: value === null ? 'threw' : null,
    metrics: null,
    daily: null,
  };
}

const DAY_MS = 86_400_000;
const SEEN = { fromMs: 0, toMs: 30 * DAY_MS };
const objectives = [{ metric: 'sharpe', direction: 'maximize' }] as const;

test('says how many trials of a study are done, the best of them, what failed, and how long the rest takes', () => {
  const { report, lines, pass } = reporting();
  report.begin('trials');
  const progress = new StudyProgress(report, { objectives, seen: SEEN, wanted: 10 });
  progress.add(trial(1, 0.5), false);
  progress.add(trial(2, null), false);
  pass(8_000);
  progress.add(trial(3, 1.25), true);
  progress.add(trial(4, 0.75), true);
  expect(lines).toEqual([
    '[##..................] trials: 1, 0.1/s, 12 %, 56 s left, 3 of 10, best sharpe 1.25 (trial 3), failed: 1 threw',
  ]);
  expect(progress.ranNow).toBe(2);
});

test('says no figure of a year of trials that see less than 30 days', () => {
  const { report, lines, pass } = reporting();
  report.begin('trials');
  const seen = { fromMs: 0, toMs: 30 * DAY_MS - 1 };
  const progress = new StudyProgress(report, { objectives, seen, wanted: 10 });
  pass(8_000);
  progress.add(trial(3, 1.25), true);
  expect(lines.join()).toContain('1 of 10, best sharpe (trial 3)');
});

test('of a window tells its own trials, and the time that all windows take', () => {
  const { report, lines, pass } = reporting();
  report.begin('trials');
  const whole: TrialCounts = { wanted: 20, before: 0, ran: 0 };
  const window = (name: string) =>
    new StudyProgress(report, { objectives, seen: SEEN, wanted: 10, part: { name, whole } });
  const first = window('window 1 of 2');
  for (let number = 1; number <= 10; number += 1) first.add(trial(number, 0.5), false);
  const second = window('window 2 of 2');
  pass(3_000);
  second.add(trial(1, 0.25), true);
  expect(lines).toEqual([
    '[##..................] trials: 1, 0.3/s, 10 %, 27 s left, window 2 of 2: 1 of 10, best sharpe 0.25 (trial 1)',
  ]);
  expect(whole).toEqual({ wanted: 20, before: 10, ran: 1 });
});

function reportOn(isTerminal: boolean, columns?: number) {
  const said: string[] = [];
  const clock = { nowMs: 0 };
  const report = new ProgressReport({
    form: isTerminal ? 'terminal' : 'lines',
    write: (text) => void said.push(text),
    clock: () => clock.nowMs,
    ...(columns === undefined ? {} : { columns }),
  });
  return { said, clock, report };
}

describe('progress', () => {
  test('is a line of JSON for a program that reads it, at once and at most twice a second', () => {
    const written: string[] = [];
    let nowMs = 0;
    const report = new ProgressReport({
      form: 'records',
      write: (text) => void written.push(text),
      clock: () => nowMs,
    });
    report.begin('bars');
    for (; nowMs < 1_000; nowMs += 100) report.show({ done: nowMs, share: nowMs / 1_000 });
    report.end();
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
      { progress: { phase: 'bars', done: 0, share: 0, note: null } },
      { progress: { phase: 'bars', done: 500, share: 0.5, note: null } },
    ]);
  });

  test('says nothing of what is over within two seconds', () => {
    const { said, clock, report } = reportOn(true);
    report.begin('bars');
    for (clock.nowMs = 0; clock.nowMs < 2_000; clock.nowMs += 100) {
      report.tick();
      report.show({ done: clock.nowMs, share: 0.5 });
    }
    report.end();
    expect(said).toEqual([]);
  });

  test('is one line of a terminal, with rate and time left, which is taken away in the end', () => {
    const { said, clock, report } = reportOn(true);
    report.begin('loading bars');
    clock.nowMs = 3_000;
    report.tick();
    report.begin('bars');
    clock.nowMs = 5_000;
    report.show({ done: 50_000, share: 0.25 });
    clock.nowMs = 5_100;
    report.show({ done: 52_000, share: 0.26 });
    report.end();
    expect(said).toEqual([
      '\r\u001B[Kloading bars: 3 s',
      '\r\u001B[K[#####...............] bars: 50,000, 25,000/s, 25 %, 6 s left',
      '\r\u001B[K',
    ]);
  });

  test('fits its terminal', () => {
    const { said, clock, report } = reportOn(true, 30);
    report.begin('a phase with a long name, longer than the terminal');
    clock.nowMs = 3_000;
    report.tick();
    report.end();
    expect(said[0]?.replace('\r\u001B[K', '')).toHaveLength(29);
  });

  test('is whole lines elsewhere, less and less often', () => {
    const { said, clock, report } = reportOn(false);
    report.begin('bars');
    for (clock.nowMs = 0; clock.nowMs <= 300_000; clock.nowMs += 500)
      report.show({ done: clock.nowMs, share: clock.nowMs / 300_000 });
    report.end();
    expect(
      said.every((line) => /^\[[#.]{20}\] bars: [\d,]+, 1,000\/s, \d+ %, \d+ (?:s|min) left\n$/.test(line)),
    ).toBe(true);
    // Lines come at 2 s, then after 5, 10, 20 and 40 s more, and then every 60 s.
    const done = said.map((line) => / ([\d,]+),/.exec(line)?.[1]).join(' ');
    expect(done).toBe('2,000 7,000 17,000 37,000 77,000 137,000 197,000 257,000');
  });
});
