import { describe, expect, it, test } from 'vitest';
import { ClockWatch, watchedTransport } from '../../../src/daemon/run/clock-watch.ts';
import type { RequestTimes, Transport } from '../../../src/exchange/transport.ts';
import { startNode } from '../../support/sarraf-process.ts';

const module = JSON.stringify(new URL('../../../src/daemon/run/clock-watch.ts', import.meta.url).href);

test('an uncaught error asks for the end once, is reported a few times, and is thrown when the run has ended', async () => {
  const script = `
    import { CrashWatch } from ${module};
    const notices = [];
    const watch = new CrashWatch((notice) => notices.push(notice));
    watch.begin();
    void Promise.reject(new Error('lost'));
    for (let n = 0; n < 20; n += 1) setImmediate(() => { throw new Error('again ' + n); });
    await new Promise((resolve) => setTimeout(resolve, 200));
    let thrown = null;
    try { watch.throwIfCrashed(); } catch (error) { thrown = error.message; }
    watch.end();
    console.log(JSON.stringify({ aborted: watch.signal.aborted, thrown, notices }));`;
  const { code, out, error } = await startNode(['--input-type=module', '--eval', script]).finished;
  expect([code, error]).toEqual([0, '']);
  const { aborted, thrown, notices } = JSON.parse(out) as {
    readonly aborted: boolean;
    readonly thrown: string;
    readonly notices: readonly { readonly message: string; readonly details: { readonly stack: string } }[];
  };
  expect([aborted, thrown]).toEqual([true, 'lost']);
  expect(notices).toHaveLength(5);
  expect(notices[0]?.message).toBe('an error was not caught, so the run ends: lost');
  expect(notices[0]?.details.stack).toContain('Error: lost');
  expect(notices[4]?.message).toMatch(/; further ones are not reported$/);
});

const DATE = 'Sat, 21 Nov 2026 12:00:00 GMT';
const DATE_MS = Date.parse(DATE);

/** Returns the warning for a reply dated noon whose request left at an offset from noon and took a second. */
function said(offsetMs: number, headers: Readonly<Record<string, string>> = { date: DATE }): string | null {
  const sentMs = DATE_MS + offsetMs;
  return new ClockWatch().apply({ headers }, both({ sentMs, receivedMs: sentMs + 1_000 }));
}

/** Times of a request by both clocks, where the machine's clock and the bot's own agree. */
const both = (times: RequestTimes) => ({ machine: times, own: times });

/** Returns the warning at noon if the machine's clock is right and the bot's own is ahead by `aheadMs`. */
function saidOfOwn(aheadMs: number): string | null {
  const own = { sentMs: DATE_MS + aheadMs, receivedMs: DATE_MS + aheadMs };
  const machine = { sentMs: DATE_MS, receivedMs: DATE_MS };
  return new ClockWatch().apply({ headers: { date: DATE } }, { machine, own });
}

describe('the watch over the clock', () => {
  it('says nothing of a clock that is right within some seconds, whichever way', () => {
    for (const offsetMs of [0, 900, 10_900, -10_900]) expect(said(offsetMs)).toBeNull();
  });

  it('says by how much a clock is wrong, and what comes of it', () => {
    expect(said(3_601_000)).toBe(
      "this machine's clock is 60 min ahead of the exchange's: data looks older than it is, and signed calls may be refused; set the clock",
    );
    expect(said(-31_000)).toMatch(/is 30 s behind the exchange's: data looks newer/);
  });

  it('takes what a cache kept for as old as the cache says', () => {
    expect(said(300_000, { date: DATE, age: '300' })).toBeNull();
    expect(said(300_000, { date: DATE, age: '0' })).not.toBeNull();
  });

  it('says nothing where a reply has no time that can be read', () => {
    for (const headers of [{}, { date: 'noon' }, { date: DATE, age: 'old' }])
      expect(said(9_000_000, headers)).toBeNull();
  });

  it('says it once an hour while it stays wrong, and once that it is right again', () => {
    const watch = new ClockWatch();
    const at = (minutes: number, wrongByMs: number): string | null => {
      const nowMs = DATE_MS + minutes * 60_000;
      const headers = { date: new Date(nowMs - wrongByMs).toUTCString() };
      return watch.apply({ headers }, both({ sentMs: nowMs, receivedMs: nowMs }));
    };
    expect([0, 1, 59, 60, 61].filter((minutes) => at(minutes, 60_000) !== null)).toEqual([0, 60]);
    expect(at(62, 0)).toBe("this machine's clock agrees with the exchange's again");
    expect(at(63, 0)).toBeNull();
    expect(at(122, 60_000)).not.toBeNull();
  });

  it('does not say it at each reply where one of two servers is wrong', () => {
    const watch = new ClockWatch();
    const said = Array.from({ length: 20 }, (_, index) => {
      const nowMs = DATE_MS + index * 1_000;
      const headers = { date: new Date(nowMs - (index % 2) * 60_000).toUTCString() };
      return watch.apply({ headers }, both({ sentMs: nowMs, receivedMs: nowMs }));
    });
    expect(said.filter((message) => message !== null)).toHaveLength(2);
  });

  it('says that the bot is ahead where the machine was set back under it, and leaves one behind to others', () => {
    expect(saidOfOwn(7_201_000)).toBe(
      "the bot's time is 2 h ahead of the exchange's, since this machine's clock was set back after the start: what it notes down has a time that is too late; start the bot again",
    );
    expect(saidOfOwn(-7_201_000)).toBeNull();
  });

  it('hands replies on as they are', async () => {
    const heard: string[] = [];
    const response = { status: 200, headers: { date: DATE }, body: '{}' };
    const inner: Transport = { send: async () => response, close: async () => {} };
    const transport = watchedTransport(
      new ClockWatch(),
      (message) => heard.push(message),
      () => DATE_MS + 60_000,
    )(inner, () => 0);
    const request = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 1 } as const;
    expect(await transport.send(request)).toBe(response);
    expect(heard).toHaveLength(1);
    await transport.close();
  });
});
