import { describe, expect, test } from 'vitest';
import { ProcessTime } from '../../../src/virtual/process-time.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';

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
