import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerPath } from '../../src/budget/ledger-file.ts';
import { ExchangeServer } from '../../src/simulator-server/exchange-server.ts';
import { readExchangeConfig, type ExchangeConfigInput } from '../../src/simulator-server/exchange-config.ts';
import { createSimulation, type Simulation } from '../../src/simulator-server/simulation.ts';
import { openLedger } from './ledger-worlds.ts';

export const PANEL_TOKEN = 'panel-token-of-trader';

const CONFIG: ExchangeConfigInput = {
  markets: [
    { symbol: 'BTCIRT', priceStep: '10', amountStep: '0.000001', initialPrice: '50000000000' },
    { symbol: 'USDTIRT', priceStep: '10', amountStep: '0.01', initialPrice: '800000' },
  ],
  users: [
    {
      username: 'trader',
      id: 1,
      password: 'pass-word-7',
      tokens: [PANEL_TOKEN],
      // Public key of the seed of 32 bytes of 7.
      keys: [{ publicKey: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=', permissions: ['READ', 'TRADE'] }],
      balances: { rls: '100000000000', usdt: '50000', btc: '2' },
      bankAccounts: [
        { id: 1, number: '0100-200-300', shaba: 'IR120000000000000000000001', bank: 'Sample bank' },
      ],
    },
    { username: 'other', id: 2, tokens: ['other-token'], balances: { rls: '100000000000', btc: '2' } },
  ],
  flow: { kind: 'none' },
};

/** A simulated exchange on a port of this machine, and a ledger that counts no request as sent. */
export interface ServedAccount {
  readonly baseUrl: string;
  readonly simulation: Simulation;
  /** A folder for the files of a test. */
  readonly folder: string;
  readonly ledgerFolder: string;
  close(): Promise<void>;
}

export async function serveAccount(config: ExchangeConfigInput = {}): Promise<ServedAccount> {
  const simulation = createSimulation({
    config: readExchangeConfig({ ...CONFIG, ...config }),
    startMs: Date.now(),
    seed: 5,
  });
  const server = new ExchangeServer({ simulation });
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-account-'));
  const ledgerFolder = join(folder, 'state');
  openLedger(ledgerPath(baseUrl, ledgerFolder), { whenMissing: 'empty' }).close();
  return {
    baseUrl,
    simulation,
    folder,
    ledgerFolder,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
