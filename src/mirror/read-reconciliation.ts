import { SarrafError } from '../domain/errors.ts';
import { closing } from '../domain/closing.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';
import {
  readRecord,
  type DisagreementText,
  type NotedIssue,
  type StoredReconciliation,
  type TransferRecord,
} from '../engine/stored-records.ts';
import type { MirrorReader, StoredRow } from './mirror-reader.ts';
import { hasWriter } from './unusable.ts';
import type { Sentence } from '../language/sentence.ts';
import { otherSide, type WalletSide } from '../records/margin.ts';
import type { AlgorithmRecord } from '../records/rows.ts';
import { algorithmFromJson } from '../engine/algorithm-json.ts';
import type { BracketAlgorithm } from '../engine/bracket.ts';
import type { WalletTransaction } from '../venues/port.ts';
import type { FillRecord } from '../records/fill.ts';
import { FILL_ROWS } from './record-tables.ts';
import { openMirrorReadOnly } from './mirror-file.ts';

/**
 * State of the comparison with the exchange. `waiting`: nothing is read yet. `suspected`: one comparison
 * found a difference, which the next must confirm. `blocked`: no new orders are placed, since comparisons
 * were inconclusive for too long, or the exchange contradicts itself.
 */
export type ReconciliationState = 'waiting' | 'agreed' | 'suspected' | 'blocked' | 'broken';

export interface BalanceDifference extends DisagreementText {
  /** Balance at the exchange minus that of the books; below zero if the exchange has less. */
  readonly difference: string;
}

/** State of the bot's books against the exchange, as the mirror has it. */
export interface ReconciliationReport {
  readonly state: ReconciliationState;
  readonly comparedAtMs: number | null;
  readonly comparisons: number;
  /** Time the difference was first seen, and time it became a break, in ms; null if there is none. */
  readonly sinceMs: number | null;
  readonly brokenAtMs: number | null;
  /** True if a comparison after the break found no difference any more. */
  readonly isGone: boolean;
  /** Message on the break; null if there is none. */
  readonly why: Sentence | null;
  readonly differences: readonly BalanceDifference[];
  /**
   * Reason that comparisons were inconclusive until new orders were stopped; null while they are conclusive.
   */
  readonly blockedBy: Sentence | null;
  /** Impossible results of two readings of the exchange. */
  readonly findings: readonly NotedIssue[];
  /** Transfers that may or may not have arrived. */
  readonly unknownTransfers: readonly TransferAtWork[];
  /** Balances in the books, by currency. */
  readonly books: Readonly<Record<string, string>>;
}

export function readReconciliation(reader: MirrorReader): ReconciliationReport {
  const stored = readRecord(reader.stored(), 'reconciliation');
  const findings = readRecord(reader.stored(), 'findings') ?? [];
  const found = stored?.break ?? stored?.suspicion ?? null;
  return {
    state: stateOf(stored, findings),
    comparedAtMs: stored?.concludedAtMs ?? null,
    comparisons: stored?.conclusions ?? 0,
    sinceMs: found?.sinceMs ?? null,
    brokenAtMs: stored?.break?.atMs ?? null,
    isGone: isGone(stored),
    why: (stored?.break ?? null) === null ? null : reasonIn(reader),
    blockedBy: stored?.blockedBy ?? null,
    findings,
    unknownTransfers: transfersNow(reader.stored(), hasWriter(reader.path)).filter(
      ({ state }) => state === 'unknown',
    ),
    differences: (found?.rows ?? []).map((row) => ({
      ...row,
      difference: formatUnits(parseUnits(row.found) - parseUnits(row.expected)),
    })),
    books: Object.fromEntries(
      Object.entries(stored?.books.expected ?? {}).map(([currency, units]) => [currency, formatUnits(units)]),
    ),
  };
}

/** Returns the wallets with differences. An impossible trade is known by its market: it has two wallets. */
export function currenciesIn(differences: readonly BalanceDifference[]): ReadonlySet<string> {
  return new Set(
    differences.flatMap(({ currency }) => {
      try {
        const { base, quote } = parseMarket(currency);
        return [base, quote];
      } catch (error) {
        if (error instanceof SarrafError) return [currency];
        throw error;
      }
    }),
  );
}

