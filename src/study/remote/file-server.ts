import { createHash, timingSafeEqual } from 'node:crypto';
import { fastify, type FastifyInstance } from 'fastify';
import { SarrafError } from '../../domain/errors.ts';
import type { ServedAddress } from './served-address.ts';

/** Workers that ask at once at most: others are closed, and ask again. */
const MOST_CONNECTIONS = 256;
const ARRIVES_WITHIN_MS = 5_000;
const LARGEST_HEADERS_BYTES = 4 * 1_024;

/** Gives files to whoever knows the token, by the SHA-256 of what they say. */
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

  /** Begins to listen, and answers where. Throws `INVALID_OPTIONS` where the address can not be had. */
  async listen(): Promise<string> {
    const { host, port } = this.address;
    try {
      await this.app.listen({ host, port });
    } catch (error) {
      await this.close();
      const reason = error instanceof Error ? error.message : String(error);
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected to serve candles at --serve ${host}:${port}: ${reason}`,
      );
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
