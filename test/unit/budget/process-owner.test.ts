import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { lifeSignOf, monotonicMs, ownerText, thisOwner } from '../../../src/budget/process-owner.ts';

const me = thisOwner();

describe('an owner', () => {
  test('is alive while it runs, and doubt is for life', () => {
    expect(lifeSignOf(ownerText(me), me)).toBe('alive');
    expect(lifeSignOf(ownerText({ ...me, startTicks: null }), me)).toBe('alive');
  });

  test('is dead once its process has ended, its id is used by another, or the machine was started again', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const { pid } = child;
    await once(child, 'close');
    expect(lifeSignOf(ownerText({ ...me, pid: pid! }), me)).toBe('dead');
    expect(lifeSignOf(ownerText({ ...me, bootId: 'earlier' }), me)).toBe('dead');
    const reused = me.startTicks === null ? 'alive' : 'dead';
    expect(lifeSignOf(ownerText({ ...me, startTicks: (me.startTicks ?? 1) - 1 }), me)).toBe(reused);
  });

  test('of another container is neither', () => {
    expect(lifeSignOf(ownerText({ ...me, pidNamespace: 'pid:[1]' }), me)).toBe('foreign');
    expect(lifeSignOf('nonsense', { ...me, bootId: 'nonsense' })).toBe('foreign');
  });

  test('has a clock that does not go back', () => {
    const before = monotonicMs();
    expect(monotonicMs()).toBeGreaterThanOrEqual(before);
  });
});
