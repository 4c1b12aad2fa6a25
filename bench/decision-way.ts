import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RequestLimiter } from '../src/budget/limiter.ts';
import { monotonicMs } from '../src/budget/process-owner.ts';
import { LedgerStore } from '../src/budget/store.ts';
import { createVenueCaller, sendRequest } from '../src/venues/venue-caller.ts';
import { parseUnits } from '../src/domain/money.ts';
import type { VenueCall } from '../src/venues/port.ts';
import { ExchangeClient } from '../src/exchange/client.ts';
import { ORDER_REPLY } from './client.ts';
import { median, percentile, type BenchResult } from './result.ts';

const REQUESTS = 1_000;
const WARM_UP_REQUESTS = 200;
const TARGET_MS = 10;

/**
 * The usual limit in a shorter window, so that the ledger is nearly as full as it can be, but no request
 * waits.
 */
const LIMITS = { 'orders/add': { limit: 300, windowMs: 500 } };

const placement = (number: number): VenueCall => ({
  kind: 'place',
  order: {
    clientOrderId: `way-${number}`,
    base: 'btc',
    quote: 'rls',
    side: 'sell',
    execution: 'limit',
    amount: parseUnits('0.0123'),
    price: parseUnits('8500000000'),
    stopPrice: null,
  },
});

function resultOf(name: string, value: number, target: number | null): BenchResult {
  return {
    name: `decision/limiter-and-socket/${name}`,
    value: Number(value.toFixed(3)),
    unit: 'ms',
    reference: target,
    ratio: target === null ? null : Number((value / target).toFixed(3)),
    target: target === null ? null : 1,
    holds: target === null || value < target,
  };
}

/**
 * Measures what the limiter (with its ledger on the disk and Bottleneck) and the socket add: from the
 * hand-over of an order to its arrival at a server.
 */
export async function measureWay(folder: string): Promise<BenchResult[]> {
  let arrivedAtMs = 0;
  const server = createServer((request, reply) => {
    arrivedAtMs = performance.now();
    request.resume().on('end', () => reply.setHeader('content-type', 'application/json').end(ORDER_REPLY));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new ExchangeClient({
    baseUrl: `http://127.0.0.1:${port}`,
    credentials: { kind: 'token', token: 'bench-token' },
    limits: LIMITS,
  });
  const caller = createVenueCaller(client);
  const budgets = [...client.budgets.values()];
  const ledger = new LedgerStore({
    path: join(folder, 'ledger.sqlite'),
    budgets,
    subjects: { ip: 'here', token: 'bench' },
    whenMissing: 'empty',
  });
  const limiter = new RequestLimiter({ budgets, ledger, lockouts: ledger, nowMs: monotonicMs });
  const options = { limiter, caller, canLogIn: false, engineMs: monotonicMs, limiterMs: monotonicMs };
  const times: number[] = [];
  for (let id = 1; id <= WARM_UP_REQUESTS + REQUESTS; id += 1) {
    const request = {
      id,
      call: placement(id),
      requestClass: 'place',
      dedupe: null,
      expiresAtMs: Infinity,
    } as const;
    const startMs = performance.now();
    const { answer } = await sendRequest(request, options);
    if (answer.outcome !== 'value') throw new Error(`expected an order, was ${JSON.stringify(answer)}`);
    if (id > WARM_UP_REQUESTS) times.push(arrivedAtMs - startMs);
    // The slot is updated after the answer was returned: the next request should not wait for that.
    await pause(1);
  }
  await limiter.close();
  await client.close();
  ledger.close();
  server.close();
  return [resultOf('median', median(times), null), resultOf('p99', percentile(times, 99), TARGET_MS)];
}
