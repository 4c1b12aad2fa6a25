import { SarrafError } from '../domain/errors.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';

/**
 * The way to the exchange of a watchdog: shut once the bot is back. A request may have waited long for its
 * slot or for a log-in, so it is asked when it leaves.
 */
export class WhileSilent implements Transport {
  private readonly inner: Transport;
  private readonly isBack: () => boolean;

  constructor(inner: Transport, isBack: () => boolean) {
    this.inner = inner;
    this.isBack = isBack;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.isBack()) {
      throw new SarrafError('ABORTED', 'the bot is back, so the watchdog sent nothing', { outcome: 'none' });
    }
    return this.inner.send(request);
  }

  async close(): Promise<void> {
    await this.inner.close();
  }
}
