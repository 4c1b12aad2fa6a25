import { expect, test, describe } from 'vitest';
import { runSuite } from '../../../src/fuzz/run-suite.ts';
import type { EngineEvent } from '../../../src/engine/engine-event.ts';
import { EventLog } from '../../../src/fuzz/event-log.ts';

test('a suite of seeds ends at once on an abort', async () => {
  const stopped = new AbortController();
  stopped.abort();
  const suite = await runSuite({
    firstSeed: 3,
    seeds: 1_000,
    hours: 0.05,
    jobs: 2,
    failFast: false,
    twice: false,
    onSeed: () => {},
    signal: stopped.signal,
  });
  expect(suite.outcomes).toEqual([]);
});

const LONG = 'x'.repeat(1_000);

const answerWith = (name: string): EngineEvent => ({
  kind: 'answer',
  requestId: 1,
  atMs: 0,
  sentAtMs: 0,
  answer: { outcome: 'failed', code: 'TIMED_OUT', message: `${LONG} ${name} ${LONG}`, effect: 'none' },
});

describe('the event log', () => {
  test('keeps the last two hundred lines, with their time', () => {
    const log = new EventLog(1_000);
    for (let index = 0; index < 1_000; index += 1) log.log(1_000 + index, `event ${index}`);
    expect(log.lines()).toHaveLength(200);
    expect(log.lines()[0]).toBe('+0.800 event 800');
    expect(log.lines().at(-1)).toBe('+0.999 event 999');
  });

  test('shows what was there when it was frozen first, whatever comes after', () => {
    const log = new EventLog(0);
    log.log(0, 'before');
    log.freeze();
    log.log(1, 'after');
    log.freeze();
    expect(log.lines()).toEqual(['+0.000 before']);
  });

  test('keeps only what has a name that is looked for, and of a long text the place of it', () => {
    const log = new EventLog(0, ['bot-a-1', '4711']);
    const nothing = { requests: [], changes: [], notices: [], wakeAtMs: 0, isDurable: false };
    for (const name of ['bot-a-12', 'bot-a-1', '47110']) log.step(answerWith(name), nothing, 0);
    log.log(0, 'order 4711 is gone');
    log.freeze();
    log.log(1, 'bot-a-1 again');
    const lines = log.lines();
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(' bot-a-1 ');
    expect(lines[0]?.length).toBeLessThan(500);
    expect(lines.slice(1)).toEqual(['+0.000 order 4711 is gone', '+0.001 bot-a-1 again']);
  });
});
