import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fastify } from 'fastify';
import { ExchangeServer } from '../src/simulator-server/exchange-server.ts';
import { readExchangeConfig } from '../src/simulator-server/exchange-config.ts';
import { createSimulation } from '../src/simulator-server/simulation.ts';
import type { LoadOrder, LoadReport } from './http-load.ts';
import { median, type BenchResult } from './result.ts';

const ROUNDS = 7;
const ROUND_MS = 1_200;
const CONNECTIONS = 32;
const SIGNED_REQUESTS = 6_000;
const TARGET_RATIO = 0.65;
const PUBLIC_KEY = '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=';

/**
 * A reply to an accepted order, as long as that of the exchange; the bare server sends it to every request.
 */
const REPLY =
  '{"status":"ok","order":{"id":100001,"type":"buy","execution":"Limit","tradeType":"Spot","market":"BTC-RLS","srcCurrency":"Bitcoin",' +
  '"dstCurrency":"﷼","price":"50000000010","amount":"0.0001","totalPrice":"0","totalOrderPrice":"5000000.001","matchedAmount":"0",' +
  '"unmatchedAmount":"0.0001","status":"Active","partial":false,"fee":"0","created_at":"2026-01-01T00:00:00.000+00:00",' +
  '"averagePrice":"0","clientOrderId":"exchange-0-00000001","pairId":null}}';

interface Target {
  readonly port: number;
  readonly close: () => Promise<unknown>;
}

async function bareServer(): Promise<Target> {
  const app = fastify({ logger: false });
  app.post('/market/orders/add', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(REPLY),
  );
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(address).port), close: () => app.close() };
}

/** Starts the exchange server, with one rich user and limits that nobody reaches. */
async function exchangeServer(): Promise<Target> {
  const config = readExchangeConfig({
    markets: [{ symbol: 'BTCIRT', priceStep: '10', amountStep: '0.000001', initialPrice: '60000000000' }],
    users: [
      {
        username: 'bench',
        tokens: ['bench-token'],
        keys: [{ publicKey: PUBLIC_KEY, permissions: ['READ', 'TRADE'] }],
        balances: { rls: '900000000000000000' },
      },
    ],
    limits: { overrides: { 'orders/add': { limit: 1_000_000 } } },
  });
  const simulation = createSimulation({ config, startMs: Date.now() });
  const server = new ExchangeServer({ simulation });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(address).port), close: () => server.close() };
}

/** Runs the load in another process. Returns accepted orders per second; throws when one was refused. */
async function measure(order: LoadOrder): Promise<number> {
  const script = join(import.meta.dirname, 'http-load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(order)]);
  const { accepted, refused, seconds } = JSON.parse(stdout) as LoadReport;
  if (refused > 0)
    throw new Error(`expected only accepted orders on port ${order.port}, was ${refused} refused`);
  return accepted / seconds;
}

/**
 * Measures placing orders over loopback HTTP, against a bare fastify route with bodies of the same sizes. The
 * two are measured in turn, so that other work on the machine affects both.
 */
export async function benchHttp(): Promise<BenchResult[]> {
  const bare = await bareServer();
  const exchange = await exchangeServer();
  const rates: { readonly exchange: number; readonly bare: number }[] = [];
  const common = { connections: CONNECTIONS, durationMs: ROUND_MS, signed: null };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bareRate = await measure({ ...common, port: bare.port, run: `bare-${round}` });
    const exchangeRate = await measure({ ...common, port: exchange.port, run: `exchange-${round}` });
    // The first round only warms up.
    if (round > 0) rates.push({ exchange: exchangeRate, bare: bareRate });
  }
  const byKey = await measure({
    connections: CONNECTIONS,
    durationMs: 20_000,
    port: exchange.port,
    run: 'signed-0',
    signed: SIGNED_REQUESTS,
  });
  await Promise.all([bare.close(), exchange.close()]);
  const ratio = median(rates.map((round) => round.exchange / round.bare));
  const value = Math.round(median(rates.map((round) => round.exchange)));
  const reference = Math.round(median(rates.map((round) => round.bare)));
  const apart = { unit: 'orders/s', reference: null, ratio: null, target: null, holds: true } as const;
  return [
    {
      name: 'http-order-placement',
      value,
      unit: 'orders/s',
      reference,
      ratio: Number(ratio.toFixed(3)),
      target: TARGET_RATIO,
      holds: ratio >= TARGET_RATIO,
    },
    { name: 'http-order-placement-by-key', value: Math.round(byKey), ...apart },
  ];
}
