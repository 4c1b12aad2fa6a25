import { login } from './endpoints/session.ts';
import type { Redactor } from './redactor.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

/**
 * Takes the credentials that an exchange, or something before it, repeats in its replies out of these before anybody reads them: so no message, code or path brings
 * one into the log, the mirror or a recording. The reply to a log-in is left as it is where it succeeds, and what it hands out is a secret from then on.
 */
export class RedactingTransport implements Transport {
  private readonly inner: Transport;
  private readonly redactor: Redactor;

  constructor(inner: Transport, redactor: Redactor) {
    this.inner = inner;
    this.redactor = redactor;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const response = await this.inner.send(request);
    const { status, headers, body } = response;
    if (status < 300 && request.path.startsWith(login.path)) {
      for (const secret of handedOut(body)) this.redactor.learn(secret);
      return response;
    }
    const clean = this.redactor.redact(body);
    return { status, headers: this.cleanHeaders(headers), body: clean };
  }

  async close(): Promise<void> {
    await this.inner.close();
  }

  private cleanHeaders(headers: HttpResponse['headers']): HttpResponse['headers'] {
    const all = Object.values(headers).join('\n');
    if (this.redactor.redact(all) === all) return headers;
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.redactor.redact(value)]));
  }
}

/** The token and the device of a reply to a log-in. */
function handedOut(body: string): readonly string[] {
  try {
    const { key, device } = JSON.parse(body) as { readonly key?: unknown; readonly device?: unknown };
    return [key, device].filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}
