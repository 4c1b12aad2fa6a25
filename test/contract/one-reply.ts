import type { HttpRequest, HttpResponse, Transport } from '../../src/exchange/transport.ts';

/** A transport that gives the same reply to every request, and records the requests. */
export class OneReply implements Transport {
  readonly requests: HttpRequest[] = [];
  private readonly reply: HttpResponse;

  constructor(reply: Partial<HttpResponse>) {
    this.reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '', ...reply };
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    this.requests.push(request);
    return this.reply;
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }
}
