import { existsSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { holdsNothing } from '../budget/ledger-file.ts';
import { SarrafError, invariant, dataUnusable } from '../domain/errors.ts';
import type { AccountsState } from '../simulator/accounts.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { TradingEvent } from '../simulator/trading.ts';
import {
  ExchangeChanges,
  type StoredChanges,
  restoreExchange,
  type ExchangeState,
  type StoredMarket,
  readStateJson,
  stateJson,
} from '../simulator-server/exchange-state.ts';
import type { SavedOrder, StoredTrade } from '../simulator-server/stored-order.ts';
import type { AccountStore, AccountOrigin } from '../venues/account-reader.ts';
import { openStepFile } from './step-file.ts';
import { isoText } from '../domain/time-text.ts';
import { hasWriter, unusable } from '../mirror/unusable.ts';
import { moveAside } from '../recording/durable-file.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import { copyDatabase, type SideFile } from './side-file.ts';

/** Name of the file in the data folder. */
export const PAPER_ACCOUNT = 'paper-account.sqlite';

/** "sarp" in ASCII: distinguishes a paper account from any other SQLite file. */
const APPLICATION_ID = 0x73617270;

const BUSY_TIMEOUT_MS = 2_000;
const LOG_PAGES = 256;

/**
 * Maximum number of stored trades, ended orders and lines of the wallets' histories; an exchange shows no
 * more.
 */
const MOST_TRADES = 20_000;
const MOST_ORDERS = 40_000;
const MOST_LINES = 50_000;

/** Number of writes between deletions of surplus rows. */
const PRUNED_EVERY = 500;

const STEPS = [
  `CREATE TABLE facts (name TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
   CREATE TABLE orders (id INTEGER PRIMARY KEY, is_open INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
   CREATE TABLE trades (id INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;
   CREATE TABLE lines (id INTEGER PRIMARY KEY, wallet_id INTEGER NOT NULL, json TEXT NOT NULL) STRICT;`,
];

const origin = z.strictObject({
  baseUrl: z.string(),
  balances: z.record(z.string(), z.string()),
  beganAtMs: z.number(),
});

type Line = AccountsState['wallets'][number]['transactions'][number];

/** Opens the file of a data folder, or creates it. Throws `DATA_UNUSABLE`. */
export function openPaperAccountFile(dataFolder: string): Database.Database {
  return openStepFile({
    path: join(dataFolder, PAPER_ACCOUNT),
    what: 'a paper account',
    applicationId: APPLICATION_ID,
    steps: STEPS,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    logPages: LOG_PAGES,
  });
}

/**
 * Returns the time a file's account began, in ms since 1970, which distinguishes accounts; null if it has not
 * begun. It only reads. Throws `DATA_UNUSABLE`.
 */
export function paperAccountBeganAtMs(path: string): number | null {
  using database = closing(new Database(path, { readonly: true, fileMustExist: true }));
  try {
    if (holdsNothing(database)) return null;
    const json = database.prepare<[], string>("SELECT json FROM facts WHERE name = 'origin'").pluck().get();
    return json === undefined ? null : origin.parse(JSON.parse(json)).beganAtMs;
  } catch (error) {
    throw dataUnusable(
      `expected a paper account of sarraf at ${path}, found none that can be read: ${String(error)}. It was left as it is`,
      { cause: error },
    );
  }
}

/** True if a data folder has a paper account to continue. Throws `DATA_UNUSABLE`. */
export function hasPaperAccount(dataFolder: string): boolean {
  if (!existsSync(join(dataFolder, PAPER_ACCOUNT))) return false;
  using file = closing(new PaperAccountFile(dataFolder));
  return !file.isNew;
}

/** A paper account in a file of the data folder: it remembers after a crash what it has reported. */
export class PaperAccountFile implements AccountStore {
  readonly origin: AccountOrigin | null;
  readonly beganAtMs: number | null;
  private readonly path: string;
  private readonly database: Database.Database;
  private readonly write: (changes: StoredChanges, began: z.infer<typeof origin> | null) => void;
  private changes: ExchangeChanges | null = null;
  private writes = 0;

  /** Opens the account. Throws `DATA_UNUSABLE` for a damaged, newer or foreign file, which stays as it is. */
  constructor(dataFolder: string) {
    this.path = join(dataFolder, PAPER_ACCOUNT);
    this.database = openPaperAccountFile(dataFolder);
    const stored = this.fact('origin');
    const began = stored === null ? null : this.read(() => origin.parse(stored));
    this.beganAtMs = began?.beganAtMs ?? null;
    this.origin = began === null ? null : { baseUrl: began.baseUrl, balances: began.balances };
    this.write = this.database.transaction((changes: StoredChanges, first: z.infer<typeof origin> | null) =>
      this.writeRows(changes, first),
    );
  }

  get isNew(): boolean {
    return this.origin === null;
  }

  get symbols(): readonly string[] {
    const markets = (this.fact('markets') ?? []) as readonly StoredMarket[];
    return markets.map(({ symbol }) => symbol);
  }

  restore(exchange: SimulatedExchange, nowMs: number): void {
    if (this.isNew) return;
    this.read(() => restoreExchange(exchange, this.state(exchange), nowMs));
  }

  begin(
    exchange: SimulatedExchange,
    of: { readonly userId: number; readonly origin: AccountOrigin; readonly nowMs: number },
  ): void {
    const { userId, origin, nowMs } = of;
    const next = this.isNew ? 0 : (this.fact('accounts') as AccountsState).nextTransactionId;
    this.changes = new ExchangeChanges(exchange, { userId, nextTransactionId: next });
    this.saveAs(this.isNew ? { ...origin, beganAtMs: nowMs } : null);
  }

  apply(event: TradingEvent): void {
    this.changes?.apply(event);
  }

  save(): void {
    if (this.changes?.isEmpty === false) this.saveAs(null);
  }

  close(): void {
    this.database.close();
  }

  private saveAs(began: z.infer<typeof origin> | null): void {
    const { changes } = this;
    invariant(changes !== null, () => 'expected an account to be begun before it is saved');
    const stored = changes.stored();
    try {
      this.write(stored, began);
    } catch (error) {
      throw this.failed('a place that can not be written to', error);
    }
    changes.written(stored);
  }

  private writeRows(changes: StoredChanges, began: z.infer<typeof origin> | null): void {
    const { database } = this;
    const { accounts, counters, markets, orders, trades } = changes;
    const fact = database.prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)');
    const wallets = accounts.wallets.map((wallet) => ({ ...wallet, transactions: [] }));
    fact.run('accounts', stateJson({ ...accounts, wallets }));
    fact.run('counters', JSON.stringify(counters));
    fact.run('markets', stateJson(markets));
    if (began !== null) fact.run('origin', JSON.stringify(began));
    const order = database.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?, ?)');
    for (const each of orders) order.run(each.id, isOpen(each) ? 1 : 0, stateJson(each));
    const trade = database.prepare('INSERT OR REPLACE INTO trades VALUES (?, ?)');
    for (const each of trades) trade.run(each.id, stateJson(each));
    const line = database.prepare('INSERT OR REPLACE INTO lines VALUES (?, ?, ?)');
    for (const { id, transactions } of accounts.wallets)
      for (const each of transactions) line.run(each.id, id, stateJson(each));
    this.writes += 1;
    if (this.writes % PRUNED_EVERY === 0) this.prune();
  }

  private prune(): void {
    this.database.exec(
      `DELETE FROM trades WHERE ${beyond('trades', MOST_TRADES)};
       DELETE FROM orders WHERE is_open = 0 AND ${beyond('orders', MOST_ORDERS)};
       DELETE FROM lines WHERE ${beyond('lines', MOST_LINES)};`,
    );
  }

  /**
   * Returns the stored state in the exchange's form. Users, their fees and limits come from the
   * configuration.
   */
  private state(exchange: SimulatedExchange): ExchangeState {
    const accounts = this.fact('accounts') as AccountsState;
    const lines = this.lines();
    const wallets = accounts.wallets.map((wallet) => ({
      ...wallet,
      transactions: lines.get(wallet.id) ?? [],
    }));
    return {
      accounts: { ...accounts, wallets },
      services: exchange.services.snapshot(),
      counters: this.fact('counters') as ExchangeState['counters'],
      traders: [],
      orders: this.rows('orders') as readonly SavedOrder[],
      trades: this.rows('trades') as readonly StoredTrade[],
      markets: this.fact('markets') as readonly StoredMarket[],
    };
  }

  private fact(name: string): unknown {
    return this.read(() => {
      const row = this.database
        .prepare<[string], string>('SELECT json FROM facts WHERE name = ?')
        .pluck()
        .get(name);
      return row === undefined ? null : readStateJson(row);
    });
  }

  private rows(table: 'orders' | 'trades'): readonly unknown[] {
    const rows = this.database.prepare(`SELECT json FROM ${table} ORDER BY id`).pluck().all();
    return rows.map((json) => readStateJson(String(json)));
  }

  /** Returns the histories of the wallets, by wallet. */
  private lines(): ReadonlyMap<number, readonly Line[]> {
    const rows = this.database.prepare('SELECT wallet_id AS wallet, json FROM lines ORDER BY id').all();
    const read = rows as readonly { readonly wallet: number; readonly json: string }[];
    const byWallet = Map.groupBy(read, ({ wallet }) => wallet);
    return new Map(
      [...byWallet].map(([wallet, lines]) => [wallet, lines.map(({ json }) => readStateJson(json) as Line)]),
    );
  }

  private read<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw this.failed('an account that can not be read', error);
    }
  }

  private failed(found: string, error: unknown): SarrafError {
    if (error instanceof SarrafError && error.code === 'DATA_UNUSABLE') return error;
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return dataUnusable(
      `expected a paper account at ${this.path}, found ${found} (${reason}): look after the disk or restore a backup, or begin a new account with "sarraf run --new-account"`,
      { cause: error },
    );
  }
}