function stateOf(stored: StoredReconciliation | null, findings: readonly NotedIssue[]): ReconciliationState {
  if (stored === null) return 'waiting';
  if (stored.break !== null) return 'broken';
  if (stored.suspicion !== null) return 'suspected';
  if ((stored.blockedBy ?? null) !== null || findings.some(({ isGrave }) => isGrave)) return 'blocked';
  return stored.books.expected === null ? 'waiting' : 'agreed';
}

/** True if the last comparison found no difference. The break itself stays until a person accepts it. */
function isGone(stored: StoredReconciliation | null): boolean {
  if (stored === null || stored.break === null) return false;
  return stored.suspicion === null && (stored.concludedAtMs ?? 0) > stored.break.atMs;
}

/** Returns the message on a break from the journal. */
function reasonIn(reader: MirrorReader): Sentence | null {
  const line = reader.journalOf('break', 1).at(0);
  if (line === undefined || line.kind !== 'reconciliation') return null;
  const { why } = JSON.parse(line.json) as { readonly why?: unknown };
  return typeof why === 'string' ? why : null;
}

/** A transfer between the spot and the margin wallet that is not finished. */
export type TransferAtWork = Readonly<
  Omit<TransferRecord, 'id' | 'amount' | 'from'> & { amount: string; from: WalletSide; to: WalletSide }
>;

/**
 * Returns the transfers in a mirror. `isRunning`: true if a bot has it open; null if that is not known.
 * Transfers that were being sent when the last bot ended are unknown, as the next bot will report.
 */
export function transfersNow(
  stored: readonly StoredRow[],
  isRunning: boolean | null,
): readonly TransferAtWork[] {
  return (readRecord(stored, 'transfers') ?? []).map(
    ({ strategy, currency, amount, from, state, sinceMs }) => ({
      strategy,
      currency,
      amount: formatUnits(amount),
      from,
      to: otherSide(from),
      state: isRunning === false ? 'unknown' : state,
      sinceMs,
    }),
  );
}

/** A bracket's position whose state a person has to decide. */
export type UnclearPosition = Pick<AlgorithmRecord, 'strategy' | 'market'> &
  NonNullable<BracketAlgorithm['unclear']>;

export function unclearPositions(algorithms: readonly AlgorithmRecord[]): readonly UnclearPosition[] {
  return algorithms.flatMap(({ strategy, market, json }) => {
    const algorithm = algorithmFromJson(json);
    const unclear = algorithm.kind === 'bracket' ? algorithm.unclear : null;
    return unclear === null ? [] : [{ strategy, market, ...unclear }];
  });
}

/** Trades and wallet lines, as far as known; oldest first. */
export interface Movements {
  /** Trades of all markets. */
  readonly fills: readonly FillRecord[];
  /** Lines of the wallets' histories. */
  readonly transactions: readonly WalletTransaction[];
}

interface StoredTransaction extends Omit<WalletTransaction, 'amount' | 'tooFine'> {
  readonly amount: string;
}

/**
 * Reads the newest `last` trades since a time, and at most as many lines of the wallets' histories. Throws
 * `DATA_UNUSABLE` as `MirrorReader` does.
 */
export function readMovements(
  path: string,
  from: { readonly fromMs: number; readonly last: number },
): Movements {
  using database = closing(openMirrorReadOnly(path));
  const { fromMs, last } = from;
  const read = database.transaction(() => ({
    fills: FILL_ROWS.select(database, 'WHERE at_ms >= ? ORDER BY at_ms DESC, id DESC LIMIT ?')(
      fromMs,
      last,
    ).toReversed(),
    transactions: database
      .prepare<[number, number], StoredTransaction>(
        `SELECT id, currency, at_ms AS atMs, amount, description FROM transactions
           WHERE at_ms >= ? ORDER BY at_ms DESC, ordinal DESC LIMIT ?`,
      )
      .all(fromMs, last)
      .toReversed()
      .map((row): WalletTransaction => ({ ...row, amount: parseUnits(row.amount), tooFine: null })),
  }));
  return read();
}
