import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { ControlClient } from '../../daemon/control-client.ts';
import { isDataFolderInUse } from '../../daemon/process-locks.ts';
import { countText, formatUnits, parseUnits } from '../../domain/money.ts';
import { FILL_ROWS } from '../../mirror/record-tables.ts';
import {
  readMovements,
  type Movements,
  currenciesIn,
  readReconciliation,
  type ReconciliationReport,
  type BalanceDifference,
} from '../../mirror/read-reconciliation.ts';
import { failed, wrongInput } from '../command-error.ts';
import { confirm } from '../api/command-io.ts';
import { followCommand } from '../follow-command.ts';
import { readMirror } from '../read-mirror.ts';
import type { WalletTransaction } from '../../venues/port.ts';
import { lengthText, agoText, clockText } from '../../domain/time-text.ts';
import { dataOption, type DataFolderOptions } from '../option-readers.ts';
import { sentenceOf } from '../../engine/stored-records.ts';
import { print, rowLines, tableLines } from '../table.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { isPlaceholder, type FillRecord } from '../../records/fill.ts';
import { movesOf } from '../../portfolio/balance-books.ts';
import { LineMatcher } from '../../portfolio/explaining-lines.ts';
import { english } from '../../language/sentence.ts';

interface Options extends DataFolderOptions {
  readonly explain?: true;
  readonly accept?: true;
  readonly yes?: true;
}

interface Reading {
  readonly report: ReconciliationReport;
  /** Changes in the wallets that do not agree; empty while all agree. */
  readonly changes: readonly WalletChange[];
}

/** Period searched before the difference was seen, in ms: books agreed minutes before, mostly. */
const LOOKBACK_MS = 3_600_000;

/** Maximum number of changes that are shown; more are too many for a person to check. */
const MOST_MOVEMENTS = 200;

/** Longest wait for a running bot to accept it, in ms: a healthy bot does so at once. */
const APPLIED_WITHIN_MS = 10_000;

const HELP = `
The bot compares; this command shows the result. After a break the bot places no new orders, over
restarts too, until you accept the balances of the exchange.
Exit codes: 0 no break, or it was accepted; 1 a break, or new orders wait since nothing can be
compared, or nothing could be read or accepted; 2 an option is wrong or you did not agree.

Examples:
  sarraf reconcile
  sarraf reconcile --explain --data /data
  sarraf reconcile --accept`;

const READ_IT = `A trade without a line is in the books, and the wallet's history does not show it. A line without a trade came
from outside, or the exchange never showed its trade. The books accept it when lines explain the whole difference.`;

const WHAT_TO_DO = `What to do: find what is missing, or there twice, in the history on the exchange's own page. When what the exchange has is right,
"sarraf reconcile --accept" takes it over, and the bot places new orders again.`;

const BLOCKED = `Trades that the exchange lists no more do not come. "sarraf reconcile --accept" books what the records of their orders
say, leaves out trades that nothing confirms, and starts the books again from the balances of the exchange.`;

function read(options: Options): Reading {
  return readMirror(options, (reader) => {
    const report = readReconciliation(reader);
    const { sinceMs, differences } = report;
    if (sinceMs === null) return { report, changes: [] };
    const movements = readMovements(reader.path, { fromMs: sinceMs - LOOKBACK_MS, last: MOST_MOVEMENTS });
    return { report, changes: walletChanges(movements, currenciesIn(differences)) };
  });
}

function explanationLines({ report, changes }: Reading, nowMs: number): string[] {
  const { state, sinceMs, differences } = report;
  const books = Object.entries(report.books).toSorted(([left], [right]) => left.localeCompare(right));
  if (sinceMs === null)
    return state === 'agreed' ? ['', ...tableLines(['currency', '>the books have'], books)] : [];
  return [
    '',
    `Odd changes of these wallets since ${lengthText(LOOKBACK_MS)} before the difference was seen, of the newest ${MOST_MOVEMENTS} trades and lines:`,
    ...changeLines(changes, { differences, nowMs }),
    ...(changes.some(({ missing }) => missing !== null) ? ['', READ_IT] : []),
  ];
}

function show(options: Options): void {
  const nowMs = Date.now();
  const reading = read(options);
  const { report, changes } = reading;
  const isBroken = report.state === 'broken';
  const isRunning = isDataFolderInUse(options.data);
  print(
    options,
    {
      ...report,
      isRunning,
      ...(options.explain === true ? { changes: changes.map(storedChange) } : {}),
    },
    () => [
      ...reportLines(report, nowMs),
      ...(options.explain === true ? explanationLines(reading, nowMs) : []),
      ...(isBroken
        ? ['', options.explain === true ? WHAT_TO_DO : '"sarraf reconcile --explain" shows what moved.']
        : []),
      ...(report.state === 'blocked' && report.blockedBy !== null ? ['', BLOCKED] : []),
      ...(isRunning ? [] : ['', 'No bot is running: this is how the last one left it.']),
    ],
  );
  if (isBroken) throw failed('the books do not agree with the exchange');
  if (report.state === 'blocked') throw failed('whether the books agree with the exchange is not known');
}

