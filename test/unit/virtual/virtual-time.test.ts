import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/domain/random.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';
import { ProcessTime } from '../../../src/virtual/process-time.ts';

/** Awaits a chain of promises that a few turns of the microtask queue do not end. */
async function deep(depth: number): Promise<void> {
  if (depth > 0) await deep(depth - 1);
}

const noWork = (): void => {};

/** Runs promise chains of many lengths that ask for more time; returns what happened, in order. */
async function chaos(time: VirtualTime): Promise<readonly string[]> {
  const random = createRandom(7);
  const happened: string[] = [];
  let made = 0;
  const begin = (depth: number): void => {
    made += 1;
    const name = `${made}`;
    const hops = Math.floor(random.next() * 60);
    void (async () => {
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
      happened.push(`${name} at ${time.now()}`);
      if (depth === 0) return;
      const cancel = time.at(time.now() + Math.floor(random.next() * 4), () => begin(depth - 1));
      if (random.next() < 0.2) cancel();
      await time.sleep(Math.floor(random.next() * 3));
      begin(depth - 1);
    })();
  };
  for (let count = 0; count < 5; count += 1) time.at(count, () => begin(7));
  await time.run(3);
  happened.push('looked at');
  await time.run(1_000);
  return happened;
}

describe('virtual time', () => {
  test('does plain work in its turn, and lets the promises of the work before it settle first', async () => {
    const time = new VirtualTime(0);
    const happened: string[] = [];
    const say = (what: string): void => void happened.push(`${what} at ${time.now()}`);
    time.at(2, () => void deep(40).then(() => say('promise')));
    time.atPlainly(2, () => say('plain'));
    time.atPlainly(1, () => say('first'));
    time.atPlainly(3, () => say('canceled'))();
    time.at(3, () => say('last'));
    await time.run(5);
    expect(happened).toEqual(['first at 1', 'promise at 2', 'plain at 2', 'last at 3']);
    expect(() => time.atPlainly(Number.NaN, noWork)).toThrow('expected a finite time for work, was NaN');
  });

  test('has the same things happen in the same order wherever the event loop turns amid them', async () => {
    const expected = await chaos(new VirtualTime(0));
    expect(expected.length).toBeGreaterThan(300);
    for (const before of [4_700, 4_900, 4_990]) {
      const time = new VirtualTime(-1);
      for (let count = 0; count < before; count += 1) time.at(-1, noWork);
      await time.run(-1);
      expect(await chaos(time)).toEqual(expected);
    }
  });

  test('does what is due in the order of time, and of asking where times are the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), async (times) => {
        const time = new VirtualTime(0);
        const done: [number, number][] = [];
        times.forEach((atMs, index) => time.at(atMs, () => done.push([time.now(), index])));
        await time.run(20);
        const expected = times
          .map((atMs, index): [number, number] => [atMs, index])
          .toSorted(([left], [right]) => left - right);
        expect(done).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  test('lets every promise settle before time moves', async () => {
    const time = new VirtualTime(0);
    const seen: string[] = [];
    const chained = async (): Promise<void> => {
      await time.sleep(10);
      await deep(200);
      seen.push(`chained at ${time.now()}`);
    };
    void chained();
    time.at(10, () => seen.push(`other at ${time.now()}`));
    time.at(11, () => seen.push(`next at ${time.now()}`));
    await time.run(20);
    expect(seen).toEqual(['chained at 10', 'other at 10', 'next at 11']);
    expect(time.now()).toBe(20);
  });

  test('leaves what is due later for the next run', async () => {
    const time = new VirtualTime(0);
    const seen: number[] = [];
    time.at(5, () => seen.push(5));
    time.at(15, () => seen.push(15));
    await time.run(14);
    expect(seen).toEqual([5]);
    await time.run(15);
    expect(seen).toEqual([5, 15]);
  });

  test('does at once what is past, never before it was asked for', async () => {
    const time = new VirtualTime(100);
    const seen: number[] = [];
    time.at(50, () => {
      seen.push(time.now());
      time.at(0, () => seen.push(time.now()));
    });
    await time.run(100);
    expect(seen).toEqual([100, 100]);
  });

  test('does nothing of what was taken back', async () => {
    const time = new VirtualTime(0);
    let count = 0;
    const cancel = time.at(5, () => (count += 1));
    cancel();
    await time.run(10);
    expect(count).toBe(0);
  });

  test('refuses to hold more than its bound, of which canceled ones are no part', async () => {
    const time = new VirtualTime(0);
    const cancels = Array.from({ length: 100_000 }, () => time.at(1, noWork));
    expect(() => time.at(1, noWork)).toThrow('at most 100000');
    cancels[0]?.();
    expect(() => time.at(1, noWork)).not.toThrow();
  });

  test('hands out what the work throws, and goes on with the rest in the next run', async () => {
    const time = new VirtualTime(0);
    let count = 0;
    time.at(1, () => {
      throw new Error('a mistake');
    });
    time.at(2, () => (count += 1));
    await expect(time.run(5)).rejects.toThrow('a mistake');
    await time.run(5);
    expect(count).toBe(1);
  });

  test('refuses to stand still', async () => {
    const time = new VirtualTime(0);
    const again = (): void => void time.at(0, again);
    again();
    await expect(time.run(1)).rejects.toThrow('at one instant');
  });
});

function setUp() {
  const outer = new VirtualTime(0);
  const time = new ProcessTime(outer);
  const seen: [string, number][] = [];
  const say = (what: string) => () => seen.push([what, outer.now()]);
  return { outer, time, seen, say };
}

describe('the time of a process', () => {
  test('lets what fell due while it stood still happen late and in order', async () => {
    const { outer, time, seen, say } = setUp();
    time.at(20, say('second'));
    time.at(15, say('first'));
    time.at(5, say('before'));
    outer.at(10, () => time.stop(90));
    await outer.run(200);
    expect(seen).toEqual([
      ['before', 5],
      ['first', 100],
      ['second', 100],
    ]);
  });

  test('lets what falls due while it works happen late, and reads a clock that its work has moved', async () => {
    const { outer, time, seen, say } = setUp();
    const clock: number[] = [];
    time.at(10, () => {
      for (let commit = 0; commit < 2; commit += 1) {
        time.spend(40);
        clock.push(time.clockMs());
      }
      time.at(time.now() + 1, say('next'));
    });
    await outer.run(200);
    expect(clock).toEqual([50, 90]);
    expect(seen).toEqual([['next', 90]]);
    expect(time.clockMs()).toBe(200);
  });

  test('takes back what was put off', async () => {
    const { outer, time, seen, say } = setUp();
    const cancel = time.at(15, say('never'));
    outer.at(10, () => time.stop(90));
    outer.at(50, cancel);
    await outer.run(200);
    expect(seen).toEqual([]);
  });

  test('lets what comes from outside in only when it goes on', async () => {
    const { outer, time, seen, say } = setUp();
    outer.at(10, () => time.stop(90));
    outer.at(20, () => void time.awake().then(say('in')));
    outer.at(99, () => time.stop(50));
    await outer.run(200);
    expect(seen).toEqual([['in', 149]]);
  });

  test('does nothing any more once it is dead', async () => {
    const { outer, time, seen, say } = setUp();
    time.at(15, say('never'));
    void time.sleep(15).then(say('never'));
    outer.at(10, () => time.kill());
    outer.at(20, () => void time.awake().then(say('never')));
    await outer.run(200);
    expect(seen).toEqual([]);
    expect(time.isDead).toBe(true);
  });
});
