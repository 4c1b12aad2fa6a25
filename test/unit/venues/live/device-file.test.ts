import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { knownDevice } from '../../../../src/venues/client-credentials.ts';
import { writePrivateFile } from '../../../../src/configuration/secret-file.ts';
import { openAsTrader } from '../../../support/open-as-trader.ts';
import { serveAccount, type ServedAccount } from '../../../support/served-account.ts';

let served: ServedAccount;
beforeAll(async () => {
  served = await serveAccount();
});
afterAll(() => served.close());

/** Starts a bot without a token, and waits for its first private answer; returns the problems. */
async function startOnce(): Promise<readonly string[]> {
  for (const file of readdirSync(served.ledgerFolder)) {
    if (file.includes('.token')) rmSync(join(served.ledgerFolder, file));
  }
  const start = await openAsTrader(served);
  try {
    expect(await start.ask()).toBe('read');
  } finally {
    await start.close();
  }
  return start.problems;
}

const user = () => served.simulation.exchange.services.users.get(1);
const deviceFile = () => {
  const name = readdirSync(served.ledgerFolder).find((file) => file.endsWith('.device'));
  return join(served.ledgerFolder, name ?? 'none');
};

describe('a bot whose user logs in', () => {
  test('is the same device after a restart, so that withdrawals stay open', async () => {
    expect(await startOnce()).toEqual([]);
    expect(user().devices).toHaveLength(1);
    const { withdrawalsRestrictedUntilMs } = user();
    expect(await startOnce()).toEqual([]);
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
    const problems = await startOnce();
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
