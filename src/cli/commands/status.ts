import { formatUnits, moneyText, countText } from '../../domain/money.ts';
import { parsedJson } from '../../domain/stored-json.ts';
import { otherMarketOf } from '../../domain/market-symbol.ts';
import type { Command } from 'commander';
import { readHaltWait } from '../../daemon/control-file.ts';
import { dataFolderOwner, type ProcessLockOwner } from '../../daemon/process-locks.ts';
import { readRecord, sentenceOf, type StoredValue } from '../../engine/stored-records.ts';
import type { StoredRow, MirrorSummary } from '../../mirror/mirror-reader.ts';
import { INTENT_ROWS, ORDER_ROWS } from '../../mirror/record-tables.ts';
import {
  entryText,
  LastPrices,
  strategyStatus,
  type StrategyStatus,
  locksNow,
  pauseOf,
  whyNothingLeaves,
} from '../../mirror/strategy-status.ts';
import { locksText, orderLines, reasonText } from '../order-lines.ts';
import {
  readReconciliation,
  type ReconciliationReport,
  transfersNow,
  unclearPositions,
  type TransferAtWork,
  type UnclearPosition,
} from '../../mirror/read-reconciliation.ts';
import { failed } from '../command-error.ts';
import {
  hasMirror,
  mirrorCommand,
  readMirror,
  startingBot,
  startWaitsFor,
  type StartingBot,
} from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';
import { agoText, clockText, lengthText } from '../../domain/time-text.ts';
import { decimalsOf } from '../../exchange/market-names.ts';
import { OLDEST_HEARTBEAT_MS, readRun } from '../../daemon/run-record.ts';
import { english, type Sentence } from '../../language/sentence.ts';
import { readLedgerAt } from '../../budget/ledger-snapshot.ts';
import {
  type BudgetReport,
  loweredBudgets,
  loweredText,
  type LoweredBudget,
} from '../../budget/ledger-report.ts';
import { waitSentence, type TradingBegins } from '../../budget/trading-begins.ts';
import type { DataFolderOptions } from '../option-readers.ts';

const EXAMPLES = `  sarraf status
  sarraf status --data /data --json`;

/** Maximum number of open orders that are shown, so that they fit a screen. */
const MOST_ORDERS = 20;

const RUNNING = new Map<boolean | null, string>([
  [true, 'a bot is running'],
  [false, 'no bot is running'],
  [null, 'it is not known whether a bot is running'],
]);

const BOOKS = {
  waiting: 'not compared with the exchange yet',
  agreed: 'agree with the exchange',
  suspected: 'differ from the exchange, which the next comparison has to confirm: see "sarraf reconcile"',
  blocked: 'BLOCKED, no new orders: see "sarraf reconcile"',
  broken: 'BREAK, no new orders: see "sarraf reconcile --explain"',
} as const;

/** A bot that begins, or is about to end, with the reason why it waits. */
interface Starting extends StartingBot {
  readonly waitsFor: string;
}

const UNCLEAR: Readonly<Record<UnclearPosition['why'], string>> = {
  'exit-canceled': 'somebody else canceled its exit',
  'coins-left': 'the account has less than strategies hold',
};

function headLines(
  summary: MirrorSummary,
  of: {
    readonly runner: ProcessLockOwner | null;
    readonly starting: Starting | null;
    readonly haltWait: Sentence | null;
    readonly unclear: readonly UnclearPosition[];
  },
  nowMs: number,
): string[] {
  const { runner, starting, haltWait, unclear } = of;
  const { lastSeen, counts } = summary;
  const ages = readTimes(summary.stored).map(([what, timeMs]) => `${what} ${agoText(timeMs, nowMs)}`);
  const rows = [
    countText(counts.orders, 'order', 'orders'),
    countText(counts.fills, 'trade', 'trades'),
    countText(counts.intents, 'intent', 'intents'),
    countText(counts.journal, 'line of the journal', 'lines of the journal'),
  ];
  return [
    `mirror  ${summary.path}, epoch ${summary.epoch}: ${starting === null ? `${RUNNING.get(summary.isRunning) ?? ''}${runnerText(runner, nowMs)}` : startingText(starting)}`,
    `read    ${ages.length === 0 ? 'nothing yet' : ages.join(', ')}`,
    `last    change of the journal ${agoText(lastSeen.journal, nowMs)}, trade ${agoText(lastSeen.fills, nowMs)}`,
    `has     ${rows.join(', ')}`,
    `halt    ${haltText(summary.stored, nowMs)}`,
    ...(haltWait === null ? [] : [`        ${english(haltWait)}`]),
    `locks   ${locksText(locksNow(summary.stored, nowMs))}`,
    ...Object.entries(readRecord(summary.stored, 'missing-coins') ?? {}).map(
      ([coin, { amount, sinceMs }]) =>
        `coins   ${formatUnits(amount)} ${coin.toUpperCase()} of strategies are missing since ${clockText(sinceMs, nowMs)} UTC: see "sarraf position --help"`,
    ),
    ...unclear.map(
      ({ strategy, market, why, sinceMs }) =>
        `unclear the position of ${strategy} in ${market} since ${clockText(sinceMs, nowMs)} UTC (${UNCLEAR[why]}): no exit is placed until "sarraf position" says what became of it`,
    ),
    ...(readRecord(summary.stored, 'loss-limits') ?? []).map(
      ({ strategy, reason, sinceMs }) =>
        `limit   no new risk of ${strategy} since ${clockText(sinceMs, nowMs)} UTC: ${english(reason)}`,
    ),
    ...(readRecord(summary.stored, 'standstills') ?? []).map(
      ({ reason }) => `market  no order there: ${english(reason)}`,
    ),
  ];
}

