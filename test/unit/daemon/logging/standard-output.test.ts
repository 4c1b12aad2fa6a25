import { describe, expect, it } from 'vitest';
import { StandardOutput } from '../../../../src/daemon/standard-output.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Makes an output that accepts some bytes for each write, and fails on request. */
function output(most = 1_000): {
  readonly out: StandardOutput;
  readonly seen: () => string;
  readonly ends: () => number;
  failing: string | null;
  tears: boolean;
} {
  let text = '';
  let ends = 0;
  const made = {
    out: new StandardOutput(
      () => (ends += 1),
      (bytes) => {
        if (made.failing !== null) throw failure(made.failing);
        const taken = bytes.subarray(0, most);
        text += Buffer.from(taken).toString();
        if (most < bytes.length && made.tears) made.failing = 'ENOSPC';
        return taken.length;
      },
    ),
    seen: () => text,
    ends: () => ends,
    failing: null as string | null,
    tears: false,
  };
  return made;
}

describe('the standard output', () => {
  it('writes whole lines, however little is taken at once', () => {
    const { out, seen } = output(3);
    out.write('{"one":1}\n');
    out.write('{"two":2}\n');
    expect(seen()).toBe('{"one":1}\n{"two":2}\n');
  });

  it.each(['EPIPE', 'EIO', 'ENXIO', 'EBADF'])(
    'reports once that its reader is gone (%s), and writes no more',
    (code) => {
      const made = output();
      made.failing = code;
      made.out.write('one\n');
      made.failing = null;
      made.out.write('two\n');
      expect([made.ends(), made.seen(), made.out.lost]).toEqual([1, '', 1]);
    },
  );

  it('leaves out what a full disk does not take, and goes on after it', () => {
    const made = output();
    made.failing = 'ENOSPC';
    made.out.write('one\n');
    made.failing = null;
    made.out.write('two\n');
    expect([made.ends(), made.seen(), made.out.lost]).toEqual([0, 'two\n', 1]);
  });

  it('begins a new line after one that was written in part', () => {
    const made = output(3);
    made.tears = true;
    made.out.write('first\n');
    made.tears = false;
    made.failing = null;
    made.out.write('next\n');
    expect(made.seen()).toBe('fir\nnext\n');
  });
});
