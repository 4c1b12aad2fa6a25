import { get } from 'node:http';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { messageOf, invalidOptions } from '../../domain/errors.ts';
import { isAllowedHost, oneHost } from '../allowed-host.ts';
import { type HealthSource, livenessStatus, readinessStatus, type HealthStatus } from '../health-source.ts';
import { Metrics } from './metrics.ts';

/** Largest headers of a request, in bytes. Requests only read: they have no body and few headers. */
const LARGEST_HEADERS_BYTES = 8 * 1_024;
const LARGEST_BODY_BYTES = 1;

/** Maximum number of connections at once; more are closed, since supervisors and collectors are few. */
const MOST_CONNECTIONS = 32;

/** Longest time for a request to arrive, and for a connection to stay without one, in ms. */
const ARRIVES_WITHIN_MS = 5_000;

/** Longest time of the server's request to itself, in ms: the bot waits for it. */
const WARM_WITHIN_MS = 1_000;

export interface HealthServerOptions {
  /** Returns the source for a request; called each time, since the source may change. */
  readonly source: () => HealthSource;
  /** Address to listen on; without it only this machine is served. */
  readonly host?: string;
  /** Port to listen on; 0 uses a free one. */
  readonly port: number;
  /** Names that it answers to besides this machine's own. */
  readonly hosts?: readonly string[];
}

/**
 * Reports the bot's health over HTTP: `/healthz` whether it is alive, `/readyz` whether it can trade,
 * `/metrics` its numbers. It shows no credential and changes nothing. It runs in the bot's own loop on
 * purpose: a loop that stands still answers no request.
 */
export class HealthServer {
  private readonly app: FastifyInstance;
  private readonly metrics: Metrics;
  private readonly host: string;
  private readonly port: number;
  private readonly hosts: readonly string[];
  /** Address of the server; null until it listens. */
  private address: string | null = null;

  constructor(options: HealthServerOptions) {
    this.host = options.host ?? '127.0.0.1';
    this.port = options.port;
    this.hosts = options.hosts ?? [];
    this.metrics = new Metrics(options.source);
    this.app = this.createApp(options.source);
  }

  /**
   * Begins to listen and returns the address, such as `http://127.0.0.1:9464`. Throws `INVALID_OPTIONS` if
   * the port cannot be used.
   */
  async listen(): Promise<string> {
    try {
      this.address = await this.app.listen({ host: this.host, port: this.port });
      return this.address;
    } catch (error) {
      await this.close();
      const reason = messageOf(error);
      throw invalidOptions(
        `expected to serve health at ${this.host}:${this.port}: ${reason}. Set another port, or none`,
        { cause: error },
      );
    }
  }

  /**
   * Requests `/metrics` from itself once: the first answer of a process also starts the web server's code and
   * takes ten times as long as any other. An error is ignored here; the first real request gets it.
   */
  async warmUp(): Promise<void> {
    if (this.address !== null) await askOnce(`${this.address}/metrics`);
  }

  /** Stops listening and ends every connection. */
  async close(): Promise<void> {
    this.metrics.close();
    await this.app.close();
  }

  private createApp(source: () => HealthSource): FastifyInstance {
    const app = fastify({
      logger: false,
      trustProxy: false,
      bodyLimit: LARGEST_BODY_BYTES,
      requestTimeout: ARRIVES_WITHIN_MS,
      connectionTimeout: ARRIVES_WITHIN_MS,
      keepAliveTimeout: ARRIVES_WITHIN_MS,
      forceCloseConnections: true,
      http: { maxHeaderSize: LARGEST_HEADERS_BYTES },
    });
    app.server.maxConnections = MOST_CONNECTIONS;
    app.addHook('onRequest', (request, reply, done) => {
      void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
      if (isAllowedHost(oneHost(request.raw.rawHeaders), this.host, this.hosts)) done();
      else
        void reply.code(421).send({
          ok: false,
          reasons: ['this server does not answer under that host name: list it as dashboard.hosts'],
        });
    });
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ ok: false, reasons: ['expected GET /healthz, /readyz or /metrics'] }),
    );
    app.get('/healthz', (_request, reply) => answer(reply, livenessStatus(source())));
    app.get('/readyz', (_request, reply) => answer(reply, readinessStatus(source())));
    app.get('/metrics', async (_request, reply) =>
      reply.type(this.metrics.contentType).send(await this.metrics.text()),
    );
    return app;
  }
}

/** Sends a request and ignores its answer or error. */
async function askOnce(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    get(url, { agent: false, signal: AbortSignal.timeout(WARM_WITHIN_MS) }, (reply) =>
      reply.resume().once('close', resolve),
    ).once('error', () => resolve());
  });
}

function answer(reply: FastifyReply, outcome: HealthStatus): FastifyReply {
  return reply.code(outcome.ok ? 200 : 503).send(outcome);
}
