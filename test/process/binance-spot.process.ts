import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createSimulatedSpot,
  SimulatedSpotServer,
  spotExchangeSettings,
} from '../../src/binance-spot/simulated-exchange.ts';
import { ledgerPath } from '../../src/budget/ledger-file.ts';
import { runBot } from '../../src/daemon/run-bot.ts';
import { formatUnits } from '../../src/domain/money.ts';
import { runSuite } from '../../src/fuzz/run-suite.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { mirrorName } from '../../src/mirror/mirror-path.ts';
import { BINANCE_SPOT } from '../../src/venues/binance-spot.ts';
import { openLedger } from '../support/ledger-worlds.ts';
import { configWith } from '../support/embedded-bot.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const HANGS_MS = 300_000;
const SYMBOL = 'BTCUSDT';

/** Buys, rests a limit order and takes it back, rests a stop, and sells a part. */
const TRADER = `
import { z } from 'zod';
import { defineStrategy } from '#sdk';

export default defineStrategy({
  name: 'trader',
  params: z.strictObject({}),
  state: z.strictObject({ step: z.number().default(0) }),
  data: ({ market }) => ({ book: market.book({ everyMs: 1_000 }) }),
  on: {
    book(ctx, { bestBid }) {
      if (bestBid === null || ctx.orders.some(({ state }) => state !== 'open')) return;
      const { step } = ctx.state;
      ctx.setState({ step: step + 1 });
      if (step === 0) ctx.buy({ amount: 0.003, tag: 'in' });
      if (step === 2) ctx.buy({ amount: 0.001, price: bestBid.price * 0.97, tag: 'deep' });
      if (step === 4) ctx.sell({ amount: 0.001, stopPrice: bestBid.price * 0.9, price: bestBid.price * 0.89, tag: 'stop' });
      if (step === 6) for (const { tag, clientOrderId } of ctx.orders) if (tag === 'deep') ctx.cancel(clientOrderId);
      if (step === 8) ctx.sell({ amount: 0.001, tag: 'out' });
    },
  },
});
`;

const folder = folderOfAllTests();
const settings = spotExchangeSettings.parse({
  choices: { idAfterCancel: 'cancel' },
  markets: [
    // Two markets with the same numbers of orders and trades.
    { symbol: SYMBOL, base: 'BTC', quote: 'USDT', startPrice: '63000' },
    { symbol: 'BNBUSDT', base: 'BNB', quote: 'USDT', startPrice: '600', stepSize: '0.001', minQty: '0.001' },
  ],
  // The first order happens without a clear reply, the second does not happen, and lists lag.
  faults: [
    { kind: 'timeout-after', methods: ['POST'], path: 'order', times: 1 },
    { kind: 'gateway-before', methods: ['DELETE'], path: 'order', times: 1 },
    { kind: 'stale', methods: ['GET'], path: 'openOrders', share: 0.3, ms: 500 },
    { kind: 'late-reply', methods: ['GET'], path: 'myTrades', share: 0.3, ms: 300 },
  ],
  flow: { historyMinutes: 5 },
});
const core = createSimulatedSpot({ settings, seed: 3 });
const mistakes: unknown[] = [];
const server = new SimulatedSpotServer({ core, onMistake: (error) => mistakes.push(error) });
let baseUrl = '';

beforeAll(async () => {
  writeFileSync(join(folder, 'trader.ts'), TRADER);
  baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  openLedger(ledgerPath(baseUrl, join(folder, 'ledgers')), {
    budgets: BINANCE_SPOT.budgetsFor({ limits: {}, headroom: 0 }).values(),
    whenMissing: 'empty',
  }).close();
});
afterAll(async () => server.close());

describe('a bot on binance-spot', () => {
  test(
    'trades at its simulator through lost replies, and has its orders, fees and money to the last digit',
    async () => {
      const end = new AbortController();
      const running = runBot({
        config: configWith({
          mode: 'live',
          'exchange.venue': 'binance-spot',
          'exchange.baseUrl': baseUrl,
          'exchange.ledgerFolder': join(folder, 'ledgers'),
          'exchange.credentials': { apiKey: 'sarrafSimulatorKey', apiSecret: 'sarrafSimulatorSecret' },
          'data.folder': join(folder, 'data'),
          strategies: [{ plugin: join(folder, 'trader.ts'), market: SYMBOL, capital: { usdt: 1000 } }],
        }),
        bundledStrategies: resolve('strategies'),
        forMs: null,
        json: true,
        write: () => undefined,
        signal: end.signal,
      });
      const path = join(folder, 'data', mirrorName('live'));
      const read = () => {
        using mirror = new MirrorReader(path);
        return {
          fills: mirror.fills({ strategy: null, market: null, last: 50 }),
          orders: mirror.orders({ strategy: null, market: null, state: 'all', last: 50 }),
        };
      };
      const [account] = core.accounts;
      const history = account?.history(SYMBOL);
      await Promise.race([
        running,
        vi.waitFor(
          () => {
            const tags = read().orders.map(({ tag, state }) => `${tag} ${state}`);
            expect(tags.toSorted()).toEqual(['deep cancelled', 'in filled', 'out filled', 'stop open']);
            expect(read().fills).toHaveLength(history?.fills.length ?? -1);
          },
          { timeout: HANGS_MS, interval: 200 },
        ),
      ]);
      end.abort();
      await running;
      expect(mistakes).toEqual([]);
      // Each order of the exchange is one of the bot's, and none is there twice.
      const names = history?.orders.map(({ request }) => request.clientOrderId) ?? [];
      const ours = read().orders.map(({ clientOrderId }) => clientOrderId ?? '');
      expect(new Set(names)).toEqual(new Set(ours));
      expect(names).toHaveLength(ours.length);
      const fees = history?.fills.map(
        ({ tradeId, commission, commissionAsset }) => `${tradeId} ${commission} ${commissionAsset}`,
      );
      expect(fees?.length).toBeGreaterThan(1);
      const booked = read().fills.map(({ tradeId, fee, feeCurrency, side }) => {
        const asset = (feeCurrency ?? (side === 'buy' ? 'btc' : 'usdt')).toUpperCase();
        return `${tradeId.split('-')[1]} ${fee} ${asset}`;
      });
      expect(new Set(booked)).toEqual(new Set(fees));
      const { free = 0n, locked = 0n } = account?.wallets.get('BTC') ?? {};
      using mirror = new MirrorReader(path);
      const btc = mirror.balances().find(({ currency }) => currency === 'btc');
      expect(btc && formatUnits(btc.total)).toBe(formatUnits((free + locked) as never));
    },
    HANGS_MS,
  );
});

test(
  'the fuzzer finds nothing wrong with binance-spot',
  async () => {
    const { failedSeeds, counts } = await runSuite({
      firstSeed: 1,
      seeds: 2,
      hours: 1,
      jobs: 1,
      failFast: true,
      twice: false,
      venue: { name: 'binance-spot', folder },
      signal: new AbortController().signal,
      onSeed: () => undefined,
    });
    expect(failedSeeds).toEqual([]);
    expect(counts['fills']).toBeGreaterThan(10);
  },
  HANGS_MS,
);
