import type { HttpRequest, HttpResponse, Transport } from '../../../src/exchange/transport.ts';

type Answer = HttpResponse | Error;

export const json = (
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A transport that records what is sent, and answers by a function. */
export class FakeTransport implements Transport {
  readonly sent: HttpRequest[] = [];
  private readonly answer: (request: HttpRequest, index: number) => Answer | Promise<Answer>;

  constructor(answer: (request: HttpRequest, index: number) => Answer | Promise<Answer>) {
    this.answer = answer;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    this.sent.push(request);
    const answer = await this.answer(request, this.sent.length - 1);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async close(): Promise<void> {
    this.sent.length = 0;
  }
}

/** Makes a transport that gives these answers in turn, and repeats the last one. */
export const inTurn = (...answers: readonly Answer[]): FakeTransport =>
  new FakeTransport(
    (_request, index) => answers[Math.min(index, answers.length - 1)] ?? new Error('no answer'),
  );
