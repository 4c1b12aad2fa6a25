import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createMomentAnswers } from '../../daemon/answers-apart.ts';
import { messageOf } from '../../domain/errors.ts';
import { onOneLine } from '../api-error.ts';
import { ApiServer, type ApiServerOptions, type ServedCall } from '../api-server.ts';
import { EventStreams } from '../events/event-streams.ts';
import { BotFolderReader } from '../folder/bot-folder-reader.ts';
import { DASHBOARD_ENDPOINTS } from '../schema/endpoints.ts';
import { RepliesApart } from '../readers/replies-apart.ts';
import type { EventsQuery } from '../schema/log.ts';
import { SignalEndpoint } from '../signals/signal-endpoint.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { API_ROOT } from './openapi.ts';

/**
 * Server of a bot's page and of the API behind it. It reads the data folder and posts commands there: it
 * sends nothing to the exchange, the bot never waits for it, and it continues when the bot has stopped.
 */
export class DashboardServer {
  private readonly folder: BotFolderReader;
  private readonly apart: RepliesApart;
  private readonly handlers: Handlers;
  private readonly streams: EventStreams;
  private readonly server: ApiServer;

  /** Throws as `ApiServer` does. `moments`: replays recorded runs. */
  constructor(options: ApiServerOptions, moments = createMomentAnswers()) {
    const { dataFolder, language, nowMs = Date.now } = options;
    this.folder = new BotFolderReader({ dataFolder, nowMs });
    this.apart = new RepliesApart(this.folder);
    this.handlers = createHandlers(this.folder, { nowMs, language, moments, apart: this.apart });
    const onError = (error: unknown): void => options.onError(onOneLine(messageOf(error)));
    this.streams = new EventStreams({ folder: this.folder, onError, nowMs });
    this.server = new ApiServer(options, {
      endpoints: DASHBOARD_ENDPOINTS,
      startFile: 'index.html',
      answer: (name, call) => this.answer(name, call),
      addRoutes: (app, { signalTokens: tokens }) =>
        addSignalRoutes(app, new SignalEndpoint({ folder: this.folder, tokens, nowMs })),
    });
  }

  /** @see ApiServer.listen */
  async listen(): Promise<string> {
    try {
      return await this.server.listen();
    } catch (error) {
      this.closeFolder();
      throw error;
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.streams.close();
    await this.server.close();
    this.closeFolder();
  }

  private closeFolder(): void {
    this.streams.close();
    this.apart.close();
    this.folder.close();
  }

  private answer(name: string, { request, reply, ...call }: ServedCall): unknown {
    if (name === 'events') {
      this.openStream(request, reply, (call.query as EventsQuery).data === 'none');
      return undefined;
    }
    // The schemas have checked the types that each handler takes.
    const handler = this.handlers[name as keyof Handlers] as (call: unknown) => unknown;
    return handler(call);
  }

  private openStream(request: FastifyRequest, reply: FastifyReply, isBrief: boolean): void {
    this.streams.checkRoom();
    const lastEventId = request.headers['last-event-id'];
    const headers = reply.getHeaders() as Readonly<Record<string, string>>;
    reply.hijack();
    reply.raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      connection: 'close',
    });
    this.streams.add(reply.raw, typeof lastEventId === 'string' ? lastEventId : undefined, isBrief);
  }
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
