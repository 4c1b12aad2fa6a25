import { countText } from '../domain/money.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openStepFile } from '../daemon/step-file.ts';
import { existsSync, statSync } from 'node:fs';
import { copyDatabase, type SideFile } from '../daemon/side-file.ts';
import { PUT_BACK, AlertOutbox } from './alert-outbox.ts';
import { isBusy } from '../budget/ledger-file.ts';
import { english, sentence } from '../language/sentence.ts';
import { problemOf } from './channels/channel.ts';
import { MOST_MUTED_MS } from './core/plan-message.ts';

/** "sarm" in ASCII: distinguishes an outbox from any other SQLite file. */
const APPLICATION_ID = 0x7361726d;

/** Longest wait of a write for another process, in ms, such as a command that acknowledges an alert. */
const BUSY_TIMEOUT_MS = 2_000;

const LOG_PAGES = 256;

/** Migrations, one for each version; a released one is never changed. */
const STEPS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE alerts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    facts TEXT NOT NULL,
    opened_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    acknowledged_at_ms INTEGER,
    acknowledged_by TEXT,
    step INTEGER NOT NULL,
    said_at_ms INTEGER NOT NULL,
    absent_since_ms INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX alerts_open ON alerts (key) WHERE ended_at_ms IS NULL;
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    plan TEXT NOT NULL,
    made_at_ms INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    next_at_ms INTEGER NOT NULL,
    sent_at_ms INTEGER,
    given_up_at_ms INTEGER,
    problem TEXT
  ) STRICT;
  CREATE INDEX messages_unsent ON messages (channel) WHERE sent_at_ms IS NULL AND given_up_at_ms IS NULL;
  CREATE INDEX messages_sent ON messages (channel, sent_at_ms);
  CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    alert_id INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('opened', 'ended', 'escalated', 'reminder')),
    at_ms INTEGER NOT NULL,
    message_id INTEGER REFERENCES messages (id) ON DELETE SET NULL
  ) STRICT;
  CREATE INDEX notes_waiting ON notes (channel, id) WHERE message_id IS NULL;
  CREATE INDEX notes_by_alert ON notes (alert_id);
  CREATE INDEX notes_by_message ON notes (message_id);
  `,
];

/** Owner of an outbox in a data folder: the run itself, or its watchdog. */
export type OutboxOwner = 'run' | 'watchdog';

/** Name of each owner's file in a data folder. */
export const OUTBOX_NAMES = {
  run: 'alerts.sqlite',
  watchdog: 'watchdog-alerts.sqlite',
} as const satisfies Record<OutboxOwner, string>;

export function outboxPath(dataFolder: string, owner: OutboxOwner = 'run'): string {
  return join(dataFolder, OUTBOX_NAMES[owner]);
}

/** Opens an outbox of a data folder, or creates it. Throws `DATA_UNUSABLE`. */
export function openOutboxFile(dataFolder: string, owner: OutboxOwner = 'run'): Database.Database {
  const database = openStepFile({
    path: outboxPath(dataFolder, owner),
    what: 'an outbox of alerts',
    applicationId: APPLICATION_ID,
    steps: STEPS,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    logPages: LOG_PAGES,
  });
  database.pragma('foreign_keys = ON');
  return database;
}

/** Opens an outbox in memory, for unsent items while the file cannot be used. */
export function openOutboxInMemory(): Database.Database {
  const database = new Database(':memory:');
  for (const step of STEPS) database.exec(step);
  database.pragma('foreign_keys = ON');
  return database;
}

/**
 * Number of ids that a copy skips: alerts and messages since the backup may have them, and people recognise a
 * duplicate by its id.
 */
const SKIPPED_IDS = 10_000;

/** Outboxes of a run and of its watchdog, as files of backups. */
export const OUTBOX_SIDE_FILES: readonly SideFile[] = (['run', 'watchdog'] as const).map((owner) => ({
  name: OUTBOX_NAMES[owner],
  isOther: null,
  isVital: false,
  copy: (dataFolder, to) => copyOutbox(dataFolder, { to, owner }),
  open: (dataFolder) => openOutboxFile(dataFolder, owner),
}));

const AS_A_COPY = `
  DELETE FROM meta WHERE name GLOB 'asked *';
  INSERT OR REPLACE INTO meta VALUES ('${PUT_BACK}', 'yes');
  UPDATE sqlite_sequence SET seq = seq + ${SKIPPED_IDS} WHERE name IN ('alerts', 'messages');
  INSERT INTO sqlite_sequence
    SELECT value, ${SKIPPED_IDS} FROM json_each('["alerts", "messages"]')
    WHERE value NOT IN (SELECT name FROM sqlite_sequence);
