import { SarrafError } from '../domain/errors.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import type { ProcessTime } from '../virtual/process-time.ts';
import type { Dice } from './dice.ts';
import type { ReplyMutator } from './reply-mutator.ts';
import type { FuzzWorld } from './world.ts';

/** Range of the transit time of a request or a reply. */
const LEAST_WAY_MS = 1;
const MOST_WAY_MS = 60;

interface LinkOptions {
  readonly world: FuzzWorld;
  /** The process whose link it is. */
  readonly process: ProcessTime;
  readonly dice: Dice;
  /** Mutator that makes replies wrong; null in a run without one. */
  readonly mutator: ReplyMutator | null;
}

/**
 * The link from one process to the exchange. A request that has left arrives or is lost, even if its process
 * dies.
 */
export class Link implements Transport {
  private readonly options: LinkOptions;

  constructor(options: LinkOptions) {
    this.options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { process, dice } = this.options;
    const target = `${request.method} ${request.path.split('?', 1)[0]}`;
    if (request.signal?.aborted === true) {
      throw new SarrafError('ABORTED', `${target}: the caller gave up (nothing was sent)`, {
        outcome: 'none',
      });
    }
    const startMs = process.now();
    const winsOverTimer = dice.happens(0.5);
    const reply = await this.unlessAborted(request, target);
    await process.awake();
    // A process that stood still finds the reply and its own time-out waiting, and takes either first.
    if (process.now() - startMs >= request.timeoutMs && !winsOverTimer) {
      throw new SarrafError('TIMED_OUT', `${target}: expected a reply within ${request.timeoutMs} ms`);
    }
    if (reply.kind === 'failed') throw reply.error;
    return reply.response;
  }

  async close(): Promise<void> {}

  private async unlessAborted(request: HttpRequest, target: string): Promise<Arrival> {
    const { signal } = request;
    const arrival = this.exchange(request);
    if (signal === undefined) return arrival;
    const given = Promise.withResolvers<Arrival>();
    const giveUp = (): void => {
      given.resolve({ kind: 'failed', error: new SarrafError('ABORTED', `${target}: the caller gave up`) });
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([arrival, given.promise]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Handles a sent request as the world does. */
  private async exchange(request: HttpRequest): Promise<Arrival> {
    const { world, process, dice, mutator } = this.options;
    const { signal: _signal, ...bytes } = request;
    const outMs = Math.round(dice.logUniform(LEAST_WAY_MS, MOST_WAY_MS));
    const backMs = Math.round(dice.logUniform(LEAST_WAY_MS, MOST_WAY_MS));
    const isLostWithSender = dice.happens(0.5);
    await world.time.sleep(outMs);
    if (process.isDead && isLostWithSender) return new Promise<never>(() => {});
    const timeoutMs = Math.max(1, request.timeoutMs - outMs);
    const refusal = mutator?.refusal(bytes) ?? null;
    if (refusal?.isHandled === false) {
      await world.time.sleep(backMs);
      return { kind: 'reply', response: refusal.response };
    }
    const { stallLeftMs } = world;
    if (stallLeftMs >= timeoutMs) {
      // When it is handled, its process waits no longer.
      world.time.at(
        world.time.now() + stallLeftMs,
        () => void world.venue.send(bytes).catch(() => undefined),
      );
      await world.time.sleep(timeoutMs);
      return {
        kind: 'failed',
        error: new SarrafError('TIMED_OUT', `expected a reply within ${request.timeoutMs} ms`),
      };
    }
    if (stallLeftMs > 0) await world.time.sleep(stallLeftMs);
    try {
      const sent = await world.venue.send({ ...bytes, timeoutMs });
      const response = world.standingBooks.reply(bytes, sent, world.time.now());
      await world.time.sleep(backMs);
      return { kind: 'reply', response: refusal?.response ?? mutator?.reply(bytes, response) ?? response };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }
}

/** Result that comes back to the process. */
type Arrival =
  | { readonly kind: 'reply'; readonly response: HttpResponse }
  | { readonly kind: 'failed'; readonly error: unknown };
