import type { Redis } from 'ioredis';
import { SarrafError } from '../domain/errors.ts';

/** Older ones lack commands that jobs need. Valkey tells the version of Redis that it is like. */
const LEAST_VERSION = [6, 2] as const;

/** A Redis to check. */
interface RedisAt {
  readonly client: Redis;
  /** Its address as it is shown. */
  readonly shown: string;
}

/** Throws `QUEUE_UNUSABLE` for a Redis that is too old. One that does not tell its version is tried. */
export async function refuseOldRedis({ client, shown }: RedisAt): Promise<void> {
  const info = await infoOf(client);
  const [version, major, minor] = /^redis_version:(\d+)\.(\d+)\S*/m.exec(info) ?? [];
  if (version === undefined || isRecent(Number(major), Number(minor))) return;
  throw new SarrafError(
    'QUEUE_UNUSABLE',
    `expected Redis ${LEAST_VERSION.join('.')} or Valkey 7.2, or later, at ${shown}, found ${version.replace('redis_version:', '')}`,
  );
}

/**
 * Returns warnings about data that a Redis could lose, a line each; none if it does not report its settings.
 */
export async function redisWarnings({ client, shown }: RedisAt): Promise<readonly string[]> {
  const [save, appendOnly, info] = await Promise.all([
    setting(client, 'save'),
    setting(client, 'appendonly'),
    infoOf(client),
  ]);
  const warnings: string[] = [];
  if (save === '' && appendOnly === 'no')
    warnings.push(
      `Redis at ${shown} keeps nothing on its disk: where it ends, trials under way run again; those that have ended are in the study's file`,
    );
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  if (policy !== 'noeviction' && !/^maxmemory:0\s/m.test(info))
    warnings.push(
      `Redis at ${shown} drops keys when its memory is full (${policy}), and what it drops is computed again: set maxmemory-policy noeviction`,
    );
  return warnings;
}

const isRecent = (major: number, minor: number): boolean =>
  major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1]);

/** Empty where it may not be asked for, as at some who rent Redis out. */
async function infoOf(client: Redis): Promise<string> {
  try {
    return await client.info();
  } catch {
    return '';
  }
}

/** One setting; null where it may not be asked for. */
async function setting(client: Redis, name: string): Promise<string | null> {
  try {
    const answer = await client.config('GET', name);
    const value: unknown = Array.isArray(answer) ? answer[1] : Object(answer)[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
