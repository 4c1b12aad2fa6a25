import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignalReply } from '../../../src/engine/signal-intake.ts';
import { SignalChecker } from '../../../src/fuzz/checkers/by-hand-checker.ts';
import { SignalDesk } from '../../../src/fuzz/signal-desk.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-signals-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A mirror whose strategy was told these. */
function mirrorOf(told: readonly string[]): string {
  const path = join(folder, `${told.join('-')}.sqlite`);
  const database = new Database(path);
  database.exec('CREATE TABLE strategies (name TEXT, json TEXT)');
  const json = JSON.stringify({ state: { told } });
  database.prepare('INSERT INTO strategies VALUES (?, ?)').run('listener', json);
  database.close();
  return path;
}

const reply = (outcome: SignalReply['outcome']): SignalReply => ({ outcome, code: 'told', message: '' });

test.each<readonly [string, string[], (checker: SignalChecker) => void, string[], string | null]>([
  ['nothing of signals told once', ['a', 'b'], (of) => of.replied('a', reply('told')), [], null],
  ['one told twice', ['a', 'c', 'a'], () => undefined, [], 'a to be told once, was told 2 times'],
  ['one lost', ['d'], (of) => of.replied('e', reply('told')), [], 'e, which was answered as told'],
  ['one told that was refused', ['f'], (of) => of.replied('f', reply('refused')), [], 'f not to be told'],
  ['one without an answer', ['g'], () => undefined, ['h'], 'an answer to the signal h, was none'],
])('the checker of signals finds %s', (_, told, act, unanswered, part) => {
  const checker = new SignalChecker();
  act(checker);
  const found = checker.violations(mirrorOf(told), unanswered, new Set()).map(({ message }) => message);
  expect(found).toEqual(part === null ? [] : [expect.stringContaining(part)]);
});

test('the checker of signals finds an answer that changes, but for one that was one too many', () => {
  const checker = new SignalChecker();
  checker.replied('x', reply('dropped'));
  checker.replied('x', reply('told'));
  checker.replied('y', reply('refused'));
  checker.replied('y', reply('told'));
  const [first, ...others] = checker.violations(mirrorOf(['y']), [], new Set());
  expect(first?.message).toBe('expected the signal x to stay dropped, was told');
  expect(others).toEqual([]);
});

test('the desk tells which ids were posted again, be it before their answer or after', () => {
  const desk = new SignalDesk(() => undefined);
  const signal = { kind: 'signal', strategy: '', name: '', payload: 0, sentAtMs: 0, source: '' } as const;
  for (const id of ['once', 'late', 'early', 'early']) desk.post({ ...signal, id }, 0);
  desk.settle(() => reply('refused'));
  desk.post({ ...signal, id: 'late' }, 1);
  expect([...desk.repeated]).toEqual(['early', 'late']);
});
