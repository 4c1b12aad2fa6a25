import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/exchange/transport.ts';
import { timelyTransport, MachineTimeline } from '../../../../src/venues/machine-timeline.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.parse('2026-11-21T12:00:00Z');
const REQUEST = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 1_000 } as const;

/** By how much the bot's own time, begun at noon, has leapt after a reply, in whole minutes. */
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
    say: (line) => said.push(line),
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
