import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const page = readFileSync('docs/bundled-strategies.md', 'utf8');
const names = readdirSync('strategies').map((file) => file.replace('.ts', ''));

describe('the page of bundled strategies', () => {
  // test/process/strategy-pages.process.ts runs the backtests that it shows.
  test('has each of them, and each has a test', () => {
    expect(names).toHaveLength(10);
    expect(new Set([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title))).toEqual(new Set(names));
    expect(names.filter((name) => !page.includes(`| [\`${name}\`](#${name})`))).toEqual([]);
    expect(names.filter((name) => !existsSync(`test/strategies/${name}.test.ts`))).toEqual([]);
  });
});
