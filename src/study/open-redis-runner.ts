import { randomBytes, createHash, timingSafeEqual } from 'node:crypto';
import { hostname } from 'node:os';
import { messageOf, SarrafError, invalidOptions } from '../domain/errors.ts';
import type { PreparedStudy } from './prepare-study.ts';
import type { StudyRunner } from './trial-runner.ts';
import { signBundle, writeBundle } from './code-bundle.ts';
import { checksumOf, type ServedAddress, writeTrialFiles } from './file-cache.ts';
import {
  OfferedStudy,
  type ServedFile,
  settingsOfTrials,
  sourceKey,
  writtenOfTrials,
} from './remote/offered-study.ts';
import type { RedisAddress } from '../redis/redis-server.ts';
import { RedisLink } from './redis-link.ts';
import { RedisRunner } from './remote/redis-runner.ts';
import { fastify, type FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';

export interface RemoteOptions {
  readonly redis: RedisAddress;
  /** Address at which workers download candles, and the code if it is sent. */
  readonly serve: ServedAddress;
  /** Shared secret for sending the strategy's code to workers that have the same; null to send no code. */
  readonly secret: string | null;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * Offers a study to the workers of a Redis server. Throws `QUEUE_UNUSABLE` if Redis cannot be reached, and
 * `INVALID_OPTIONS` if the files cannot be served or the code cannot be sent.
 */
export async function openRedisRunner(study: PreparedStudy, options: RemoteOptions): Promise<StudyRunner> {
  const { redis, serve, secret, signal, log } = options;
  const { settings, identity, strategyFile, written } = study;
  const { trials } = study.data;
  const seen = writeTrialFiles(trials);
  const recorded = [...seen.markets, ...(seen.signals === null ? [] : [seen.signals])];
  const endMs = trials.fidelity === 'poll' ? trials.toMs : null;
  const code = secret === null ? null : writeBundle(strategyFile);
  const { engine } = identity;
  const source = sourceKey({
    engine,
    code: identity.code,
    data: recorded.map(checksumOf),
    settings: settingsOfTrials(settings, endMs),
  });
  const files = new Map(
    [...recorded, ...(code === null ? [] : [code])].map((file) => [checksumOf(file), file]),
  );
  const token = randomBytes(32).toString('hex');
  const link = new RedisLink(redis, log);
  await link.open({ waits: false });
  const server = new FileServer({ address: serve, token, files });
  try {
    await refuseOldRedis(link);
    for (const warning of await redisWarnings(link)) log(warning);
    const address = await server.listen();
    const bundle =
      code === null || secret === null ? null : { ...servedFileOf(code), hmac: signBundle(code, secret) };
    const offered = new OfferedStudy({
      link,
      name: `${hostname()}-${process.pid}-${source.slice(0, 12)}`,
      offer: {
        engine,
        source,
        written: writtenOfTrials(written, { strategy: settings.strategy, endMs }),
        code: identity.code,
        data: seen.markets.map(servedFileOf),
        signals: seen.signals === null ? null : servedFileOf(seen.signals),
        address,
        token,
        bundle,
      },
      log,
    });
    await offered.renew();
    return new RedisRunner({ link, source, offered, signal, log, release: async () => server.close() });
  } catch (error) {
    await server.close();
    link.close();
    throw error instanceof SarrafError ? error : link.unusable(error);
  }
}

const servedFileOf = (bytes: Buffer): ServedFile => ({ sha256: checksumOf(bytes), bytes: bytes.length });

/** Maximum number of connections of workers; further ones are closed, and the workers retry. */
const MOST_CONNECTIONS = 256;
const ARRIVES_WITHIN_MS = 5_000;
const LARGEST_HEADERS_BYTES = 4 * 1_024;

/** Serves files by the SHA-256 of their content to clients that send the token. */
export class FileServer {
  private readonly app: FastifyInstance;
  private readonly address: ServedAddress;

  constructor(of: {
    readonly address: ServedAddress;
    readonly token: string;
    readonly files: ReadonlyMap<string, Buffer>;
  }) {
    this.address = of.address;
    const wanted = digest(`Bearer ${of.token}`);
    this.app = fastify({
      logger: false,
      trustProxy: false,
      bodyLimit: 1,
      requestTimeout: ARRIVES_WITHIN_MS,
      keepAliveTimeout: ARRIVES_WITHIN_MS,
      forceCloseConnections: true,
      http: { maxHeaderSize: LARGEST_HEADERS_BYTES },
    });
    this.app.server.maxConnections = MOST_CONNECTIONS;
    this.app.addHook('onRequest', async ({ headers }, reply) => {
      void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
      // Digests are equally long, so the comparison takes as long for any token.
      if (!timingSafeEqual(digest(headers.authorization ?? ''), wanted))
        return reply.code(401).send({ error: 'expected the token of the study' });
    });
    this.app.get<{ Params: { sha256: string } }>('/files/:sha256', async ({ params }, reply) => {
      const bytes = of.files.get(params.sha256);
      if (bytes === undefined) return reply.code(404).send({ error: 'expected a file of the study' });
      return reply.type('application/octet-stream').send(bytes);
    });
  }

  /** Starts listening and returns the address. Throws `INVALID_OPTIONS` if the address cannot be used. */
  async listen(): Promise<string> {
    const { host, port } = this.address;
    try {
      await this.app.listen({ host, port });
    } catch (error) {
      await this.close();
      const reason = messageOf(error);
      throw invalidOptions(`expected to serve candles at --serve ${host}:${port}: ${reason}`);
    }
    const bound = this.app.server.address();
    if (bound === null || typeof bound === 'string')
      throw new SarrafError('INVARIANT', `expected a port, found ${String(bound)}`);
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Oldest supported version of Redis, for the commands of jobs. Valkey reports a compatible one. */
const LEAST_VERSION = [6, 2] as const;

type RedisAt = Pick<RedisLink, 'client' | 'shown'>;

/** Throws `QUEUE_UNUSABLE` if Redis is too old. A server that does not report its version is accepted. */
export async function refuseOldRedis({ client, shown }: RedisAt): Promise<void> {
  const info = await infoOf(client);
  const [version, major, minor] = /^redis_version:(\d+)\.(\d+)\S*/m.exec(info) ?? [];
  if (version === undefined || isRecent(Number(major), Number(minor))) return;
  throw new SarrafError(
    'QUEUE_UNUSABLE',
    `expected Redis ${LEAST_VERSION.join('.')} or Valkey 7.2, or later, at ${shown}, found ${version.replace('redis_version:', '')}`,
  );
}

/** Returns one line for each setting of Redis that could lose data; none if it does not report settings. */
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

/** Returns the INFO of Redis; empty if reading it is not permitted, as at some hosting providers. */
async function infoOf(client: Redis): Promise<string> {
  try {
    return await client.info();
  } catch {
    return '';
  }
}

/** Returns one setting of Redis; null if reading it is not permitted. */
async function setting(client: Redis, name: string): Promise<string | null> {
  try {
    const answer = await client.config('GET', name);
    const value: unknown = Array.isArray(answer) ? answer[1] : Object(answer)[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
