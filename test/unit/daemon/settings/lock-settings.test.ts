import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configOf, problemsOf } from './bot-config-reading.ts';

const HOUR_MS = 3_600_000;

test('the page about locks has rules that can be read', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/locks.md', 'utf8')) ?? [];
  const { locks, strategies } = configOf(yaml);
  expect(locks.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'cooldown cooldown',
    'stops stops',
    'low-profit low-profit',
    'night hours',
    'nowruz dates',
  ]);
  expect(locks[1]).toMatchObject({ stops: 3, withinMs: 6 * HOUR_MS, forMs: 12 * HOUR_MS, reach: 'all' });
  expect(locks[2]).toMatchObject({ belowMillionths: -5_000, trades: 4 });
  expect(strategies[0]?.locks).toMatchObject([{ name: 'drawdown', fallMillionths: 50_000, reach: 'all' }]);
});

test('rules of one kind have names of their own', () => {
  const { locks } = configOf('locks: [{ kind: cooldown, for: 1h }, { kind: cooldown, for: 2h }]');
  expect(locks.map(({ name, entries }) => `${name} ${entries}`)).toEqual([
    'cooldown cancel',
    'cooldown-2 cancel',
  ]);
});

describe('a rule that can not be', () => {
  test.each([
    ['{ kind: cooldown }', 'locks[0].for', 'expected a length of time'],
    ['{ kind: cooldown, for: 0s }', 'locks[0].for', 'expected a length of time from 1s to 366d'],
    ['{ kind: cooldown, for: 100y }', 'locks[0].for', 'was "100y"'],
    ['{ kind: stops, stops: 0, within: 1h, for: 1h }', 'locks[0].stops', '1'],
    ['{ kind: drawdown, percent: 101, within: 1h, for: 1h }', 'locks[0].percent', '100'],
    ['{ kind: drawdown, percent: 0.00001, within: 1h, for: 1h }', 'locks[0].percent', '0.0001'],
    ['{ kind: hours, open: ["09:00-25:00"] }', 'locks[0].open[0]', 'was "09:00-25:00"'],
    ['{ kind: hours, open: ["09:00-09:00"] }', 'locks[0].open[0]', 'expected trading hours'],
    ['{ kind: hours, open: ["09:00-10:00"], days: [friday] }', 'locks[0].days[0]', '"fri"'],
    ['{ kind: dates, closed: ["1404/12/30"] }', 'locks[0].closed[0]', 'a date that exists in the Jalali'],
    ['{ kind: dates, closed: ["1405/01/05..1405/01/01"] }', 'locks[0].closed[0]', 'the second date after'],
    ['{ kind: cooldown, for: 1h, name: hand }', 'locks[0].name', '"hand" is for locks by hand'],
    ['{ kind: cooldown, for: 1h, entries: sell }', 'locks[0].entries', '"cancel"'],
    ['{ kind: news, for: 1h }', 'locks[0].kind', 'cooldown'],
  ])('%s is refused at its place', (rule, path, part) => {
    const [problem = ''] = problemsOf(`locks:\n  - ${rule}\n`);
    expect(problem).toContain('bot.yaml:2:');
    expect(problem).toContain(path);
    expect(problem).toContain(part);
  });

  test('is one whose name another has', () => {
    const rules =
      'locks:\n  - { kind: cooldown, name: a, for: 1h }\n  - { kind: cooldown, name: a, for: 2h }\n';
    expect(problemsOf(rules)[0]).toContain('locks[0] is a too');
  });
});

test('leap days and Persian digits are read', () => {
  const { locks } = configOf('locks: [{ kind: dates, closed: ["۱۴۰۳/۱۲/۳۰"] }]');
  expect(locks[0]).toMatchObject({
    calendar: {
      closed: [{ fromMs: Date.parse('2025-03-19T20:30Z'), toMs: Date.parse('2025-03-20T20:30Z') }],
    },
  });
});
