import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { openApiDocument } from '../exchange/openapi.ts';
import { type Simulation, type World, WorldClock } from './simulation.ts';
import type { WireReply, WireRequest } from './wire/wire-adapter.ts';
import { timingSafeEqual } from 'node:crypto';
import { SarrafError } from '../domain/errors.ts';
import { parseJson } from '../domain/stored-json.ts';
import { AdminRefusal, type AdminCommand, type AdminContext } from './server/admin/admin-command.ts';
import { clockCommands, marketCommands, readCommands } from './server/admin/world-commands.ts';
import { moneyCommands, orderCommands, userCommands } from './server/admin/account-commands.ts';

const COMMANDS: readonly AdminCommand[] = [
  ...moneyCommands,
  ...orderCommands,
  ...marketCommands,
  ...userCommands,
  ...clockCommands,
  ...readCommands,
];

/** Path prefix of all administrator's commands. */
const ADMIN_PREFIX = '/_sim/';

interface AdminRequest extends Pick<WireRequest, 'method' | 'body' | 'ip'> {
  /** Path with its query. */
  readonly path: string;
  /** Value of the header `Authorization`: `Bearer <token>`. */
  readonly authorization: string;
}

interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

/** The administrator's endpoints: only from this machine, with their own token, JSON in and out. */
export class AdminApi {
  private readonly context: AdminContext;
  private readonly token: Buffer;

  constructor(context: AdminContext, token: string) {
    this.context = context;
    this.token = Buffer.from(`Bearer ${token}`);
  }

  handle(request: AdminRequest): AdminAnswer {
    if (!isLoopbackIp(request.ip))
      return answer(403, { error: 'Forbidden', message: `expected this machine, was ${request.ip}` });
    const given = Buffer.from(request.authorization);
    if (given.length !== this.token.length || !timingSafeEqual(given, this.token))
      return answer(401, {
        error: 'Unauthorized',
        message: 'expected Authorization: Bearer and the administrator token',
      });
    const [path = '', query = ''] = request.path.slice(ADMIN_PREFIX.length - 1).split('?', 2);
    const atPath = COMMANDS.filter((command) => command.path === path.replace(/\/$/, ''));
    const command = atPath.find(({ method }) => method === request.method);
    if (command === undefined) return unknownCommand(request.method, atPath);
    return this.run(command, { query, body: request.body });
  }

  private run(command: AdminCommand, sent: { readonly query: string; readonly body: string }): AdminAnswer {
    let fields: unknown;
    try {
      fields = sent.body === '' ? Object.fromEntries(new URLSearchParams(sent.query)) : parseJson(sent.body);
    } catch {
      return answer(400, { error: 'InvalidInput', problems: [{ path: '', message: 'expected JSON' }] });
    }
    const input = command.input.safeParse(fields);
    if (!input.success) {
      const problems = input.error.issues.map(({ path, message }) => ({
        path: path.map(String).join('.'),
        message,
      }));
      return answer(400, { error: 'InvalidInput', problems });
    }
    try {
      return answer(200, command.run(this.context, input.data));
    } catch (error) {
      if (error instanceof SarrafError && error.code !== 'INVARIANT')
        return answer(400, { error: error.code, message: error.message });
      if (!(error instanceof AdminRefusal)) throw error;
      return answer(error.status, {
        error: error.status === 404 ? 'NotFound' : 'Refused',
        message: error.message,
      });
    }
  }
}

