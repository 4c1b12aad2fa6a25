import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';

/** A request as the server saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** How it answers: a status with a body and headers; nothing at all for `hang`. */
export type ServedReply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang';

const asText = (_: unknown, body: Buffer, done: (error: Error | null, body: unknown) => void): void =>
  done(null, body.toString('latin1'));

/** A service on this machine that takes messages: what it saw, and what it answers next. */
export class ChatServer {
  readonly seen: SeenRequest[] = [];
  private readonly app: FastifyInstance;
  private readonly replies: ServedReply[] = [];
  private usual: (request: SeenRequest) => ServedReply | Promise<ServedReply>;
  private readonly hanging: FastifyReply[] = [];
  address = '';

  constructor(
    usual: (request: SeenRequest) => ServedReply | Promise<ServedReply> = () => ({
      status: 200,
      body: { ok: true },
    }),
  ) {
    this.usual = usual;
    this.app = fastify({ logger: false, forceCloseConnections: true });
    this.app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, asText as never);
    this.app.setErrorHandler((error, _, reply) => reply.code(500).send({ error: String(error) }));
    this.app.all('/*', async (request, reply) => {
      const one = { path: request.url, headers: request.headers, body: request.body };
      this.seen.push(one);
      const answer = this.replies.shift() ?? (await this.usual(one));
      if (answer === 'hang') {
        this.hanging.push(reply);
        return reply.hijack();
      }
      return reply
        .code(answer.status)
        .headers(answer.headers ?? {})
        .send(answer.body ?? {});
    });
  }

  /** Begins to listen at a free port; answers where. */
  async listen(): Promise<string> {
    this.address = await this.app.listen({ host: '127.0.0.1', port: 0 });
    return this.address;
  }

  /** The next answers, one each. */
  answers(...replies: readonly ServedReply[]): void {
    this.replies.push(...replies);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    for (const reply of this.hanging) reply.raw.destroy();
    await this.app.close();
  }
}

/** Telegram's and Bale's usual answer to a message. */
export const ACCEPTED = { status: 200, body: { ok: true, result: { message_id: 1 } } } as const;

/** How their API refuses. */
export function apiError(
  code: number,
  description: string,
  parameters?: Readonly<Record<string, number>>,
): ServedReply {
  return { status: code, body: { ok: false, error_code: code, description, parameters } };
}
