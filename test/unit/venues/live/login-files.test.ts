import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stateFile } from '../../../../src/budget/ledger-file.ts';
import { writePrivateFile } from '../../../../src/configuration/secret-file.ts';
import { knownDevice, knownToken, storeToken } from '../../../../src/venues/client-credentials.ts';
import { openAsTrader } from '../../../support/open-as-trader.ts';
import { serveAccount, type ServedAccount } from '../../../support/served-account.ts';

const DAY_MS = 86_400_000;

let served: ServedAccount;
beforeAll(async () => {
  served = await serveAccount({
    users: [
      { username: 'trader', id: 1, password: 'pass-word-7', balances: { rls: '1000' } },
      { username: 'second', id: 2, password: 'pass-word-7', balances: { rls: '1000' } },
    ],
  });
});
afterAll(() => served.close());

/** Starts a bot without a token, and waits for its first private answer; returns the problems. */
async function startWithoutToken(): Promise<readonly string[]> {
  removeToken();
  const { answers, problems } = await start();
  expect(answers).toEqual(['read']);
  return problems;
}

const user = () => served.simulation.exchange.services.users.get(1);
const deviceFile = () => {
  const name = readdirSync(served.ledgerFolder).find((file) => file.endsWith('.device'));
  return join(served.ledgerFolder, name ?? 'none');
};

describe('a bot whose user logs in', () => {
  test('is the same device after a restart, so that withdrawals stay open', async () => {
    expect(await startWithoutToken()).toEqual([]);
    expect(user().devices).toHaveLength(1);
    const { withdrawalsRestrictedUntilMs } = user();
    expect(await startWithoutToken()).toEqual([]);
    expect(user().devices).toHaveLength(1);
    expect(user().withdrawalsRestrictedUntilMs).toBe(withdrawalsRestrictedUntilMs);
  });

  test('keeps the name of its device for this user alone, under no name that tells who it is', () => {
    expect(readFileSync(deviceFile(), 'utf8')).toBe(user().devices[0]);
    expect(statSync(deviceFile()).mode & 0o777).toBe(0o600);
    expect(deviceFile()).not.toContain('trader');
    expect(readdirSync(served.ledgerFolder).filter((file) => file.endsWith('.new'))).toEqual([]);
  });

  test('goes on as a new device where the file can not be used, and says so', async () => {
    const [path, devices] = [deviceFile(), user().devices.length];
    writeFileSync(path, 'x'.repeat(10_000));
    const problems = await startWithoutToken();
    expect(problems).toEqual([expect.stringContaining('closes withdrawals for an hour')]);
    expect(problems[0]).toContain(path);
    expect(user().devices).toHaveLength(devices + 1);
    expect(readFileSync(path, 'utf8')).toBe(user().devices.at(-1));
  });
});

describe('the file of a device', () => {
  test('that can not be written is said, and the log-in stands', () => {
    const problems: string[] = [];
    writeFileSync(join(served.folder, 'a-file'), '');
    const known = knownDevice(join(served.folder, 'a-file', 'x.device'), (message) => problems.push(message));
    known.onDevice('phone');
    expect(problems).toHaveLength(2);
    expect(problems[1]).toMatch(/can not be kept/);
  });

  test('with more rights is replaced by one with less', () => {
    const path = join(served.folder, 'open.device');
    writeFileSync(path, 'older');
    chmodSync(path, 0o644);
    writePrivateFile(path, 'newer');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['newer', 0o600]);
  });

  test('is left whole when a new one can not take its place', () => {
    const folder = join(served.folder, 'in-the-way.device');
    mkdirSync(join(folder, 'inner'), { recursive: true });
    expect(() => writePrivateFile(folder, 'newer')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(served.folder).filter((file) => file.endsWith('.new'))).toEqual([]);
  });
});

const tokenPath = () =>
  stateFile({ folder: served.ledgerFolder, baseUrl: served.baseUrl, username: 'trader', kind: 'token' });
const timesPath = () => `${tokenPath()}.times`;
const logIns = (userId = 1) =>
  [...served.simulation.exchange.services.users.get(userId).attempts.values()].length;
const credentials = () => served.simulation.exchange.services.credentials;

function removeToken(): void {
  for (const path of [tokenPath(), timesPath()]) rmSync(path, { force: true });
}
beforeEach(removeToken);

/** Starts a bot, makes requests, and ends it; returns the answers, problems and number of log-ins. */
async function start(asks = 1, username = 'trader') {
  const before = logIns() + logIns(2);
  const begun = await openAsTrader(served, username);
  const answers: string[] = [];
  try {
    for (let ask = 0; ask < asks; ask += 1) answers.push(await begun.ask());
  } finally {
    await begun.close();
  }
  return { answers, problems: begun.problems, logIns: logIns() + logIns(2) - before };
}

