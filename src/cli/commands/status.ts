import type { Command } from 'commander';
import { KEPT_CREDENTIAL, type StoredCredential } from '../../engine/credential-watch.ts';
import { KEPT_CONTROL, type StoredControl } from '../../engine/control.ts';
import type { KeptRow, MirrorSummary } from '../../mirror/mirror-reader.ts';
import { storedOrder } from '../../mirror/order-columns.ts';
import { orderLines } from '../order-lines.ts';
import { readReconciliation, type ReconciliationReport } from '../read-reconciliation.ts';
import { mirrorCommand, parsedJson, print, readMirror, type MirrorOptions } from '../read-mirror.ts';
import { tableLines } from '../table.ts';
import { agoText, clockText } from '../time-text.ts';

const EXAMPLES = `  sarraf status
  sarraf status --data /data --json`;

/** Open orders that fit a screen. */
const MOST_ORDERS = 20;

const RUNNING = new Map<boolean | null, string>([
  [true, 'a bot is running'],
  [false, 'no bot is running'],
  [null, 'whether a bot is running can not be told'],
]);

const BOOKS = {
  waiting: 'not compared with the exchange yet',
  agreed: 'agree with the exchange',
  suspected: 'differ from the exchange, which the next comparison has to confirm: see "sarraf reconcile"',
  broken: 'BREAK, no new orders: see "sarraf reconcile --explain"',
} as const;

const countText = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

function headLines(summary: MirrorSummary, nowMs: number): string[] {
  const { lastSeen, counts } = summary;
  const ages = Object.entries(lastSeen).map(([what, timeMs]) => `${what} ${agoText(timeMs, nowMs)}`);
  const rows = [
    countText(counts.orders, 'order', 'orders'),
    countText(counts.fills, 'trade', 'trades'),
    countText(counts.intents, 'intent', 'intents'),
    countText(counts.journal, 'line of the journal', 'lines of the journal'),
  ];
  return [
    `mirror  ${summary.path}, epoch ${summary.epoch}: ${RUNNING.get(summary.isRunning) ?? ''}`,
    `last    ${ages.join(', ')}`,
    `has     ${rows.join(', ')}`,
    `halt    ${haltText(summary.kept, nowMs)}`,
  ];
}

/** Whether the bot was told to stop trading. */
function haltText(kept: readonly KeptRow[], nowMs: number): string {
  const json = kept.find(({ name }) => name === KEPT_CONTROL)?.json;
  const { halted } = json === undefined ? { halted: null } : (JSON.parse(json) as StoredControl);
  if (halted === null) return 'none';
  return `since ${clockText(halted.sinceMs, nowMs)} UTC: ${halted.reason}. "sarraf resume" ends it`;
}

/** Lines about a credential that the exchange refuses; none while it takes it. */
function credentialLines({ refused }: StoredCredential, nowMs: number): string[] {
  if (refused === null) return [];
  return [
    `credential REFUSED (401) since ${clockText(refused.sinceMs, nowMs)} UTC: ${refused.name}: ${refused.advice}`,
  ];
}

function credentialOf(kept: readonly KeptRow[]): StoredCredential {
  const json = kept.find(({ name }) => name === KEPT_CREDENTIAL)?.json;
  return json === undefined ? { refused: null } : (JSON.parse(json) as StoredCredential);
}

/** How the books stand to the exchange. */
function booksText({ state, comparisons, comparedAtMs }: ReconciliationReport, nowMs: number): string {
  const text = BOOKS[state];
  if (comparedAtMs === null) return text;
  return `${text}; compared ${countText(comparisons, 'time', 'times')}, last ${agoText(comparedAtMs, nowMs)}`;
}

function strategyLines(summary: MirrorSummary, nowMs: number): string[] {
  if (summary.strategies.length === 0) return ['No strategy has run yet.'];
  return tableLines(
    [{ title: 'strategy' }, { title: 'status' }, { title: 'last change' }, { title: 'why' }],
    summary.strategies.map(({ name, status, atMs, reason }) => [name, status, agoText(atMs, nowMs), reason ?? '']),
  );
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

function showStatus(options: MirrorOptions): void {
  const { summary, books } = readMirror(options, (reader) => ({
    summary: reader.summary(),
    books: readReconciliation(reader),
  }));
  const nowMs = Date.now();
  const { strategies, openOrders, kept, ...rest } = summary;
  print(options, {
    json: {
      ...rest,
      credential: credentialOf(kept),
      strategies: strategies.map(({ json, ...strategy }) => ({ ...strategy, state: parsedJson(json) })),
      openOrders: openOrders.map(storedOrder),
      kept: Object.fromEntries(kept.map(({ name, json, atMs }) => [name, { atMs, value: parsedJson(json) }])),
    },
    lines: () => [
      ...headLines(summary, nowMs),
      `books   ${booksText(books, nowMs)}`,
      ...credentialLines(credentialOf(kept), nowMs),
      '',
      ...strategyLines(summary, nowMs),
      '',
      ...openOrderLines(summary, nowMs),
    ],
  });
}

/** `sarraf status`: the bot at a glance, from its mirror. */
export function statusCommand(): Command {
  return mirrorCommand('status', {
    description: 'Shows how the bot is doing: its strategies, open orders, halts and breaks, and how old its data is.',
    examples: EXAMPLES,
  }).action((options: MirrorOptions) => showStatus(options));
}
