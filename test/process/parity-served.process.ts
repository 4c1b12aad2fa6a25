import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkParity, type ParityReport } from '../../src/backtest/check-parity.ts';
import { latencyOfSession } from '../../src/backtest/session.ts';
import { runBot } from '../../src/daemon/run-bot.ts';
import { mirrorName } from '../../src/mirror/mirror-path.ts';
import { configWith } from '../support/embedded-bot.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { createEmptyLedger } from './bot-home.ts';
import { ServedExchange, TOKEN } from './served-exchange.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const bundledStrategies = resolve('strategies');
/** Time-out for a run that hangs, in ms. */
const HANGS_MS = 300_000;

/** Minimum number of own orders before a session is ended. */
const FEWEST_ORDERS = 4;

/** Source of a strategy that reads all data, and takes a little with each event. */
const WATCHER = `
import { z } from 'zod';
import { defineStrategy } from '#sdk';

export default defineStrategy({
  name: 'watcher',
  params: z.strictObject({}),
  state: z.strictObject({ seen: z.int().default(0) }),
  data: ({ market }) => ({
    book: market.book(),
    tape: market.trades(),
    day: market.stats(),
    bars: market.candles('1m', { history: 5 }),
  }),
  on: {
    book(ctx) {
      const seen = ctx.state.seen + 1;
      ctx.setState({ seen });
      ctx[seen % 2 === 0 ? 'buy' : 'sell']({ amount: 0.0001 });
    },
    tape: (ctx, { trades }) => ctx[trades.length % 2 === 0 ? 'buy' : 'sell']({ amount: 0.0002 }),
    day: ({ sell }) => sell({ amount: 0.0003 }),
  },
});
`;

const folder = folderOfAllTests();
let exchange: ServedExchange;
const reports = new Map<string, ParityReport>();

/** Counts the orders in the mirror of a running bot. */
function ordersIn(path: string): number {
  if (!existsSync(path)) return 0;
  const mirror = new MirrorReader(path);
  try {
    return mirror.orders({ strategy: null, market: null, last: 100, state: 'all' }).length;
  } finally {
    mirror.close();
  }
}

async function parityOf(mode: 'paper' | 'live'): Promise<ParityReport> {
  const data = join(folder, mode);
  const mirror = join(data, mirrorName(mode));
  const plugin = join(folder, 'watcher.ts');
  const config = configWith({
    mode,
    instance: mode,
    'exchange.baseUrl': exchange.baseUrl,
    'exchange.ledgerFolder': join(folder, 'ledgers'),
    ...(mode === 'live' ? { 'exchange.credentials': { token: TOKEN } } : {}),
    'paper.balances': { rls: '200000000000', btc: '3' },
    'data.folder': data,
    record: { folder: join(data, 'catalogue') },
    strategies: [plugin, 'market-maker'].map((each) => ({ plugin: each, market: 'BTCIRT' })),
    'health.port': 0,
    'log.level': 'error',
  });
  const end = new AbortController();
  const running = runBot({
    config,
    bundledStrategies,
    forMs: null,
    json: true,
    write: () => undefined,
    signal: end.signal,
  });
  await Promise.race([
    running,
    vi.waitFor(() => expect(ordersIn(mirror)).toBeGreaterThanOrEqual(FEWEST_ORDERS), {
      timeout: HANGS_MS,
      interval: 50,
    }),
  ]);
  end.abort();
  await running;
  return checkParity({ folder: data, bundledStrategies });
}

beforeAll(async () => {
  writeFileSync(join(folder, 'watcher.ts'), WATCHER);
  exchange = await ServedExchange.open({ seed: 5 });
  createEmptyLedger(exchange, join(folder, 'ledgers'));
  await Promise.all(
    (['paper', 'live'] as const).map(async (mode) => {
      reports.set(mode, await parityOf(mode));
    }),
  );
});

afterAll(async () => {
  await exchange.close();
});

describe.each(['paper', 'live'])('a recorded %s session at an exchange behind HTTP', (mode) => {
  test('makes every decision again from what it received, and has no difference of the code', () => {
    const { session, decidedAgain, differences } = reports.get(mode) as ParityReport;
    expect(session.orders).toBeGreaterThan(0);
    expect(decidedAgain).toBe(session.orders + session.intents);
    expect(differences.filter(({ cause }) => cause === 'code')).toEqual([]);
  });

  test('is run again to the same books', () => {
    const { session, again, unsent, late } = reports.get(mode) as ParityReport;
    expect(session.books).toBeGreaterThan(0);
    // A busy machine holds requests, and the second run does not.
    expect(Math.abs(again.books - session.books)).toBeLessThanOrEqual(1 + unsent + late);
    expect(again.orders).toBeGreaterThan(0);
  });

  test('reports how long requests took', async () => {
    const { roundTripsMs, orderTripsMs } = await latencyOfSession(join(folder, mode), 1);
    expect(Math.max(...roundTripsMs)).toBeGreaterThan(0);
    expect(orderTripsMs === undefined).toBe(mode === 'paper');
  });
});
