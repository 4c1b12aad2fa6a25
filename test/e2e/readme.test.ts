import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sarrafHere } from '../support/sarraf-here.ts';

const readme = readFileSync('README.md', 'utf8');
const commandsPage = readFileSync('docs/commands.md', 'utf8');

test('the README names commands and options that exist, as does the page of commands', async () => {
  const pages = readme + commandsPage;
  const program = (await sarrafHere(['--help'])).out;
  const run = (await sarrafHere(['run', '--help'])).out;
  const exchange = (await sarrafHere(['exchange', '--help'])).out;
  const commands = new Set(
    [...pages.matchAll(/(?:npx sarraf|`sarraf) ([a-z]+)/g)].map((match) => match[1] ?? ''),
  );
  expect(commands.size).toBeGreaterThan(8);
  for (const command of commands) expect(program).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  for (const option of ['--for', '--speed', '--replay', '--strategies', '--market'])
    expect(run).toContain(option);
  for (const option of ['--port', '--config']) expect(exchange).toContain(option);
  for (const option of ['--for', '--speed', '--replay', '--record']) expect(commandsPage).toContain(option);
});
