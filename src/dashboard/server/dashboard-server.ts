import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isAllowedHost, oneHost } from '../../daemon/allowed-host.ts';
import { messageOf, SarrafError } from '../../domain/errors.ts';
import { AccessStore } from '../access-store.ts';
import { ApiError, onOneLine } from '../api-error.ts';
import { EventStreams } from '../events/event-streams.ts';
import { BotFolderReader, asApiError } from '../folder/bot-folder-reader.ts';
import {
  API_POLICY,
  OF_PAGES,
  readReportPage,
  PageFiles,
  REPORT_HEADERS,
  securityHeaders,
} from './page-files.ts';
import { DASHBOARD_ENDPOINTS, type DashboardEndpoint, type EndpointShape } from '../schema/endpoints.ts';
import { SignalEndpoint } from '../signals/signal-endpoint.ts';
import type { SessionBody, SessionReply } from '../schema/session.ts';
import { AccessGuard, type SignedIn } from './access-guard.ts';
import { ReplyDeltas } from './reply-deltas.ts';
import { checkedInput, createHandlers, type Handlers, parseJsonBody } from './handlers.ts';
import { API_ROOT } from './openapi.ts';

const LARGEST_HEADERS_BYTES = 8 * 1_024;
const LARGEST_BODY_BYTES = 16 * 1_024;

/** Maximum number of connections, of which streams use the smaller part. */
const MOST_CONNECTIONS = 1_024;

/** Time limit for a request to arrive, in ms. */
const ARRIVES_WITHIN_MS = 5_000;
/** Interval of checks for slower requests, in ms. */
const POLL_INTERVAL_MS = 1_000;

/** Longest time without traffic on a connection, in ms: a stream sends something every 15 s. */
const STILL_FOR_MS = 45_000;

/** Maximum length of a path parameter. */
const LONGEST_PARAM = 100;

/** Endpoints that are handled here; those of signals are separate. */
type OwnEndpoint = Exclude<DashboardEndpoint, 'signal' | 'namedSignal'>;

export interface DashboardServerOptions {
  readonly dataFolder: string;
  /** Folder of the built page; if it is missing or empty, a line of text replaces the page. */
  readonly pageFolder: string;
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Host names that it accepts besides this machine's own. */
  readonly hosts: readonly string[];
  /** TLS files; null without TLS. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly language: SessionReply['language'];
  /** Called with internal errors, each on one line. */
  readonly onError: (message: string) => void;
  readonly nowMs?: () => number;
}

/**
 * Server of a bot's page and of the API behind it. It reads the data folder and posts commands there: it
 * sends nothing to the exchange, the bot never waits for it, and it continues when the bot has stopped.
 */
export class DashboardServer {
  private readonly options: DashboardServerOptions;
  private readonly folder: BotFolderReader;
  private readonly store: AccessStore;
  private readonly guard: AccessGuard;
  private readonly handlers: Handlers;
  private readonly streams: EventStreams;
  private readonly page: PageFiles;
  private readonly deltas = new ReplyDeltas();
  private readonly app: FastifyInstance;

  /** Throws `DATA_UNUSABLE` if the tokens are unreadable, `INVALID_OPTIONS` for an invalid certificate. */
  constructor(options: DashboardServerOptions) {
    const nowMs = options.nowMs ?? Date.now;
    const { dataFolder, language } = options;
    this.options = options;
    this.folder = new BotFolderReader({ dataFolder, nowMs });
    this.store = new AccessStore(dataFolder, nowMs);
    this.guard = new AccessGuard({ store: this.store, isSecure: options.tls !== null, language, nowMs });
    this.handlers = createHandlers(this.folder, { nowMs, language });
    this.streams = new EventStreams({ folder: this.folder, onError: (error) => this.logError(error), nowMs });
    this.page = new PageFiles(options.pageFolder);
    this.app = this.createApp();
  }

