import { SarrafError } from '../../domain/errors.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../exchange/transport.ts';
import type { WrapTransport } from '../../venues/venue.ts';

/** One request and its result, as on the wire; the transport has removed credentials from it. */
export interface SeenReply {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Null where none came. */
  readonly reply: HttpResponse | null;
  /** The code of the error that came in its place; null where a reply came. */
  readonly error: string | null;
}

/**
 * Lets reads pass and nothing else, whatever the client above it would do: no order, and no log-in, which
 * may close withdrawals for an hour. Keeps what came back in `seen`.
 */
export function readOnlyTap(seen: SeenReply[], nowMs: () => number = Date.now): WrapTransport {
  return (inner): Transport => ({
    async send(request) {
      refuseChanges(request);
      const sentMs = nowMs();
      const { method, path } = request;
      try {
        const reply = await inner.send(request);
        seen.push({ method, path, sentMs, receivedMs: nowMs(), reply, error: null });
        return reply;
      } catch (error) {
        const code = error instanceof SarrafError ? error.code : 'unknown';
        seen.push({ method, path, sentMs, receivedMs: nowMs(), reply: null, error: code });
        throw error;
      }
    },
    close: async () => inner.close(),
  });
}

function refuseChanges({ method, path }: HttpRequest): void {
  if (method === 'GET') return;
  const [place = path] = path.split('?', 1);
  throw new SarrafError('INVALID_REQUEST', `expected doctor to read alone, was ${method} ${place}`);
}
