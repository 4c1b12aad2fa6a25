import { formatUnits, parseUnits } from '../domain/money.ts';
import { sentenceOf } from '../engine/flaw-log.ts';
import type { BalanceDifference, ReconciliationReport } from '../mirror/read-reconciliation.ts';
import { tableLines, type TableColumn } from './table.ts';
import type { WalletChange } from './wallet-changes.ts';
import { agoText, clockText } from '../domain/time-text.ts';

const HEADS = {
  waiting: 'The books have not begun: the first reading of the wallets is still to come.',
  agreed: 'The books and the exchange agree.',
  suspected:
    'The last comparison found a difference. It may be a list that lags; if it stays, it is a break and new orders stop.',
  blocked:
    'BLOCKED: whether the books and the exchange agree is not known. No new orders are placed; cancels still work.',
  broken: 'BREAK: the books and the exchange do not agree. No new orders are placed; cancels still work.',
} as const;

/** The state of the books, in a few lines. */
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
    ...(why === null ? [] : [`why       ${why}`]),
    ...(blockedBy === null ? [] : [`because   no comparison says anything: ${blockedBy}`]),
    ...findings.map(
      (finding) => `doubtful  ${sentenceOf(finding)}${finding.isGrave ? ': new orders wait for it' : ''}`,
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

/** Lists the content of the books, to view while nothing is wrong. */
export function bookLines({ books }: ReconciliationReport): string[] {
  const rows = Object.entries(books).toSorted(([left], [right]) => left.localeCompare(right));
  return tableLines([{ title: 'currency' }, { title: 'the books have', align: 'right' }], rows);
}

const CHANGE_COLUMNS: readonly TableColumn[] = [
  { title: 'time (UTC)' },
  { title: 'currency' },
  { title: 'change', align: 'right' },
  { title: 'trade', align: 'right' },
  { title: 'line', align: 'right' },
  { title: 'what' },
  { title: 'note' },
];

/**
 * The changes of the wallets in question about which something is odd, so that a person sees which one is
 * missing, and how many others there are.
 */
export function changeLines(
  changes: readonly WalletChange[],
  of: { readonly differences: readonly BalanceDifference[]; readonly nowMs: number },
): string[] {
  if (changes.length === 0) return ['Nothing is known to have moved in these wallets since then.'];
  const noted = changes.map((change) => ({ change, note: noteText(change, of.differences) }));
  const odd = noted.filter(({ note }) => note !== '');
  const plain = noted.filter(({ note }) => note === '').map(({ change }) => change);
  const outside = plain.filter(({ line }) => line === null).length;
  const rows = odd.map(({ change, note }) => [
    clockText(change.atMs, of.nowMs),
    change.currency,
    formatUnits(change.units),
    change.fill === null ? '-' : String(change.fill.tradeId),
    change.line === null ? '-' : String(change.line.id),
    whatText(change),
    note,
  ]);
  return [
    ...(odd.length === 0
      ? ['No change that is known is odd: the one that is missing is not known here.']
      : tableLines(CHANGE_COLUMNS, rows)),
    `Besides: ${plain.length - outside} with a trade and its line, ${outside} trades outside of the history that was read. --json lists them.`,
  ];
}

function differenceLines(differences: readonly BalanceDifference[]): string[] {
  return tableLines(
    [
      { title: 'currency' },
      { title: 'expected', align: 'right' },
      { title: 'found', align: 'right' },
      { title: 'difference', align: 'right' },
    ],
    differences.map(({ currency, expected, found, difference }) => [currency, expected, found, difference]),
  );
}

const whenText = (timeMs: number | null, nowMs: number): string =>
  timeMs === null ? 'never' : `${clockText(timeMs, nowMs)} UTC (${agoText(timeMs, nowMs)})`;

function whatText({ fill, line }: WalletChange): string {
  if (fill === null) return line?.description ?? '';
  return `${fill.side} ${formatUnits(fill.amount)} ${fill.market}, ${fill.strategy ?? 'foreign'}`;
}

/** Describes the oddity of a change; empty for most. */
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
