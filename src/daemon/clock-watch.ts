import type { HttpResponse } from '../exchange/transport.ts';
import type { WrapTransport } from '../venues/venue.ts';
import { lengthText } from '../domain/time-text.ts';

/**
 * A reply's own time is whole seconds, and what stands between may be a few late: less than this is no error
 * of the clock.
 */
export const TOLERATED_CLOCK_MS = 10_000;

const SAID_EVERY_MS = 3_600_000;

/** When a request left and its reply was there, by the machine's clock, in ms since 1970. */
export interface RequestTimes {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/**
 * How far the machine's clock is ahead of the one that wrote a reply, by at least so much; below 0: behind.
 * Null where the reply names no time (the `Date` of RFC 9110, 6.6.1, less the `Age` of what a cache kept).
 */
export function clockAheadMs(
  { headers }: Pick<HttpResponse, 'headers'>,
  { sentMs, receivedMs }: RequestTimes,
): number | null {
  const saidMs = Date.parse(headers['date'] ?? '');
  const ageMs = Number(headers['age'] ?? '0') * 1_000;
  if (!Number.isFinite(saidMs) || !Number.isFinite(ageMs)) return null;
  // The reply was written at some time between the two, and within the second that it names.
  const aheadMs = Math.max(0, sentMs - (saidMs + ageMs + 1_000));
  const behindMs = Math.max(0, saidMs + ageMs - receivedMs);
  return aheadMs > 0 ? aheadMs : -behindMs;
}

/**
 * Holds the machine's clock against the time that replies carry (the `Date` of RFC 9110, 6.6.1, less the
 * `Age` of what a cache kept). A clock that is wrong makes old candles look closed just now and signed calls
 * look forged, and nothing else says so.
 */
export class ClockWatch {
  private saidAtMs = Number.NEGATIVE_INFINITY;
  private wrongByMs: number | null = null;

  /** How far the machine's clock is ahead, as it was last said; null where it is right. */
  get aheadMs(): number | null {
    return this.wrongByMs;
  }

  /**
   * What is to be said of the clock after a reply; null mostly. That it is wrong is said once an hour, also
   * where servers of one exchange disagree.
   */
  take(reply: Pick<HttpResponse, 'headers'>, times: RequestTimes): string | null {
    const { receivedMs } = times;
    const aheadMs = clockAheadMs(reply, times);
    if (aheadMs === null) return null;
    const wrongByMs = Math.abs(aheadMs);
    if (wrongByMs <= TOLERATED_CLOCK_MS) return this.right(receivedMs);
    // Of a clock that was set back the time of the last word may be far ahead.
    if (Math.abs(receivedMs - this.saidAtMs) < SAID_EVERY_MS) return null;
    this.wrongByMs = aheadMs;
    this.saidAtMs = receivedMs;
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    return `this machine's clock is ${lengthText(wrongByMs)} ${direction} the exchange's: data looks ${aheadMs > 0 ? 'older' : 'newer'} than it is, and signed calls may be refused; set the clock`;
  }

  private right(nowMs: number): string | null {
    if (this.wrongByMs === null) return null;
    this.wrongByMs = null;
    this.saidAtMs = nowMs;
    return "this machine's clock agrees with the exchange's again";
  }
}

/**
 * Has every reply that passes held against the clock. `nowMs` is the machine's own, whatever the time of the
 * venue is.
 */
export function watchedTransport(
  watch: ClockWatch,
  say: (message: string) => void,
  nowMs: () => number,
): WrapTransport {
  return (inner) => ({
    async send(request) {
      const sentMs = nowMs();
      const response = await inner.send(request);
      const message = watch.take(response, { sentMs, receivedMs: nowMs() });
      if (message !== null) say(message);
      return response;
    },
    close: async () => inner.close(),
  });
}
