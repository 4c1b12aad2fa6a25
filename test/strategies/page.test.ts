import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sarrafHere } from '../support/sarraf-here.ts';

const page = readFileSync('docs/bundled-strategies.md', 'utf8');
const names = readdirSync('strategies').map((file) => file.replace('.ts', ''));

/** The arguments of the one command of a section; what is quoted is one of them. */
function commandOf(name: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${name}\n`);
  const [, line = ''] = /```sh\nsarraf (.*)\n```/.exec(section) ?? [];
  return (line.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

interface Result {
  readonly summary: { readonly fills: number; readonly profit: string };
  readonly strategies: readonly { readonly failure: string | null }[];
}

describe('the page of bundled strategies', () => {
  test('has each of them, and each has a test', () => {
    expect(names).toHaveLength(8);
    expect(new Set([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title))).toEqual(new Set(names));
    expect(names.filter((name) => !page.includes(`| [\`${name}\`](#${name})`))).toEqual([]);
    expect(names.filter((name) => !existsSync(`test/strategies/${name}.test.ts`))).toEqual([]);
  });

  test.each(names)('shows a backtest of %s that trades, on the recording that ships', async (name) => {
    const args = commandOf(name);
    expect(args.slice(0, 2)).toEqual(['backtest', name]);
    const { code, out, error } = await sarrafHere([...args, '--no-save', '--json']);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const { summary, strategies } = JSON.parse(out) as Result;
    expect(summary.fills).toBeGreaterThan(0);
    expect(strategies.map(({ failure }) => failure)).toEqual([null]);
  });
});
