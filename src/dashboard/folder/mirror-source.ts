import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { SarrafError } from '../../domain/errors.ts';
import { sentence } from '../../language/sentence.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError } from '../api-error.ts';

/** A mirror that could not be opened is not tried again at once: opening one checks its newest rows. */
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
 * The mirror of a data folder, opened when it is first read and kept open. One that was replaced, as a
 * restore or a new exchange in the bot does, is opened anew; one that goes away, or can not be read, is a
 * plain answer and never the end of the server.
 */
export class MirrorSource {
  readonly dataFolder: string;
  private readonly nowMs: () => number;
  private opened: Opened | null = null;
  private failure: Failure | null = null;

  /** `nowMs` is of a clock that never goes back. */
  constructor(dataFolder: string, nowMs: () => number = () => performance.now()) {
    this.dataFolder = dataFolder;
    this.nowMs = nowMs;
  }

  /** Calls a function on one moment of the mirror. Throws `ApiError` where it can not be read. */
  read<Result>(work: (reader: MirrorReader) => Result): Result {
    const reader = this.readerNow();
    try {
      return reader.atOnce(() => work(reader));
    } catch (error) {
      if (error instanceof Database.SqliteError && !isBusyError(error)) this.close();
      throw asApiError(error);
    }
  }

  /** The same where nothing readable is no answer but none. */
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
      // Whoever only reads makes an empty log where there is none.
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
export function fileIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? null : `${path} ${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;
}

function isBusyError(error: InstanceType<typeof Database.SqliteError>): boolean {
  return error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED');
}

/** Converts an expected read error to an answer; any other error is our mistake and is returned unchanged. */
export function asApiError(error: unknown): unknown {
  if (error instanceof SarrafError) return new ApiError('data-unusable', error.message);
  if (error instanceof Database.SqliteError) {
    const advice = sentence(isBusyError(error) ? 'locked-by-another' : 'try-again');
    return new ApiError('data-unusable', sentence('data-unreadable', { reason: error.message, advice }));
  }
  return error;
}
