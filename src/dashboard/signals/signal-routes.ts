import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DASHBOARD_ENDPOINTS } from '../schema/endpoints.ts';
import { API_ROOT } from '../server/openapi.ts';
import type { SignalDoor } from './signal-door.ts';

/** It was taken, and what became of it is in the body. */
const TAKEN = 202;

/** Adds the addresses of signals. A signature is of the body as it was sent, so nothing parses it before. */
export function addSignalRoutes(app: FastifyInstance, door: SignalDoor): void {
  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    );
    for (const { path } of [DASHBOARD_ENDPOINTS.signal, DASHBOARD_ENDPOINTS.namedSignal]) {
      scope.post(`${API_ROOT}${path}`, async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        const told = await door.take(partsOf(request));
        return reply.code(TAKEN).send(told);
      });
    }
    ready();
  });
}

function partsOf(request: FastifyRequest): Parameters<SignalDoor['take']>[0] {
  const { strategy = '', name = null } = request.params as {
    readonly strategy?: string;
    readonly name?: string;
  };
  const [path = ''] = request.url.split('?', 1);
  const rawBody = typeof request.body === 'string' ? request.body : '';
  return { strategy, name, path, headers: request.headers, address: request.ip, rawBody };
}
