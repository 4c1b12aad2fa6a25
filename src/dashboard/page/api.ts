import type { ErrorReply, SentenceItem } from '../schema/fields.ts';

/** Requests to the API of the bot's own server. The page calls no other server. */

const BASE = '/api/v1';

type FailureParts =
  | ErrorReply['error']
  | {
      readonly code: string;
      readonly message: string;
      readonly messageFacts?: undefined;
      readonly field?: undefined;
    };

/** Error for a request that failed: the server's message, or that it did not answer. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  /** Facts of the message, if it is the server's own. */
  readonly facts: SentenceItem;

  constructor(status: number, { code, message, messageFacts = null, field }: FailureParts) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field ?? null;
    this.facts = messageFacts;
  }
}

/** Time limit of a request in ms; the server itself reports after 10 s that it takes too long. */
const LONGEST_WAIT_MS = 20_000;

/** Token that goes with every request that changes something; the server gives it with the session. */
let csrfToken: string | null = null;

export function rememberCsrfToken(token: string | null): void {
  csrfToken = token;
}

async function request<Reply>(
  method: string,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Reply> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET' && csrfToken !== null) headers['x-csrf-token'] = csrfToken;
  const response = await fetch(BASE + path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.any([
      AbortSignal.timeout(LONGEST_WAIT_MS),
      ...(signal === undefined ? [] : [signal]),
    ]),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiFailure(0, { code: 'no-answer', message: '' });
  });
  const reply: unknown = await response.json().catch(() => null);
  if (response.ok) return reply as Reply;
  const reason = (reply as Partial<ErrorReply> | null)?.error;
  throw new ApiFailure(
    response.status,
    reason ?? { code: 'internal', message: `${response.status} ${response.statusText}` },
  );
}

export async function getReply<Reply>(path: string, signal?: AbortSignal): Promise<Reply> {
  return request<Reply>('GET', path, undefined, signal);
}

export async function postBody<Reply>(path: string, body: unknown): Promise<Reply> {
  return request<Reply>('POST', path, body);
}

export async function deleteAt(path: string): Promise<void> {
  await request('DELETE', path, undefined);
}

export const EVENTS_ADDRESS = `${BASE}/events`;

export function reportAddress(id: string): string {
  return `${BASE}/reports/${id.split('/').map(encodeURIComponent).join('/')}`;
}

/** Returns a path with its query; undefined and empty values are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}