const LOGGED_IN = { answers: ['read'], problems: [], logIns: 1 };
const NOT_LOGGED_IN = { answers: ['read'], problems: [], logIns: 0 };

function shiftTimes(byMs: number): void {
  const times = JSON.parse(readFileSync(timesPath(), 'utf8')) as { issuedAtMs: number; expiresAtMs: number };
  const shifted = { ...times, issuedAtMs: times.issuedAtMs + byMs, expiresAtMs: times.expiresAtMs + byMs };
  writeFileSync(timesPath(), JSON.stringify(shifted));
}

describe('the token of a bot whose user logs in', () => {
  test('is taken by the next start in place of a log-in, and kept for this user alone', async () => {
    expect(await start()).toEqual(LOGGED_IN);
    expect(await start(2)).toEqual({ ...NOT_LOGGED_IN, answers: ['read', 'read'] });
    for (const path of [tokenPath(), timesPath()]) expect(statSync(path).mode & 0o777).toBe(0o600);
    const token = readFileSync(tokenPath(), 'utf8').trim();
    expect(credentials().callerOfToken(token, Date.now())).toMatchObject({ userId: 1 });
    expect(readFileSync(timesPath(), 'utf8')).not.toContain(token);
    expect(readdirSync(served.ledgerFolder).filter((file) => file.endsWith('.new'))).toEqual([]);
  });

  test('is no other user’s', async () => {
    expect(await start()).toEqual(LOGGED_IN);
    expect(await start(1, 'second')).toEqual(LOGGED_IN);
    expect(await start()).toEqual(NOT_LOGGED_IN);
  });

  test('is not tried when its time is nearly over, or begins later than now', async () => {
    await start();
    shiftTimes(-28 * DAY_MS);
    expect(await start()).toEqual(LOGGED_IN);
    shiftTimes(DAY_MS);
    expect(await start()).toEqual(LOGGED_IN);
    expect(await start()).toEqual(NOT_LOGGED_IN);
  });

  test('that was revoked costs one 401 and one log-in', async () => {
    await start();
    credentials().revokeLogins(1);
    expect(await start(3)).toEqual({ answers: ['UNAUTHORIZED', 'read', 'read'], problems: [], logIns: 1 });
    expect(await start()).toEqual(NOT_LOGGED_IN);
  });

  test('that was refused is not tried by the next start either', async () => {
    await start();
    credentials().revokeLogins(1);
    expect(await start(1)).toEqual({ answers: ['UNAUTHORIZED'], problems: [], logIns: 0 });
    expect(await start()).toEqual(LOGGED_IN);
  });

  test.each([
    ['times that are cut off', timesPath, '{"token":'],
    ['a token that is another text', tokenPath, 'half-a-tok'],
    ['a token that is far too large', tokenPath, 'x'.repeat(10_000)],
  ])('is replaced by a new one, and that is said once: %s', async (_, path, text) => {
    await start();
    writeFileSync(path(), text);
    const { problems, ...rest } = await start();
    expect(rest).toEqual({ answers: ['read'], logIns: 1 });
    expect(problems).toEqual([expect.stringContaining('a new log-in replaces it')]);
    expect(problems[0]).toContain(tokenPath());
    expect(problems[0]).not.toContain(text);
    expect(await start()).toEqual(NOT_LOGGED_IN);
  });
});

describe('the file of a token', () => {
  test('that can not be written is said, and the log-in stands', () => {
    const problems: string[] = [];
    writeFileSync(join(served.folder, 'a-file'), '');
    const known = knownToken(join(served.folder, 'a-file', 'x.token'), (message) => problems.push(message));
    known.onToken({ key: 'secret-of-a-log-in', issuedAtMs: 0, expiresAtMs: 1 });
    expect(problems.at(-1)).toMatch(/can not be stored .*the next start logs in again/);
    expect(problems.join()).not.toContain('secret-of-a-log-in');
  });

  test('stays whole when the exchange refuses an older token', () => {
    const path = join(served.folder, 'newer.token');
    const newer = { key: 'newer-key', issuedAtMs: 5, expiresAtMs: 10 };
    storeToken(path, newer);
    const known = knownToken(path, (message) => expect.unreachable(message));
    known.onTokenRefused('older-key');
    expect(knownToken(path, () => undefined).token).toEqual(newer);
    known.onTokenRefused('newer-key');
    expect(knownToken(path, () => undefined)).not.toHaveProperty('token');
    expect(readFileSync(path, 'utf8')).toBe('newer-key\n');
  });
});