/** Returns the SQL condition for the rows of a table other than its newest `retained`. */
function beyond(table: string, retained: number): string {
  return `id <= (SELECT id FROM ${table} ORDER BY id DESC LIMIT 1 OFFSET ${retained})`;
}

function isOpen({ status }: SavedOrder): boolean {
  return status === 'Active' || status === 'Inactive' || status === 'New';
}

/**
 * Moves the paper account of a data folder and its mirror aside: the next paper run begins with the
 * configured balances. Returns the files' new place; null if there was no account. This process must hold the
 * folder's lock. Throws `DATA_UNUSABLE` while a bot has the mirror open.
 */
function putPaperAccountAside(dataFolder: string, nowMs: number): string | null {
  const mirror = join(dataFolder, mirrorName('paper'));
  if (hasWriter(mirror) === true)
    throw unusable({ path: mirror, found: 'a bot that has it open', advice: 'end that one first' });
  const account = join(dataFolder, PAPER_ACCOUNT);
  const files = [
    ...['', '-wal', '-shm', '.mark'].map((ending) => mirror + ending),
    // The account itself is moved last: while it is there, an interrupted move is noticed and repeated.
    ...['-wal', '-shm', ''].map((ending) => account + ending),
  ];
  return moveAside(files, join(dataFolder, `paper-until-${isoText(nowMs).replaceAll(':', '-')}`));
}

