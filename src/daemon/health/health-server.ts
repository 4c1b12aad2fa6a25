import { get } from 'node:http';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { messageOf, SarrafError } from '../../domain/errors.ts';
import { isAllowedHost, oneHost } from '../allowed-host.ts';
import { type HealthSource, NO_LATENCY, LedgerWatch } from './health-source.ts';
import { livingVerdict, readyVerdict, type HealthVerdict } from '../health-verdict.ts';
import { Metrics } from './metrics.ts';
import { ledgerOf } from '../modes.ts';
import { ledgerSubjects } from '../../venues/client-credentials.ts';
import type { BotConfig } from '../create-bot-config.ts';

/** Only looks are served: they have no body, and headers of a few lines. */
const LARGEST_HEADERS_BYTES = 8 * 1_024;
const LARGEST_BODY_BYTES = 1;

/** More connections at once are closed: supervisors and collectors are few. */
const MOST_CONNECTIONS = 32;

/** Maximum time for a request to arrive, and for a connection to stay without one. */
const ARRIVES_WITHIN_MS = 5_000;

/** Maximum time of the server's request to itself: the bot waits for it. */
const WARM_WITHIN_MS = 1_000;

export interface HealthServerOptions {
  /** Asked with every look: who answers may change. */
  readonly source: () => HealthSource;
  /** The address to listen at; without it only this machine is served. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Names that it answers to besides this machine's own. */
  readonly hosts?: readonly string[];
}

/**
 * Says over HTTP how the bot is: `/healthz` whether it lives, `/readyz` whether it can trade, `/metrics` its
 * numbers. It shows no credential and changes nothing. It runs in the bot's own loop on purpose: a loop that
 * stands still answers no request.
 */
export class HealthServer {
  private readonly app: FastifyInstance;
  private readonly metrics: Metrics;
  private readonly host: string;
  private readonly port: number;
  private readonly hosts: readonly string[];
  /** Null until it listens. */
  private address: string | null = null;

  constructor(options: HealthServerOptions) {
    this.host = options.host ?? '127.0.0.1';
    this.port = options.port;
    this.hosts = options.hosts ?? [];
    this.metrics = new Metrics(options.source);
    this.app = this.createApp(options.source);
  }

  /**
   * Begins to listen, and answers where, such as `http://127.0.0.1:9464`. Throws `INVALID_OPTIONS` when the
   * port can not be had.
   */
  async listen(): Promise<string> {
    try {
      this.address = await this.app.listen({ host: this.host, port: this.port });
      return this.address;
    } catch (error) {
      await this.close();
      const reason = messageOf(error);
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected to serve health at ${this.host}:${this.port}: ${reason}. Set another port, or none`,
        { cause: error },
      );
    }
  }

  /**
   * Asks itself for `/metrics` once: the first answer of a process, which also starts the web server's code,
   * takes ten times as long as any other. What fails here is said to the first who looks.
   */
  async warmUp(): Promise<void> {
    if (this.address !== null) await askOnce(`${this.address}/metrics`);
  }

  /** Ends every connection. */
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
    app.get('/healthz', (_request, reply) => answer(reply, livingVerdict(source())));
    app.get('/readyz', (_request, reply) => answer(reply, readyVerdict(source())));
    app.get('/metrics', async (_request, reply) =>
      reply.type(this.metrics.contentType).send(await this.metrics.text()),
    );
    return app;
  }
}

/** Asks, and forgets the answer or that there was none. */
async function askOnce(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    get(url, { agent: false, signal: AbortSignal.timeout(WARM_WITHIN_MS) }, (reply) =>
      reply.resume().once('close', resolve),
    ).once('error', () => resolve());
  });
}

function answer(reply: FastifyReply, verdict: HealthVerdict): FastifyReply {
  return reply.code(verdict.ok ? 200 : 503).send(verdict);
}

/**
 * Text for the bot's first wait. With a ledger that counts as full it can be minutes, with a lockout hours.
 */
const FIRST = 'no answer from the exchange yet, so nothing is traded';

/**
 * Health over HTTP for the whole life of a run. It listens before anything is asked of the exchange, since a
 * supervisor has to distinguish a waiting bot from a dead one; once the bot is there, the bot itself is
 * asked.
 */
export class HealthService {
  private readonly at: BotConfig['health'];
  /** Names that the page and the health answers are asked under. */
  private readonly hosts: readonly string[];
  private server: HealthServer | null = null;
  private waitsFor = FIRST;
  private readonly starting: HealthSource;
  private source: HealthSource;

  constructor(config: BotConfig) {
    this.at = config.health;
    this.hosts = config.dashboard.hosts;
    const { ip, token } = ledgerSubjects(config.exchange);
    this.starting = startingSource({
      waitsFor: () => this.waitsFor,
      ledger: new LedgerWatch(ledgerOf(config), [ip, token]),
    });
    this.source = this.starting;
  }

  /**
   * Begins to listen, and answers where; null where no health is wanted. Throws `INVALID_OPTIONS` when the
   * port can not be had.
   */
  async begin(): Promise<string | null> {
    const { host, port } = this.at;
    if (port === null) return null;
    // A run without a port need not load a web server.
    const { HealthServer } = await import('./health-server.ts');
    this.server = new HealthServer({ source: () => this.source, host, port, hosts: this.hosts });
    return this.server.listen();
  }

  /** Reports what the process waits for while no bot runs. */
  waitFor(what: string): void {
    this.waitsFor = what;
    this.source = this.starting;
  }

  /**
   * Asks a bot that is at work from now on. Its numbers are put together once before it begins: the first
   * time takes ten times as long as any other, which its loop would feel.
   */
  async show(source: HealthSource): Promise<void> {
    this.source = source;
    await this.server?.warmUp();
  }

  async end(): Promise<void> {
    await this.server?.close();
  }
}

/**
 * Health source while no bot is at work: before the exchange has answered, and after the bot has ended. Only
 * the ledger exists then. The loop turns, or this would not be called.
 */
export function startingSource(of: {
  /** Returns why nothing is traded, in a sentence. */
  readonly waitsFor: () => string;
  readonly ledger: LedgerWatch;
}): HealthSource {
  return {
    heartbeatAgeMs: () => 0,
    mirrorFault: () => null,
    isDiskFull: () => false,
    phase: () => 'starting',
    waitsFor: () => of.waitsFor(),
    haltReason: () => null,
    credentialFault: () => null,
    placingFault: () => of.ledger.look().placingFault,
    breaks: () => [],
    doubts: () => [],
    lockouts: () => of.ledger.look().lockouts,
    locks: () => [],
    dataAges: () => [],
    budgets: () => of.ledger.look().budgets,
    requests: () => [],
    ordersByState: () => ({}),
    noticesByLevel: () => ({}),
    strategies: () => [],
    equity: () => [],
    orderLatency: () => NO_LATENCY,
    mirrorBytes: () => null,
  };
}
