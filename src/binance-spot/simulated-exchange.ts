import { createHmac, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { SpotCore, type SpotReply, type VerifySpotSignature } from './simulator/exchange.ts';
import { spotExchangeSettings, type SpotSettings } from './simulator/settings.ts';

// The exchange binance-spot on this machine. A request goes through the server to `SpotCore`. It finds the
// declaration of its endpoint (`simulator/*-endpoints.ts`), checks its address, key, parameters and signature
// (`simulator/exchange.ts`), and lets the engine (`simulator/engine.ts`) do what it asks for. Nothing here is
// shared with a client of that exchange, so that a mistake in one shows on the other.

export { BUILT_IN_KEY, spotExchangeSettings } from './simulator/settings.ts';
export { SpotCore } from './simulator/exchange.ts';

interface SimulatedSpotOptions {
  readonly settings?: SpotSettings;
  readonly seed?: number;
  /** Opening time; by default the machine's. */
  readonly startMs?: number;
}

/** Makes an exchange; without settings, the built-in one. */
export function createSimulatedSpot(options: SimulatedSpotOptions = {}): SpotCore {
  return new SpotCore({
    settings: options.settings ?? spotExchangeSettings.parse({}),
    startMs: options.startMs ?? Date.now(),
    seed: options.seed ?? 1,
    verify: verifySpotSignature,
  });
}

/** Parsed public keys, of which a configuration has few. */
const publicKeys = new Map<string, KeyObject | null>();

function publicKeyOf(text: string): KeyObject | null {
  const known = publicKeys.get(text);
  if (known !== undefined) return known;
  let key: KeyObject | null;
  try {
    key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    key = null;
  }
  publicKeys.set(text, key);
  return key;
}

/** Checks an HMAC-SHA256 in hex, in any letter case, or an Ed25519 signature in Base64. */
export const verifySpotSignature: VerifySpotSignature = (key, payload, signature) => {
  const bytes = Buffer.from(payload, 'latin1');
  if (key.secret !== undefined) {
    const expected = createHmac('sha256', key.secret).update(bytes).digest();
    const given = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(0);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
  const publicKey = publicKeyOf(key.publicKey ?? '');
  return publicKey !== null && verify(null, bytes, publicKey, Buffer.from(signature, 'base64'));
};

const LARGEST_BODY_BYTES = 64 * 1_024;
/** Time within which a request must be complete, in ms. */
const REQUEST_WITHIN_MS = 30_000;
const TICK_MS = 100;
const LEAST_GZIP_BYTES = 1_024;
const JSON_TYPE = 'application/json;charset=UTF-8';

/** Refusal by fastify itself. */
interface ServerRefusal {
  readonly statusCode?: number;
  readonly message: string;
}

interface SpotServerOptions {
  readonly core: SpotCore;
  /** Clock of the exchange, in ms. */
  readonly clock?: () => number;
  /** Called with a mistake of the exchange itself, which answers it with an unknown error. */
  readonly onMistake: (error: unknown) => void;
}

/** Serves the exchange over HTTP. A caller's address is that of its socket. */
export class SimulatedSpotServer {
  readonly core: SpotCore;
  private readonly app: FastifyInstance;
  private readonly clock: () => number;
  private readonly onMistake: (error: unknown) => void;
  private readonly ticker: NodeJS.Timeout;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor({ core, clock = Date.now, onMistake }: SpotServerOptions) {
    this.core = core;
    this.clock = clock;
    this.onMistake = onMistake;
    this.app = this.createApp();
    this.ticker = setInterval(() => core.advance(clock()), TICK_MS);
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

  async close(): Promise<void> {
    clearInterval(this.ticker);
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    await this.app.close();
  }

  private createApp(): FastifyInstance {
    const app = fastify({
      logger: false,
      bodyLimit: LARGEST_BODY_BYTES,
      trustProxy: false,
      requestTimeout: REQUEST_WITHIN_MS,
      forceCloseConnections: true,
      frameworkErrors: (_error, _request, reply) => {
        reply.hijack();
        reply.raw.writeHead(400, { 'content-type': JSON_TYPE }).end(malformed('path'));
      },
    });
    app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
    app.addHttpMethod('DELETE', { hasBody: true, overrideExisting: true });
    // What is signed are the bytes as sent, whatever the type of the body says.
    app.addHook('onRequest', (request, _reply, done) => {
      request.raw.headers['content-type'] = 'application/octet-stream';
      done();
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.setErrorHandler((error: ServerRefusal, _request, reply) => {
      const status = error.statusCode ?? 500;
      if (status >= 500) this.onMistake(error);
      void reply
        .code(status)
        .type(JSON_TYPE)
        .send(status < 500 ? malformed('body') : unknownError());
    });
    app.all('/*', { exposeHeadRoute: false }, (request, reply) => this.answer(request, reply));
    app.setNotFoundHandler((request, reply) => this.answer(request, reply));
    return app;
  }

  private answer(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const [path = '', ...queries] = (raw.url ?? '/').split('?');
    const sent = {
      method: raw.method ?? 'GET',
      path,
      query: queries.join('?'),
      body: Buffer.isBuffer(request.body) ? request.body.toString('latin1') : '',
      apiKey: header(request, 'x-mbx-apikey'),
      timeUnit: header(request, 'x-mbx-time-unit'),
      acceptsHtml: header(request, 'accept')?.includes('text/html') ?? false,
      ip: raw.socket.remoteAddress ?? '',
    };
    const faults = this.core.strike(sent);
    this.after(faults.requestDelayMs, () => {
      const made = this.handled(() => this.core.handle(sent, this.clock(), faults));
      this.after(faults.replyDelayMs, () => send(reply, made, header(request, 'accept-encoding') ?? ''));
    });
  }

  /** Answers a mistake of the exchange as the interface does: with an unknown error. */
  private handled(act: () => SpotReply): SpotReply {
    try {
      return act();
    } catch (error) {
      this.onMistake(error);
      return { status: 500, headers: { 'content-type': JSON_TYPE }, body: unknownError() };
    }
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
}

function header({ raw }: FastifyRequest, name: string): string | undefined {
  const value = raw.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function send(reply: FastifyReply, { status, headers, body }: SpotReply, encodings: string): void {
  void reply.code(status).headers(headers);
  if (body.length >= LEAST_GZIP_BYTES && /\bgzip\b/.test(encodings))
    void reply.header('content-encoding', 'gzip').send(gzipSync(body));
  else void reply.send(body);
}

const malformed = (what: string): string =>
  JSON.stringify({
    code: -1100,
    msg: `Illegal characters found in parameter '${what}'; legal range is 'HTTP/1.1'.`,
  });

const unknownError = (): string =>
  JSON.stringify({ code: -1000, msg: 'An unknown error occurred while processing the request.' });