/**
 * Prepares a data folder for the account of a paper run. A mirror without an account belongs to one that is
 * gone, and is moved aside before the new one begins: a crash between the two never leaves a new account with
 * an old mirror. `isWanted`: moves an existing account aside too. Returns and throws as the function above.
 */
export function makeRoomForPaperAccount(
  dataFolder: string,
  { isWanted, nowMs }: { readonly isWanted: boolean; readonly nowMs: number },
): string | null {
  return isWanted || !hasPaperAccount(dataFolder) ? putPaperAccountAside(dataFolder, nowMs) : null;
}

/**
 * The account of a paper bot as a side file of backups: copied after the mirror, so that it knows all that
 * the mirror does, as an exchange would.
 */
export const PAPER_ACCOUNT_SIDE_FILE: SideFile = {
  name: PAPER_ACCOUNT,
  isVital: true,
  copy: copyAccount,
  isOther: (path, backedUpPath) => paperAccountBeganAtMs(path) !== paperAccountBeganAtMs(backedUpPath),
  open: openPaperAccountFile,
};

function copyAccount(dataFolder: string, to: string): boolean {
  if (!existsSync(join(dataFolder, PAPER_ACCOUNT))) return false;
  copyDatabase(openPaperAccountFile(dataFolder), to);
  return true;
}
