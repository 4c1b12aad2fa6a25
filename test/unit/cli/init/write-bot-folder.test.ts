import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderProblem, writeBotFolder } from '../../../../src/cli/init/write-bot-folder.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const home = folderOfEachTest();

const texts = new Map([
  ['bot.yaml', 'mode: embedded\n'],
  ['test/a.test.ts', 'a'],
  ['.gitignore', 'data'],
]);
const content = { texts, copies: new Map<string, string>() };
/** Files of which a copy fails after the texts were written. */
const broken = { texts, copies: new Map([['vendor/a.tgz', '/no/such/file.tgz']]) };

describe('a new folder', () => {
  test('is written whole, in folders that are made for it, for a user of a container to read', () => {
    const folder = join(home, 'ربات ها', 'من');
    const before = process.umask(0o077);
    try {
      writeBotFolder(folder, content);
    } finally {
      process.umask(before);
    }
    expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'bot.yaml', 'test']);
    expect(readFileSync(join(folder, 'test/a.test.ts'), 'utf8')).toBe('a');
    const modes = ['.', 'test', 'bot.yaml'].map((path) => statSync(join(folder, path)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o755, 0o644]);
    expect(readdirSync(join(home, 'ربات ها'))).toEqual(['من']);
  });

  test('leaves nothing where it can not be written', () => {
    expect(() => writeBotFolder(join(home, 'a/b/bot'), broken)).toThrow('ENOENT');
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('a folder that is there', () => {
  test('is filled when nothing is in it but what editors and git leave', () => {
    mkdirSync(join(home, '.git'));
    writeFileSync(join(home, 'LICENSE'), 'mine');
    writeBotFolder(home, content);
    expect(readdirSync(home).toSorted()).toEqual(['.git', '.gitignore', 'LICENSE', 'bot.yaml', 'test']);
    expect(readFileSync(join(home, 'LICENSE'), 'utf8')).toBe('mine');
  });

  test('stays as it was where it can not be written', () => {
    mkdirSync(join(home, '.git'));
    expect(() => writeBotFolder(home, broken)).toThrow('ENOENT');
    expect(readdirSync(home)).toEqual(['.git']);
  });

  test('is refused with all that is in it, and left as it was', () => {
    for (const name of ['notes.txt', 'bot.yaml', '.env']) writeFileSync(join(home, name), 'mine');
    expect(() => writeBotFolder(home, content)).toThrow(
      'found .env, bot.yaml, notes.txt in it: nothing was changed',
    );
    expect(readdirSync(home).toSorted()).toEqual(['.env', 'bot.yaml', 'notes.txt']);
    expect(readFileSync(join(home, 'bot.yaml'), 'utf8')).toBe('mine');
  });

  test('may be a link to one, and no file and no link to nothing', () => {
    mkdirSync(join(home, 'real'));
    writeFileSync(join(home, 'file'), '');
    symlinkSync('real', join(home, 'link'));
    symlinkSync('nothing', join(home, 'broken'));
    expect(folderProblem(join(home, 'link'))).toBeNull();
    expect(folderProblem(join(home, 'file'))).toContain('found something else');
    expect(folderProblem(join(home, 'broken'))).toContain('found something else');
    writeBotFolder(join(home, 'link'), content);
    expect(existsSync(join(home, 'real/bot.yaml'))).toBe(true);
  });
});
