import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ledgerPath, subjectOf } from '../../src/budget/ledger-file.ts';
import { LedgerStore } from '../../src/budget/store.ts';
import { formatDuration } from '../../src/daemon/duration-text.ts';
import { budgetTable } from '../../src/exchange/client-options.ts';
import { TOKEN, type ServedExchange } from './served-exchange.ts';

/** How long a request may be on its way in these tests: no fault holds one back for longer. */
const LATE_ARRIVAL_MS = 1_000;

export interface BotHomeOptions {
  readonly folder: string;
  readonly exchange: Pick<ServedExchange, 'baseUrl' | 'limits'>;
  readonly ledgerFolder: string;
  /** `redis://…` of a ledger that machines share; the file of `ledgerFolder` without it. */
  readonly ledger?: string;
  readonly instance: string;
  /** How it is let in; by the token without it. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Of its folder; the instance's without it. */
  readonly name?: string;
  /** Of what the strategies want. */
  readonly seed: number;
  /** The one strategy that it runs, on two markets; those that want anything at any time without it. */
  readonly plugin?: string;
  /** The mirror's folder; in `folder` without it. */
  readonly dataFolder?: string;
}

/** The files of one bot, which outlive its processes. */
export interface BotHome {
  readonly instance: string;
  readonly configPath: string;
  readonly dataFolder: string;
  readonly mirrorPath: string;
}

/** Writes the configuration of a bot in mode live that wants anything at any time. */
export function createBotHome(options: BotHomeOptions): BotHome {
  const { folder, exchange, ledgerFolder, instance, seed, plugin } = options;
  const home = join(folder, options.name ?? instance);
  mkdirSync(home, { recursive: true });
  const configPath = join(home, 'bot.yaml');
  const dataFolder = options.dataFolder ?? join(home, 'data');
  const limits = Object.entries(exchange.limits).map(([name, { limit, windowMs }]) => [
    name,
    { limit, window: formatDuration(windowMs) },
  ]);
  const strategy = (market: string, index: number) => ({
    plugin: resolve('test/process/chaos-strategy.ts'),
    name: `chaos-${index}`,
    market,
    params: { seed: seed + index, activity: 0.8, everyMs: 500, markets: ['BTCIRT', 'BTCUSDT'] },
    risk: { maxOpenOrdersPerStrategy: 6, maxOrdersPerMinute: null },
  });
  const config = {
    mode: 'live',
    instance,
    exchange: {
      baseUrl: exchange.baseUrl,
      credentials: options.credentials ?? { token: TOKEN },
      limits: Object.fromEntries(limits),
      ledgerFolder,
      ...(options.ledger === undefined ? {} : { ledger: options.ledger, ledgerTimeout: '200ms' }),
      // So that the limits themselves are what is tried.
      headroom: 0,
    },
    strategies:
      plugin === undefined
        ? [
            ...['BTCIRT', 'BTCUSDT', 'BTCIRT', 'BTCUSDT', 'BTCUSDT'].map(strategy),
            // For the candles that it asks for.
            {
              plugin: 'ma-cross',
              market: 'BTCIRT',
              timeframe: '1m',
              params: { fast: 2, slow: 4, share: 0.01 },
            },
          ]
        : ['BTCIRT', 'BTCUSDT'].map((market, index) => ({ plugin, name: `bracket-${index}`, market })),
    data: { folder: dataFolder },
    execution: { lateArrival: formatDuration(LATE_ARRIVAL_MS), absencePassesApart: '1s', placeWithin: '3s' },
    reconciliation: { every: '2s', lag: '5s' },
    drain: { openOrders: 'cancel', within: '60s' },
    health: { port: 0 },
    log: { pretty: false },
  };
  writeFileSync(configPath, JSON.stringify(config, null, 2));
  return { instance, configPath, dataFolder, mirrorPath: join(dataFolder, 'mirror.sqlite') };
}

/** A folder for one test. */
export function createTestFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-process-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * A ledger that knows of no request, for an exchange that was never asked anything; `identity` is that of the
 * account that asks.
 */
export function createEmptyLedger(
  { baseUrl, limits }: BotHomeOptions['exchange'],
  folder: string,
  identity = TOKEN,
): void {
  const path = ledgerPath(baseUrl, folder);
  new LedgerStore({
    path,
    budgets: budgetTable(limits).values(),
    subjects: { ip: 'this-address', token: subjectOf(identity) },
    whenMissing: 'empty',
  }).close();
}
