import { messageOf } from '../../domain/errors.ts';
import type { EngineNotice } from '../../engine/engine-command.ts';

/** Crashes that are reported one by one; the others are counted. */
const MOST_NOTIFIED = 5;

/** So many are a loop that nothing can be ended beside. */
const MOST_CRASHES = 1_000;

/**
 * Uncaught errors and promises that were not awaited, of this process; those of strategies end in
 * their own threads. The first asks for the end of the run, so that orders are canceled and the books
 * compared before the process ends with it.
 */
export class CrashWatch {
  private readonly controller = new AbortController();
  private readonly notify: (notice: EngineNotice) => void;
  private count = 0;
  /** The first; undefined while there is none. */
  private first: { readonly error: unknown } | undefined;

  constructor(notify: (notice: EngineNotice) => void) {
    this.notify = notify;
  }

  /** Asks for the end. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    process.on('uncaughtException', this.onError);
    process.on('unhandledRejection', this.onError);
  }

  end(): void {
    process.off('uncaughtException', this.onError);
    process.off('unhandledRejection', this.onError);
  }

  /** Throws the first crash, once the run has ended. */
  throwIfCrashed(): void {
    if (this.first === undefined) return;
    const { error } = this.first;
    throw error instanceof Error ? error : new Error(`expected an error, was ${String(error)}`);
  }

  private readonly onError = (error: unknown): void => {
    this.count += 1;
    this.first ??= { error };
    if (this.count <= MOST_NOTIFIED) {
      const more = this.count === MOST_NOTIFIED ? '; further ones are not reported' : '';
      const message = `an error was not caught, so the run ends: ${messageOf(error)}${more}`;
      const stack = error instanceof Error ? (error.stack ?? null) : null;
      this.notify({ kind: 'notice', level: 'error', message, subject: null, details: { stack } });
    }
    this.controller.abort();
    if (this.count >= MOST_CRASHES) process.exit(1);
  };
}
