import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fastify, type FastifyInstance } from 'fastify';
import { DASHBOARD_ENDPOINTS } from '../../../src/dashboard/schema/endpoints.ts';
import { securityHeaders } from '../../../src/dashboard/server/page-files.ts';
import { COST, ORDER_COST, REPLIES } from './made-up-replies.ts';

const PAGE = 'dist/src/dashboard/page';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

type EndpointName = keyof typeof DASHBOARD_ENDPOINTS;

/** A server of the page with made-up replies, and with the content policy of the real one. */
export class MadeUpServer {
  readonly #app: FastifyInstance;
  /** Bodies of the commands, in the order of their arrival. */
  readonly posted: { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[] = [];
  /** Replies to give in place of the usual ones. */
  readonly replies = new Map<EndpointName, unknown>();
  /** Last event id that each request for a stream sent. */
  readonly resumedFrom: unknown[] = [];
  readonly #streams = new Set<ServerResponse>();
  /** Credentials that were given to sign in. */
  readonly signedInWith: unknown[] = [];
  isSignedIn = true;
  #failure: { readonly code: string; readonly message: string } | null = null;

  constructor() {
    this.#app = fastify();
    this.#app.addHook('onRequest', (_request, reply, done) => {
      void reply.headers(securityHeaders(false));
      done();
    });
    for (const [name, { method, path, reply: shape }] of Object.entries(DASHBOARD_ENDPOINTS)) {
      this.#app.route({
        method,
        url: `/api/v1${path}`,
        handler: async (request, reply) => {
          if (name === 'events') return this.#stream(request.headers['last-event-id'], reply.raw);
          if (name === 'signIn') {
            this.signedInWith.push(request.body);
            this.isSignedIn = (request.body as { token?: string }).token !== 'wrong';
          }
          if (!this.isSignedIn) {
            const code = name === 'signIn' ? 'wrong-token' : 'no-token';
            return reply.code(401).send({ error: { code, message: 'expected a token' } });
          }
          if (method === 'POST' && name !== 'signIn') {
            const body = request.body as Record<string, unknown>;
            this.posted.push({ path, body });
            if (body['dryRun'] === true) return path === '/actions/order' ? ORDER_COST : COST;
            return { id: 5, key: body['key'] };
          }
          if (name === 'order' && this.#failure !== null)
            return reply.code(404).send({ error: { ...this.#failure, messageFacts: null } });
          const known = name === 'signIn' ? 'session' : (name as EndpointName);
          return shape?.parse(this.replies.get(known) ?? REPLIES[known]);
        },
      });
    }
    this.#app.setNotFoundHandler(async (request, reply) => {
      const name = request.url === '/' ? '/index.html' : request.url;
      const path = join(PAGE, name);
      if (!existsSync(path)) return reply.code(404).send('');
      return reply.type(TYPES[extname(path)] ?? 'text/plain').send(readFileSync(path));
    });
  }

  /** Sends one event with an id, and keeps the stream open. */
  #stream(lastEventId: string | string[] | undefined, raw: ServerResponse): void {
    this.resumedFrom.push(lastEventId);
    this.#streams.add(raw);
    raw.once('close', () => this.#streams.delete(raw));
    raw.writeHead(200, { 'content-type': 'text/event-stream' });
    raw.write(`id: 1.${this.resumedFrom.length}\nevent: state\ndata: {"atMs":1,"changed":["books"]}\n\n`);
  }

  /** Answers every request for an order with an error. */
  failWith(failure: { readonly code: string; readonly message: string }): void {
    this.#failure = failure;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Ends the streams, as a server that restarts does. */
  endStreams(): void {
    for (const raw of this.#streams) raw.end();
    this.#streams.clear();
  }

  async listen(): Promise<string> {
    return this.#app.listen({ host: '127.0.0.1', port: 0 });
  }

  async close(): Promise<void> {
    this.#app.server.closeAllConnections();
    await this.#app.close();
  }
}
