import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessStore } from '../../../src/dashboard/access-store.ts';
import { makeFirstToken } from '../../../src/dashboard/begin-dashboard.ts';
import { originProblem, sessionInCookie, SignInPace } from '../../../src/dashboard/server/access-guard.ts';
import { SignalPace } from '../../../src/dashboard/signals/signal-endpoint.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const FIRST_TOKEN_PROCESS = fileURLToPath(new URL('./first-token-process.ts', import.meta.url));

const folder = folderOfEachTest();
let store: AccessStore;
let nowMs: number;

beforeEach(() => {
  nowMs = 1_000_000;
  store = new AccessStore(folder, () => nowMs);
});

afterEach(() => {
  store.close();
});

describe('the file of tokens', () => {
  test('lets in who has a token, and holds no token', () => {
    const token = store.addToken({ name: 'phone', role: 'read' });
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(store.personOf(token)).toEqual({ name: 'phone', role: 'read' });
    expect(store.personOf(`${token}x`)).toBeNull();
    expect(readFileSync(join(folder, 'access.sqlite'), 'latin1')).not.toContain(token);
    expect(statSync(join(folder, 'access.sqlite')).mode & 0o777).toBe(0o600);
  });

  test('ends the sessions of a token that is taken back', () => {
    store.addToken({ name: 'phone', role: 'read' });
    const { secret } = store.beginSession({ name: 'phone', role: 'read' });
    expect(store.sessionOf(secret)?.name).toBe('phone');
    expect(store.removeToken('phone')).toBe(true);
    expect(store.sessionOf(secret)).toBeNull();
    expect(store.removeToken('phone')).toBe(false);
  });

  test('takes a link once, and not after ten minutes', () => {
    const first = store.addLink('operate');
    expect(store.redeemLink(first.code)).toEqual({ name: 'link', role: 'operate' });
    expect(store.redeemLink(first.code)).toBeNull();
    const late = store.addLink('operate');
    nowMs = late.endsAtMs;
    expect(store.redeemLink(late.code)).toBeNull();
  });

  test('refuses a second token of a name', () => {
    store.addToken({ name: 'phone', role: 'read' });
    expect(() => store.addToken({ name: 'phone', role: 'operate' })).toThrow('a name that no token has');
  });

  test('is left as it is where it is another database', () => {
    store.close();
    writeFileSync(join(folder, 'access.sqlite'), 'a letter to somebody');
    expect(() => new AccessStore(folder)).toThrow('file is not a database');
    expect(readFileSync(join(folder, 'access.sqlite'), 'utf8')).toBe('a letter to somebody');
    rmSync(join(folder, 'access.sqlite'));
    store = new AccessStore(folder);
  });

  test('gets a first token in a file for this user alone, and only one', () => {
    const path = makeFirstToken(store, folder) ?? '';
    const token = readFileSync(path, 'utf8').trim();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(store.personOf(token)?.role).toBe('operate');
    expect(makeFirstToken(store, folder)).toBe(path);
    expect(store.tokens()).toHaveLength(1);
    rmSync(path);
    expect(makeFirstToken(store, folder)).toBeNull();
  });

  test.each(['openSync', 'renameSync'])('gets one that is readable after a crash at %s of its file', (at) => {
    const { signal } = spawnSync(process.execPath, [FIRST_TOKEN_PROCESS, folder, at]);
    expect(signal).toBe('SIGKILL');
    const path = makeFirstToken(store, folder) ?? '';
    expect(store.personOf(readFileSync(path, 'utf8').trim())?.role).toBe('operate');
    expect(store.tokens()).toHaveLength(1);
  });

  test('has no first token where its file can not be written', () => {
    mkdirSync(join(folder, 'dashboard-token'));
    expect(() => makeFirstToken(store, folder)).toThrow('dashboard-token');
    expect(store.tokens()).toEqual([]);
  });
});

test('wrong tokens cost ever more time, and a right one ends that', () => {
  const pace = new SignInPace();
  for (let tries = 0; tries < 5; tries += 1) pace.wrong('a', 0);
  expect(pace.waitMs('a', 0)).toBe(0);
  pace.wrong('a', 0);
  expect(pace.waitMs('a', 0)).toBe(1_000);
  pace.wrong('a', 1_000);
  expect(pace.waitMs('a', 1_000)).toBe(2_000);
  for (let tries = 0; tries < 50; tries += 1) pace.wrong('a', 1_000);
  expect(pace.waitMs('a', 1_000)).toBe(300_000);
  expect(pace.waitMs('b', 1_000)).toBe(0);
  pace.right('a');
  expect(pace.waitMs('a', 1_000)).toBe(0);
});

test('wrong tokens of before the clock was set back keep nobody out', () => {
  const pace = new SignInPace();
  const hourMs = 3_600_000;
  for (let tries = 0; tries < 20; tries += 1) pace.wrong('a', hourMs);
  expect(pace.waitMs('a', hourMs - 1_000)).toBe(300_000);
  expect(pace.waitMs('a', 0)).toBe(0);
});

test('signals of before the clock was set back do not count', () => {
  const pace = new SignalPace();
  const hourMs = 3_600_000;
  for (let sent = 0; sent < 60; sent += 1) expect(pace.admit('a', hourMs)).toBe(0);
  expect(pace.admit('a', hourMs + 1_000)).toBe(59_000);
  expect(pace.admit('a', 0)).toBe(0);
});

test.each([
  [{ origin: 'http://127.0.0.1:8420', fetchSite: 'same-origin' }, null],
  [{ origin: 'http://127.0.0.1:8420', fetchSite: undefined }, null],
  [{ origin: undefined, fetchSite: undefined }, 'was none'],
  [{ origin: 'null', fetchSite: 'cross-site' }, 'was another'],
  [{ origin: 'http://127.0.0.1:8421', fetchSite: 'same-site' }, 'was another'],
  [{ origin: 'https://127.0.0.1:8420', fetchSite: 'same-origin' }, 'was another'],
  [{ origin: 'http://127.0.0.1:8420', fetchSite: 'cross-site' }, 'Sec-Fetch-Site'],
])('a command with the headers %j is of the page, or not', (headers, problem) => {
  const found = originProblem({ host: '127.0.0.1:8420', ...headers }, false);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toContain(problem);
});

test('the cookie of another port is no session here', () => {
  const secret = 'a'.repeat(43);
  expect(sessionInCookie(`x=1; sarraf_session_8420=${secret}`, 8420)).toBe(secret);
  expect(sessionInCookie(`sarraf_session_8421=${secret}`, 8420)).toBeNull();
  expect(sessionInCookie('sarraf_session_8420=a b', 8420)).toBeNull();
});
