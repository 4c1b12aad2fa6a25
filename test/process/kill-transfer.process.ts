import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  madeTransfers,
  readStoredTransfers,
  readTransferIntents,
} from '../../src/fuzz/checkers/transfer-checker.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { numberOf } from './environment.ts';
import type { BotHome } from './bot-home.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { USER } from './served-exchange.ts';

const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);
const PATH = '/wallets/transfer';
/** Time in which the exchange takes one transfer, and time in which the strategy would send several. */
const MOMENT_MS = 200;
const SEVERAL_MS = 6_000;
/** Books must have begun before a transfer is sent; a busy machine may take this long, in ms. */
const LONGEST_WAIT_MS = 90_000;

let own: OwnExchange;
/** Requests that were sent, whether or not the exchange got them. */
let sent = 0;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
  sent = 0;
  own.exchange.onRequest((path) => {
    if (path.startsWith(PATH)) sent += 1;
  });
});

afterEach(async (context) => {
  await own.close(context);
});

async function nextTransfer(): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const stop = own.exchange.onRequest((path) => {
    if (path.startsWith(PATH)) arrived.resolve();
  });
  await Promise.race([arrived.promise, pause(LONGEST_WAIT_MS, null, { ref: false })]);
  stop();
}

function readTransfers({ mirrorPath }: BotHome) {
  const database = new Database(mirrorPath, { readonly: true });
  try {
    return { kept: readStoredTransfers(database), intents: readTransferIntents(database) };
  } finally {
    database.close();
  }
}

/** Transfers that `sarraf status` shows as unknown; runs the command that it names to accept them. */
async function acceptUnknown({ dataFolder }: BotHome): Promise<readonly unknown[]> {
  const status = await sarrafHere(['status', '--json', '--data', dataFolder]);
  const accepted = await sarrafHere(['reconcile', '--accept', '--yes', '--data', dataFolder]);
  expect(accepted.code, accepted.error).toBe(0);
  return (JSON.parse(status.out) as { readonly transfers: readonly unknown[] }).transfers;
}

test(`a transfer amid which the process is killed is neither made again nor forgotten (SARRAF_SEED=${SEED})`, async () => {
  const { exchange } = own;
  const plugin = resolve('test/process/transfer-strategy.ts');
  const home = own.home({ instance: 'killed', seed: SEED, plugin });
  // One transfer that the exchange makes, and one that never arrives: only the exchange can tell them apart.
  const faults = ['reply-lost', 'lost'] as const;
  for (const [life, kind] of faults.entries()) {
    exchange.setFaults([{ kind, endpoints: ['transfer'] }]);
    const bot = own.start(home);
    const leaves = nextTransfer();
    if (life > 0) {
      await bot.healthAddress();
      await pause(SEVERAL_MS);
      expect([sent, await acceptUnknown(home)]).toMatchObject([
        life,
        [{ state: 'unknown', currency: 'usdt' }],
      ]);
    }
    await leaves;
    expect(sent).toBe(life + 1);
    await pause(MOMENT_MS);
    const { code, out, error } = await bot.kill();
    expect(code, `${out}\n${error}`).toBe('SIGKILL');
    expect(readTransfers(home).kept).toMatchObject([{ state: 'sending' }]);
  }
  exchange.setFaults([]);
  const last = own.start(home);
  await last.healthAddress();
  await pause(SEVERAL_MS);
  expect(sent).toBe(2);
  const leaves = nextTransfer();
  await acceptUnknown(home);
  await leaves;
  expect(sent).toBeGreaterThan(2);
  exchange.endTrading();
  const { code, out, error } = await last.end();
  expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }, out).toEqual({ code: 0, error: '' });
  expect(brokenPromises(exchange, home)).toEqual([]);

  const { kept, intents } = readTransfers(home);
  const made = madeTransfers(exchange.simulation.exchange, USER);
  expect([kept, intents.length]).toEqual([[], sent]);
  expect(intents.map(({ status }) => status)).toEqual(intents.map(() => 'done'));
  expect(intents.map(({ key }) => made.get(key) ?? 0)).toEqual(
    intents.map((_, index) => (index === faults.indexOf('lost') ? 0 : 1)),
  );
});
