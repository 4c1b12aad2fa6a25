import { basename } from 'node:path';
import { formatUnits, parseUnits, addUnits } from '../../domain/money.ts';
import { knownBots, type KnownBot } from '../../daemon/known-bots.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { ApiError } from '../api-error.ts';
import { BotFolderReader } from '../folder/bot-folder-reader.ts';
import { equityItems } from '../readers/equity-items.ts';
import { newestReading } from '../readers/row-items.ts';
import { strategyItems } from '../readers/strategy-items.ts';
import type { BotsReply, KnownBotItem, EquityItem } from '../schema/overview.ts';

/** Open orders that are counted. */
const MOST_OPEN = 5_000;

/**
 * All bots that this user has on this machine: each mirror is opened to read, one after the other, and closed
 * again. One that can not be read is named with the reason.
 */
export function knownBotsReply(own: BotFolderReader, nowMs: number): BotsReply {
  const others = knownBots(own.ledgerFolder()).filter(({ dataFolder }) => dataFolder !== own.realFolder());
  const bots = [
    itemOf(own, { isThis: true, dashboard: null, nowMs }),
    ...others.map((known) => otherItem(known, nowMs)),
  ];
  const real = bots.filter(({ bot }) => bot !== null && bot.venue === 'live');
  return { asOfMs: nowMs, bots, totals: totalsOf(real.map(({ equity }) => equity)) };
}

function otherItem({ dataFolder, dashboard }: KnownBot, nowMs: number): KnownBotItem {
  const folder = new BotFolderReader({ dataFolder });
  try {
    return itemOf(folder, { isThis: false, dashboard, nowMs });
  } finally {
    folder.close();
  }
}

function itemOf(
  folder: BotFolderReader,
  of: { readonly isThis: boolean; readonly dashboard: string | null; readonly nowMs: number },
): KnownBotItem {
  const { isThis, dashboard, nowMs } = of;
  const bot = folder.bot();
  const name = `${bot.instance} (${basename(folder.dataFolder)})`;
  const nothing = { equity: [], openOrders: 0, strategies: [] };
  try {
    const seen = folder.mirror.read((reader) => {
      const strategies = strategyItems(reader, { note: folder.note(), nowMs });
      const botNowMs = newestReading(readRecord(reader.stored(), 'read-times') ?? {});
      const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_OPEN });
      return {
        equity: [...equityItems(reader, strategies, botNowMs)],
        openOrders: open.length,
        strategies: strategies.map((strategy) => strategy.name),
      };
    });
    return { name, isThis, bot, dashboard, problem: null, problemFacts: null, ...seen };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      name,
      isThis,
      bot,
      dashboard,
      problem: error.message,
      problemFacts: error.messageFacts,
      ...nothing,
    };
  }
}

/** Sums by currency; null where one of them is not known. A drawdown of several accounts is none. */
function totalsOf(equities: readonly (readonly EquityItem[])[]): EquityItem[] {
  const byCurrency = new Map<string, EquityItem>();
  for (const item of equities.flat()) {
    const sum = byCurrency.get(item.currency);
    byCurrency.set(item.currency, {
      currency: item.currency,
      now: sum === undefined ? item.now : plus(sum.now, item.now),
      day: sum === undefined ? item.day : plus(sum.day, item.day),
      total: sum === undefined ? item.total : plus(sum.total, item.total),
      drawdown: null,
      asOfMs: sum === undefined ? item.asOfMs : older(sum.asOfMs, item.asOfMs),
    });
  }
  return [...byCurrency.values()];
}

const plus = (left: string | null, right: string | null): string | null =>
  left === null || right === null ? null : formatUnits(addUnits(parseUnits(left), parseUnits(right)));

const older = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? null : Math.min(left, right);
