import { login } from './endpoints/user.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

const SHOWN = '[secret]';

/** Least length of a secret: removing a shorter text would garble everything. */
const LEAST_LENGTH = 6;

/** Matches a secret that could be part of a price or an id: removing it from replies would change numbers. */
const LIKE_A_NUMBER = /^[\d.]*$/;
const LEAST_IN_REPLIES = 8;

/** Matches ASCII characters that JSON may write as `\u0041`; quotation mark and backslash stay escaped. */
const ESCAPED_CHARACTER = /\\u00([2-7][0-9a-f])/gi;
const UNDECODED_ESCAPES: ReadonlySet<string> = new Set(['22', '5c', '7f']);

/**
 * Removes known secrets from texts in any form: plain, in JSON, URL-encoded, in Base64 of both alphabets
 * (also as a part of a longer text, such as a whole header), and in hexadecimal. A text without secrets costs
 * a search for each form.
 */
export class Redactor {
  private forms: readonly string[] = [];
  private readonly secrets = new Set<string>();
  private readonly isForReplies: boolean;

  /** `isForReplies`: leaves secrets that could be numbers, which must not change in a reply. */
  constructor(
    secrets: Iterable<string>,
    options: { readonly isForReplies: boolean } = { isForReplies: false },
  ) {
    this.isForReplies = options.isForReplies;
    for (const secret of secrets) this.learn(secret);
  }

  /** Adds a secret to remove from now on, such as the token of a log-in. */
  learn(secret: string): void {
    const least = this.isForReplies ? LEAST_IN_REPLIES : LEAST_LENGTH;
    if (
      secret.length < least ||
      (this.isForReplies && LIKE_A_NUMBER.test(secret)) ||
      this.secrets.has(secret)
    )
      return;
    this.secrets.add(secret);
    const forms = new Set([...this.secrets].flatMap(formsOf));
    // Longest first, so that no rest of a longer form stays when it contains a shorter one.
    this.forms = [...forms].toSorted((left, right) => right.length - left.length);
  }

  /** Returns the text without secrets; the same text if there are none. */
  redact(text: string): string {
    const found = this.replace(text);
    if (!text.includes('\\')) return found;
    // JSON allows escapes that it does not need, and a secret may be written with them.
    const plain = found
      .replaceAll('\\/', '/')
      .replaceAll(ESCAPED_CHARACTER, (whole, code: string) =>
        UNDECODED_ESCAPES.has(code.toLowerCase()) ? whole : String.fromCodePoint(Number.parseInt(code, 16)),
      );
    const clean = this.replace(plain);
    return clean === plain ? found : clean;
  }

  private replace(text: string): string {
    let clean = text;
    for (const form of this.forms) if (clean.includes(form)) clean = clean.replaceAll(form, SHOWN);
    return clean;
  }
}

function formsOf(secret: string): readonly string[] {
  const url = encodeURIComponent(secret);
  const hex = Buffer.from(secret).toString('hex');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    ...base64Forms(secret, 'base64'),
    ...base64Forms(secret, 'base64url'),
  ].filter((form) => form.length >= LEAST_LENGTH);
}

/**
 * Returns parts of which every Base64 text with the secret contains one: three, since the secret may begin at
 * each third byte, without the characters that its surroundings change.
 */
function base64Forms(secret: string, alphabet: 'base64' | 'base64url'): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString(alphabet)
      .replaceAll('=', '');
    const first = before === 0 ? 0 : before + 1;
    const isWhole = (before + bytes.length) % 3 === 0;
    return text.slice(first, isWhole ? undefined : -1);
  });
}

/**
 * Returns a reply without the credentials that an exchange or a proxy repeats in it, so that no message, code
 * or path brings one into the log, the mirror or a recording. A successful log-in reply stays unchanged, and
 * its token is a secret from then on. A password of digits and a one-time password could be part of a number,
 * so they are removed only from refusals of the very request that had them.
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

/** Matches a refusal that comes with a good status. */
const FAILED = /"status"\s*:\s*"failed"/;

function cleanHeaders(
  headers: HttpResponse['headers'],
  clean: (text: string) => string,
): HttpResponse['headers'] {
  const all = Object.entries(headers).flat().join('\n');
  if (clean(all) === all) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), clean(value)]));
}

/** Returns the password and the one-time password of a request; most have none. */
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

/** Returns the texts of some fields of a body; none if it is not JSON. */
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
