import { existsSync, realpathSync, statSync } from 'node:fs';
import { closing } from '../../domain/closing.ts';
import { dirname } from 'node:path';
import { ledgerFolder, isInRedis } from '../../budget/ledger-file.ts';
import { FolderLedger } from '../../daemon/folder-ledger.ts';
import { controlPath, openControlReadOnly, readHalt } from '../../daemon/control-file.ts';
import { ControlClient } from '../../daemon/control-client.ts';
import { isDataFolderInUse } from '../../daemon/process-locks.ts';
import { readRun, type Pulse, type RunNote } from '../../daemon/run-record.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import { hasWriter } from '../../mirror/unusable.ts';
import type { BotItem } from '../schema/overview.ts';
import { english, sentence, sentenceFacts, type Sentence } from '../../language/sentence.ts';
import Database from 'better-sqlite3';
import { SarrafError } from '../../domain/errors.ts';
import { ApiError } from '../api-error.ts';

/** Longest wait for another process when the halt is polled, in ms. */
const BUSY_TIMEOUT_MS = 250;

/** Reads everything about a bot from its data folder, whether the bot runs or not. */
export class BotFolderReader {
  readonly mirror: MirrorSource;
  readonly ledger: FolderLedger;
  private readonly nowMs: () => number;
  private client: { readonly control: ControlClient; readonly file: string | null } | null = null;

  constructor(options: { readonly dataFolder: string; readonly nowMs?: () => number }) {
    this.mirror = new MirrorSource(options.dataFolder);
    this.ledger = new FolderLedger(options.dataFolder);
    this.nowMs = options.nowMs ?? Date.now;
  }

  get dataFolder(): string {
    return this.mirror.dataFolder;
  }

  /** Returns the start conditions of the folder's last run; null if it stored none. */
  note(): RunNote | null {
    return readRun(this.dataFolder).note;
  }

  /** Returns the path of the folder without symbolic links. */
  realFolder(): string {
    try {
      return realpathSync(this.dataFolder);
    } catch {
      return this.dataFolder;
    }
  }

  /**
   * Returns the folder where bots of this machine that share a ledger are registered: the last run's, else
   * this user's.
   */
  ledgerFolder(): string {
    const { ledger } = readRun(this.dataFolder);
    return ledger === null || isInRedis(ledger.ledger) ? ledgerFolder() : dirname(ledger.ledger);
  }

  /** True if a bot uses the folder; null if that cannot be determined. */
  isInUse(): boolean | null {
    try {
      return isDataFolderInUse(this.dataFolder);
    } catch {
      return null;
    }
  }

  /** Returns the state of the bot, also if there is no mirror. */
  bot(): BotItem {
    const path = mirrorPathOf(this.dataFolder);
    const { note, pulse } = readRun(this.dataFolder);
    const seen = this.mirror.readOrNull((reader) => ({
      halt: readRecord(reader.stored(), 'control')?.halted ?? null,
      drainingSinceMs: drainingSince(reader),
      lastOrderAtMs: reader.lastOrderAtMs(),
    }));
    const signs: BotSigns = {
      nowMs: this.nowMs(),
      isFolderInUse: this.isInUse(),
      hasWriter: existsSync(path) ? hasWriter(path) : false,
      pulse,
      lastWriteMs: this.mirror.lastWriteMs(),
      halt: this.halt() ?? seen?.halt ?? null,
      drainingSinceMs: seen?.drainingSinceMs ?? null,
    };
    const state = botState(signs);
    const mode = note?.mode ?? (path.endsWith('embedded.sqlite') ? 'embedded' : 'live');
    return {
      instance: note?.instance ?? 'bot',
      venue: mode,
      isEmbedded: mode === 'embedded',
      ...state,
      reason: english(state.reason),
      reasonFacts: sentenceFacts(state.reason),
      lastOrderAtMs: seen?.lastOrderAtMs ?? null,
    };
  }

