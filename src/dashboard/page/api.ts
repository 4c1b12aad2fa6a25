import { applyDelta, type Json, type JsonDelta } from '../../domain/json-delta.ts';
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

/** A reply, with the tag by which the server knows it. */
export interface TaggedReply<Reply> {
  readonly data: Reply;
  readonly tag: string | null;
}

/** HTTP status of a reply that is the change of the one that was named (RFC 3229). */
const IM_USED = 226;

interface RequestOptions<Reply> {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Earlier reply of this address: the server may send only what changed. */
  readonly known?: TaggedReply<Reply> | null;
}

async function request<Reply>(
  method: string,
  path: string,
  { body, signal, known }: RequestOptions<Reply> = {},
): Promise<TaggedReply<Reply>> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET' && csrfToken !== null) headers['x-csrf-token'] = csrfToken;
  if (known !== undefined) headers['a-im'] = 'sarraf-delta';
  if (typeof known?.tag === 'string') headers['if-none-match'] = known.tag;
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
  const reply: unknown = await response.json().catch(() => undefined);
  // The connection ended amid the reply.
  if (response.ok && reply === undefined) throw new ApiFailure(0, { code: 'no-answer', message: '' });
  if (response.ok) {
    const isChange = response.status === IM_USED && known !== undefined && known !== null;
    const data = isChange ? applyDelta(known.data as Json, reply as JsonDelta | null) : reply;
    return { data: data as Reply, tag: response.headers.get('etag') };
  }
  const reason = (reply as Partial<ErrorReply> | undefined)?.error;
  throw new ApiFailure(
    response.status,
    reason ?? { code: 'internal', message: `${response.status} ${response.statusText}` },
  );
}

export async function getReply<Reply>(path: string): Promise<Reply> {
  return (await request<Reply>('GET', path)).data;
}

/** Reads an address again; most of its reply is as it was in the one that is known. */
export async function followReply<Reply>(
  path: string,
  known: TaggedReply<Reply> | null,
  signal: AbortSignal,
): Promise<TaggedReply<Reply>> {
  return request('GET', path, { known, signal });
}

export async function postBody<Reply>(path: string, body: unknown): Promise<Reply> {
  return (await request<Reply>('POST', path, { body })).data;
}

export async function deleteAt(path: string): Promise<void> {
  await request('DELETE', path);
}

export const EVENTS_ADDRESS = `${BASE}/events?data=none`;

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

interface ServerEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | null;
}

/** Maximum length of an event, in characters: the server's have a few thousand. A longer one is dropped. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Parses server-sent events from pieces of text, which may end anywhere. It reads the fields `event`, `data`
 * and `id` of WHATWG HTML, "Server-sent events".
 */
export class EventParser {
  #rest = '';

  /** Adds a piece of text and returns the events that are complete with it. */
  parse(piece: string): readonly ServerEvent[] {
    const text = (this.#rest + piece).replaceAll('\r\n', '\n');
    const blocks = text.split('\n\n');
    this.#rest = (blocks.pop() ?? '').slice(-MOST_CHARACTERS);
    return blocks.flatMap((block) => readBlock(block));
  }
}

function readBlock(block: string): readonly ServerEvent[] {
  let name = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? [] : [{ name, data: data.join('\n'), id }];
}
