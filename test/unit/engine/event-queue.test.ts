import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StrategyInstance } from '../../../src/engine/strategy-instance.ts';
import { EventQueue, type QueuedEvent } from '../../../src/engine/strategies/strategy-notifier.ts';

const queued = (dueMs: number): QueuedEvent => ({
  instance: {} as StrategyInstance,
  event: { kind: 'timer', name: 'a', dueMs },
});

describe('the queue of events', () => {
  it('is a list, whatever is put at its end or beginning and taken from it', () => {
    const steps = fc.array(fc.constantFrom('push', 'unshift', 'shift', 'shift'), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (names) => {
        const [queue, list] = [new EventQueue(), [] as QueuedEvent[]];
        for (const [index, name] of names.entries()) {
          if (name === 'shift') expect(queue.shift()).toBe(list.shift() ?? null);
          else {
            const one = queued(index);
            queue[name](one);
            list[name](one);
          }
          expect(queue.length).toBe(list.length);
        }
        while (list.length > 0) expect(queue.shift()).toBe(list.shift());
      }),
    );
  });

  it('grows as it must, and keeps the order', () => {
    const queue = new EventQueue();
    for (let index = 0; index < 10; index += 1) queue.push(queued(index));
    for (let index = 0; index < 7; index += 1) queue.shift();
    const more = Array.from({ length: 100 }, (_, index) => queued(index + 10));
    for (const one of more) queue.push(one);
    for (let index = 0; index < 3; index += 1) queue.shift();
    expect(Array.from({ length: 100 }, () => queue.shift())).toEqual(more);
    expect(queue.shift()).toBeNull();
  });
});
