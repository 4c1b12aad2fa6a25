import type { RateLimit } from '../domain/rate-limit.ts';
import Bottleneck from 'bottleneck';
import { SarrafError } from '../domain/errors.ts';
import { urgencyOf } from '../domain/request-class.ts';
import { MOST_SEND_DELAY_MS, mostSendDelayMs } from './admission.ts';
import type { AdmittedJob, LaneExecutor } from './lane-executor.ts';

/** Bottleneck looks at its reservoir this often, so its own window is longer than W by up to twice that. */
const BOTTLENECK_BEAT_MS = 250;

/**
 * The wall clock may move against the monotonic one by so much, as it does while it is adjusted, before it
 * counts as stepped.
 */
const MOST_DRIFT_MS = 20;

/**
 * So often it is looked whether Bottleneck has begun a job. One that may not be sent any more by then is
 * begun without it: the lane finds it too late, and asks again. So is a job of the very moment of a step,
 * which otherwise waited until the wall clock is where it was: of these a cancel leaves.
 */
const LOOK_EVERY_MS = 2 * MOST_SEND_DELAY_MS;

/**
 * Executes one budget's requests with Bottleneck, with the bound on concurrency and the time-out, and with a
 * count of its own as an outer guard: should the ledger ever admit too many, the surplus waits here (a cancel
 * for half a minute), is found too late to be sent, and asks again. Its reservoir alone would not do: it lets
 * twice the limit through across a refresh.
 *
 * Bottleneck goes by the wall clock: set back by an hour, it would start nothing for an hour. So after a step
 * there is a new one, with a whole reservoir; the ledger, which goes by the monotonic clock, holds the limit
 * all the same. What the one before has begun goes on in it.
 */
export class BottleneckExecutor implements LaneExecutor {
  private readonly settings: Bottleneck.ConstructorOptions;
  private bottleneck: Bottleneck;
  private wallAheadMs = wallAheadMs();

  constructor({ limit, windowMs }: RateLimit, options: { readonly mostConcurrent: number }) {
    const guard = Math.ceil(limit * (1 + (2 * BOTTLENECK_BEAT_MS) / windowMs));
    this.settings = {
      maxConcurrent: options.mostConcurrent,
      reservoir: guard,
      reservoirRefreshAmount: guard,
      reservoirRefreshInterval: Math.ceil(windowMs / BOTTLENECK_BEAT_MS) * BOTTLENECK_BEAT_MS,
    };
    this.bottleneck = new Bottleneck(this.settings);
  }

  async execute<T>(
    { requestClass, timeoutMs }: AdmittedJob,
    work: () => Promise<T>,
    isSent: (end: T) => boolean = () => true,
  ): Promise<T> {
    await this.renewAfterStep();
    const { bottleneck } = this;
    // What was not sent does not count. Else requests that are late again and again, as on a machine under
    // load, use the count up, and those that ask again wait for it and are late as well, for good.
    const giveBack = (): void => void bottleneck.incrementReservoir(1).catch(() => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isBegun = false;
    const begin = async (): Promise<boolean> => {
      isBegun = true;
      clearTimeout(late);
      try {
        const end = await work();
        resolve(end);
        return isSent(end);
      } catch (error) {
        reject(error);
        return true;
      }
    };
    const beginCounted = async (): Promise<void> => {
      if (isBegun || !(await begin())) giveBack();
    };
    let waitedMs = 0;
    const look = (): void => {
      waitedMs += LOOK_EVERY_MS;
      if (waitedMs > mostSendDelayMs(requestClass) || hasStepped(this.wallAheadMs)) void begin();
      else late = setTimeout(look, LOOK_EVERY_MS);
    };
    let late = setTimeout(look, LOOK_EVERY_MS);
    bottleneck
      .schedule({ priority: urgencyOf(requestClass), expiration: timeoutMs }, beginCounted)
      .catch((error) => {
        if (isBegun) reject(timedOut(timeoutMs, error));
        else void begin();
      });
    return promise;
  }

  async close(): Promise<void> {
    await endBottleneck(this.bottleneck);
  }

  private async renewAfterStep(): Promise<void> {
    if (!hasStepped(this.wallAheadMs)) return;
    this.wallAheadMs = wallAheadMs();
    const before = this.bottleneck;
    this.bottleneck = new Bottleneck(this.settings);
    await endBottleneck(before);
  }
}

/** Drops what it has not begun, whose timers would keep the process alive, and leaves alone what it has. */
async function endBottleneck(bottleneck: Bottleneck): Promise<void> {
  // It resolves once everything that was begun has ended, which nobody waits for here.
  bottleneck.stop({ dropWaitingJobs: true }).catch(() => undefined);
  await bottleneck.disconnect();
}

function timedOut(timeoutMs: number, cause: unknown): SarrafError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SarrafError('TIMED_OUT', `expected a reply within ${timeoutMs} ms: ${reason}`, { cause });
}

/** Returns true if the wall clock was set since it was `thenAheadMs` ahead of the monotonic one. */
function hasStepped(thenAheadMs: number): boolean {
  return Math.abs(wallAheadMs() - thenAheadMs) > MOST_DRIFT_MS;
}

/**
 * Returns how far the wall clock is ahead of the monotonic one; it changes only when somebody sets or adjusts
 * the wall clock.
 */
function wallAheadMs(): number {
  return Date.now() - performance.now();
}
