import type { Endpoint } from '../../exchange/endpoint.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../exchange/transport.ts';
import { RequestRouter } from '../../simulator-server/request-log.ts';

/** A request as it leaves the process. */
export interface LeavingRequest {
  readonly endpoint: Endpoint;
  /** Without its query. */
  readonly path: string;
  /** Fields of its query, as text, and of its body. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** Gets what leaves a process for the exchange, and the replies that it gets. */
export interface WireWitness {
  leaves(request: LeavingRequest): void;
  /** Not called for a reply whose process has died. */
  isAnswered(
    request: LeavingRequest,
    reply: { readonly response: HttpResponse; readonly atMs: number },
  ): void;
}

interface WatchedTransportOptions {
  readonly transport: Transport;
  readonly witnesses: readonly WireWitness[];
  readonly nowMs: () => number;
}

/** The transport of a process with watchers. It changes nothing of what passes. */
export class WatchedTransport implements Transport {
  private readonly options: WatchedTransportOptions;
  private readonly router = new RequestRouter(false);

  constructor(options: WatchedTransportOptions) {
    this.options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { transport, witnesses, nowMs } = this.options;
    const leaving = this.read(request);
    if (leaving !== null) for (const witness of witnesses) witness.leaves(leaving);
    const response = await transport.send(request);
    if (leaving !== null) {
      for (const witness of witnesses) witness.isAnswered(leaving, { response, atMs: nowMs() });
    }
    return response;
  }

  async close(): Promise<void> {
    await this.options.transport.close();
  }

  /** Null for what is none of the interface, which is for the exchange to refuse. */
  private read({ method, path, body }: HttpRequest): LeavingRequest | null {
    const [address = path, query = ''] = path.split('?', 2);
    const routing = this.router.find(method, address);
    if (routing.kind !== 'found') return null;
    const { endpoint } = routing.route;
    const fields = { ...Object.fromEntries(new URLSearchParams(query)), ...fieldsOf(body) };
    return { endpoint, path: address, fields, atMs: this.options.nowMs() };
  }
}

function fieldsOf(body: string | null): LeavingRequest['fields'] {
  if (body === null || body === '') return {};
  const fields: unknown = JSON.parse(body);
  return typeof fields === 'object' && fields !== null ? (fields as LeavingRequest['fields']) : {};
}