  /** Starts listening and returns the address. Throws `INVALID_OPTIONS` if the port cannot be used. */
  async listen(): Promise<string> {
    const { host, port } = this.options;
    try {
      return await this.app.listen({ host, port });
    } catch (error) {
      await this.close();
      throw portError({ host, port }, error);
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.streams.close();
    await this.app.close();
    this.folder.close();
    this.store.close();
  }

  private createApp(): FastifyInstance {
    const { tls } = this.options;
    const http = {
      maxHeaderSize: LARGEST_HEADERS_BYTES,
      connectionsCheckingInterval: POLL_INTERVAL_MS,
      headersTimeout: ARRIVES_WITHIN_MS,
    };
    const headers = securityHeaders(tls !== null);
    const app = fastify({
      logger: false,
      trustProxy: false,
      bodyLimit: LARGEST_BODY_BYTES,
      requestTimeout: ARRIVES_WITHIN_MS,
      connectionTimeout: STILL_FOR_MS,
      keepAliveTimeout: ARRIVES_WITHIN_MS,
      forceCloseConnections: true,
      // A HEAD request for a stream would open one.
      exposeHeadRoutes: false,
      routerOptions: { maxParamLength: LONGEST_PARAM },
      // Invalid paths are answered without any hook.
      frameworkErrors: (error, _request, reply) => {
        void this.answerError(error, (reply as FastifyReply).headers(headers));
      },
      ...(tls === null
        ? { http }
        : {
            https: { ...http, cert: readTls(tls.certificate), key: readTls(tls.key), minVersion: 'TLSv1.2' },
          }),
    }) as unknown as FastifyInstance;
    app.server.maxConnections = MOST_CONNECTIONS;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, parseJsonBody(String(text)));
      } catch (error) {
        done(error as Error);
      }
    });
    app.addHook('onRequest', (request, reply, done) => {
      void reply.headers(headers);
      // With TLS any name is allowed: another host name has no certificate of ours.
      const host = oneHost(request.raw.rawHeaders);
      if (host !== null && (tls !== null || isAllowedHost(host, this.options.host, this.options.hosts)))
        done();
      else
        done(
          new ApiError(
            'wrong-host',
            'this server does not answer under that host name: list it as dashboard.hosts',
          ),
        );
    });
    app.setErrorHandler((error, request, reply) =>
      // The error means that a request with a body has no route.
      (error as { readonly code?: unknown }).code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
        ? this.answerPage(request, reply)
        : this.answerError(error, reply),
    );
    app.setNotFoundHandler((request, reply) => this.answerPage(request, reply));
    this.addRoutes(app);
    addSignalRoutes(
      app,
      new SignalEndpoint({
        folder: this.folder,
        tokens: this.store.signalTokens,
        nowMs: this.options.nowMs ?? Date.now,
      }),
    );
    return app;
  }

  private addRoutes(app: FastifyInstance): void {
    for (const [name, shape] of Object.entries(DASHBOARD_ENDPOINTS) as [OwnEndpoint, EndpointShape][]) {
      const { role } = shape;
      if (role === 'signal') continue;
      app.route({
        method: shape.method,
        url: `${API_ROOT}${shape.path}`,
        // The person is checked before the body arrives: without a token no body is read.
        onRequest: (request, reply, done) => {
          try {
            void reply.header('cache-control', 'no-store').header('content-security-policy', API_POLICY);
            for (const name of OF_PAGES) void reply.removeHeader(name);
            if (role !== null) signedIn.set(request, this.guard.check(request, role));
            done();
          } catch (error) {
            done(asError(error));
          }
        },
        handler: (request, reply) => this.answer(name, { shape, request, reply }),
      });
    }
  }

  private answer(
    name: OwnEndpoint,
    of: { readonly shape: EndpointShape; readonly request: FastifyRequest; readonly reply: FastifyReply },
  ): unknown {
    const { shape, request, reply } = of;
    const body = shape.body === undefined ? null : checkedInput(shape.body, request.body, 'body');
    if (name === 'signIn') return this.guard.signIn(request, reply, body as SessionBody);
    const person = signedIn.get(request);
    if (person === undefined) throw new ApiError('no-token', 'expected a token, was none');
    const query =
      shape.query === undefined ? null : checkedInput(shape.query.strict(), request.query, 'query');
    const params = request.params as Readonly<Record<string, string>>;
    if (name === 'session') return this.guard.sessionReply(person);
    if (name === 'signOut') {
      this.guard.signOut(request, person, reply);
      return { ok: true };
    }
    if (name === 'events') return this.openStream(request, reply);
    if (name === 'report') {
      const page = readReportPage(this.options.dataFolder, params['id'] ?? '');
      return reply.headers(REPORT_HEADERS).type('text/html; charset=utf-8').send(page);
    }
    // The schemas above have checked the types that each handler takes.
    const handler = this.handlers[name] as (call: unknown) => unknown;
    const answer = handler({ params, query, body, person });
    return shape.method === 'GET' ? this.deltas.shortened(answer, request, reply) : answer;
  }

  private openStream(request: FastifyRequest, reply: FastifyReply): void {
    this.streams.checkRoom();
    const lastEventId = request.headers['last-event-id'];
    const headers = reply.getHeaders() as Readonly<Record<string, string>>;
    reply.hijack();
    reply.raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      connection: 'close',
    });
    this.streams.add(reply.raw, typeof lastEventId === 'string' ? lastEventId : undefined);
  }

  /** Serves the page and its files; any other path is not found. */
  private answerPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ''] = request.url.split('?', 1);
    const methods = methodsOf(path);
    if (methods.length > 0) {
      void reply.header('allow', methods.join(', '));
      return this.answerError(
        new ApiError('wrong-method', `expected ${methods.join(' or ')} for this address, was another`),
        reply,
      );
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return this.answerError(
        new ApiError('not-found', 'expected an address of the API, was another'),
        reply,
      );
    const file = this.page.get(path, request.headers['accept-encoding']);
    if (file === null) {
      if (path === '/' && !existsSync(join(this.options.pageFolder, 'index.html')))
        return reply.type('text/plain; charset=utf-8').send(NO_PAGE);
      return this.answerError(
        new ApiError('not-found', 'expected an address of the page, was another'),
        reply,
      );
    }
    void reply
      .header('etag', file.etag)
      .header('cache-control', file.cacheControl)
      .header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
    if (file.encoding !== null) void reply.header('content-encoding', file.encoding);
    return reply.code(200).type(file.type).send(file.bytes);
  }

  private answerError(error: unknown, reply: FastifyReply): FastifyReply {
    const known = asApiError(error);
    const answer = known instanceof ApiError ? known : ofFramework(known);
    if (answer.code === 'internal') this.logError(error);
    if (answer.retryAfterMs !== undefined)
      void reply.header('retry-after', String(Math.ceil(answer.retryAfterMs / 1_000)));
    if (answer.code === 'no-token' || answer.code === 'wrong-token')
      void reply.header('www-authenticate', 'Bearer');
    return reply.code(answer.status).header('cache-control', 'no-store').send(answer.reply);
  }

  private logError(error: unknown): void {
    this.options.onError(onOneLine(messageOf(error)));
  }
}