function storedChange({ units, fill, line, ...change }: WalletChange): object {
  return {
    ...change,
    amount: formatUnits(units),
    fill: fill === null ? null : FILL_ROWS.stored(fill),
    line: line === null ? null : storedLine(line),
  };
}

function storedLine({ id, currency, atMs, amount, description }: WalletTransaction): object {
  return { id, currency, atMs, amount: formatUnits(amount), description };
}

async function accept(options: Options): Promise<void> {
  const { data } = options;
  if (!existsSync(data))
    throw failed(`expected the data folder of a bot at ${data}, found none: name it with --data`);
  const { report } = read(options);
  const isInDoubt = report.unknownTransfers.length > 0;
  if (!isInDoubt && (report.state === 'agreed' || report.state === 'waiting')) {
    const json = { accepted: false, message: 'there is no difference to accept' };
    print(options, json, () => ['There is no difference to accept; nothing was done.']);
    return;
  }
  if (!isDataFolderInUse(data)) throw noBotRuns(data);
  if (options.yes !== true) {
    const question = [
      ...reportLines(report, Date.now()),
      '',
      'The books will start again from the balances of the exchange, and the bot will place new orders.',
    ];
    if (!(await confirm(question.join('\n'), 'accept')))
      throw wrongInput('expected "accept" to be typed, or --yes; nothing was done');
  }
  const message = await post(data);
  print(options, { accepted: true, message }, () => [`accepted: ${message}`]);
}

/** Posts the acceptance to the running bot, and returns the result. */
async function post(data: string): Promise<string> {
  using client = new ControlClient(data);
  const id = client.post({ kind: 'accept-balances' });
  const followed = await followCommand({ client, id, data, stillForMs: APPLIED_WITHIN_MS });
  if (followed.kind === 'done') {
    if (!followed.result.ok) throw failed(english(followed.result.message));
    return english(followed.result.message);
  }
  // The command is ended now: a later difference may be another one.
  client.finish(id, { ok: false, message: 'no bot took the command', left: [] });
  if (followed.kind === 'gone') throw noBotRuns(data);
  throw failed('the bot did not take it up: see whether it is well with "sarraf health"');
}

function noBotRuns(data: string): Error {
  return failed(
    `no bot runs with ${data}, and only a running bot can start its books again: start it with "sarraf run", then accept`,
  );
}

export function reconcileCommand(): Command {
  return new Command('reconcile')
    .description(
      'Shows whether the books of the bot agree with the exchange, and the differences if they do not.',
    )
    .option('--explain', 'lists the trades and wallet lines around a difference')
    .option('--accept', 'starts the books again from the balances of the exchange; asks first')
    .option('--yes', 'does not ask')
    .addOption(dataOption('folder of the mirror'))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      if (options.accept === true && options.explain === true)
        throw wrongInput('expected --explain or --accept, were both: look first');
      if (options.accept === true) await accept(options);
      else show(options);
    });
}

const HEADS = {
  waiting: 'The books have not begun: the first reading of the wallets is still to come.',
  agreed: 'The books and the exchange agree.',
  suspected:
    'The last comparison found a difference. It may be a list that lags; if it stays, it is a break and new orders stop.',
  blocked:
    'BLOCKED: whether the books and the exchange agree is not known. No new orders are placed; cancels still work.',
  broken: 'BREAK: the books and the exchange do not agree. No new orders are placed; cancels still work.',
} as const;

/** Describes the state of the books in a few lines. */
export function reportLines(report: ReconciliationReport, nowMs: number): string[] {
  const {
    state,
    comparedAtMs,
    comparisons,
    sinceMs,
    brokenAtMs,
    isGone,
    why,
    differences,
    blockedBy,
    findings,
    unknownTransfers,
  } = report;
  const times = comparisons === 1 ? 'once' : `${comparisons} times`;
  return [
    HEADS[state],
    `compared  ${comparisons === 0 ? 'never' : `${times}, last ${whenText(comparedAtMs, nowMs)}`}`,
    ...(sinceMs === null ? [] : [`since     ${whenText(sinceMs, nowMs)}`]),
    ...(brokenAtMs === null || brokenAtMs === sinceMs ? [] : [`a break   ${whenText(brokenAtMs, nowMs)}`]),
    ...(why === null ? [] : [`why       ${english(why)}`]),
    ...(blockedBy === null ? [] : [`because   no comparison says anything: ${english(blockedBy)}`]),
    ...findings.map(
      (finding) =>
        `doubtful  ${english(sentenceOf(finding))}${finding.isGrave ? ': new orders wait for it' : ''}`,
    ),
    ...unknownTransfers.map(
      ({ strategy, currency, amount, from, to, sinceMs: atMs }) =>
        `UNKNOWN   whether ${amount} ${currency} went from ${from} to ${to} for ${strategy}, since ${whenText(atMs, nowMs)}: look at the wallets, and then --accept`,
    ),
    ...(isGone
      ? ['The last comparison found no difference any more; the break holds until it is accepted.']
      : []),
    ...(differences.length === 0 ? [] : ['', ...differenceLines(differences)]),
  ];
}

