import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';

/** A request in the form that the server got. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** A reply of the server: a status with a body and headers; `hang` gives no reply at all. */
export type ServedReply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang';

const asText = (_: unknown, body: Buffer, done: (error: Error | null, body: unknown) => void): void =>
  done(null, body.toString('latin1'));

/** A messaging service on this machine: records the requests it gets, and answers with queued replies. */
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

  /** Begins to listen at a free port, and returns the address. */
  async listen(): Promise<string> {
    this.address = await this.app.listen({ host: '127.0.0.1', port: 0 });
    return this.address;
  }

  /** Queues replies, one for each of the next requests. */
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

/** Returns a refusal in the form that the API of Telegram and Bale has. */
export function apiError(
  code: number,
  description: string,
  parameters?: Readonly<Record<string, number>>,
): ServedReply {
  return { status: code, body: { ok: false, error_code: code, description, parameters } };
}