const NO_PAGE =
  'sarraf serves its API here. The page itself is not built: run "node bundle.mjs" in a checkout.\n';

const KNOWN_PATHS = (Object.values(DASHBOARD_ENDPOINTS) as EndpointShape[]).map(({ method, path }) => ({
  method,
  path: API_ROOT + path,
  pattern: new RegExp(`^${API_ROOT}${path.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** Returns the permitted methods of an API address; none for any other. */
function methodsOf(path: string): readonly string[] {
  const matching = KNOWN_PATHS.filter(({ pattern }) => pattern.test(path));
  // A fixed path takes precedence over one with a parameter.
  const own = matching.filter((one) => one.path === path);
  return (own.length > 0 ? own : matching).map(({ method }) => method);
}

/** Person of each request, from the first check to the reply. */
const signedIn = new WeakMap<FastifyRequest, SignedIn>();

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Converts an error of fastify to an `ApiError`. */
function ofFramework(error: unknown): ApiError {
  const { statusCode, code } = (error ?? {}) as { readonly statusCode?: unknown; readonly code?: unknown };
  if (statusCode === 413)
    return new ApiError(
      'too-large',
      `expected a body of at most ${LARGEST_BODY_BYTES} bytes, was a larger one`,
    );
  if (statusCode === 415)
    return new ApiError('invalid-request', 'expected the content type application/json, was another');
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid-request', `expected a request of HTTP, was another (${String(code)})`);
  return new ApiError('internal', 'it went wrong inside; the log of the run says what');
}

/** Reads a TLS file. Throws `INVALID_OPTIONS`. */
function readTls(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = messageOf(error);
    throw new SarrafError('INVALID_OPTIONS', `expected a file of dashboard.tls at ${path}: ${reason}`, {
      cause: error,
    });
  }
}

function portError(
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): SarrafError {
  const reason = messageOf(error);
  return new SarrafError(
    'INVALID_OPTIONS',
    `expected to serve the page at ${host}:${port}: ${reason}. Set another dashboard.port, or null for none`,
    { cause: error },
  );
}

/** HTTP status of an accepted action; the body tells the outcome. */
const ACCEPTED = 202;

/** Adds the routes of signals. A signature covers the body as it was sent, so nothing parses it before. */
function addSignalRoutes(app: FastifyInstance, endpoint: SignalEndpoint): void {
  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    );
    for (const { path } of [DASHBOARD_ENDPOINTS.signal, DASHBOARD_ENDPOINTS.namedSignal]) {
      scope.post(`${API_ROOT}${path}`, async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        const outcome = await endpoint.accept(partsOf(request));
        return reply.code(ACCEPTED).send(outcome);
      });
    }
    ready();
  });
}

function partsOf(request: FastifyRequest): Parameters<SignalEndpoint['accept']>[0] {
  const { strategy = '', name = null } = request.params as {
    readonly strategy?: string;
    readonly name?: string;
  };
  const [path = ''] = request.url.split('?', 1);
  const rawBody = typeof request.body === 'string' ? request.body : '';
  return { strategy, name, path, headers: request.headers, address: request.ip, rawBody };
}
