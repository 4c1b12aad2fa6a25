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
  /** URL `redis://…` of a shared ledger; without it the file in `ledgerFolder` is used. */
  readonly ledger?: string;
  readonly instance: string;
  /** Credentials at the exchange; without them the token. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Name of its folder; without it the name of the instance. */
  readonly name?: string;
  /** Seed of what the strategies want. */
  readonly seed: number;
  /** The one strategy that it runs, on two markets; without it the chaos strategies run. */
  readonly plugin?: string;
  /** Folder of the mirror; without it the mirror is in `folder`. */
  readonly dataFolder?: string;
}

/** The files of one bot, which stay when its process ends. */
export interface BotHome {
  readonly instance: string;
  readonly configPath: string;
  readonly dataFolder: string;
  readonly mirrorPath: string;
}

/** Writes the configuration of a bot in mode live, whose strategies want anything at any time. */
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
      // No headroom, so that the limits themselves are tested.
      headroom: 0,
    },
    strategies:
      plugin === undefined
        ? [
            ...['BTCIRT', 'BTCUSDT', 'BTCIRT', 'BTCUSDT', 'BTCUSDT'].map(strategy),
            // For the candles that its strategies request.
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

/** Makes a folder for one test. */
export function createTestFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-process-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Creates a ledger without a request; `identity` is that of the account that the bot uses. */
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