const startingText = ({ who, waitsFor }: Starting): string => `a bot is starting (${who}): ${waitsFor}`;

/** Describes the process that has the mirror open; empty if unknown. */
function runnerText(runner: ProcessLockOwner | null, nowMs: number): string {
  if (runner === null) return '';
  return `, pid ${runner.pid} on ${runner.host} since ${clockText(runner.sinceMs, nowMs)} UTC`;
}

/**
 * Returns when each kind of data was last read, changed or not; for several markets, the oldest time. Books
 * of other venues are named one by one.
 */
function readTimes(stored: readonly StoredRow[]): readonly (readonly [what: string, timeMs: number])[] {
  const byFeed = readRecord(stored, 'read-times') ?? {};
  const oldest = new Map<string, number>();
  for (const [feed, timeMs] of Object.entries(byFeed)) {
    const [kind = feed, market = ''] = feed.split(' ');
    const what = otherMarketOf(market) === null ? kind : feed;
    oldest.set(what, Math.min(oldest.get(what) ?? Number.POSITIVE_INFINITY, timeMs));
  }
  return [...oldest];
}

/** Describes whether trading is halted, and by what. */
function haltText(stored: readonly StoredRow[], nowMs: number): string {
  const { halted } = readRecord(stored, 'control') ?? { halted: null };
  if (halted === null) return 'none';
  return `since ${clockText(halted.sinceMs, nowMs)} UTC: ${english(halted.reason)}. "sarraf resume" ends it`;
}

/** Returns lines about a credential that the exchange refuses; none while it accepts it. */
function credentialLines({ refused }: StoredValue<'credential'>, nowMs: number): string[] {
  if (refused === null) return [];
  return [
    `credential REFUSED (401) since ${clockText(refused.sinceMs, nowMs)} UTC: ${english(refused.name)}: ${english(refused.advice)}`,
  ];
}

const credentialOf = (stored: readonly StoredRow[]): StoredValue<'credential'> =>
  readRecord(stored, 'credential') ?? { refused: null };

/** Describes how the books agree with the exchange. */
function booksText({ state, comparisons, comparedAtMs }: ReconciliationReport, nowMs: number): string {
  const text = BOOKS[state];
  if (comparedAtMs === null) return text;
  return `${text}; compared ${countText(comparisons, 'time', 'times')}, last ${agoText(comparedAtMs, nowMs)}`;
}

const figureText = (text: string | null, currency: string): string =>
  text === null ? 'unknown' : `${moneyText(text, decimalsOf(currency))} ${currency}`;

function strategyLines(strategies: readonly StrategyStatus[], nowMs: number): string[] {
  if (strategies.length === 0) return ['No strategy has run yet.'];
  return rowLines(strategies, {
    strategy: ({ name }) => name,
    status: ({ status }) => status,
    '>profit': ({ figures: { profit, currency } }) => figureText(profit, currency),
    '>realised': ({ figures: { realised, currency } }) => figureText(realised, currency),
    '>open': ({ figures: { open, currency } }) => figureText(open, currency),
    holds: ({ figures }) => amounts(figures.positions, (text) => text),
    fees: ({ figures }) => amounts(figures.fees, (text, asset) => moneyText(text, decimalsOf(asset))),
    '>orders': ({ figures }) => String(figures.orders),
    '>fills': ({ figures }) => String(figures.fills),
    'last change': ({ atMs }) => agoText(atMs, nowMs),
    why: ({ reason }) => reasonText(reason),
  });
}

