import type Database from 'better-sqlite3';
import { closing } from '../domain/closing.ts';
import { decimalText, fractionDigits } from '../domain/decimal-text.ts';
import { SarrafError, type ErrorCode } from '../domain/errors.ts';
import { parseUnits, UNIT_DECIMALS } from '../domain/money.ts';
import { gridOf, shownAnchors, UTC_BARS, type BarGrid, TIMEFRAMES } from '../domain/candle.ts';
import type { PositionMoveRecord } from '../engine/mirror-change.ts';
import type { FillRecord } from '../records/fill.ts';
import type { RecordedRate } from '../portfolio/statement-line.ts';
import type { WalletTransaction } from '../venues/port.ts';
import { schemaVersionOf } from './check-mirror.ts';
import { FILL_ROWS, BALANCE_ROWS } from './record-tables.ts';
import { openMirrorReadOnly } from './mirror-file.ts';
import type { StoredRow } from './mirror-reader.ts';
import { RETENTION_BOUNDS } from './pruner.ts';
import { DAMAGED_ADVICE, openingFailed, unusable } from './unusable.ts';
import type { BalanceRecord } from '../records/rows.ts';

/** Maximum number of closes of candles that are read, the newest. */
const MOST_CLOSES = 500_000;

/** Data of a mirror for a statement, as of one moment. */
export interface StatementRows {
  /** Time the mirror was made, as far as known; null if it is empty. */
  readonly beganAtMs: number | null;
  /** Time of the last write. */
  readonly aliveUntilMs: number | null;
  /** Number of trades that retention has removed, and the time from which on none is missing. */
  readonly deletedFills: { readonly count: number; readonly sinceMs: number | null };
  /** Wallets whose oldest history lines retention has removed, and the time from which on none is missing. */
  readonly deletedLines: readonly { readonly currency: string; readonly sinceMs: number }[];
  /** Iterates all trades by rising time. It can be called any number of times while the mirror is open. */
  readonly fills: () => Iterable<FillRecord>;
  /** Lines of the wallets' histories by rising time. */
  readonly lines: readonly WalletTransaction[];
  /** Manual changes to coins in the books of strategies, by rising time; they change no balance. */
  readonly moves: readonly PositionMoveRecord[];
  readonly balances: readonly BalanceRecord[];
  readonly stored: readonly StoredRow[];
  /** Returns the closes of a market's candles, each at the candle's end, by rising time. */
  readonly closesOf: (market: string) => readonly RecordedRate[];
}

/**
 * Reads a mirror for a statement without changing it, also while the bot writes to it. The rows are as of one
 * moment and are valid only while `use` runs. Throws `DATA_UNUSABLE` if there is no mirror that this version
 * can read completely.
 */
export function readStatementRows<Result>(path: string, use: (rows: StatementRows) => Result): Result {
  using database = closing(openMirrorReadOnly(path));
  try {
    return database.transaction(() => use(rowsOf(database)))();
  } catch (error) {
    if (error instanceof SarrafError && SPOILED.has(error.code))
      throw unusable({
        path,
        found: `a damaged row (${error.message})`,
        advice: DAMAGED_ADVICE,
        cause: error,
      });
    throw isSqlite(error) ? openingFailed(path, error) : error;
  }
}

/** Error codes of damaged rows: opening checks only the newest rows of a long table. */
const SPOILED: ReadonlySet<ErrorCode> = new Set(['INVALID_DECIMAL', 'TOO_MANY_DECIMALS', 'INVALID_MARKET']);

function isSqlite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}