`;

/** Copies the outbox without chat requests: an old button refers to a situation that is gone. */
function copyOutbox(
  dataFolder: string,
  { to, owner }: { readonly to: string; readonly owner: OutboxOwner },
): boolean {
  if (!existsSync(outboxPath(dataFolder, owner))) return false;
  copyDatabase(openOutboxFile(dataFolder, owner), to, AS_A_COPY);
  return true;
}

/**
 * The outbox of a data folder. From the moment at which the file cannot be used, one in memory continues with
 * its open alerts and unsent messages, until the next start.
 */
export class SafeOutbox {
  private outbox: AlertOutbox;
  private fault: string | null = null;
  /** Path and inode of the file that was opened; null in memory. */
  private file: { readonly path: string; readonly inode: number } | null = null;

  /** `open`: opens the file; the data folder's by default. */
  constructor(dataFolder: string, open: () => Database.Database = () => openOutboxFile(dataFolder)) {
    this.outbox = new AlertOutbox(openOutboxInMemory());
    try {
      const database = open();
      const file = new AlertOutbox(database);
      this.outbox.close();
      this.outbox = file;
      const { name: path, memory } = database;
      if (!memory) this.file = { path, inode: statSync(path).ino };
    } catch (error) {
      this.fault = problemOf(error);
    }
  }

  /** Reason nothing is stored on disk; null while it is. */
  get problem(): string | null {
    return this.fault;
  }

  /**
   * Runs `work` with the outbox; if the file refuses or is gone, with one in memory. Null while another
   * process writes to it: the next poll tries again.
   */
  use<Result>(work: (outbox: AlertOutbox) => Result): Result | null {
    if (this.isGone()) this.goOnInMemory(new Error(english(sentence('outbox-gone'))));
    try {
      return work(this.outbox);
    } catch (error) {
      if (isBusy(error)) return null;
      if (this.fault !== null) throw error;
      this.goOnInMemory(error);
      return work(this.outbox);
    }
  }

  close(): void {
    this.outbox.close();
  }

  /** True if the file was deleted or replaced: SQLite would go on writing to the one nobody finds. */
  private isGone(): boolean {
    const { file } = this;
    return file !== null && statSync(file.path, { throwIfNoEntry: false })?.ino !== file.inode;
  }

  private goOnInMemory(error: unknown): void {
    this.fault = problemOf(error);
    this.file = null;
    const memory = new AlertOutbox(openOutboxInMemory());
    try {
      memory.mergeFrom(this.outbox);
    } catch {
      // Unreadable rows are lost until the next start; conditions that still hold are found again.
    }
    try {
      this.outbox.close();
    } catch {
      // It is not used any more.
    }
    this.outbox = memory;
  }
}

/** Opens the outbox of a run or of its watchdog, and reports if it is not as it was left. */
export function openOutbox(
  dataFolder: string,
  {
    owner,
    log,
  }: { readonly owner: OutboxOwner; readonly log: (level: 'info' | 'warning', text: string) => void },
): SafeOutbox {
  const outbox = new SafeOutbox(dataFolder, () => openOutboxFile(dataFolder, owner));
  if (outbox.problem !== null)
    log('warning', `alerts are kept in memory only, and lost with this ${owner}: ${outbox.problem}`);
  const unsaid = outbox.use((each) => each.settlePutBack(Date.now()));
  if (unsaid !== null)
    log(
      'info',
      `alerts go on from a backup: ${countText(unsaid, 'message of more than a day ago is', 'messages of more than a day ago are')} not sent any more`,
    );
  return outbox;
}

const NAME = 'muted until';

/**
 * Returns the time until which only critical messages are sent; 0 if nothing is muted. A time further away
 * than the longest mute is from before the clock was set back, and mutes nothing.
 */
export function mutedUntilMs(outbox: SafeOutbox, nowMs: number): number {
  const untilMs = Number(outbox.use((each) => each.meta(NAME)) ?? 0);
  return untilMs > nowMs && untilMs - nowMs <= MOST_MUTED_MS ? untilMs : 0;
}

export function persistMuted(outbox: SafeOutbox, untilMs: number): void {
  outbox.use((each) => each.setMeta(NAME, String(untilMs)));
}