  /** Calls a function with the control database. Throws `ApiError` if it is unusable. */
  control<Result>(work: (client: ControlClient) => Result): Result {
    try {
      return work(this.clientNow());
    } catch (error) {
      throw asApiError(error);
    }
  }

  close(): void {
    this.mirror.close();
    this.client?.control.close();
    this.client = null;
  }

  /** Opens the client once: opening takes the bot's write lock, reading does not. */
  private clientNow(): ControlClient {
    const path = controlPath(this.dataFolder);
    if (this.client !== null && this.client.file === fileIdentity(path)) return this.client.control;
    this.client?.control.close();
    this.client = null;
    const control = new ControlClient(this.dataFolder);
    this.client = { control, file: fileIdentity(path) };
    return control;
  }

  /** Returns the halt that a person requested; null if there is none, or it cannot be read. */
  private halt(): BotSigns['halt'] {
    try {
      using database = closing(openControlReadOnly(this.dataFolder, BUSY_TIMEOUT_MS));
      return database === null ? null : readHalt(database);
    } catch {
      // The mirror also has the halt, once the bot has applied it.
      return null;
    }
  }
}

/** Returns the time at which the current run was asked to end; null if it was not. */
function drainingSince(reader: MirrorReader): number | null {
  const drain = reader.journalOf('drain', 1).at(0);
  const start = reader.journalOf('start', 1).at(0);
  if (drain === undefined || drain.kind !== 'control') return null;
  return start !== undefined && start.seq > drain.seq ? null : drain.atMs;
}

/** Time without a sign of life, in ms, after which a bot is silent; it gives one each second. */
const SILENT_AFTER_MS = 15_000;

/** Signs of life of a bot in its data folder. */
export interface BotSigns {
  readonly nowMs: number;
  /** True if a process uses the folder; null if unknown. */
  readonly isFolderInUse: boolean | null;
  /** True if a process has the mirror open; null if unknown. */
  readonly hasWriter: boolean | null;
  /** Sign of life of the last run; null if there is none. */
  readonly pulse: Pulse | null;
  /** Time of the last write to the mirror; null if there is none. */
  readonly lastWriteMs: number | null;
  readonly halt: { readonly sinceMs: number; readonly reason: Sentence } | null;
  /** Time at which the current run was asked to end; null if it was not. */
  readonly drainingSinceMs: number | null;
}

/** Returns the state of a bot as shown on the page, with its start and the reason. */
export function botState(
  signs: BotSigns,
): Pick<BotItem, 'state' | 'sinceMs' | 'silentSinceMs'> & { readonly reason: Sentence | null } {
  const { nowMs, isFolderInUse, hasWriter, pulse, halt, drainingSinceMs } = signs;
  const beatMs = pulse === null ? signs.lastWriteMs : Math.floor(pulse.beatMs);
  if (isFolderInUse === false) {
    const endedMs = pulse?.endedAtMs ?? beatMs;
    return { state: 'ended', sinceMs: endedMs, reason: endReason(signs), silentSinceMs: endedMs };
  }
  if (pulse !== null && nowMs - pulse.beatMs > SILENT_AFTER_MS) {
    const reason = sentence('bot-stands');
    return { state: 'silent', sinceMs: beatMs, reason, silentSinceMs: beatMs };
  }
  const sinceMs = pulse?.sinceMs ?? null;
  const isThere = { silentSinceMs: null };
  if (hasWriter === false)
    return { state: 'starting', sinceMs, reason: sentence('bot-unanswered'), ...isThere };
  if (drainingSinceMs !== null)
    return { state: 'draining', sinceMs: drainingSinceMs, reason: sentence('bot-ending'), ...isThere };
  if (halt !== null) return { state: 'halted', sinceMs: halt.sinceMs, reason: halt.reason, ...isThere };
  return { state: 'running', sinceMs, reason: null, ...isThere };
}

