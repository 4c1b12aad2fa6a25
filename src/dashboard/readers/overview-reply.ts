import { addUnits, formatUnits, parseUnits } from '../../domain/money.ts';
import { closing } from '../../domain/closing.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { INTENT_ROWS } from '../../mirror/record-tables.ts';
import { entryAmount, locksNow, whyNothingLeaves } from '../../mirror/strategy-status.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { readReconciliation, transfersNow } from '../../mirror/read-reconciliation.ts';
import type { RunNote } from '../../daemon/run-record.ts';
import {
  approvalItem,
  budgetItem,
  differenceItem,
  findingItem,
  unresolvedItem,
  type AlertItem,
  type BotItem,
  type ExposureItem,
  type LockoutItem,
  type OverviewReply,
  type PositionItem,
  type StrategyItem,
  type BudgetItem,
  type BudgetsReply,
  type BooksReply,
  type BotsReply,
  type KnownBotItem,
  type EquityItem,
} from '../schema/overview.ts';
import { equityItems, positionItems, strategyItems } from './strategy-items.ts';
import { pickItem, reasonItem, newestReading, lockItemOf } from './row-items.ts';
import { english, sentenceFacts, type Sentence } from '../../language/sentence.ts';
import type { BudgetReport } from '../../budget/ledger-report.ts';
import type { SeriesItem } from '../schema/market.ts';
import { hasWriter } from '../../mirror/unusable.ts';
import { basename } from 'node:path';
import { knownBots, type KnownBot } from '../../daemon/known-bots.ts';
import { ApiError } from '../api-error.ts';
import { BotFolderReader } from '../folder/bot-folder-reader.ts';

/** Maximum number of open orders that are read: a bot has far fewer. */
const MOST_OPEN = 5_000;
/** Maximum number of unknown orders that are named. */
const MOST_UNRESOLVED = 100;

/** Data of the overview from files other than the mirror. */
export interface OverviewParts {
  readonly nowMs: number;
  readonly bot: BotItem;
  readonly note: RunNote | null;
  /** Reason every new order waits; null if one could be sent now. */
  readonly waitsFor: Sentence | null;
  /** Reason the cancels of a halt wait; null if they do not wait long. */
  readonly haltWait: Sentence | null;
  readonly lockouts: readonly LockoutItem[];
  readonly alerts: readonly AlertItem[];
}

/** Returns the overview; without a reader, that of a bot without a mirror yet. */
export function overviewReplyOf(reader: MirrorReader | null, parts: OverviewParts): OverviewReply {
  const { nowMs, bot, note, waitsFor, haltWait, lockouts, alerts } = parts;
  const watched = note?.alerts ?? 'on';
  const waits = (reader === null ? null : whyNothingLeaves(reader.stored())) ?? waitsFor;
  const rest = reader === null ? NOTHING_READ : readParts(reader, parts);
  return {
    nowMs,
    bot,
    waits: waits === null ? null : reasonItem(waits),
    haltWait: haltWait === null ? null : reasonItem(haltWait),
    lockouts: [...lockouts],
    alerts: [...alerts],
    alertsOff: watched === 'on' ? null : watched,
    requestsBecauseOfPage: 0,
    ...rest,
  };
}

type ReadParts = Omit<
  OverviewReply,
  'nowMs' | 'bot' | 'waits' | 'haltWait' | 'lockouts' | 'alerts' | 'alertsOff' | 'requestsBecauseOfPage'
>;

const NOTHING_READ: ReadParts = {
  botNowMs: null,
  equity: [],
  exposure: [],
  positions: [],
  strategies: [],
  openOrders: 0,
  unresolved: [],
  dataAges: [],
  books: 'waiting',
  credential: null,
  approvals: [],
  lossLimits: [],
  locks: [],
};

function readParts(reader: MirrorReader, { nowMs, bot, note }: OverviewParts): ReadParts {
  const stored = reader.stored();
  const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_OPEN });
  const positions = positionItems(reader, open);
  const strategies = strategyItems(reader, { note, nowMs });
  const readTimes = readRecord(stored, 'read-times') ?? {};
  const { refused } = readRecord(stored, 'credential') ?? { refused: null };
  const newestMs = newestReading(readTimes);
  // The data of a stopped bot ages by the clock, unless its exchange runs in a time of its own.
  const isRealTime = !bot.isEmbedded || note?.alerts === 'on';
  return {
    botNowMs: isRealTime ? nowMs : newestMs,
    equity: [...equityItems(reader, strategies, newestMs)],
    exposure: [...exposureOf(positions)],
    positions: [...positions],
    strategies: [...strategies],
    openOrders: open.length,
    unresolved: open
      .filter(({ state }) => state === 'unknown')
      .slice(0, MOST_UNRESOLVED)
      .map((order) => pickItem(unresolvedItem, order)),
    dataAges: Object.entries(readTimes)
      .map(([feed, readAtMs]) => ({ feed, readAtMs: Math.floor(readAtMs) }))
      .toSorted((left, right) => left.readAtMs - right.readAtMs),
    books: readReconciliation(reader).state,
    credential:
      refused === null
        ? null
        : {
            name: english(refused.name),
            nameFacts: sentenceFacts(refused.name),
            sinceMs: Math.floor(refused.sinceMs),
            advice: english(refused.advice),
          },
    approvals: reader.approvals().map((entry) => {
      const market = entry.market === null ? null : parseMarket(entry.market);
      const amount = entryAmount(entry);
      return pickItem(approvalItem, {
        ...INTENT_ROWS.stored(entry),
        amount: amount === null ? null : formatUnits(amount),
        coin: market?.base ?? null,
        currency: market?.quote ?? null,
      });
    }),
    lossLimits: (readRecord(stored, 'loss-limits') ?? []).map(({ strategy, reason, sinceMs }) => ({
      strategy,
      ...reasonItem(reason),
      sinceMs: Math.floor(sinceMs),
    })),
    locks: locksNow(stored, nowMs).locks.map((lock) => lockItemOf(lock)),
  };
}

