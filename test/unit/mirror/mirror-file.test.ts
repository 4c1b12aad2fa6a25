import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DURABLE, kept, MirrorFolder } from './mirror-fixture.ts';

let place: MirrorFolder;

beforeEach(() => {
  place = new MirrorFolder();
});

afterEach(() => place[Symbol.dispose]());

const refusal = (message: string): unknown =>
  expect.objectContaining({ code: 'DATA_UNUSABLE', message: expect.stringContaining(message) });

/** Puts bytes into the place of the mirror and holds that opening it refuses them and leaves them. */
function expectRefused(content: Buffer, message: string): void {
  writeFileSync(place.path, content);
  expect(() => place.open()).toThrow(refusal(message));
  expect(readFileSync(place.path).equals(content)).toBe(true);
  expect(readdirSync(place.folder).filter((name) => /-wal|-shm|ballast/.test(name))).toEqual([]);
}

/** The bytes of a mirror of some size that nobody has open. */
function goodMirror(): Buffer {
  const store = place.open();
  store.apply(
    Array.from({ length: 400 }, (_, index) => kept(`name-${index}`, JSON.stringify('x'.repeat(200)))),
    DURABLE,
  );
  store.close();
  const bytes = readFileSync(place.path);
  for (const name of readdirSync(place.folder)) rmSync(join(place.folder, name));
  return bytes;
}

describe('a mirror is not opened', () => {
  test('over some other file', () => {
    expectRefused(Buffer.from('my notes, which nobody may lose\n'.repeat(100)), 'another file: move it');
  });

  test('over the database of another program', () => {
    const other = new Database(place.path);
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    expectRefused(readFileSync(place.path), 'another file: move it');
  });

  test('when it is of a newer version', () => {
    place.open().close();
    const newer = new Database(place.path);
    newer.pragma('user_version = 99');
    newer.pragma('journal_mode = DELETE');
    newer.close();
    rmSync(`${place.path}.ballast`);
    expectRefused(readFileSync(place.path), 'version 99, where this sarraf knows up to 2: use the newer sarraf');
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3 * 4_096)],
    ['overwritten with noise in the middle', (bytes: Buffer) => Buffer.from(bytes).fill(0xa5, 4_096, 60_000)],
  ])('when it is %s', (_, spoil) => {
    const spoiled = spoil(goodMirror());
    expectRefused(spoiled, 'a damaged file');
  });

  test('where there can be no folder', () => {
    writeFileSync(join(place.folder, 'file'), '');
    const path = join(place.folder, 'file', 'data', 'mirror.sqlite');
    expect(() => place.open({ path })).toThrow(refusal('see that the folder can be written to'));
  });

  test('where a folder has its name', () => {
    mkdirSync(place.path);
    expect(() => place.open()).toThrow(refusal('see that the folder can be written to'));
  });
});

test('says where, what and what to do in one line', () => {
  writeFileSync(place.path, 'notes');
  expect(() => place.open()).toThrow(/^expected a mirror of sarraf at \S+mirror\.sqlite, found [^\n]+: [^\n]+$/);
});

test('a file of no bytes, as a crash leaves it, becomes a mirror', () => {
  writeFileSync(place.path, '');
  place.open().apply([kept('a')], DURABLE);
  expect(existsSync(place.path)).toBe(true);
});

test('leaves nothing locked after a refusal', () => {
  writeFileSync(place.path, 'notes');
  expect(() => place.open()).toThrow('another file');
  rmSync(place.path);
  expect(place.open().isWritable()).toBe(true);
});
