import { present } from '../../domain/invariant.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

/** An event for a strategy. */
export interface QueuedEvent {
  readonly instance: StrategyInstance;
  readonly event: StrategyEvent;
}

const FIRST_ROOM = 16;

/**
 * The events that wait for strategies, in a ring: it is filled and emptied at every event, and a list would
 * be made anew each time.
 */
export class EventQueue {
  private slots: (QueuedEvent | null)[] = emptySlots(FIRST_ROOM);
  private head = 0;
  length = 0;

  push(queued: QueuedEvent): void {
    if (this.length === this.slots.length) this.grow();
    this.slots[(this.head + this.length) & (this.slots.length - 1)] = queued;
    this.length += 1;
  }

  /** Before everything else. */
  unshift(queued: QueuedEvent): void {
    if (this.length === this.slots.length) this.grow();
    this.head = (this.head - 1) & (this.slots.length - 1);
    this.slots[this.head] = queued;
    this.length += 1;
  }

  /** The next; null where there is none. */
  shift(): QueuedEvent | null {
    if (this.length === 0) return null;
    const queued = present(this.slots[this.head], 'something at the head of a queue that is not empty');
    this.slots[this.head] = null;
    this.head = (this.head + 1) & (this.slots.length - 1);
    this.length -= 1;
    return queued;
  }

  /** Room is always a power of two, so that a place is found without a division. */
  private grow(): void {
    const { slots, head } = this;
    this.slots = [...slots.slice(head), ...slots.slice(0, head), ...emptySlots(slots.length)];
    this.head = 0;
  }
}

function emptySlots(length: number): null[] {
  return Array.from({ length }, () => null);
}
