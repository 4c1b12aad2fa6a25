import Bottleneck from 'bottleneck';
import { SarrafError } from '../domain/errors.ts';
import { urgencyOf } from '../domain/request-class.ts';
import type { LedgerBudget } from './admission.ts';
import type { AdmittedJob, LaneExecutor } from './lane-executor.ts';

/** Bottleneck looks at its reservoir this often, so its own window is longer than W by up to twice that. */
const BOTTLENECK_BEAT_MS = 250;

/**
 * Executes one budget's requests with Bottleneck, with the bound on concurrency and the time-out, and with a count of its own as an outer guard:
 * should the ledger ever admit too many, the surplus waits here, is found too late to be sent, and asks again. Its reservoir alone would not do: it
 * lets twice the limit through across a refresh.
 */
export class BottleneckExecutor implements LaneExecutor {
  private readonly bottleneck: Bottleneck;

  constructor({ limit, windowMs }: LedgerBudget, options: { readonly mostConcurrent: number }) {
    const guard = Math.ceil(limit * (1 + (2 * BOTTLENECK_BEAT_MS) / windowMs));
    this.bottleneck = new Bottleneck({
      maxConcurrent: options.mostConcurrent,
      reservoir: guard,
      reservoirRefreshAmount: guard,
      reservoirRefreshInterval: Math.ceil(windowMs / BOTTLENECK_BEAT_MS) * BOTTLENECK_BEAT_MS,
    });
  }

  async execute<T>({ requestClass, timeoutMs }: AdmittedJob, work: () => Promise<T>): Promise<T> {
    try {
      return await this.bottleneck.schedule({ priority: urgencyOf(requestClass), expiration: timeoutMs }, work);
    } catch (error) {
      if (!(error instanceof Bottleneck.BottleneckError)) throw error;
      throw new SarrafError('TIMED_OUT', `expected a reply within ${timeoutMs} ms: ${error.message}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.bottleneck.disconnect();
  }
}
