import { urgencyOf, type RequestClass } from '../domain/request-class.ts';

/** A request that waits for a slot. */
export interface Waiting {
  readonly id: number;
  readonly requestClass: RequestClass;
  /**
   * Subject of the request, such as the book of one market: a newer one of the same kind makes it pointless.
   * Null: each counts by itself.
   */
  readonly kind: string | null;
  /** Time from which it is no longer worth sending. */
  readonly expiresAtMs: number;
}

type DropReason = 'expired' | 'superseded' | 'queue full';

export interface Dropped {
  readonly id: number;
  readonly reason: DropReason;
}

const NONE: readonly Dropped[] = [];

/** Waiting requests of one budget at most. Beyond it the least urgent one goes, the newest of them first. */
export const MOST_WAITING = 256;

/**
 * Order of requests in one budget: the most urgent class, and in it the longest waiting. If a newer poll of
 * the same kind comes while one waits, the older is dropped and the newer gets its place, so that frequent
 * polls do not starve themselves. Expired requests are dropped. Dropped requests are reported, never lost
 * silently.
 */
export class WaitingQueue {
  /** In the order in which they are served. */
  private readonly waiting: Waiting[] = [];

  add(request: Waiting): readonly Dropped[] {
    if (this.waiting.length === 0) {
      this.waiting.push(request);
      return NONE;
    }
    const older = request.kind === null ? -1 : this.waiting.findIndex((other) => isSameKind(other, request));
    const replaced = this.waiting[older];
    if (replaced !== undefined) {
      this.waiting[older] = request;
      return [{ id: replaced.id, reason: 'superseded' }];
    }
    const urgency = urgencyOf(request.requestClass);
    const after = this.waiting.findIndex((other) => urgencyOf(other.requestClass) > urgency);
    this.waiting.splice(after === -1 ? this.waiting.length : after, 0, request);
    if (this.waiting.length <= MOST_WAITING) return NONE;
    return this.waiting.splice(MOST_WAITING).map(({ id }) => ({ id, reason: 'queue full' }));
  }

  /** Removes what is no longer worth sending. */
  expire(nowMs: number): readonly Dropped[] {
    if (!this.waiting.some(({ expiresAtMs }) => expiresAtMs <= nowMs)) return NONE;
    const expired = this.waiting.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
    for (const { id } of expired) this.remove(id);
    return expired.map(({ id }) => ({ id, reason: 'expired' }));
  }

  first(): Waiting | null {
    return this.waiting[0] ?? null;
  }

  remove(id: number): void {
    const { waiting } = this;
    // Most are sent as soon as they come, and wait alone.
    if (waiting.length === 1 && waiting[0]?.id === id) {
      waiting.pop();
      return;
    }
    const index = waiting.findIndex((other) => other.id === id);
    if (index !== -1) waiting.splice(index, 1);
  }

  /** Everyone who waits, in the order in which they are served. */
  all(): readonly Waiting[] {
    return this.waiting;
  }
}

function isSameKind(left: Waiting, right: Waiting): boolean {
  return left.kind === right.kind && left.requestClass === right.requestClass;
}
