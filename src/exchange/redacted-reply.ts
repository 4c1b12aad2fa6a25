import { login } from './endpoints/session.ts';
import { Redactor } from './redactor.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/**
 * A reply without the credentials that an exchange, or something before it, repeats in it: so no message,
 * code or path brings one into the log, the mirror or a recording. The reply to a log-in is left as it is
 * where it succeeds, and the token in it is a secret from then on. A password of digits and a one-time
 * password could be part of a number, so they are taken out of refusals of the very request that had them,
 * and of nothing else.
 */
export function redactedReply(
  redactor: Redactor,
  request: Pick<HttpRequest, 'headers' | 'path' | 'body'>,
  response: HttpResponse,
): HttpResponse {
  const { status, headers, body } = response;
  if (status < 300 && request.path.startsWith(login.path)) {
    for (const secret of textsIn(body, ['key', 'device'])) redactor.learn(secret);
    return response;
  }
  const isRefusal = status >= 300 || FAILED.test(body);
  const own = isRefusal ? new Redactor(sentSecrets(request)) : null;
  const clean = (text: string): string => {
    const known = redactor.redact(text);
    return own === null ? known : own.redact(known);
  };
  return { status, headers: cleanHeaders(headers, clean), body: clean(body) };
}

/** A refusal that comes with a good status. */
const FAILED = /"status"\s*:\s*"failed"/;

function cleanHeaders(
  headers: HttpResponse['headers'],
  clean: (text: string) => string,
): HttpResponse['headers'] {
  const all = Object.entries(headers).flat().join('\n');
  if (clean(all) === all) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), clean(value)]));
}

/** The password and the one-time password of a request; none of most. */
function sentSecrets({
  headers,
  path,
  body,
}: Pick<HttpRequest, 'headers' | 'path' | 'body'>): readonly string[] {
  const oneTime = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'x-totp' ? [value] : [],
  );
  return path.startsWith(login.path) && body !== null
    ? [...oneTime, ...textsIn(body, ['password'])]
    : oneTime;
}

/** Texts of a body's fields; none where it is no JSON. */
function textsIn(body: string, fields: readonly string[]): readonly string[] {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return [];
    const given = new Map(Object.entries(value));
    return fields.map((field): unknown => given.get(field)).filter((text) => typeof text === 'string');
  } catch {
    return [];
  }
}