/** Lists amounts by asset, without zeros. */
function amounts(
  of: Readonly<Record<string, string>>,
  shown: (text: string, asset: string) => string,
): string {
  const nonzero = Object.entries(of).filter(([, text]) => text !== '0');
  return nonzero.length === 0
    ? '0'
    : nonzero.map(([asset, text]) => `${shown(text, asset)} ${asset}`).join(', ');
}

function openOrderLines(summary: MirrorSummary, nowMs: number): string[] {
  const { openOrders, workingIntents } = summary;
  const working = countText(workingIntents, 'intent is', 'intents are');
  if (openOrders.length === 0) return [`No open orders; ${working} at work.`];
  const more = openOrders.length - MOST_ORDERS;
  return [
    `${countText(openOrders.length, 'open order', 'open orders')}; ${working} at work.`,
    ...orderLines(openOrders.slice(-MOST_ORDERS), nowMs),
    ...(more > 0 ? [`and ${more} older ones, which "sarraf orders" lists`] : []),
  ];
}

async function findStarting(data: string): Promise<Starting | null> {
  const bot = startingBot(data);
  return bot === null ? null : { ...bot, waitsFor: await startWaitsFor(data) };
}

async function showStatus(options: DataFolderOptions): Promise<void> {
  if (!hasMirror(options)) {
    const starting = await findStarting(options.data);
    // The query takes a moment, in which the mirror may be created.
    if (starting !== null && !hasMirror(options)) throw failed(`no mirror yet, as ${startingText(starting)}`);
  }
  const { summary, books, locks, strategies, unclear, approvals } = readMirror(options, (reader) => {
    const read = reader.summary();
    const held = locksNow(read.stored, Date.now());
    const prices = new LastPrices(reader.markets);
    return {
      summary: read,
      books: readReconciliation(reader),
      locks: held,
      unclear: unclearPositions(reader.algorithms(null)),
      approvals: reader.approvals(),
      strategies: read.strategies.map((record) =>
        strategyStatus(record, read.isRunning, { pause: pauseOf(held, record.name), prices }),
      ),
    };
  });
  const starting = summary.isRunning === false ? await findStarting(options.data) : null;
  const nowMs = Date.now();
  const { openOrders, stored, ...rest } = summary;
  const ledger = await ledgerStatus(options.data);
  const silentForMs = summary.isRunning === true ? silenceOf(options.data, nowMs) : null;
  const runner = summary.isRunning === false ? null : dataFolderOwner(options.data);
  const transfers = transfersNow(stored, summary.isRunning);
  const haltWait = summary.isRunning === true ? readHaltWait(options.data) : null;
  print(
    options,
    {
      ...rest,
      runner: runner === null ? null : { pid: runner.pid, host: runner.host, sinceMs: runner.sinceMs },
      starting: starting === null ? null : { pid: starting.pid, waitsFor: starting.waitsFor },
      silentForMs,
      haltWait,
      readAtMs: Object.fromEntries(readTimes(stored)),
      credential: credentialOf(stored),
      locks,
      unclear,
      approvals: approvals.map((entry) => INTENT_ROWS.stored(entry)),
      transfers,
      ledger,
      strategies: strategies.map(({ figures, ...strategy }) => ({ ...strategy, ...figures })),
      openOrders: openOrders.map((order) => ORDER_ROWS.stored(order)),
      kept: Object.fromEntries(
        stored.map(({ name, json, atMs }) => [name, { atMs, value: parsedJson(json) }]),
      ),
    },
    () => [
      ...headLines(summary, { runner, starting, haltWait, unclear }, nowMs),
      ...silenceLines(silentForMs),
      ...approvals.map(
        (entry) =>
          `waits   ${entry.id}: ${entryText(entry)}, until ${clockText(entry.expiresAtMs ?? entry.atMs, nowMs)} UTC: "sarraf approve ${entry.id}" or "sarraf decline ${entry.id}"`,
      ),
      `books   ${booksText(books, nowMs)}`,
      ...books.findings.map((finding) => `doubt   ${english(sentenceOf(finding))}`),
      ...transferLines(transfers, nowMs),
      ...ledgerLines(ledger, summary.isRunning === true ? english(whyNothingLeaves(stored)) : null, nowMs),
      ...credentialLines(credentialOf(stored), nowMs),
      '',
      ...strategyLines(strategies, nowMs),
      '',
      ...openOrderLines(summary, nowMs),
    ],
  );
}

