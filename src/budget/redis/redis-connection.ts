import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { connectionOptions } from '../../redis/connection-options.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { RedisAddress } from '../../redis/redis-address.ts';
import { redisFailure } from '../../redis/redis-failure.ts';
import { ledgerScript, SERVER_CLOCK, type ScriptAsk } from './ledger-script.ts';
import type { LedgerServer, ScriptAnswer } from './ledger-server.ts';

/** Time limit of a first connection. */
const OPENS_WITHIN_MS = 5_000;
/** A connection that is gone is tried again after so long: at first, and at last. */
const RETRY_MS = { first: 100, last: 2_000 };

interface ConnectionOptions {
  readonly address: RedisAddress;
  /** The one hash that holds the ledger of an exchange. */
  readonly key: string;
  /** Longer than that no answer is waited for. */
  readonly timeoutMs: number;
  /** Script by which the server gives its time; tests have a clock of their own. */
  readonly clock?: string;
}

/**
 * The connection to the Redis of a ledger. Nothing waits for it: what can not be asked now, or is not
 * answered in time, fails at once, and nothing is ever sent a second time.
 */
export class RedisConnection implements LedgerServer {
  readonly client: Redis;
  /** The hash that holds the ledger. */
  readonly key: string;
  private readonly script: string;
  private readonly sha: string;
  /** Reason there is no connection. */
  private reason: unknown = null;

  private constructor({ address, key, timeoutMs, clock = SERVER_CLOCK }: ConnectionOptions) {
    this.key = key;
    this.script = ledgerScript(clock);
    this.sha = createHash('sha1').update(this.script).digest('hex');
    this.client = new Redis({
      ...connectionOptions(address),
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: timeoutMs,
      connectTimeout: OPENS_WITHIN_MS,
      retryStrategy: (times) => Math.min(times * RETRY_MS.first, RETRY_MS.last),
    });
    this.client.on('error', (error: unknown) => (this.reason = error));
    this.client.on('ready', () => (this.reason = null));
  }

  /** Connects. Throws `DATA_UNUSABLE` where Redis is not there, or does not let us in. */
  static async open(options: ConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    try {
      await connection.client.connect();
      return connection;
    } catch (error) {
      connection.close();
      throw unusableRedis(options.address, connection.reason ?? error);
    }
  }

  async ask(ask: ScriptAsk): Promise<ScriptAnswer> {
    try {
      return answerIn(await this.run(JSON.stringify(ask)));
    } catch (error) {
      throw this.client.status === 'ready' ? error : (this.reason ?? error);
    }
  }

  close(): void {
    this.client.disconnect();
  }

  private async run(ask: string): Promise<unknown> {
    try {
      return await this.client.evalsha(this.sha, 1, this.key, ask);
    } catch (error) {
      // A Redis that was restarted has forgotten the script. Nothing was done.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.client.eval(this.script, 1, this.key, ask);
    }
  }
}

/** Returns the error to throw when Redis cannot be used. It never shows a password. */
function unusableRedis({ shown }: RedisAddress, error: unknown): SarrafError {
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected the ledger in Redis at ${shown}, found ${redisFailure(error).reason}: nothing is sent without it`,
    { cause: error },
  );
}

function answerIn(reply: unknown): ScriptAnswer {
  if (!Array.isArray(reply)) throw new TypeError(`expected a list from the script, found ${typeof reply}`);
  const [status, timeMs, run, rest] = reply as [ScriptAnswer['status'], number, string, unknown[]];
  if (status !== 'done') return { status, timeMs, run, fields: rest.map(String), revision: 0, stable: 0 };
  const [revision = 0, stable = 0] = rest.map(Number);
  return { status, timeMs, run, fields: null, revision, stable };
}
