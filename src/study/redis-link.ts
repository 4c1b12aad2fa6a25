import { Redis } from 'ioredis';
import { connectionOptions, type RedisAddress, redisFailure } from '../redis/redis-server.ts';
import { SarrafError } from '../domain/errors.ts';

/** Time limit of the first connection, in ms. */
const OPENS_WITHIN_MS = 10_000;
/** Time without a failure, in ms, after which Redis is back: with little memory some commands work. */
const CALM_MS = 5_000;
/** Text of the log line if Redis was available before. */
const PATIENT = 'nothing is lost, and it goes on when it is back';
/** First and longest delay before the next attempt to reconnect, in ms. */
const RETRY_MS = { first: 200, last: 2_000 };

/**
 * Connection to Redis. Commands wait while it is lost, so callers must limit how many they send. It logs one
 * line when Redis is lost, with the reason, and one when it is back.
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
  /** Function that returns true for an error that ends the wait for the first connection. */
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
    // Blocking commands use connections of their own, which BullMQ makes with `duplicate`.
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

  /** Connects. Rejects with `QUEUE_UNUSABLE` if Redis refuses, or, unless `waits`, does not reply in time. */
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
    // The `error` event reports failures.
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

  /** Reports an error of a user of the connection: it is logged if Redis is lost or at fault. */
  failed(error: unknown): void {
    if (this.isClosed || this.endsWait?.(error) === true) return;
    const { isRefusal, isOfServer = false } = redisFailure(error);
    // Failed commands report their own errors; here only the connection matters.
    if (this.isReady && !isOfServer) return;
    this.failedMs = performance.now();
    const reason = this.reasonOf(error);
    // A fault is logged once; another one only if it does not pass by itself.
    if (this.logged === reason || (this.logged !== null && !isRefusal)) return;
    this.logged = reason;
    const hope = this.wasReady ? PATIENT : 'waiting for it';
    this.log(`expected Redis at ${this.shown}, found ${reason}: ${hope}`);
  }

  /** Reports that a command succeeded. It ends a fault if none occurred for `CALM_MS`. */
  worked(): void {
    if (this.logged !== null && this.isReady && performance.now() - this.failedMs >= CALM_MS) this.ready();
  }

  /** Ends the wait of `open` when nobody needs it any more. */
  giveUp(): void {
    this.onGivenUp?.();
  }

  /** Closes this connection and its duplicates, which would otherwise wait for a lost Redis for ever. */
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
 * Makes `disconnect` also end a client that waits for its next attempt. ioredis cancels the attempt and emits
 * no `end`, so commands would stay pending, and BullMQ would wait for the event and keep its timers for ever.
 */
function endsAlways(client: Redis): void {
  const disconnect = client.disconnect.bind(client);
  client.disconnect = (reconnect = false) => {
    // Like a client that was never connected, it then has no connection whose end would be awaited.
    if (!reconnect && client.status === 'reconnecting') client.status = 'wait';
    disconnect(reconnect);
  };
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
