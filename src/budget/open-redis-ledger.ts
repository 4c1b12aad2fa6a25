import { setTimeout as pause } from 'node:timers/promises';
import { SarrafError, dataUnusable } from '../domain/errors.ts';
import { type RedisAddress, redisFailure } from '../redis/redis-server.ts';
import type { OpenLedger, OpenLedgerOptions } from './ledger-report.ts';
import { redisPlace } from './ledger-file.ts';
import { withRedisLedger } from './redis-by-hand.ts';
import { RedisConnection } from './redis/redis-connection.ts';
import { RedisLedger, TOO_LATE } from './redis/redis-ledger.ts';

/** Number of tries to open a ledger that answers too slowly, and the pause between them. */
const MOST_TRIES = 10;
const TRY_AGAIN_MS = 300;

/** Oldest Redis version that can be used: in older ones a script cannot ask which run it is. */
const LEAST_VERSION = [6, 2] as const;

/**
 * Opens the ledger in a Redis, which must not lose data. Throws `DATA_UNUSABLE` if it is too old, is a
 * replica, or drops keys when its memory is full. Logs other settings that may lose a part of it.
 */
export async function openRedisLedger(
  options: Omit<OpenLedgerOptions, 'place'> & { readonly address: RedisAddress; readonly key: string },
): Promise<OpenLedger> {
  const { address, key, timeoutMs, log } = options;
  const connection = await patiently(async () => RedisConnection.open({ address, key, timeoutMs }));
  const leases = options.cancelBudgets ?? [];
  const voice = new LedgerVoice(address, log, leases.length > 0);
  try {
    for (const line of await patiently(async () => inspect(connection, address.shown))) log(line);
    const open = async (): Promise<RedisLedger> =>
      RedisLedger.open({
        ...options,
        leases,
        server: connection,
        whenMissing: 'full',
        onFailure: (error) => voice.failed(error),
        onWorked: () => voice.worked(),
        onBegun: (why) =>
          log(
            `the ledger in Redis at ${address.shown} begins anew: ${why}. Every limit counts as used up until its window and 2 1/2 min are over`,
          ),
      });
    const ledger = await patiently(open);
    return { admittance: ledger, rows: () => ledger.rows(), close: async () => ledger.close() };
  } catch (error) {
    connection.close();
    throw error instanceof SarrafError ? error : unusableLedger(address.shown, redisFailure(error).reason);
  }
}

/** Repeats work that timed out: a Redis or a machine that is busy for a moment must not end a start. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MOST_TRIES || !isTooSlow(error)) throw error;
      await pause(TRY_AGAIN_MS);
    }
  }
}

function isTooSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'Command timed out' || error.message === TOO_LATE || isTooSlow(error.cause);
}

/** Returns warnings about data that a Redis may lose, one a line. Throws `DATA_UNUSABLE` like an opening. */
export const redisLedgerWarnings = async (place: string): Promise<readonly string[]> =>
  withRedisLedger(place, async (connection) => inspect(connection, redisPlace(place).address.shown));

const unusableLedger = (shown: string, found: string): SarrafError =>
  dataUnusable(`expected the ledger in Redis at ${shown}, found ${found}: nothing is sent without it`);

/** Checks whether this Redis can store a ledger; returns warnings about data it may lose, one line each. */
async function inspect({ client }: RedisConnection, shown: string): Promise<readonly string[]> {
  const info = await infoOf(client);
  const read = (name: string): string | null =>
    new RegExp(`^${name}:(.*?)\\s*$`, 'm').exec(info)?.[1] ?? null;
  const [major = 0, minor = 0] = (read('redis_version') ?? '').split('.').map(Number);
  if (major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]))
    throw unusableLedger(shown, `version ${major}.${minor}, which is older than Redis 6.2 and Valkey 7.2`);
  if (read('role') === 'slave')
    throw unusableLedger(shown, 'a replica, which takes no writes: name the primary');
  const policy = read('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction')
    throw unusableLedger(
      shown,
      `one that drops keys when its memory is full (${policy}): set maxmemory-policy noeviction`,
    );
  const lines: string[] = [];
  if (read('aof_enabled') === '0')
    lines.push(
      `Redis at ${shown} keeps no append-only file: where it ends, lockouts and lowered limits are forgotten. Set appendonly yes`,
    );
  if (Number(read('connected_slaves') ?? 0) > 0)
    lines.push(
      `Redis at ${shown} has replicas: were one made the primary while this one goes on, both would give the whole limit. Do not fail over by itself, or set min-replicas-to-write 1`,
    );
  return lines;
}

async function infoOf(client: RedisConnection['client']): Promise<string> {
  const parts = await Promise.all(
    ['server', 'replication', 'memory', 'persistence'].map(async (part) => client.info(part)),
  );
  return parts.join('\n');
}

/** Logs once that Redis has begun to fail, and once that it works again. */
class LedgerVoice {
  private readonly shown: string;
  private readonly log: (line: string) => void;
  private readonly hasLeases: boolean;
  private logged: string | null = null;

  constructor({ shown }: RedisAddress, log: (line: string) => void, hasLeases: boolean) {
    this.shown = shown;
    this.log = log;
    this.hasLeases = hasLeases;
  }

  failed(error: unknown): void {
    const { reason } = redisFailure(error);
    if (this.logged !== null) return;
    this.logged = reason;
    this.log(
      `expected the ledger in Redis at ${this.shown}, found ${reason}: nothing${this.hasLeases ? ' but a few cancels' : ''} is sent until it answers`,
    );
  }

  worked(): void {
    if (this.logged === null) return;
    this.logged = null;
    this.log(`the ledger in Redis at ${this.shown} answers again`);
  }
}
