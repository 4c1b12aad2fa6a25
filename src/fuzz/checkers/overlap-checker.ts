import type { HttpResponse } from '../../exchange/transport.ts';
import { violationsOf, type Violation } from './violation.ts';
import type { LeavingRequest, WireWitness } from './watched-transport.ts';

const HTTP_OK = 200;

/**
 * Lists overlap: a reading of the trades begins at the last reported trade or before, over all lives of a
 * bot. Ids are not strictly in order, and a reading from right after the highest one misses those that come
 * below it.
 */
export class OverlapChecker implements WireWitness {
  private readonly found: string[] = [];
  private highestReported = Number.POSITIVE_INFINITY;

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name !== 'tradesList') return;
    const fromId = Number(fields['fromId'] ?? 1);
    if (fromId <= this.highestReported) return;
    this.found.push(
      `expected a reading of trades to begin at ${this.highestReported}, the last one reported, or before, one began at ${fromId} at ${atMs}`,
    );
  }

  isAnswered({ endpoint }: LeavingRequest, { response }: { readonly response: HttpResponse }): void {
    if (endpoint.name !== 'tradesList' || response.status !== HTTP_OK) return;
    const highest = Math.max(...idsIn(response.body));
    if (!Number.isFinite(highest)) return;
    this.highestReported = Number.isFinite(this.highestReported)
      ? Math.max(this.highestReported, highest)
      : highest;
  }

  violations(): readonly Violation[] {
    return violationsOf('overlap', this.found);
  }
}

/** The ids of the trades of a reply; none where it can not be read. */
function idsIn(body: string): readonly number[] {
  try {
    const { trades } = JSON.parse(body) as { readonly trades?: readonly { readonly id?: unknown }[] };
    return (trades ?? []).map(({ id }) => Number(id)).filter((id) => Number.isSafeInteger(id));
  } catch {
    return [];
  }
}