export function statusCommand(): Command {
  return mirrorCommand('status', {
    description:
      'Shows how the bot is doing: its strategies, open orders, halts and breaks, and how old its data is.',
    examples: EXAMPLES,
  }).action(showStatus);
}

/** Returns the time since the loop of a running bot last turned, in ms; null while it turns or is unknown. */
export function silenceOf(dataFolder: string, nowMs: number): number | null {
  const { pulse } = readRun(dataFolder);
  if (pulse === null || pulse.endedAtMs !== null) return null;
  const forMs = nowMs - pulse.beatMs;
  return forMs > OLDEST_HEARTBEAT_MS ? forMs : null;
}

/** Describes the silence of a bot in lines for people; none without one. */
export function silenceLines(forMs: number | null): readonly string[] {
  if (forMs === null) return [];
  return [`silent  for ${lengthText(forMs)}: the bot decides nothing, and its orders stay open`];
}

/** Returns a line for each transfer, and advice if one is unknown. */
function transferLines(transfers: readonly TransferAtWork[], nowMs: number): readonly string[] {
  if (transfers.length === 0) return [];
  return [...transfers.map((transfer) => lineOf(transfer, nowMs)), ...adviceOn(transfers)];
}

function lineOf(
  { strategy, currency, amount, from, to, state, sinceMs }: TransferAtWork,
  nowMs: number,
): string {
  const since = `since ${clockText(sinceMs, nowMs)} UTC (${agoText(sinceMs, nowMs)})`;
  return state === 'sending'
    ? `moving  ${amount} ${currency} from ${from} to ${to} for ${strategy}, on its way ${since}`
    : `UNKNOWN whether ${amount} ${currency} went from ${from} to ${to} for ${strategy}, ${since}`;
}

function adviceOn(transfers: readonly TransferAtWork[]): readonly string[] {
  const unknown = transfers.filter(({ state }) => state === 'unknown');
  if (unknown.length === 0) return [];
  const currencies = [...new Set(unknown.map(({ currency }) => currency))].join(', ');
  return [
    `        It is never sent again, and no other transfer of ${currencies} is taken. Look at the wallets on the page of the exchange. Then run "sarraf reconcile --accept" while the bot runs.`,
  ];
}

interface LedgerStatus {
  readonly ledger: string;
  readonly tradingBegins: TradingBegins;
  /** Limits of this bot that the exchange has lowered. */
  readonly lowered: readonly LoweredBudget[];
  /** Budgets of this bot for which the exchange accepts no request now. */
  readonly lockouts: readonly { readonly budget: string; readonly forMs: number }[];
}

/**
 * Reads the ledger of the last run of a data folder; null if there is none, or it cannot be read. The
 * exchange's profile, with all endpoints, is loaded only if there is a ledger.
 */
export async function ledgerStatus(dataFolder: string): Promise<LedgerStatus | null> {
  const { ledger: note } = readRun(dataFolder);
  if (note === null) return null;
  const all = await rowsOf(note.ledger);
  if (all === null) return null;
  const subjects = new Set(note.subjects);
  const rows = all.filter(({ subject }) => subjects.has(subject));
  const { botTradingBegins } = await import('../../daemon/folder-ledger.ts');
  return {
    ledger: note.ledger,
    tradingBegins: botTradingBegins(dataFolder, rows),
    lowered: loweredBudgets(rows, subjects),
    lockouts: rows.flatMap(({ budget, lockedForMs }) =>
      lockedForMs !== null && lockedForMs > 0 ? [{ budget, forMs: lockedForMs }] : [],
    ),
  };
}

/** Describes the ledger in lines. `stopped`: why nothing leaves, whatever the ledger says; else null. */
export function ledgerLines(
  status: LedgerStatus | null,
  stopped: string | null,
  nowMs: number,
): readonly string[] {
  if (status === null) return [];
  const { tradingBegins: begins, ledger, lowered, lockouts } = status;
  return [
    `ledger  ${ledger}: ${stopped ?? (begins.waitMs === 0 ? 'an order could leave at once' : english(waitSentence(begins, nowMs)))}`,
    ...lockouts.map(
      ({ budget, forMs }) =>
        `locked  ${budget} is LOCKED OUT by the exchange for ${lengthText(forMs)} more: do not restart the bot`,
    ),
    ...lowered.map((each) => `limit   LOWERED: ${loweredText(each)}`),
  ];
}

/** Returns the rows of a ledger; null if it is locked or gone, of which "sarraf budget" says why. */
async function rowsOf(ledger: string): Promise<readonly BudgetReport[] | null> {
  try {
    return await readLedgerAt(ledger);
  } catch {
    return null;
  }
}