/** Lists the odd changes of the wallets in question, to show which one is missing; counts the others. */
export function changeLines(
  changes: readonly WalletChange[],
  of: { readonly differences: readonly BalanceDifference[]; readonly nowMs: number },
): string[] {
  if (changes.length === 0) return ['Nothing is known to have moved in these wallets since then.'];
  const noted = changes.map((change) => ({ change, note: noteText(change, of.differences) }));
  const odd = noted.filter(({ note }) => note !== '');
  const plain = noted.filter(({ note }) => note === '').map(({ change }) => change);
  const outside = plain.filter(({ line }) => line === null).length;
  return [
    ...(odd.length === 0
      ? ['No change that is known is odd: the one that is missing is not known here.']
      : rowLines(odd, {
          'time (UTC)': ({ change }) => clockText(change.atMs, of.nowMs),
          currency: ({ change }) => change.currency,
          '>change': ({ change }) => formatUnits(change.units),
          '>trade': ({ change: { fill } }) => (fill === null ? '-' : String(fill.tradeId)),
          '>line': ({ change: { line } }) => (line === null ? '-' : String(line.id)),
          what: ({ change }) => whatText(change),
          note: ({ note }) => note,
        })),
    `Besides: ${plain.length - outside} with a trade and its line, ${countText(outside, 'trade')} outside of the history that was read. --json lists them.`,
  ];
}

function differenceLines(differences: readonly BalanceDifference[]): string[] {
  return tableLines(
    ['currency', '>expected', '>found', '>difference'],
    differences.map(({ currency, expected, found, difference }) => [currency, expected, found, difference]),
  );
}

const whenText = (timeMs: number | null, nowMs: number): string =>
  timeMs === null ? 'never' : `${clockText(timeMs, nowMs)} UTC (${agoText(timeMs, nowMs)})`;

function whatText({ fill, line }: WalletChange): string {
  if (fill === null) return line?.description ?? '';
  return `${fill.side} ${formatUnits(fill.amount)} ${fill.market}, ${fill.strategy ?? 'foreign'}`;
}

/** Describes why a change is odd; empty for most changes. */
function noteText(
  { currency, units, missing }: WalletChange,
  differences: readonly BalanceDifference[],
): string {
  const notes = missing === null ? [] : [`no ${missing}`];
  const isAsLarge = differences.some((row) => {
    const difference = parseUnits(row.difference);
    return row.currency === currency && (difference === units || difference === -units);
  });
  return [...notes, ...(isAsLarge ? ['as large as the difference'] : [])].join(', ');
}

/** One change of one wallet: a trade, a line of the wallet's history, or both if they belong together. */
interface WalletChange {
  readonly atMs: number;
  readonly currency: string;
  /** Amount in units of 1e-10; negative for a decrease. */
  readonly units: bigint;
  readonly fill: FillRecord | null;
  readonly line: WalletTransaction | null;
  /** Missing counterpart; null if none is, and for a trade outside the known part of the history. */
  readonly missing: 'trade' | 'line' | null;
}

type Effect = Omit<WalletChange, 'line' | 'missing'>;

/** Matches trades and lines, oldest first: each trade with the line of its amount nearest in time. */
export function walletChanges(
  movements: Movements,
  currencies: ReadonlySet<string>,
): readonly WalletChange[] {
  const known = movements.transactions.filter(({ currency }) => currencies.has(currency));
  const lines = new LineMatcher(known);
  const ofTrades = movements.fills.flatMap(effectsOf).filter(({ currency }) => currencies.has(currency));
  const paired = ofTrades.map((effect): WalletChange => {
    const line = lines.match(effect.currency, effect.units, effect.atMs);
    return { ...effect, line, missing: line === null && isWithin(effect, known) ? 'line' : null };
  });
  // Done after every other trade has its line.
  for (const [place, change] of paired.entries()) {
    const isSum = change.line === null && change.fill !== null && isPlaceholder(change.fill);
    if (isSum && lines.consumeSum(change.currency, change.units).length > 0)
      paired[place] = { ...change, missing: null };
  }
  const unpaired = lines.rest().map((line): WalletChange => {
    const { atMs, currency } = line;
    return { atMs, currency, units: line.amount, fill: null, line, missing: 'trade' };
  });
  return [...paired, ...unpaired].toSorted((left, right) => left.atMs - right.atMs);
}

/** True if a trade's line would be among the known ones: its wallet has older and newer lines. */
function isWithin({ currency, atMs }: Effect, known: readonly WalletTransaction[]): boolean {
  const ofWallet = known.filter((line) => line.currency === currency);
  return ofWallet.some((line) => line.atMs < atMs) && ofWallet.some((line) => line.atMs > atMs);
}

/** Returns a trade's effects on its wallets. */
function effectsOf(fill: FillRecord): readonly Effect[] {
  // A trade of an unknown market has unknown wallets.
  if (fill.market === '?') return [];
  const moves = movesOf({ ...fill, ...parseMarket(fill.market) });
  return moves.map(([currency, units]) => ({ atMs: fill.atMs, currency, units, fill }));
}
