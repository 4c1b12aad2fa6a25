import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/mirror/schema.ts';
import { DURABLE, kept, mirrorOfEachTest } from './mirror-fixture.ts';

const place = mirrorOfEachTest();

const refusal = (message: string): unknown =>
  expect.objectContaining({ code: 'DATA_UNUSABLE', message: expect.stringContaining(message) });

/** Replaces the mirror's file by these bytes; expects that opening it fails and changes none of them. */
function expectRefused(content: Buffer, message: string): void {
  writeFileSync(place.path, content);
  expect(() => place.open()).toThrow(refusal(message));
  expect(readFileSync(place.path).equals(content)).toBe(true);
  expect(readdirSync(place.folder).filter((name) => /-wal|-shm|ballast/.test(name))).toEqual([]);
}

/** Returns the bytes of a mirror with many rows that nobody has open. */
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
    place.exec('CREATE TABLE notes (text TEXT)');
    expectRefused(readFileSync(place.path), 'another file: move it');
  });

  test('when it is of a newer version', () => {
    place.open().close();
    place.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}; PRAGMA journal_mode = DELETE`);
    rmSync(`${place.path}.ballast`);
    const message = `version ${SCHEMA_VERSION + 1}, where this sarraf reads up to version ${SCHEMA_VERSION}: `;
    expectRefused(readFileSync(place.path), `${message}use the sarraf that wrote it, or name another folder`);
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

test('a file that was named a mirror before its tables were made, as a crash leaves it, becomes a mirror', () => {
  place.exec('PRAGMA application_id = 1935766130');
  expect(() => place.read()).toThrow(refusal('found one without tables: start the bot'));
  const store = place.open();
  store.apply([kept('a')], DURABLE);
  expect(store.writeFault()).toBeNull();
});

test('says where, what and what to do in one line', () => {
  writeFileSync(place.path, 'notes');
  expect(() => place.open()).toThrow(
    /^expected a mirror of sarraf at \S+mirror\.sqlite, found [^\n]+: [^\n]+$/,
  );
});

test('a file of no bytes, as a crash leaves it, becomes a mirror', () => {
  writeFileSync(place.path, '');
  place.write([kept('a')]);
  expect(existsSync(place.path)).toBe(true);
});

test('leaves nothing locked after a refusal', () => {
  writeFileSync(place.path, 'notes');
  expect(() => place.open()).toThrow('another file');
  rmSync(place.path);
  expect(place.open().writeFault()).toBeNull();
});
