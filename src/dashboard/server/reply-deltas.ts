import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { retainNewest } from '../../domain/retain-newest.ts';
import { jsonDelta } from '../../domain/json-delta.ts';

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
export class ReplyDeltas {
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
