import type { WireReply } from '../wire/door.ts';
import type { AnswerFault } from './fault-plan.ts';

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireReply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** The bytes that a fault sends in place of `reply`. Not for faults that send nothing. */
export function faultyReply(fault: AnswerFault, reply: WireReply | null): WireReply {
  switch (fault.kind) {
    case 'truncated':
      return reply === null ? json(200, {}) : { ...reply, body: reply.body.slice(0, reply.body.length >> 1) };
    case 'no-result':
      return json(200, { status: 'ok' });
    case 'bad-gateway':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n',
      };
    case 'forbidden':
      return json(403, { detail: 'Forbidden.' });
    case 'unauthorized':
      return json(401, { detail: 'Invalid token.' });
    case 'too-many-requests': {
      const { backOff, limit } = fault;
      const body = {
        status: 'failed',
        code: 'TooManyRequests',
        message: 'Too many requests',
        backOff,
        limit,
      };
      return json(429, body, { 'retry-after': String(backOff) });
    }
    case 'none':
    case 'reset':
    case 'server-error':
      return json(500, { status: 'failed', code: 'InternalError', message: 'Temporary server error' });
  }
}
