import { describe, expect, it } from 'vitest';
import { PollTime } from '../../../../src/backtest/poll/poll-time.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import { VirtualTime, type Timeline } from '../../../../src/virtual/virtual-time.ts';

/** Chains of promises of many lengths that ask for more time on their way; answers what happened, in order. */
async function chaos(time: Timeline & { run(untilMs: number): Promise<void> }): Promise<readonly string[]> {
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

describe('the time of a run against recorded data', () => {
  it('has the same things happen in the same order as virtual time does', async () => {
    const expected = await chaos(new VirtualTime(0));
    expect(expected.length).toBeGreaterThan(300);
    expect(await chaos(new PollTime(0))).toEqual(expected);
  });

  it('lets everything that a moment began come to its end before the next', async () => {
    const time = new PollTime(0);
    let hops = 0;
    time.at(1, () => {
      void (async () => {
        for (; hops < 1_000; hops += 1) await Promise.resolve();
      })();
    });
    time.at(2, () => expect(hops).toBe(1_000));
    await time.run(5);
    expect(time.now()).toBe(5);
  });

  it('tells of a mistake in what is done, and of a time that stands still', async () => {
    const time = new PollTime(0);
    time.at(1, () => {
      throw new Error('a mistake');
    });
    await expect(time.run(5)).rejects.toThrow('a mistake');
    const again = (): void => void time.at(time.now(), again);
    again();
    await expect(time.run(5)).rejects.toMatchObject({ code: 'INVARIANT' });
    expect(() => time.at(Number.NaN, () => undefined)).toThrow('expected a finite time');
  });
});
