import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { wire } from '../../config/venues/tiny.ts';
import { runBot } from '../../src/daemon/run-bot.ts';
import { ExchangeClient } from '../../src/exchange/client.ts';
import type { HttpRequest, Transport } from '../../src/exchange/transport.ts';
import { runSuite, type SuiteResult } from '../../src/fuzz/run-suite.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { mirrorName } from '../../src/mirror/mirror-path.ts';
import { transportOver } from '../../src/venues/venue-wire.ts';
import { ledgerPath } from '../../src/budget/ledger-file.ts';
import { openLedger } from '../support/ledger-worlds.ts';
import { configWith } from '../support/embedded-bot.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';
import { ServedExchange, TOKEN } from './served-exchange.ts';

const TINY = resolve('config/venues/tiny.ts');
const HANGS_MS = 300_000;

const BUYER = `
import { z } from 'zod';
import { defineStrategy } from '#sdk';

export default defineStrategy({
  name: 'buyer',
  params: z.strictObject({}),
  state: z.strictObject({ bought: z.boolean().default(false) }),
  data: ({ market }) => ({ book: market.book({ everyMs: 1_000 }) }),
  on: {
    book(ctx) {
      if (ctx.state.bought) return;
      ctx.setState({ bought: true });
      ctx.buy({ amount: 0.0005 });
    },
  },
});
`;

const folder = folderOfAllTests();
let exchange: ServedExchange;
let server: Server;
let transport: Transport;
let baseUrl = '';

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Serves the interface of the tiny exchange over HTTP. */
async function serveTiny(): Promise<void> {
  const client = new ExchangeClient({
    baseUrl: exchange.baseUrl,
    credentials: { kind: 'token', token: TOKEN },
  });
  transport = transportOver(client, wire);
  server = createServer((incoming, outgoing) => {
    void (async () => {
      const { status, headers, body } = await transport.send({
        method: incoming.method as HttpRequest['method'],
        path: incoming.url ?? '',
        headers: {},
        body: await bodyOf(incoming),
        timeoutMs: 10_000,
      });
      outgoing.writeHead(status, headers).end(body);
    })().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const configFor = (venue: string) =>
  configWith({
    mode: 'live',
    'exchange.venue': venue,
    'exchange.baseUrl': baseUrl,
    'exchange.ledgerFolder': join(folder, 'ledgers'),
    'exchange.credentials': { token: 'token-of-tiny' },
    'data.folder': join(folder, 'data'),
    strategies: [{ plugin: join(folder, 'buyer.ts'), market: 'BTCUSDT' }],
  });

async function runFor(venue: string, signal: AbortSignal): Promise<unknown> {
  return runBot({
    config: configFor(venue),
    bundledStrategies: resolve('strategies'),
    forMs: null,
    json: true,
    write: () => undefined,
    signal,
  });
}

beforeAll(async () => {
  writeFileSync(join(folder, 'buyer.ts'), BUYER);
  exchange = await ServedExchange.open({ seed: 5 });
  await serveTiny();
  openLedger(ledgerPath(baseUrl, join(folder, 'ledgers')), { whenMissing: 'empty' }).close();
});

afterAll(async () => {
  server.close();
  await transport.close();
  await exchange.close();
});

describe('a bot on a venue of its own file', () => {
  test(
    'buys at an exchange behind HTTP, and books the fill as the exchange does',
    async () => {
      const end = new AbortController();
      const running = runFor(TINY, end.signal);
      const path = join(folder, 'data', mirrorName('live'));
      const fills = () => {
        using mirror = new MirrorReader(path);
        return mirror.fills({ strategy: null, market: null, last: 10 });
      };
      await Promise.race([
        running,
        vi.waitFor(() => expect(fills().length).toBeGreaterThan(0), { timeout: HANGS_MS, interval: 100 }),
      ]);
      end.abort();
      await running;
      const { fills: true_ } = exchange.truth();
      expect(fills().map(({ tradeId, amount, fee }) => [wire.idBehind?.(tradeId), amount, fee])).toEqual(
        true_.map(({ tradeId, amount, fee }) => [String(tradeId), amount, fee]),
      );
    },
    HANGS_MS,
  );

  test('is refused the folder with the venue service, whose ids mean something else', async () => {
    await expect(runFor('service', new AbortController().signal)).rejects.toThrow(
      /found the data of the venue tiny: it is not that of service: name another folder/,
    );
  });
});

const suiteOf = async (venue: string, seeds: number): Promise<SuiteResult> =>
  runSuite({
    firstSeed: 1,
    seeds,
    hours: 1,
    jobs: 1,
    failFast: true,
    twice: false,
    venue: { name: venue, folder },
    signal: new AbortController().signal,
    onSeed: () => undefined,
  });

describe('the fuzzer with a venue', () => {
  test(
    'finds nothing wrong with the tiny one',
    async () => {
      const { failedSeeds, counts } = await suiteOf(TINY, 2);
      expect(failedSeeds).toEqual([]);
      expect(counts['fills']).toBeGreaterThan(10);
    },
    HANGS_MS,
  );
});
