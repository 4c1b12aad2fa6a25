import {
  clockAheadMs,
  TOLERATED_CLOCK_MS,
  type RequestTimes,
  type HttpResponse,
} from '../../exchange/transport.ts';
import type { WrapTransport } from '../../venues/venue.ts';
import { lengthText } from '../../domain/time-text.ts';
import { messageOf } from '../../domain/errors.ts';
import type { EngineNotice } from '../../engine/engine-event.ts';

const NOTIFY_EVERY_MS = 3_600_000;

/**
 * Compares two clocks with the time in replies: the machine's, and the bot's own, which does not follow when
 * the machine's is set. With a wrong clock, data looks older or newer than it is and signed calls look
 * forged, without another sign. A bot's own time that is behind is corrected by `timelyTransport`; one that
 * is ahead cannot go back.
 */
export class ClockWatch {
  private notifiedAtMs = Number.NEGATIVE_INFINITY;
  private wrongByMs: number | null = null;

  /** Time by which one of the clocks is ahead, in ms, as last reported; null if both are right. */
  get aheadMs(): number | null {
    return this.wrongByMs;
  }

  /**
   * Returns the message about the clocks after a reply; mostly null. A wrong clock is reported once an hour,
   * even if servers of one exchange disagree. `own`: times of the request by the bot's own clock.
   */
  apply(
    reply: Pick<HttpResponse, 'headers'>,
    { machine, own }: { readonly machine: RequestTimes; readonly own: RequestTimes },
  ): string | null {
    const nowMs = machine.receivedMs;
    const machineMs = clockAheadMs(reply, machine);
    const ownMs = clockAheadMs(reply, own);
    if (machineMs === null || ownMs === null) return null;
    if (Math.abs(machineMs) > TOLERATED_CLOCK_MS) return this.wrong(machineMs, nowMs, machineText);
    if (ownMs > TOLERATED_CLOCK_MS) return this.wrong(ownMs, nowMs, ownText);
    return this.right(nowMs);
  }

  private wrong(aheadMs: number, nowMs: number, text: (aheadMs: number) => string): string | null {
    // After the clock was set back, the time of the last message may be far ahead.
    if (Math.abs(nowMs - this.notifiedAtMs) < NOTIFY_EVERY_MS) return null;
    this.wrongByMs = aheadMs;
    this.notifiedAtMs = nowMs;
    return text(aheadMs);
  }

  private right(nowMs: number): string | null {
    if (this.wrongByMs === null) return null;
    this.wrongByMs = null;
    this.notifiedAtMs = nowMs;
    return "this machine's clock agrees with the exchange's again";
  }
}

function machineText(aheadMs: number): string {
  const [direction, age] = aheadMs > 0 ? ['ahead of', 'older'] : ['behind', 'newer'];
  return `this machine's clock is ${lengthText(Math.abs(aheadMs))} ${direction} the exchange's: data looks ${age} than it is, and signed calls may be refused; set the clock`;
}

const ownText = (aheadMs: number): string =>
  `the bot's time is ${lengthText(aheadMs)} ahead of the exchange's, since this machine's clock was set back after the start: what it notes down has a time that is too late; start the bot again`;

/** Returns a transport that checks the clocks against every reply. `machineMs` is the machine's. */
export function watchedTransport(
  watch: ClockWatch,
  log: (message: string) => void,
  machineMs: () => number,
): WrapTransport {
  return (inner, ownMs) => ({
    async send(request) {
      const sent = { machineMs: machineMs(), ownMs: ownMs() };
      const response = await inner.send(request);
      const message = watch.apply(response, {
        machine: { sentMs: sent.machineMs, receivedMs: machineMs() },
        own: { sentMs: sent.ownMs, receivedMs: ownMs() },
      });
      if (message !== null) log(message);
      return response;
    },
    close: async () => inner.close(),
  });
}

/** Maximum number of crashes that are reported one by one; the others are counted. */
const MOST_NOTIFIED = 5;

/** Number of crashes that ends the process: they are a loop beside which no run can be ended. */
const MOST_CRASHES = 1_000;

/**
 * Catches uncaught errors and rejected promises of this process; those of strategies end in their own
 * threads. The first crash requests the end of the run, so that orders are canceled and the books compared
 * before the process ends.
 */
export class CrashWatch {
  private readonly controller = new AbortController();
  private readonly notify: (notice: EngineNotice) => void;
  private count = 0;
  /** First crash; undefined while there is none. */
  private first: { readonly error: unknown } | undefined;

  constructor(notify: (notice: EngineNotice) => void) {
    this.notify = notify;
  }

  /** Signal that requests the end of the run. */
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
