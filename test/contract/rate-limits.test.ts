import { describe, expect, test } from 'vitest';
import type { LimitSettings } from '../../src/simulator/rate-limits.ts';
import { LIMITS, type LimitRow } from './limits-table.ts';
import { SAMPLE_REQUESTS } from './sample-requests.ts';
import { RawVenue, type RawOptions, type RawReply } from './wire/raw-venue.ts';
import { BOB_TOKEN } from './world.ts';

const HOUR_MS = 3_600_000;

const rows = LIMITS.map((row) => [`${row.method} ${row.path}`, row] as const);

function rowOf(endpoint: string): LimitRow {
  const row = LIMITS.find(({ endpoints }) => endpoints.includes(endpoint));
  if (row === undefined) throw new Error(`expected a row for ${endpoint}`);
  return row;
}

/** Creates a venue that enforces its limits. */
const strictVenue = (limits: Partial<LimitSettings> = {}): RawVenue =>
  new RawVenue({ limits: { enabled: true, ...limits } });

function ask(venue: RawVenue, endpoint: string, options: RawOptions = {}): RawReply {
  const sample = SAMPLE_REQUESTS[endpoint];
  if (sample === undefined) throw new Error(`expected a sample request for ${endpoint}`);
  return venue.send(sample.request, {
    ...(sample.body === undefined ? {} : { body: sample.body }),
    ...options,
  });
}

const isLimited = ({ status }: RawReply): boolean => status === 403 || status === 429;

