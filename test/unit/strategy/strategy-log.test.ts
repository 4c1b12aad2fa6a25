import { describe, expect, test } from 'vitest';
import { StrategyLog } from '../../../src/strategy/strategy-port.ts';

const HOUR_MS = 3_600_000;

describe('the log of a strategy', () => {
  test('gives each line once, with fields as plain JSON', () => {
    const log = new StrategyLog();
    log.begin(0);
    log.add('wide', { spread: 12n, at: new Date(0), none: undefined });
    log.add('list', [1]);
    log.add(5);
    expect(log.drain()).toEqual([
      { text: 'wide', fields: { spread: '12', at: '1970-01-01T00:00:00.000Z' } },
      { text: 'list', fields: { value: [1] } },
      { text: '5', fields: null },
    ]);
    expect(log.drain()).toEqual([]);
  });

  test('keeps 20 lines a call and counts the others', () => {
    const log = new StrategyLog();
    for (let call = 0; call < 2; call += 1) {
      log.begin(call);
      for (let line = 0; line < 25; line += 1) log.add(`line ${line}`);
      const lines = log.drain();
      expect(lines).toHaveLength(21);
      expect(lines.at(-1)?.text).toBe('… expected at most 20 a call: 5 more were dropped');
    }
  });

  test('keeps 1000 lines an hour, says so once, and begins anew with the next hour of the run', () => {
    const log = new StrategyLog();
    const textsOfHour = (hour: number): readonly string[] => {
      const texts: string[] = [];
      for (let call = 0; call < 200; call += 1) {
        log.begin(hour * HOUR_MS + call);
        for (let line = 0; line < 10; line += 1) log.add('line');
        texts.push(...log.drain().map(({ text }) => text));
      }
      return texts;
    };
    for (const hour of [5, 6]) {
      const texts = textsOfHour(hour);
      expect(texts.filter((text) => text === 'line')).toHaveLength(1_000);
      expect(texts.filter((text) => text !== 'line')).toEqual([
        '… expected at most 1000 an hour: the rest of this hour is dropped',
      ]);
    }
  });

  test('cuts what is long, and takes what can not be said', () => {
    const log = new StrategyLog();
    const round: Record<string, unknown> = {};
    round['self'] = round;
    log.begin(0);
    log.add('x'.repeat(600), { long: 'y'.repeat(2_000) });
    log.add(Object.create(null), round);
    const [long, odd] = log.drain();
    expect(long?.text).toHaveLength(501);
    expect(JSON.stringify(long?.fields).length).toBeLessThan(1_200);
    expect(odd).toEqual({
      text: 'something that can not be said',
      fields: { cut: 'fields that are no JSON' },
    });
  });
});
