import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { LimitedExchangeClient } from '../../../src/library/limited-exchange-client.ts';

const CALLS = 200;
const BOOK = JSON.stringify({ status: 'ok', lastUpdate: 1, bids: [], asks: [] });

/** Answers late; every seventh request is never answered, every fifth with a 500. */
function createSlowServer(): Server {
  let count = 0;
  return createServer((request, response) => {
    const number = (count += 1);
    request.resume();
    if (number % 7 === 0) return;
    setTimeout(() => {
      response.statusCode = number % 5 === 0 ? 500 : 200;
      response.end(number % 5 === 0 ? '{}' : BOOK);
    }, 10);
  });
}

describe(`${CALLS} calls of one client with one signal at a slow exchange`, () => {
  let server: Server;
  let warnings: Error[];
  const keep = (warning: Error): void => void warnings.push(warning);

  beforeEach(async () => {
    warnings = [];
    process.on('warning', keep);
    server = createSlowServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    process.off('warning', keep);
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['with limits of its own', { 'v2/orderbook': { limit: 1_000, windowMs: 60_000 } }],
    ['without limits', 'none'],
  ] as const)('end in an answer or an error and leave no listener and no warning, %s', async (_, limits) => {
    const { port } = server.address() as AddressInfo;
    const retry = { attempts: 3, baseMs: 1, maxMs: 5 };
    const client = new LimitedExchangeClient({
      baseUrl: `http://127.0.0.1:${port}`,
      limits,
      maxWaitMs: 1_000,
      retry,
    });
    const { signal } = new AbortController();
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, () =>
        client.orderBook({ symbol: 'BTCIRT' }, { signal, timeoutMs: 100 }).then(
          () => 'answered',
          (error: unknown) => (error instanceof SarrafError ? error.code : String(error)),
        ),
      ),
    );
    await client.close();
    // A warning comes in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    const known = new Set(['answered', 'TIMED_OUT', 'SERVER_ERROR', 'RATE_LIMITED', 'CONNECTION_LOST']);
    expect(outcomes.filter((outcome) => !known.has(outcome))).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