function endReason({ pulse, halt }: BotSigns): Sentence | null {
  if (pulse !== null && pulse.failure !== null) return pulse.failure;
  if (pulse !== null && pulse.endedAtMs === null) return sentence('bot-killed');
  return halt === null ? null : sentence('bot-halted', { reason: halt.reason });
}

/** Delay before a mirror that could not be opened is tried again, in ms: opening checks its newest rows. */
const TRY_AGAIN_MS = 1_000;

interface Opened {
  readonly reader: MirrorReader;
  readonly file: string;
}

interface Failure {
  readonly error: unknown;
  readonly file: string | null;
  readonly atMs: number;
}

/**
 * Mirror of a data folder, opened at the first read and kept open. A mirror that was replaced, as by a
 * restore, is opened anew. A missing or unreadable one gives an error reply, and never ends the server.
 */
class MirrorSource {
  readonly dataFolder: string;
  private readonly nowMs: () => number;
  private opened: Opened | null = null;
  private failure: Failure | null = null;

  /** `nowMs`: a monotonic clock. */
  constructor(dataFolder: string, nowMs: () => number = () => performance.now()) {
    this.dataFolder = dataFolder;
    this.nowMs = nowMs;
  }

  /** Calls a function on one snapshot of the mirror. Throws `ApiError` if it is unreadable. */
  read<Result>(work: (reader: MirrorReader) => Result): Result {
    const reader = this.readerNow();
    try {
      return reader.atOnce(() => work(reader));
    } catch (error) {
      if (error instanceof Database.SqliteError && !isBusyError(error)) this.close();
      throw asApiError(error);
    }
  }

  /** Calls a function on one snapshot of the mirror; null if it is unreadable. */
  readOrNull<Result>(work: (reader: MirrorReader) => Result): Result | null {
    try {
      return this.read(work);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }

  /** Returns the time of the last write to the mirror, by the clock of the machine; null if there is none. */
  lastWriteMs(): number | null {
    const path = mirrorPathOf(this.dataFolder);
    const times = [path, `${path}-wal`].flatMap((name) => {
      const stat = statSync(name, { throwIfNoEntry: false });
      // A reader creates an empty write-ahead log if there is none: that is no write.
      return stat === undefined || stat.size === 0 ? [] : [Math.floor(stat.mtimeMs)];
    });
    return times.length === 0 ? null : Math.max(...times);
  }

  close(): void {
    this.opened?.reader.close();
    this.opened = null;
  }

  private readerNow(): MirrorReader {
    const path = mirrorPathOf(this.dataFolder);
    const file = fileIdentity(path);
    if (this.opened !== null && this.opened.file === file) return this.opened.reader;
    this.close();
    const { failure } = this;
    if (failure !== null && failure.file === file && this.nowMs() - failure.atMs < TRY_AGAIN_MS)
      throw asApiError(failure.error);
    if (file === null) {
      throw new ApiError(
        'no-mirror',
        'the data folder has no mirror yet: a bot makes it once the exchange has answered. Look again in a moment, or see that "sarraf run" runs with this folder',
      );
    }
    try {
      const reader = new MirrorReader(path);
      this.opened = { reader, file };
      this.failure = null;
      return reader;
    } catch (error) {
      this.failure = { error, file, atMs: this.nowMs() };
      throw asApiError(error);
    }
  }
}

/** Returns a text that distinguishes files at one path; null if there is none. */
function fileIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? null : `${path} ${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;
}

function isBusyError(error: InstanceType<typeof Database.SqliteError>): boolean {
  return error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED');
}

/** Converts an expected read error to an `ApiError`; returns any other error, which is a bug, unchanged. */
export function asApiError(error: unknown): unknown {
  if (error instanceof SarrafError) return new ApiError('data-unusable', error.message);
  if (error instanceof Database.SqliteError) {
    const advice = sentence(isBusyError(error) ? 'locked-by-another' : 'try-again');
    return new ApiError('data-unusable', sentence('data-unreadable', { reason: error.message, advice }));
  }
  return error;
}