function rowsOf(database: Database.Database): StatementRows {
  const time = (sql: string): number | null => database.prepare<[], number | null>(sql).pluck().get() ?? null;
  const [fills] = database
    .prepare<[], { count: number; sinceMs: number | null }>(
      'SELECT ifnull(max(id), 0) - count(*) AS count, min(at_ms) AS sinceMs FROM fills',
    )
    .all();
  return {
    beganAtMs: time(
      `SELECT min(at_ms) FROM (SELECT min(from_ms) AS at_ms FROM market_versions
         UNION ALL SELECT min(at_ms) FROM transactions UNION ALL SELECT min(at_ms) FROM kept)`,
    ),
    aliveUntilMs: time(
      `SELECT max(at_ms) FROM (SELECT max(at_ms) AS at_ms FROM kept UNION ALL SELECT max(at_ms) FROM fills
         UNION ALL SELECT max(at_ms) FROM transactions UNION ALL SELECT max(seen_at_ms) FROM balances)`,
    ),
    deletedFills: { count: fills?.count ?? 0, sinceMs: fills?.sinceMs ?? null },
    deletedLines: deletedLinesOf(database),
    fills: FILL_ROWS.iterate(database, 'ORDER BY at_ms, id'),
    lines: database
      .prepare<[], Omit<WalletTransaction, 'amount' | 'tooFine'> & { readonly amount: string }>(
        'SELECT id, currency, at_ms AS atMs, amount, description FROM transactions ORDER BY at_ms, ordinal',
      )
      .all()
      .map((row): WalletTransaction => ({ ...row, amount: parseUnits(row.amount), tooFine: null })),
    moves: positionMovesOf(database),
    balances: BALANCE_ROWS.select(database, 'ORDER BY currency')(),
    stored: database.prepare<[], StoredRow>('SELECT name, json, at_ms AS atMs FROM kept ORDER BY name').all(),
    closesOf: (market) => closesOf(database, market),
  };
}

/** First schema version with moved positions. */
const WITH_MOVES = 4;

/** Reads moved positions; none in a file that an older sarraf wrote, until a bot migrates it. */
export function positionMovesOf(database: Database.Database): readonly PositionMoveRecord[] {
  if (schemaVersionOf(database) < WITH_MOVES) return [];
  return database
    .prepare<[], PositionMoveRecord>(
      `SELECT key, act, at_ms AS atMs, from_strategy AS "from", to_strategy AS "to", asset, amount, price, market, by
       FROM position_moves ORDER BY at_ms, id`,
    )
    .all();
}

/**
 * Returns wallets that may have lost history lines. Lines are numbered from 1 over all wallets, and the
 * oldest of a wallet are removed first. So a wallet may have lost some if a number before its first line is
 * missing and it has as many lines as the smallest limit.
 */
function deletedLinesOf(database: Database.Database): StatementRows['deletedLines'] {
  return database
    .prepare<[number], { currency: string; sinceMs: number }>(
      `SELECT currency, since_ms AS sinceMs
       FROM (SELECT currency, min(at_ms) AS since_ms, min(ordinal) AS first FROM transactions
         GROUP BY currency HAVING count(*) >= ?) AS wallet
       WHERE (SELECT count(*) FROM transactions WHERE ordinal < wallet.first) < wallet.first - 1`,
    )
    .all(RETENTION_BOUNDS.fills[0]);
}

function closesOf(database: Database.Database, market: string): readonly RecordedRate[] {
  const rows = database
    .prepare<[string, number], { timeframe: string; openTimeMs: number; close: string }>(
      `SELECT timeframe, open_time_ms AS openTimeMs, close FROM candles WHERE market = ?
       ORDER BY open_time_ms DESC LIMIT ?`,
    )
    .all(market, MOST_CLOSES);
  const kinds = new Map<string, { readonly grid: BarGrid; readonly from: string }>(
    TIMEFRAMES.map((one) => {
      const bars = rows.filter(({ timeframe }) => timeframe === one);
      return [one, { grid: gridOf(one, shownAnchors(one, bars, UTC_BARS)), from: `${one} candle` }];
    }),
  );
  return rows
    .flatMap(({ timeframe, openTimeMs, close }): RecordedRate[] => {
      const kind = kinds.get(timeframe);
      // The exchange may write more digits than money has; such a price is not used.
      if (kind === undefined || fractionDigits(decimalText(close)) > UNIT_DECIMALS) return [];
      return [{ rate: parseUnits(close), atMs: kind.grid.endOf(openTimeMs), from: kind.from }];
    })
    .toSorted((left, right) => left.atMs - right.atMs);
}
