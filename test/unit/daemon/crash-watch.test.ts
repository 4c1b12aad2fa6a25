import { expect, test } from 'vitest';
import { startNode } from '../../support/sarraf-process.ts';

const module = JSON.stringify(new URL('../../../src/daemon/run/clock-watch.ts', import.meta.url).href);

test('an uncaught error asks for the end once, is reported a few times, and is thrown when the run has ended', async () => {
  const script = `
    import { CrashWatch } from ${module};
    const notices = [];
    const watch = new CrashWatch((notice) => notices.push(notice));
    watch.begin();
    void Promise.reject(new Error('lost'));
    for (let n = 0; n < 20; n += 1) setImmediate(() => { throw new Error('again ' + n); });
    await new Promise((resolve) => setTimeout(resolve, 200));
    let thrown = null;
    try { watch.throwIfCrashed(); } catch (error) { thrown = error.message; }
    watch.end();
    console.log(JSON.stringify({ aborted: watch.signal.aborted, thrown, notices }));`;
  const { code, out, error } = await startNode(['--input-type=module', '--eval', script]).finished;
  expect([code, error]).toEqual([0, '']);
  const { aborted, thrown, notices } = JSON.parse(out) as {
    readonly aborted: boolean;
    readonly thrown: string;
    readonly notices: readonly { readonly message: string; readonly details: { readonly stack: string } }[];
  };
  expect([aborted, thrown]).toEqual([true, 'lost']);
  expect(notices).toHaveLength(5);
  expect(notices[0]?.message).toBe('an error was not caught, so the run ends: lost');
  expect(notices[0]?.details.stack).toContain('Error: lost');
  expect(notices[4]?.message).toMatch(/; further ones are not reported$/);
});
