import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sarrafHere } from '../support/sarraf-here.ts';
import { writeExamples } from '../support/strategy-examples.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const page = readFileSync('docs/bundled-strategies.md', 'utf8');
const names = readdirSync('strategies').map((file) => file.replace('.ts', ''));

const folder = folderOfAllTests();

test('the compiler takes the examples of the pages for authors', () => {
  const examples = writeExamples(folder);
  const root = process.cwd();
  const compilerOptions = {
    paths: {
      'sarraf/sdk': [join(root, 'src/strategy/sdk.ts')],
      zod: [join(root, 'node_modules/zod/index.d.ts')],
    },
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const wrong = 'wrong.ts';
  writeFileSync(join(folder, wrong), (examples[0]?.code ?? '').replace('bands.middle', 'bands.centre'));
  const files = [...examples.map(({ file }) => file), wrong];
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  expect(examples.length).toBeGreaterThan(1);
  const tsc = ['node_modules/typescript/bin/tsc', '-p', folder];
  const { stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  rmSync(join(folder, wrong));
  // Only the one deliberate mistake is reported, so the compiler has checked the examples too.
  const said = stdout.trim().split('\n');
  expect(said).toEqual([expect.stringContaining("Property 'centre' does not exist on type 'Bands'")]);
  expect(said[0]).toContain(`${wrong}(`);
});

/** Arguments of the one command of a section; a quoted text is one argument. */
function commandOf(name: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${name}\n`);
  const [, line = ''] = /```sh\nsarraf (.*)\n```/.exec(section) ?? [];
  return (line.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

interface Result {
  readonly summary: { readonly fills: number; readonly profit: string };
  readonly strategies: readonly { readonly failure: string | null }[];
}

test.each(names)('the page shows a backtest of %s that trades, on the recording that ships', async (name) => {
  const args = commandOf(name);
  expect(args.slice(0, 2)).toEqual(['backtest', name]);
  const { code, out, error } = await sarrafHere([...args, '--no-save', '--json']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  const { summary, strategies } = JSON.parse(out) as Result;
  expect(summary.fills).toBeGreaterThan(0);
  expect(strategies.map(({ failure }) => failure)).toEqual([null]);
});