function answer(status: number, body: unknown): AdminAnswer {
  return {
    status,
    body: JSON.stringify(body, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  };
}

function unknownCommand(method: string, atPath: readonly AdminCommand[]): AdminAnswer {
  if (atPath.length > 0) {
    const allowed = atPath.map((command) => command.method).join(', ');
    return answer(405, { error: 'MethodNotAllowed', message: `expected ${allowed}, was ${method}` });
  }
  const commands = COMMANDS.map(
    (command) => `${command.method} ${ADMIN_PREFIX.slice(0, -1)}${command.path}: ${command.summary}`,
  );
  return answer(404, { error: 'NotFound', message: 'expected one of the commands', commands });
}

/** True if an address belongs to this machine. */
export function isLoopbackIp(ip: string): boolean {
  const plain = ip.startsWith('::ffff:') ? ip.slice(7) : ip;
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

export interface ExchangeServerOptions {
  readonly simulation: Simulation;
  /** World that a timer and each request advance; by default the exchange itself. */
  readonly world?: World;
  readonly clock?: WorldClock;
  /** Token of the administrator; null disables the administrator's endpoints. */
  readonly adminToken?: string | null;
  readonly tickEveryMs?: number;
  /** Time an incomplete request may hold its socket, in ms; 30 s by default. */
  readonly requestWithinMs?: number;
}

/** Largest accepted body; a larger one is refused with 413. */
const LARGEST_BODY_BYTES = 256 * 1024;
/** Time a request without any answer holds its socket, in ms: longer than any client waits. */
const SILENCE_MS = 120_000;
const KEEP_ALIVE_MS = 72_000;
/**
 * Time within which a request must be complete after its first byte, and a new connection's first one after
 * its opening, in ms; after it the socket is closed.
 */
const REQUEST_WITHIN_MS = 30_000;
/** Matches a readable content type; any other, which Fastify would refuse, counts as none. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;|$)/;
/** Least difference from the machine's clock at which a reply gets a `Date` of its own, to show it. */
const VISIBLE_SKEW_MS = 1_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** A refusal by fastify itself. */
interface FrameworkError {
  readonly code?: string;
  readonly statusCode?: number;
  readonly message: string;
}

/** The simulated exchange over HTTP, for the wire adapter. A caller's address is the socket's. */
export class ExchangeServer {
  readonly simulation: Simulation;
  readonly clock: WorldClock;
  private readonly app: FastifyInstance;
  private readonly world: World;
  private readonly admin: AdminApi | null;
  /** The OpenAPI text, made at the first request; null before. */
  private openApi: string | null = null;
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Replies of this turn of the event loop: at most one for each connection. */
  private outgoing: { readonly reply: FastifyReply; readonly body: string }[] = [];
  private readonly ticker: NodeJS.Timeout;

  constructor(options: ExchangeServerOptions) {
    const { simulation, adminToken = null } = options;
    this.simulation = simulation;
    this.world = options.world ?? simulation.exchange;
    this.clock = options.clock ?? new WorldClock();
    this.clock.skewMs = simulation.faulty.plan.clockSkewMs;
    const context = { simulation, clock: this.clock, tick: () => this.tick() };
    this.admin = adminToken === null ? null : new AdminApi(context, adminToken);
    this.app = this.createApp(options.requestWithinMs ?? REQUEST_WITHIN_MS);
    this.ticker = setInterval(() => this.tick(), options.tickEveryMs ?? 50);
  }

  /** Advances the world to the clock's time and returns it. */
  tick(): number {
    const timeMs = this.clock.nowMs();
    this.world.advance(timeMs);
    return timeMs;
  }

  /** Starts to listen; port 0 uses a free one. Returns the base address. Throws the system's error. */
  async listen(options: { readonly host: string; readonly port: number }): Promise<string> {
    try {
      return await this.app.listen(options);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops the clock and ends every connection. */
  async close(): Promise<void> {
    clearInterval(this.ticker);
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    await this.app.close();
  }

  private openApiText(): string {
    const { name: serviceName } = this.simulation.config.exchange;
    this.openApi ??= JSON.stringify(openApiDocument({ serviceName }));
    return this.openApi;
  }

  private createApp(requestWithinMs: number): FastifyInstance {
    const app = fastify({
      logger: false,
      bodyLimit: LARGEST_BODY_BYTES,
      trustProxy: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: requestWithinMs,
      http: { headersTimeout: requestWithinMs, connectionsCheckingInterval: Math.ceil(requestWithinMs / 10) },
      forceCloseConnections: true,
      frameworkErrors: (_error, _request, reply) => {
        reply.hijack();
        reply.raw
          .writeHead(400, { 'content-type': JSON_TYPE })
          .end(failure('ParseError', 'expected a readable address'));
      },
    });
    // The body of a GET is part of what its sender signed.
    app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
    app.addHook('onRequest', (request, _reply, done) => {
      const { headers } = request.raw;
      if (!MEDIA_TYPE.test(headers['content-type'] ?? '')) delete headers['content-type'];
      done();
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    app.setErrorHandler((error: FrameworkError, request, reply) => {
      // A method with a rule of its own in HTTP is a method that no address takes, like any other.
      if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') {
        this.answer(request, reply);
        return;
      }
      const status = error.statusCode ?? 500;
      void reply
        .code(status)
        .type(JSON_TYPE)
        .send(failure(status < 500 ? 'ParseError' : 'InternalError', error.message));
    });
    app.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(this.openApiText()));
    app.all('/*', { exposeHeadRoute: false }, (request, reply) => this.answer(request, reply));
    app.setNotFoundHandler((request, reply) => this.answer(request, reply));
    return app;
  }

  private answer(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const wire: WireRequest = {
      method: raw.method ?? 'GET',
      path: raw.url ?? '/',
      headers: raw.headers,
      body: typeof request.body === 'string' ? request.body : '',
      ip: raw.socket.remoteAddress ?? '',
    };
    if (this.admin !== null && wire.path.startsWith(ADMIN_PREFIX)) {
      this.answerAdmin(this.admin, wire, reply);
      return;
    }
    const { faulty, adapter } = this.simulation;
    if (faulty.isQuiet) {
      const timeMs = this.tick();
      this.send(reply, adapter.handle(wire, timeMs), timeMs);
      return;
    }
    this.answerFaulty(wire, reply);
  }

  private answerAdmin(admin: AdminApi, wire: WireRequest, reply: FastifyReply): void {
    const authorization = wire.headers['authorization'];
    const { status, body } = admin.handle({
      method: wire.method,
      path: wire.path,
      authorization: typeof authorization === 'string' ? authorization : '',
      body: wire.body,
      ip: wire.ip,
    });
    void reply.code(status).type(JSON_TYPE).send(body);
  }

  private answerFaulty(wire: WireRequest, reply: FastifyReply): void {
    const exchange = this.simulation.faulty.receive(wire);
    this.after(exchange.handledAfterMs ?? 0, () => {
      const timeMs = this.tick();
      const answer = exchange.handle(timeMs);
      if (exchange.outcome === 'silence') {
        reply.hijack();
        this.after(SILENCE_MS, () => reply.raw.destroy());
        return;
      }
      this.after(exchange.answeredAfterMs, () => {
        if (exchange.outcome === 'reset' || answer === null) {
          reply.hijack();
          reply.raw.socket?.resetAndDestroy();
        } else this.send(reply, answer, timeMs);
      });
    });
  }

  /** Runs a function now, or after a delay unless the server has closed by then. */
  private after(durationMs: number, act: () => void): void {
    if (durationMs <= 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, durationMs);
    this.timers.add(timer);
  }

  /**
   * Sends the replies of one turn of the event loop together: waking the client for each reply costs more
   * than making it. They are sent as text, so that header and body leave in one write.
   */
  private flush(): void {
    const { outgoing } = this;
    this.outgoing = [];
    for (const { reply, body } of outgoing) void reply.send(body);
  }

  private send(reply: FastifyReply, { status, headers, body }: WireReply, timeMs: number): void {
    void reply.code(status).headers(headers);
    if (Math.abs(timeMs - Date.now()) > VISIBLE_SKEW_MS)
      void reply.header('date', new Date(timeMs).toUTCString());
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push({ reply, body });
  }
}

const failure = (code: string, message: string): string =>
  JSON.stringify({ status: 'failed', code, message });
