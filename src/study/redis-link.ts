import { Redis } from 'ioredis';
import { connectionOptions, type RedisAddress, redisFailure } from '../redis/redis-server.ts';
import { SarrafError } from '../domain/errors.ts';

/** Time limit of the first connection. */
const OPENS_WITHIN_MS = 10_000;
/** It works again where it refused nothing for so long: a memory that is nearly full takes some. */
const CALM_MS = 5_000;
/** Text shown if Redis was available before. */
const PATIENT = 'nothing is lost, and it goes on when it is back';
/** A connection that is gone is tried again after so long: at first, and at last. */
const RETRY_MS = { first: 200, last: 2_000 };

/**
 * The connection to Redis. Commands wait while it is gone, so whoever sends some has a bound on them. It says
 * in one line that Redis is gone, why, and that it is back.
 */
export class RedisLink {
  readonly client: Redis;
  readonly shown: string;
  private readonly isEncrypted: boolean;
  private readonly copies: Redis[] = [];
  private readonly log: (line: string) => void;
  private wasReady = false;
  /** Reported reason for the lost connection; null while connected. */
  private logged: string | null = null;
  private failedMs = Number.NEGATIVE_INFINITY;
  /** True for an error that ends the wait for the first connection. */
  private endsWait: ((error: unknown) => boolean) | null = null;
  private onGivenUp: (() => void) | null = null;
  private isClosed = false;

  constructor(address: RedisAddress, log: (line: string) => void) {
    this.shown = address.shown;
    this.isEncrypted = address.isEncrypted;
    this.log = log;
    this.client = new Redis({
      ...connectionOptions(address),
      maxRetriesPerRequest: null,
      connectTimeout: OPENS_WITHIN_MS,
      retryStrategy: (times) => Math.min(times * RETRY_MS.first, RETRY_MS.last),
    });
    endsAlways(this.client);
    const duplicate = this.client.duplicate.bind(this.client);
    // What blocks has a connection of its own, of which only who made it knows.
    this.client.duplicate = (override) => {
      const copy = duplicate(override);
      endsAlways(copy);
      this.copies.push(copy);
      return copy;
    };
    this.client.on('error', (error: unknown) => this.failed(error));
    this.client.on('close', () => this.failed(withCode('ECONNRESET')));
    this.client.on('ready', () => this.ready());
  }

  /** True if commands reach Redis now. */
  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  /**
   * Connects. Rejects with `QUEUE_UNUSABLE` where Redis refuses, and, unless `waits`, where it does not
   * answer in time.
   */
  async open({ waits }: { readonly waits: boolean }): Promise<void> {
    const opened = new Promise<void>((resolve, reject) => {
      let last: unknown = withCode('ETIMEDOUT');
      const refuse = (): void => reject(this.unusable(last));
      const limit = waits ? null : setTimeout(refuse, OPENS_WITHIN_MS);
      this.endsWait = (error) => {
        last = error;
        const isEnd = redisFailure(error).isRefusal || !waits;
        if (isEnd) refuse();
        return isEnd;
      };
      this.onGivenUp = resolve;
      this.client.once('ready', () => {
        if (limit !== null) clearTimeout(limit);
        resolve();
      });
    });
    // What goes wrong is told by the event.
    this.client.connect().catch(() => undefined);
    try {
      await opened;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.endsWait = null;
      this.onGivenUp = null;
    }
  }

  /** An error that something which uses the connection has met. */
  failed(error: unknown): void {
    if (this.isClosed || this.endsWait?.(error) === true) return;
    const { isRefusal, isOfServer = false } = redisFailure(error);
    // Commands that were under way have errors of their own; what matters is whether there is a connection.
    if (this.isReady && !isOfServer) return;
    this.failedMs = performance.now();
    const reason = this.reasonOf(error);
    // It is said once; again only where it is something that does not pass by itself.
    if (this.logged === reason || (this.logged !== null && !isRefusal)) return;
    this.logged = reason;
    const hope = this.wasReady ? PATIENT : 'waiting for it';
    this.log(`expected Redis at ${this.shown}, found ${reason}: ${hope}`);
  }

  /** Something that it was asked for was done. */
  worked(): void {
    if (this.logged !== null && this.isReady && performance.now() - this.failedMs >= CALM_MS) this.ready();
  }

  /** Ends the wait of `open`, where nobody needs it any more. */
  giveUp(): void {
    this.onGivenUp?.();
  }

  /** Ends it, and those that were made of it: where Redis is gone they would wait for it for ever. */
  close(): void {
    this.isClosed = true;
    for (const client of [this.client, ...this.copies]) client.disconnect();
  }

  private ready(): void {
    if (this.logged !== null) this.log(`Redis at ${this.shown} is ${this.wasReady ? 'back' : 'there'}`);
    this.logged = null;
    this.wasReady = true;
  }

  /** Returns the error to throw, with the reason Redis cannot be used. */
  unusable(error: unknown): SarrafError {
    const message = `expected Redis at ${this.shown}, found ${this.reasonOf(error)}`;
    return new SarrafError('QUEUE_UNUSABLE', message);
  }

  private reasonOf(error: unknown): string {
    const { reason, isSilent = false } = redisFailure(error);
    if (!isSilent || this.wasReady) return reason;
    const other = this.isEncrypted ? 'redis:// where it has no TLS' : 'rediss:// where it has TLS';
    return `${reason} (use ${other})`;
  }
}

/**
 * Makes `disconnect` end a client that waits for its next attempt, too: ioredis cancels the attempt and emits
 * no `end`, so commands would stay pending, and BullMQ would wait for the event and keep its timers for ever.
 */
function endsAlways(client: Redis): void {
  const disconnect = client.disconnect.bind(client);
  client.disconnect = (reconnect = false) => {
    // As a client that was never connected, it has no connection whose end could be awaited.
    if (!reconnect && client.status === 'reconnecting') client.status = 'wait';
    disconnect(reconnect);
  };
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
