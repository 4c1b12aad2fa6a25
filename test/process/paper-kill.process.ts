import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PaperAccountFile } from '../../src/daemon/paper-account-file.ts';
import { checkAgreement } from '../../src/fuzz/checkers/agreement-checker.ts';
import { truthOf, type ExchangeTruth, readMirrorRows } from '../../src/fuzz/checkers/exchange-truth.ts';
import { checkOrders } from '../../src/fuzz/checkers/order-checker.ts';
import { Dice } from '../../src/fuzz/dice.ts';
import { createMarket } from '../../src/domain/market.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';
import type { SimulatedExchange } from '../../src/simulator/exchange.ts';
import {
  FOLLOWING_USER,
  FollowedExchange,
  type FollowedExchangeOptions,
} from '../../src/venues/followed-exchange.ts';
import { DEFAULT_LIQUIDITY } from '../../src/venues/fill-rules.ts';
import { numberOf } from './environment.ts';
import { readLog, type BotProcess } from './bot-process.ts';
import type { BotHome } from './bot-home.ts';
import { OwnExchange } from './own-exchange.ts';

const KILLS = numberOf('SARRAF_KILLS', 6);
const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);
const LONGEST_LIFE_MS = 5_000;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

/** The home of a bot on paper, with money for all that its strategies want. */
function paperHome(): BotHome {
  const home = own.home({ instance: 'paper', seed: SEED });
  const settings = JSON.parse(readFileSync(home.configPath, 'utf8')) as Record<string, unknown>;
  const paper = { balances: { rls: '100000000000', usdt: '1000000', btc: '10' } };
  const dashboard = { port: null };
  writeFileSync(home.configPath, JSON.stringify({ ...settings, mode: 'paper', paper, dashboard }, null, 2));
  return { ...home, mirrorPath: join(home.dataFolder, 'paper.sqlite') };
}

function market(symbol: string, priceStep: string): FollowedExchangeOptions['markets'][number] {
  return {
    market: createMarket({ market: parseMarket(symbol), priceStep, amountStep: '0.000001' }),
    hasTrades: false,
  };
}

/** Reads the paper account of a folder without a bot. */
function accountOf({ dataFolder }: BotHome): ExchangeTruth {
  const file = new PaperAccountFile(dataFolder);
  try {
    let found: SimulatedExchange | null = null;
    const followed = new FollowedExchange({
      markets: [market('BTCIRT', '10'), market('BTCUSDT', '0.01')],
      fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
      balances: {},
      limits: {},
      startMs: Date.now(),
      rules: { ...DEFAULT_LIQUIDITY, own: 'hidden', tradesLagMs: 0 },
      restore: (exchange) => file.restore(exchange, Date.now()),
      onMade: (exchange) => {
        found = exchange;
      },
    });
    if (found === null) throw new Error(`expected an exchange of ${followed.markets.length} markets`);
    return truthOf(found, FOLLOWING_USER);
  } finally {
    file.close();
  }
}

async function liveAndDie(bot: BotProcess, dice: Dice): Promise<void> {
  await Promise.race([bot.healthAddress().catch(() => null), bot.finished]);
  await pause(dice.between(0, LONGEST_LIFE_MS));
  const { code, out, error } = await bot.kill();
  if (code !== 'SIGKILL')
    throw new Error(`expected the bot to live until it is killed, was ${code}\n${out}\n${error}`);
}

test(`a paper account goes on over ${KILLS} kills at random moments (SARRAF_SEED=${SEED})`, async () => {
  const dice = Dice.of(SEED, 'paper kills');
  const home = paperHome();
  let orders = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    await liveAndDie(own.start(home), dice);
    const known = accountOf(home).orders.length;
    expect(known).toBeGreaterThanOrEqual(orders);
    orders = known;
  }
  const last = own.start(home);
  await last.healthAddress();
  await pause(5_000);
  const { code, out } = await last.end();

  const truth = accountOf(home);
  const rows = readMirrorRows(home.mirrorPath);
  console.log({ kills: KILLS, orders: truth.orders.length, fills: truth.fills.length });
  expect([...checkOrders(truth, rows), ...checkAgreement(truth, rows, { instance: home.instance })]).toEqual(
    [],
  );
  expect(truth.orders.filter(({ isOpen }) => isOpen)).toEqual([]);
  expect(code, out).toBe(0);
  // A strategy's orders can reserve coins that the exit of its own bracket needs, which is logged.
  const errors = readLog(out).filter(({ level }) => level === 'error');
  expect(errors.filter(({ msg }) => !/ has reserved .*: the position has no exit/.test(msg))).toEqual([]);
  expect(out).toContain('The paper account goes on');
  expect(truth.orders.length).toBeGreaterThan(KILLS);
  expect(truth.fills.length).toBeGreaterThan(0);
});
