import { tradedPlace } from './strategy-settings.ts';
import { join } from 'node:path';
import { ledgerPlace } from '../budget/ledger-file.ts';
import type { BotConfig } from './create-bot-config.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import { formatDuration } from './duration-text.ts';

const ENDINGS = {
  'keep-exits': 'cancels its open orders, except those that only reduce a position',
  cancel: 'cancels its open orders',
  keep: 'keeps its open orders',
} as const;

const ACCOUNTS = { token: 'a token', key: 'an API key', login: 'a user who logs in' } as const;

/** The ledger of the requests to the exchange of a configuration; null where none is outside this process. */
export function ledgerOf(config: BotConfig): string | null {
  const { baseUrl } = config.exchange;
  const address = config.mode === 'paper' ? config.paper.baseUrl : baseUrl;
  if (config.mode === 'embedded' || address === null) return null;
  return ledgerPlace(address, config.exchange);
}

/** Returns a run's first lines: where its orders go, and whose money it is. */
export function banner(config: BotConfig): readonly string[] {
  const { instance, data, drain } = config;
  const names = config.strategies.map((strategy) => `${strategy.name} (${tradedPlace(strategy)})`).join(', ');
  return [
    ...modeLines(config),
    `Instance ${instance}: ${names}. Mirror: ${join(data.folder, mirrorName(config.mode))}.`,
    `Ctrl-C or SIGTERM ends the run: it ${ENDINGS[drain.openOrders]}, within ${formatDuration(drain.withinMs)}. A second one ends it at once.`,
  ];
}

function modeLines(config: BotConfig): readonly string[] {
  const { exchange, paper, embedded } = config;
  const ledger = ledgerOf(config) ?? 'none';
  switch (config.mode) {
    case 'live': {
      const account = exchange.credentials === null ? 'nobody' : ACCOUNTS[exchange.credentials.kind];
      return [
        '*** LIVE *** REAL ORDERS WITH REAL MONEY',
        `Exchange ${exchange.baseUrl ?? 'unknown'} by ${account}. Ledger: ${ledger}.`,
      ];
    }
    case 'paper':
      return [
        'Paper: orders stay in this process, prices are real.',
        `Public data of ${paper.baseUrl ?? 'unknown'}. Ledger: ${ledger}.`,
      ];
    case 'embedded': {
      const market =
        embedded.replay === null
          ? `synthetic traders, seed ${embedded.seed}`
          : `the recording ${embedded.replay}`;
      return [`Embedded: the exchange is in this process, ${market}; no money is real.`];
    }
  }
}
