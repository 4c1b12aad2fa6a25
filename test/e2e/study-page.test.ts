import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readStudyFile } from '../../src/study/file/read-study.ts';
import { sarrafHere } from '../support/sarraf-here.ts';

const page = readFileSync('docs/studies.md', 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-studies-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is behind `sarraf` in the page's commands; its file and its data folder are those of the test. */
const commands = [...page.matchAll(/^sarraf (study .*)$/gm)].map(([, line = '']) => line.split(' '));

const here = (args: readonly string[]): readonly string[] => [
  ...args.map((arg) => (arg === 'study.yaml' ? join(folder, arg) : arg)),
  ...(args[1] === 'new' ? [] : ['--data', join(folder, 'data')]),
  ...(args[1] === 'run' ? ['--json', '--workers', '1'] : []),
];

describe('the page of studies', () => {
  test('shows commands that run as they are, one after the other', async () => {
    expect(commands.map(([, command]) => command)).toEqual(['new', 'run', 'show', 'open-holdout', 'run']);
    for (const args of commands) {
      const { code, error } = await sarrafHere(here(args));
      expect({ args, code, error }).toEqual({ args, code: 0, error: '' });
    }
  });

  test('shows a file that is read', () => {
    const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const file = join(folder, 'shown.yaml');
    writeFileSync(file, text);
    const { settings } = readStudyFile(file);
    expect(settings.objectives).toEqual([{ metric: 'calmar', direction: 'maximize' }]);
  });

  test('names every key of a file, and every command', async () => {
    const schema = JSON.parse(readFileSync('config/study.schema.json', 'utf8')) as { properties: object };
    // One value is all that it can be.
    const keys = Object.keys(schema.properties).filter((key) => key !== 'fidelity');
    const unnamed = keys.filter((key) => !page.includes(`\n${key}:`) && !page.includes(`\`${key}\``));
    expect(unnamed).toEqual([]);
    const { out } = await sarrafHere(['study', '--help']);
    for (const [, name] of page.matchAll(/\| `sarraf study ([a-z-]+)/g)) expect(out).toContain(`  ${name} `);
  });
});
