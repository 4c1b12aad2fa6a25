import { describe, expect, test } from 'vitest';
import { ProgressReport } from '../../../src/cli/progress-report.ts';

function reportOn(isTerminal: boolean, columns?: number) {
  const said: string[] = [];
  const clock = { nowMs: 0 };
  const report = new ProgressReport({
    isTerminal,
    write: (text) => void said.push(text),
    clock: () => clock.nowMs,
    ...(columns === undefined ? {} : { columns }),
  });
  return { said, clock, report };
}

describe('progress', () => {
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
    for (clock.nowMs = 0; clock.nowMs <= 300_000; clock.nowMs += 500) {
      report.show({ done: clock.nowMs, share: clock.nowMs / 300_000 });
    }
    report.end();
    expect(
      said.every((line) => /^\[[#.]{20}\] bars: [\d,]+, 1,000\/s, \d+ %, \d+ (?:s|min) left\n$/.test(line)),
    ).toBe(true);
    // At 2 s, then after 5, 10, 20, 40 and then each 60 seconds.
    expect(said.map((line) => / ([\d,]+),/.exec(line)?.[1])).toEqual([
      '2,000',
      '7,000',
      '17,000',
      '37,000',
      '77,000',
      '137,000',
      '197,000',
      '257,000',
    ]);
  });
});