/** Returns all strategies' combined holdings, by asset and currency. */
function exposureOf(positions: readonly PositionItem[]): readonly ExposureItem[] {
  const byAsset = new Map<string, ExposureItem>();
  for (const { asset, currency, amount, value } of positions) {
    const name = `${asset}/${currency}`;
    const sum = byAsset.get(name);
    byAsset.set(name, {
      asset,
      currency,
      amount: plus(sum?.amount ?? '0', amount),
      value:
        value === null || (sum !== undefined && sum.value === null) ? null : plus(sum?.value ?? '0', value),
    });
  }
  return [...byAsset.values()];
}

const plus = (left: string, right: string): string =>
  formatUnits(addUnits(parseUnits(left), parseUnits(right)));

interface LedgerNow {
  readonly budgets: readonly BudgetItem[];
  readonly lockouts: readonly LockoutItem[];
}

/** Returns the budgets and the lockouts in the ledger's rows. */
export function ledgerNow(rows: readonly BudgetReport[], nowMs: number): LedgerNow {
  return {
    budgets: rows.map((row) => budgetItemOf(row)),
    lockouts: rows
      .filter(({ lockedForMs, isOnTrial }) => isOnTrial || (lockedForMs ?? 0) > 0)
      .map(({ budget, lockedForMs, isOnTrial }) => ({
        budget,
        endsAtMs: lockedForMs === null ? null : Math.floor(nowMs + lockedForMs),
        isOnTrial,
      })),
  };
}

function budgetItemOf(row: BudgetReport): BudgetItem {
  const subject = row.subject === 'ip' || row.subject === 'this-address' ? 'address' : 'account';
  return pickItem(budgetItem, { ...row, subject, isAssumed: row.assumed });
}

export function budgetsReplyOf(of: {
  /** Budgets of the bot itself; empty if its exchange is embedded in the bot. */
  readonly rows: readonly BudgetReport[];
  readonly nowMs: number;
  readonly strategies: readonly StrategyItem[];
  readonly overTime: readonly SeriesItem[];
}): BudgetsReply {
  const { budgets, lockouts } = ledgerNow(of.rows, of.nowMs);
  return {
    asOfMs: of.nowMs,
    budgets: [...budgets],
    overTime: [...of.overTime],
    lockouts: [...lockouts],
    strategies: of.strategies.map(({ name, requests, orders, fills }) => ({
      strategy: name,
      requests,
      orders,
      fills,
      requestsPerFill: fills === 0 ? null : requests / fills,
    })),
  };
}

export function booksReplyOf(reader: MirrorReader): BooksReply {
  const report = readReconciliation(reader);
  const { books, findings, differences, unknownTransfers: _unknown, ...state } = report;
  return {
    ...state,
    why: english(state.why),
    blockedBy: english(state.blockedBy),
    whyFacts: sentenceFacts(state.why),
    blockedByFacts: sentenceFacts(state.blockedBy),
    differences: differences.map((row) => pickItem(differenceItem, row)),
    findings: findings.map((finding) => pickItem(findingItem, finding)),
    transfers: transfersNow(reader.stored(), hasWriter(reader.path)).map((transfer) => ({ ...transfer })),
    balances: reader.balances().map(({ currency, total, held, seenAtMs }) => ({
      currency,
      total: formatUnits(total),
      held: formatUnits(held),
      expected: books[currency] ?? null,
      seenAtMs,
    })),
  };
}

/**
 * Returns all bots of this user on this machine: each mirror is opened for reading, one after the other, and
 * closed again. An unreadable one is listed with the reason.
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
  using folder = closing(new BotFolderReader({ dataFolder }));
  return itemOf(folder, { isThis: false, dashboard, nowMs });
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
      const open = reader.orders({ state: 'open', strategy: null, market: null, last: 5_000 });
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

/** Sums equity by currency; null if a value is unknown. Several accounts have no common drawdown. */
function totalsOf(equities: readonly (readonly EquityItem[])[]): EquityItem[] {
  const byCurrency = new Map<string, EquityItem>();
  for (const item of equities.flat()) {
    const sum = byCurrency.get(item.currency);
    byCurrency.set(item.currency, {
      currency: item.currency,
      now: sum === undefined ? item.now : knownSum(sum.now, item.now),
      day: sum === undefined ? item.day : knownSum(sum.day, item.day),
      total: sum === undefined ? item.total : knownSum(sum.total, item.total),
      drawdown: null,
      asOfMs: sum === undefined ? item.asOfMs : older(sum.asOfMs, item.asOfMs),
    });
  }
  return [...byCurrency.values()];
}

const knownSum = (left: string | null, right: string | null): string | null =>
  left === null || right === null ? null : formatUnits(addUnits(parseUnits(left), parseUnits(right)));

const older = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? null : Math.min(left, right);
