import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isAllowedHost, oneHost } from '../daemon/allowed-host.ts';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { jsonDelta } from '../domain/json-delta.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { AccessStore, type Person } from './access-store.ts';
import { ApiError, onOneLine } from './api-error.ts';
import { asApiError } from './folder/bot-folder-reader.ts';
import {
  API_POLICY,
  OF_PAGES,
  readReportPage,
  PageFiles,
  REPORT_HEADERS,
  securityHeaders,
} from './server/page-files.ts';
import { DASHBOARD_ENDPOINTS, type EndpointShape } from './schema/endpoints.ts';
import type { SessionBody, SessionReply } from './schema/session.ts';
import { AccessGuard, type SignedIn } from './server/access-guard.ts';
import { checkedInput, parseJsonBody } from './server/handlers.ts';
import { API_ROOT } from './server/openapi.ts';

export { reportIdOf } from './server/page-files.ts';

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

export interface ApiServerOptions {
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
  /** Address of the lab that the page of a bot links to; null without one. */
  readonly lab?: string | null;
  /** Called with internal errors, each on one line. */
  readonly onError: (message: string) => void;
  readonly nowMs?: () => number;
}

/** Request whose person, path, query and body were checked. */
export interface ServedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly person: Person;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Endpoints and page of a server, besides sessions and reports, which every server has. */
export interface ServedApi {
  readonly endpoints: Readonly<Record<string, EndpointShape>>;
  /** File of the page at the address `/`. */
  readonly startFile: string;
  readonly answer: (name: string, call: ServedCall) => unknown;
  readonly addRoutes?: (app: FastifyInstance, store: AccessStore) => void;
}

const { signIn, signOut, session, report } = DASHBOARD_ENDPOINTS;

/** Endpoints of every server. */
const SHARED_ENDPOINTS = { signIn, signOut, session, report };

/**
 * Server of a page and of the API behind it, on a data folder: of a bot, and of the lab. Who may ask, the
 * headers of every reply, and the form of errors are the same for both.
 */
export class ApiServer {
  private readonly options: ApiServerOptions;
  private readonly api: ServedApi;
  private readonly endpoints: Readonly<Record<string, EndpointShape>>;
  private readonly store: AccessStore;
  private readonly guard: AccessGuard;
  private readonly page: PageFiles;
  private readonly deltas = new ReplyDeltas();
  private readonly app: FastifyInstance;

  /** Throws `DATA_UNUSABLE` if the tokens are unreadable, `INVALID_OPTIONS` for an invalid certificate. */
  constructor(options: ApiServerOptions, api: ServedApi) {
    const { dataFolder, language, lab = null, nowMs = Date.now } = options;
    this.options = options;
    this.api = api;
    this.endpoints = { ...SHARED_ENDPOINTS, ...api.endpoints };
    this.store = new AccessStore(dataFolder, nowMs);
    const isSecure = options.tls !== null;
    this.guard = new AccessGuard({ store: this.store, isSecure, language, lab, nowMs });
    this.page = new PageFiles(options.pageFolder, api.startFile);
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
    await this.app.close();
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
    this.api.addRoutes?.(app, this.store);
    return app;
  }

  private addRoutes(app: FastifyInstance): void {
    for (const [name, shape] of Object.entries(this.endpoints)) {
      const { role } = shape;
      if (role === 'signal') continue;
      app.route({
        method: shape.method,
        url: `${API_ROOT}${shape.path}`,
        // The person is checked before the body arrives: without a token no body is read.
        onRequest: (request, reply, done) => {
          try {
            void reply.header('cache-control', 'no-store').header('content-security-policy', API_POLICY);
            for (const header of OF_PAGES) void reply.removeHeader(header);
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
    name: string,
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
    if (name === 'report') {
      const page = readReportPage(this.options.dataFolder, params['id'] ?? '');
      return reply.headers(REPORT_HEADERS).type('text/html; charset=utf-8').send(page);
    }
    const answer = this.api.answer(name, { params, query, body, person, request, reply });
    // A stream has begun its reply itself.
    if (shape.method !== 'GET' || reply.sent) return answer;
    return this.deltas.shortened(answer, request, reply);
  }

  /** Serves the page and its files; any other path is not found. */
  private answerPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ''] = request.url.split('?', 1);
    const methods = methodsOf(this.endpoints, path);
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
      if (path === '/' && !existsSync(join(this.options.pageFolder, this.api.startFile)))
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
    if (answer.code === 'internal') this.options.onError(onOneLine(messageOf(error)));
    if (answer.retryAfterMs !== undefined)
      void reply.header('retry-after', String(Math.ceil(answer.retryAfterMs / 1_000)));
    if (answer.code === 'no-token' || answer.code === 'wrong-token')
      void reply.header('www-authenticate', 'Bearer');
    return reply.code(answer.status).header('cache-control', 'no-store').send(answer.reply);
  }
}

const NO_PAGE =
  'sarraf serves its API here. The page itself is not built: run "node bundle.mjs" in a checkout.\n';

/** Returns the permitted methods of an API address; none for any other. */
function methodsOf(endpoints: ServedApi['endpoints'], path: string): readonly string[] {
  const matching = Object.values(endpoints)
    .map(({ method, path: declared }) => ({ method, declared: API_ROOT + declared }))
    .filter(({ declared }) => patternOf(declared).test(path));
  // A fixed path takes precedence over one with a parameter.
  const own = matching.filter(({ declared }) => declared === path);
  return (own.length > 0 ? own : matching).map(({ method }) => method);
}

const patternOf = (declared: string): RegExp =>
  new RegExp(`^${declared.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}$`);

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

/** Name of the changes in the headers of RFC 3229. */
const MANIPULATION = 'sarraf-delta';

/** HTTP status of a reply that is a change of an earlier one. */
const IM_USED = 226;

/** Maximum number of addresses with stored replies, and of replies of each: tabs read apart. */
const MOST_ADDRESSES = 64;
const MOST_VERSIONS = 4;

type Version = readonly [tag: string, value: Parameters<typeof jsonDelta>[0]];

/**
 * Shortens replies for a reader that has an earlier one (RFC 3229): most of one is as it was a second ago. A
 * reader asks for it by `A-IM` and names what it has by `If-None-Match`.
 */
class ReplyDeltas {
  readonly #versions = new Map<string, readonly Version[]>();
  /** Begin of all tags of this server: one that was begun anew must not know those of the one before. */
  readonly #epoch = randomBytes(6).toString('base64url');
  #last = 0;

  async shortened(answer: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const value = (await answer) as Version[1];
    const { url, headers } = request;
    if (headers['a-im'] !== MANIPULATION) return value;
    const stored = this.#versions.get(url) ?? [];
    const known = stored.find(([tag]) => tag === headers['if-none-match']);
    this.#last += 1;
    const tag = `"${this.#epoch}${this.#last}"`;
    void reply.header('etag', tag);
    // The newest address is the last one of the map.
    this.#versions.delete(url);
    this.#versions.set(url, [[tag, value] as const, ...stored].slice(0, MOST_VERSIONS));
    retainNewest(this.#versions, MOST_ADDRESSES);
    if (known === undefined) return value;
    const delta = jsonDelta(known[1], value);
    return reply.code(IM_USED).header('im', MANIPULATION).send(JSON.stringify(delta));
  }
}
