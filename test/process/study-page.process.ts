import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { present } from '../../src/domain/errors.ts';
import { readStudyFile } from '../../src/study/study-settings.ts';
import { validateStudy } from '../../src/study/study-validation.ts';
import { valueOf, type Tested } from '../../src/study/validation/luck-statistics.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { madeFindings } from '../unit/study/validation/made-findings.ts';
import { madeNoise, madeStudy } from '../unit/study/validation/made-study.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const page = ['studies', 'study-validation']
  .map((name) => readFileSync(`docs/${name}.md`, 'utf8'))
  .join('\n');
const signalsPage = readFileSync('docs/signals.md', 'utf8');
const universePage = readFileSync('docs/universe.md', 'utf8');

const folder = folderOfAllTests();

/** Arguments after `sarraf` in the commands of the page, with the file and the data folder of the test. */
const commands = [...page.matchAll(/^sarraf (study .*)$/gm)].map(([, line = '']) => line.split(' '));

/** Subcommands that start threads. */
const RUNS = new Set(['run', 'walk-forward', 'stress']);

const here = (args: readonly string[]): readonly string[] => [
  ...args.map((arg) => (arg === 'study.yaml' ? join(folder, arg) : arg)),
  ...(args[1] === 'new' ? [] : ['--data', join(folder, 'data')]),
  ...(RUNS.has(args[1] ?? '') ? ['--json', '--workers', '1'] : []),
];

describe('the page of studies', () => {
  test('shows commands that run as they are, one after the other', async () => {
    expect(commands.map(([, command]) => command)).toEqual([
      'new',
      'run',
      'show',
      'walk-forward',
      'open-holdout',
      'report',
      'run',
      'walk-forward',
      'open-holdout',
      'run',
      'report',
      'show',
      'stress',
      'walk-forward',
    ]);
    for (const args of commands) {
      const { code, error } = await sarrafHere(here(args));
      expect({ args, code, error }).toEqual({ args, code: 0, error: '' });
    }
  });

  test('has a study of markets that a rule chooses, which runs as it is', async () => {
    const [, line = ''] = /^sarraf (study run .*)$/m.exec(universePage) ?? [];
    const { code, error } = await sarrafHere(here(line.replaceAll("'", '').split(' ')));
    expect({ code, error }).toEqual({ code: 0, error: '' });
  });

  test('leads to a study with signals, which runs as it is', async () => {
    const blockOf = (kind: string): string =>
      new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\``, 'm').exec(signalsPage)?.[1] ?? '';
    writeFileSync(join(folder, 'follow.ts'), blockOf('ts'));
    writeFileSync(join(folder, 'alerts.csv'), blockOf('csv'));
    const yaml = blockOf('yaml').replace('data/example', join(process.cwd(), 'data/example'));
    writeFileSync(join(folder, 'follow.yaml'), yaml);
    const lines = [...signalsPage.matchAll(/^sarraf (study .*)$/gm)].map(([, line = '']) => line);
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['run', 'walk-forward']);
    const printed: { readonly trials?: readonly Partial<Record<string, unknown>>[] }[] = [];
    for (const line of lines) {
      const args = line.split(' ').map((arg) => (arg === 'follow.yaml' ? join(folder, arg) : arg));
      const { code, out, error } = await sarrafHere(here(args));
      expect({ line, code, error }).toEqual({ line, code: 0, error: '' });
      printed.push(JSON.parse(out) as (typeof printed)[number]);
    }
    const told = { count: 4, firstMs: Date.UTC(2026, 0, 3, 16), lastMs: Date.UTC(2026, 0, 5, 12, 40) };
    // Two signals fall in the trials, and two in the hold-out.
    expect(printed[0]).toMatchObject({ signals: told, counts: { complete: 4 } });
    expect(printed[0]?.trials?.map(({ metrics }) => metrics)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ fills: 2, refused: 0 }) as unknown),
    );
    expect(printed[1]).toMatchObject({ account: { metrics: { fills: 2 } } });
  });

  test('names every field of a validation, and what its verdict can be', () => {
    const { statistics, basis, plateau } = validateStudy(madeStudy(madeNoise({ days: 90, count: 24 })));
    const results: readonly Tested<object>[] = [
      ...Object.values(statistics).map(({ result }) => result),
      plateau,
    ];
    const stress = madeFindings();
    const values = [basis, ...results.map(valueOf), stress, valueOf(stress.redrawn), valueOf(stress.entries)];
    const named = values.flatMap((value) => Object.keys(present(value, 'what was tested')));
    expect(named.length).toBeGreaterThan(40);
    const parts = new Set(['costs', 'tradeOrder']);
    expect(named.filter((name) => !parts.has(name) && !page.includes(`\`${name}\``))).toEqual([]);
    expect(Object.keys(statistics).filter((name) => !page.includes(`\`statistics.${name}.`))).toEqual([]);
    for (const kind of [
      'likely luck',
      'perhaps luck',
      'unlikely luck',
      'not tested',
      'plateau',
      'peak',
      'breaks',
      'holds',
    ])
      expect(page).toContain(`\`${kind}\``);
  });

  test('shows a file that is read', () => {
    const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const file = join(folder, 'shown.yaml');
    writeFileSync(file, text);
    const { settings } = readStudyFile(file);
    expect(settings.objectives).toEqual([{ metric: 'calmar', direction: 'maximize' }]);
  });

  test('shows a file on recorded books that is read', () => {
    const [, [, text = ''] = []] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)];
    const file = join(folder, 'books.yaml');
    writeFileSync(file, text);
    expect(readStudyFile(file).settings.fidelity).toBe('poll');
  });

  test('names every key of a file, and every command', async () => {
    const schema = JSON.parse(readFileSync('config/study.schema.json', 'utf8')) as { properties: object };
    const keys = Object.keys(schema.properties);
    const unnamed = keys.filter((key) => !page.includes(`\n${key}:`) && !page.includes(`\`${key}\``));
    expect(unnamed).toEqual([]);
    const { out } = await sarrafHere(['study', '--help']);
    for (const [, name] of page.matchAll(/\| `sarraf study ([a-z-]+)/g)) expect(out).toContain(`  ${name} `);
  });
});
