import { lengthText } from '../../domain/time-text.ts';
import {
  clockAheadMs,
  TOLERATED_CLOCK_MS,
  type RequestTimes,
  type HttpResponse,
  type Transport,
} from '../../exchange/transport.ts';
import type { MachineTimeline } from '../machine-timeline.ts';

interface TimelyOptions {
  readonly time: Pick<MachineTimeline, 'now' | 'leapTo'>;
  readonly wallMs: () => number;
  readonly say: (message: string) => void;
}

/**
 * Keeps a bot's own time from staying behind that of the exchange. It follows the monotonic clock, so where
 * the machine's clock was wrong as the bot began, and is set right later, the bot would go on reading candles
 * of then. It leaps where two clocks that know nothing of each other, the machine's and the exchange's, agree
 * on a later time.
 */
export function timelyTransport(inner: Transport, { time, wallMs, say }: TimelyOptions): Transport {
  return {
    async send(request) {
      const sent = { ownMs: time.now(), wallMs: wallMs() };
      const response = await inner.send(request);
      const received = { ownMs: time.now(), wallMs: wallMs() };
      const own = { sentMs: sent.ownMs, receivedMs: received.ownMs };
      const wall = { sentMs: sent.wallMs, receivedMs: received.wallMs };
      if (isBehind(response, own) && isRight(response, wall) && received.wallMs > received.ownMs) {
        time.leapTo(received.wallMs);
        const behindMs = received.wallMs - received.ownMs;
        say(
          `the bot's time was ${lengthText(behindMs)} behind that of the exchange, since this machine's clock was set after the start: it goes on at the time of now`,
        );
      }
      return response;
    },
    close: async () => inner.close(),
  };
}

function isBehind(response: HttpResponse, times: RequestTimes): boolean {
  const aheadMs = clockAheadMs(response, times);
  return aheadMs !== null && aheadMs < -TOLERATED_CLOCK_MS;
}

function isRight(response: HttpResponse, times: RequestTimes): boolean {
  const aheadMs = clockAheadMs(response, times);
  return aheadMs !== null && Math.abs(aheadMs) <= TOLERATED_CLOCK_MS;
}
