import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeBackup } from '../../src/daemon/make-backup.ts';
import type { MirrorChange } from '../../src/engine/mirror-change.ts';
import { readMirrorRows } from '../../src/fuzz/checkers/exchange-truth.ts';
import { startSarraf, type Finished } from '../support/sarraf-process.ts';
import { DURABLE, journalLine, MirrorFolder, NOW_MS } from '../unit/mirror/mirror-fixture.ts';
import { readLog } from './bot-process.ts';
import { numberOf } from './environment.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { SmallDisk } from './small-disk.ts';

const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

const line = (subject: string): MirrorChange =>
  journalLine(subject, JSON.stringify({ text: 'x'.repeat(900) }));

/** Waits until a condition is true; throws with its name if it takes too long. */
async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 20) {
    if (isTrue()) return;
    await pause(20);
  }
  throw new Error(`expected ${what} within a minute`);
}

test('leaves no half backup on a disk that is filled up meanwhile, and room for the bot', async (context) => {
  const disk = SmallDisk.mount(join(own.folder, 'disk'), 80);
  if (typeof disk === 'string') {
    context.skip(disk);
    return;
  }
  try {
    using place = new MirrorFolder(disk.path);
    const store = place.open({ durability: 'full' });
    store.apply(
      Array.from({ length: 8_000 }, (_, index) => line(`${index}`)),
      DURABLE,
    );
    const out = join(place.folder, 'backups');
    const options = {
      dataFolder: place.folder,
      out,
      keep: null,
      nowMs: NOW_MS,
      signal: new AbortController().signal,
    };
    const filled = makeBackup({ ...options, onProgress: () => disk.fill() });
    await expect(filled).rejects.toThrow(/expected (?:\d+ MB free|room) for a copy in .*Nothing was kept/);
    expect(readdirSync(out)).toEqual(['backup.lock']);
    store.apply([line('cancel')], DURABLE);
    expect(store.writeFault()).toBeNull();
    disk.free();
    store.flush();
    const { manifest } = await makeBackup({ ...options, onProgress: () => {} });
    expect(manifest.rows['journal']).toBe(8_001);
  } finally {
    disk.unmount();
  }
});

/** Message of a bot that has read all that its restored mirror lacked. */
const ALL_KNOWN = 'all orders that this instance placed after the copy are known again';

test(`finds all orders and fills again after an old backup is restored (SARRAF_SEED=${SEED})`, async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'kept', seed: SEED });
  const out = join(own.folder, 'backups');
  const sarraf = async (...args: string[]): Promise<Finished> =>
    startSarraf([...args, '--data', home.dataFolder]).finished;
  const backUp = async (): Promise<string> => {
    const { code, out: text, error } = await sarraf('backup', '--out', out, '--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    return (JSON.parse(text) as { readonly backup: string }).backup;
  };
  const unfinished = (): string[] =>
    existsSync(out) ? readdirSync(out).filter((name) => name.startsWith('.unfinished-')) : [];
  const orders = (): number => exchange.truth().orders.length;
  const fills = (): number => exchange.truth().fills.length;

  const bot = own.start(home);
  await bot.healthAddress();
  await until('five orders and a fill', () => orders() >= 5 && fills() >= 1);
  const backup = await backUp();
  const copied = readMirrorRows(join(backup, 'mirror.sqlite')).orders.length;

  const killed = startSarraf(['backup', '--data', home.dataFolder, '--out', out]);
  await until('a backup that is being made', () => unfinished().length > 0 || readdirSync(out).length > 2);
  killed.child.kill('SIGKILL');
  await killed.finished;
  await backUp();
  expect(unfinished()).toEqual([]);

  const [placedBefore, filledBefore] = [orders(), fills()];
  await until('orders and fills after it', () => orders() >= placedBefore + 8 && fills() >= filledBefore + 3);
  const refused = await sarraf('restore', backup, '--yes');
  expect([refused.code, refused.error]).toEqual([
    1,
    expect.stringMatching(/^expected no bot to run with .*Nothing was changed/),
  ]);
  const { out: firstLog } = await bot.kill();
  expect(readLog(firstLog).filter(({ level }) => level === 'error')).toEqual([]);

  const atTheExchange = orders();
  const restored = await sarraf('restore', backup, '--yes');
  expect(restored, restored.error).toMatchObject({ code: 0 });
  const last = own.start(home);
  await last.healthAddress();
  await until('orders after the restore', () => orders() > atTheExchange + 3);
  // On a slow machine many orders were placed after the copy, and reading them again takes longer than that.
  await last.line(({ msg }) => msg === ALL_KNOWN);
  exchange.endTrading();
  const { code, out: log, error } = await last.end();

  console.log({ copied, atTheExchange, orders: orders(), fills: fills() });
  expect(copied).toBeLessThan(atTheExchange);
  expect(brokenPromises(exchange, home)).toEqual([]);
  expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }, log).toEqual({ code: 0, error: '' });
  const errors = readLog(log).filter(({ level }) => level === 'error');
  // OCOs and stop orders placed after the backup stay open, and the canceler of an exit is not known any
  // more: a person must be told of both.
  const isForPerson = /protects a position and stays open|somebody else canceled its exit/;
  expect(errors.filter(({ msg }) => !isForPerson.test(msg))).toEqual([]);
});