/** Sends requests to the row's endpoints in turn until one is refused; returns how many were accepted. */
function countAdmitted(
  venue: RawVenue,
  row: LimitRow,
  options: RawOptions & { readonly stepMs?: number } = {},
): number {
  for (let count = 0; count <= row.limit + 1; count += 1) {
    const endpoint = row.endpoints[count % row.endpoints.length] ?? '';
    if (isLimited(ask(venue, endpoint, options))) return count;
    venue.nowMs += options.stepMs ?? 0;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the most of these times that lie in any window. */
function mostInAnyWindow(timesMs: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while ((timesMs[first] ?? 0) <= timeMs - windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('a lockout', () => {
  test.each(rows)('%s lets in its limit at once and no more', (_, row) => {
    expect(countAdmitted(strictVenue(), row)).toBe(row.limit);
  });

  test.each(rows)('%s lets in its limit spread over the window and no more', (_, row) => {
    const stepMs = Math.floor((row.windowMs - 1) / row.limit);
    expect(countAdmitted(strictVenue(), row, { stepMs })).toBe(row.limit);
  });

  test.each(rows)('%s closes for an hour', (_, row) => {
    const venue = strictVenue();
    countAdmitted(venue, row);
    const endpoint = row.endpoints[0] ?? '';
    venue.nowMs += HOUR_MS - 1;
    expect(ask(venue, endpoint).status).toBe(403);
    venue.nowMs += 1;
    expect(isLimited(ask(venue, endpoint))).toBe(false);
  });

  test('states the limit and the wait in body and header', () => {
    const venue = strictVenue();
    const row = rowOf('publicTrades');
    countAdmitted(venue, row);
    const { status, json, headers } = ask(venue, 'publicTrades');
    expect(status).toBe(403);
    expect(json).toMatchObject({ limit: 15, backOff: 3600 });
    expect(headers['retry-after']).toBe('3600');
  });

  test('lasts 1, 2, 4, 8, 16 and then always 24 hours when it is earned again at once', () => {
    const venue = strictVenue();
    const row = rowOf('ordersList');
    const hours = Array.from({ length: 7 }, () => {
      expect(countAdmitted(venue, row)).toBe(row.limit);
      const { json } = ask(venue, 'ordersList');
      const { backOff } = json as { readonly backOff: number };
      venue.nowMs += backOff * 1000;
      return backOff / 3600;
    });
    expect(hours).toEqual([1, 2, 4, 8, 16, 24, 24]);
  });

  test('of a private call belongs to the token, wherever it comes from', () => {
    const venue = strictVenue();
    while (!isLimited(ask(venue, 'ordersList')));
    expect(ask(venue, 'ordersList', { ip: '203.0.113.9' }).status).toBe(403);
    expect(ask(venue, 'ordersList', { token: BOB_TOKEN }).status).toBe(200);
  });

  test('of a public call belongs to the address, whoever asks', () => {
    const venue = strictVenue();
    while (!isLimited(ask(venue, 'orderBook', { token: null })));
    expect(ask(venue, 'orderBook', { token: BOB_TOKEN }).status).toBe(403);
    expect(ask(venue, 'allOrderBooks', { token: null }).status).toBe(403);
    expect(ask(venue, 'orderBook', { token: null, ip: '203.0.113.9' }).status).toBe(200);
  });

  test('of one budget leaves the others open', () => {
    const venue = strictVenue();
    while (!isLimited(ask(venue, 'favoriteMarkets')));
    expect(ask(venue, 'addFavoriteMarkets').status).toBe(200);
    expect(ask(venue, 'removeFavoriteMarkets').status).toBe(200);
    expect(ask(venue, 'ordersList').status).toBe(200);
  });
});

describe('backing off with 429, by setting', () => {
  test.each(rows)('%s shows exactly its limit in the busiest window of a storm', (_, row) => {
    const venue = strictVenue({ exceeded: 'back-off' });
    const stepMs = Math.max(1, Math.floor(row.windowMs / row.limit / 3));
    const endMs = venue.nowMs + 2.5 * row.windowMs;
    const admitted: number[] = [];
    for (let turn = 0; venue.nowMs < endMs; turn += 1) {
      const reply = ask(venue, row.endpoints[turn % row.endpoints.length] ?? '');
      if (reply.status === 429)
        expect(reply.json).toMatchObject({ code: 'TooManyRequests', limit: row.limit });
      else admitted.push(venue.nowMs);
      venue.nowMs += stepMs;
    }
    expect(mostInAnyWindow(admitted, row.windowMs)).toBe(row.limit);
    expect(admitted.length).toBeGreaterThanOrEqual(2 * row.limit);
  });

  test('names a wait after which a request is let in, and before which none is', () => {
    const venue = strictVenue({ exceeded: 'back-off' });
    let reply = ask(venue, 'transfer');
    while (!isLimited(reply)) {
      venue.nowMs += 1500;
      reply = ask(venue, 'transfer');
    }
    const { backOff } = reply.json as { readonly backOff: number };
    expect(reply.headers['retry-after']).toBe(String(backOff));
    venue.nowMs += (backOff - 1) * 1000;
    expect(ask(venue, 'transfer').status).toBe(429);
    venue.nowMs += 1000;
    expect(isLimited(ask(venue, 'transfer'))).toBe(false);
  });
});

describe('bad tokens', () => {
  const bad = { token: 'nobodys-token', ip: '203.0.113.66' };

  test('block an address at the 101st within 30 minutes, for every call of it', () => {
    const venue = strictVenue();
    for (let count = 0; count < 100; count += 1) {
      expect(ask(venue, 'profile', bad).status).toBe(401);
      venue.nowMs += 1000;
    }
    expect(ask(venue, 'profile', { ip: bad.ip }).status).toBe(200);
    ask(venue, 'profile', bad);
    expect(ask(venue, 'profile', { ip: bad.ip }).status).toBe(403);
    expect(ask(venue, 'orderBook', { token: null, ip: bad.ip }).status).toBe(403);
    expect(ask(venue, 'profile').status).toBe(200);
  });

  test('do not block when they are far enough apart', () => {
    const venue = strictVenue();
    for (let count = 0; count < 150; count += 1) {
      expect(ask(venue, 'profile', bad).status).toBe(401);
      venue.nowMs += 18_000;
    }
    expect(ask(venue, 'profile', { ip: bad.ip }).status).toBe(200);
  });
});

test('the request log agrees: who asked for what and when, and what each got', () => {
  const venue = strictVenue();
  countAdmitted(venue, rowOf('tradesList'), { stepMs: 10 });
  ask(venue, 'orderBook', { token: null });
  ask(venue, 'profile', { token: 'nobodys-token', ip: '203.0.113.66' });
  const log = venue.adapter.log.values();
  const trades = log.filter(({ endpoint }) => endpoint === 'tradesList');
  expect(trades.map(({ status }) => status)).toEqual([...Array.from({ length: 30 }, () => 200), 403]);
  expect(trades.map(({ timeMs }) => timeMs - (trades[0]?.timeMs ?? 0))).toEqual(
    trades.map((_, index) => index * 10),
  );
  expect(new Set(trades.map(({ budget }) => budget)).size).toBe(1);
  expect(new Set(trades.map(({ credentialId }) => credentialId)).size).toBe(1);
  expect(trades.every(({ credentialId }) => credentialId !== null)).toBe(true);
  expect(log.at(-2)).toMatchObject({
    endpoint: 'orderBook',
    credentialId: null,
    ip: '198.51.100.7',
    status: 200,
  });
  expect(log.at(-1)).toMatchObject({
    endpoint: 'profile',
    credentialId: null,
    ip: '203.0.113.66',
    status: 401,
  });
});

test('a limit that the settings change is the one that counts', () => {
  const venue = strictVenue({ overrides: { 'orders/list': { limit: 3 } } });
  for (let count = 0; count < 3; count += 1) expect(ask(venue, 'ordersList').status).toBe(200);
  expect(ask(venue, 'ordersList').status).toBe(403);
});
