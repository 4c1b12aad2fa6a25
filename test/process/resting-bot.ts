import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BotHome } from './bot-home.ts';
import type { BotProcess } from './bot-process.ts';
import type { OperatorPage } from './operator-page.ts';
import type { OwnExchange } from './own-exchange.ts';

/** Longest wait for what a bot finds out by itself, in ms: longer than its time-outs together. */
const LONGEST_WAIT_MS = 120_000;

export interface RestingBot {
  readonly home: BotHome;
  readonly bot: BotProcess;
}

/**
 * Starts a bot with two orders that rest far from the price until somebody cancels them. `alerts` is that
 * part of its configuration.
 */
export async function startRestingBot(
  own: OwnExchange,
  { dataFolder, alerts }: { readonly dataFolder?: string; readonly alerts?: object } = {},
): Promise<RestingBot> {
  const home = own.home({ instance: 'bot', seed: 3, ...(dataFolder === undefined ? {} : { dataFolder }) });
  const settings = JSON.parse(readFileSync(home.configPath, 'utf8')) as Record<string, unknown>;
  const params = { spreadBps: 300, moveBps: 50 };
  const inventory = { btc: '1' };
  const strategies = [{ plugin: 'market-maker', name: 'maker', market: 'BTCIRT', params, inventory }];
  const dashboard = { port: null };
  writeFileSync(home.configPath, JSON.stringify({ ...settings, strategies, dashboard, alerts }, null, 2));
  const bot = own.start(home);
  await bot.healthAddress();
  await until('two open orders', () => openOrdersAt(own) === 2);
  return { home, bot };
}

/** Writes the home of a bot whose one strategy keeps `orders` orders far from the price. */
export function manyOrdersHome(
  own: OwnExchange,
  { orders, ledger }: { readonly orders: number; readonly ledger?: string },
): BotHome {
  const home = own.home({ instance: 'rests', seed: 1, ...(ledger === undefined ? {} : { ledger }) });
  const settings = JSON.parse(readFileSync(home.configPath, 'utf8')) as { readonly execution: object };
  const execution = { ...settings.execution, placeWithin: '60s' };
  const strategies = [
    {
      plugin: resolve('test/process/resting-strategy.ts'),
      name: 'resting',
      market: 'BTCIRT',
      params: { orders },
      risk: { maxOpenOrdersPerStrategy: orders, maxOrdersPerMinute: null },
    },
  ];
  writeFileSync(home.configPath, JSON.stringify({ ...settings, execution, strategies }, null, 2));
  return home;
}

/** Resolves once the exchange has `count` open orders. */
export async function untilOpenAt(own: OwnExchange, count: number): Promise<void> {
  await until(`${count} open orders`, () => openOrdersAt(own) === count);
}

export const openOrdersAt = (own: OwnExchange): number =>
  own.exchange.truth().orders.filter(({ isOpen }) => isOpen).length;

async function until(what: string, isIt: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + LONGEST_WAIT_MS;
  while (!(await isIt())) {
    if (Date.now() > endMs) throw new Error(`expected ${what}`);
    await pause(100);
  }
}

/** Runs a command again and again until its output contains a text. */
export async function untilSaid(page: OperatorPage, command: string, text: string | RegExp): Promise<void> {
  let said = '';
  const isSaid = async (): Promise<boolean> => {
    said = await page.run(command);
    return typeof text === 'string' ? said.includes(text) : text.test(said);
  };
  await until(`${command} to say ${text}`, isSaid).catch((error: unknown) => {
    throw new Error(`${String(error)}, it said ${said}`);
  });
}
