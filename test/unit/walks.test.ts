import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, LAYERS } from '../support/layering.ts';

interface Step {
  readonly file: string;
  readonly asked: readonly string[];
}

/** Puts the parts of an engine together. */
const COMPOSER = 'src/engine/engine.ts';

/** Where two folders, or two threads, meet: the shapes that one passes to the other. */
const BOUNDARIES = [
  'src/strategy/intents.ts',
  'src/strategy/strategy-event.ts',
  'src/engine/engine-command.ts',
  'src/engine/engine-event.ts',
  'src/engine/mirror-change.ts',
  'src/plugins/worker-messages.ts',
];

const MOST_FILES = 12;
const MOST_CLIMBS = 2;

const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
const WALKS = walksOf(page);

/** The tables under the headings of the section, each row with its file and what it asks. */
function walksOf(text: string): ReadonlyMap<string, readonly Step[]> {
  const [, section = ''] = text.split(/^## Two walks$/m);
  const parts = (section.split(/^## /m)[0] ?? '').split(/^### /m).slice(1);
  return new Map(
    parts.map((part) => {
      const rows = [...part.matchAll(/^\| (\d+) .*$/gm)].map((row) => row[0].split('|').slice(1, -1));
      const steps = rows.map(([number, file, , asks], index) => {
        expect(Number(number)).toBe(index + 1);
        return { file: pathsIn(file)[0] ?? '', asked: pathsIn(asks) };
      });
      return [part.split('\n')[0] ?? '', steps];
    }),
  );
}

function pathsIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([\w/-]+\.ts)`/g)].map((match) => `src/${match[1]}`);
}

function imports(path: string): ReadonlySet<string> {
  return new Set(
    importsOf(readFileSync(path, 'utf8'))
      .filter((target) => target.startsWith('.'))
      .map((target) => join(dirname(path), target)),
  );
}

/** Whether a file of ours hands something to another, or both meet at a composer or a boundary. */
function areJoined(one: string, other: string): boolean {
  const [left, right] = [imports(one), imports(other)];
  if (left.has(other) || right.has(one)) return true;
  const isSameFolder = dirname(one) === dirname(other);
  if (isSameFolder && imports(COMPOSER).has(one) && imports(COMPOSER).has(other)) return true;
  return BOUNDARIES.some((path) => left.has(path) && right.has(path));
}

/** Runs of steps that go up a layer, whatever their length. */
function climbsOf(steps: readonly Step[]): number {
  const heights = steps.map(({ file }) =>
    LAYERS.findIndex(({ folder }) => file.startsWith(`src/${folder}/`) || file === `src/${folder}.ts`),
  );
  expect(heights).not.toContain(-1);
  const ways = heights.slice(1).map((height, index) => Math.sign(height - (heights[index] ?? height)));
  const turns = ways.filter((way) => way !== 0);
  return turns.filter((way, index) => way > 0 && turns[index - 1] !== 1).length;
}

const walk = (beginning: string): readonly Step[] =>
  [...WALKS].find(([heading]) => heading.startsWith(beginning))?.[1] ?? [];

describe('the walks on the architecture page', () => {
  test('are of an intent, of a fill, and through a thread', () => {
    expect([...WALKS.values()].map((steps) => steps.length)).toEqual([12, 12, 3]);
  });

  test.each([...WALKS])('%s goes through files that there are, each joined to the next', (_, steps) => {
    const missing = steps.flatMap(({ file, asked }) => [file, ...asked]).filter((path) => !existsSync(path));
    expect(missing).toEqual([]);
    const gaps = steps.slice(1).flatMap(({ file }, index) => {
      const before = steps[index]?.file ?? '';
      return areJoined(before, file) ? [] : [`${before} | ${file}`];
    });
    expect(gaps).toEqual([]);
  });

  test.each([...WALKS])('%s: each file imports what it calls, or gets it as an argument', (_, steps) => {
    const strangers = steps.flatMap(({ file, asked }) =>
      asked
        .filter((path) => !imports(file).has(path) && !imports(path).has(file))
        .filter((path) => !areJoined(file, path))
        .map((path) => `${file} asks ${path}`),
    );
    expect(strangers).toEqual([]);
  });

  test.each(['An intent', 'A fill'])('%s passes few files, and seldom climbs', (beginning) => {
    const steps = walk(beginning);
    expect(new Set(steps.map(({ file }) => file)).size).toBe(steps.length);
    expect(steps.length).toBeLessThanOrEqual(MOST_FILES);
    expect(climbsOf(steps)).toBeLessThanOrEqual(MOST_CLIMBS);
  });

  test('the thread stands between the dispatcher and the runner', () => {
    const steps = walk('Between').map(({ file }) => file);
    expect(areJoined('src/engine/strategy-dispatcher.ts', steps[0] ?? '')).toBe(true);
    expect(areJoined(steps.at(-1) ?? '', 'src/strategy/runner.ts')).toBe(true);
  });

  test('find a gap, and count a climb', () => {
    expect(areJoined('src/engine/outbox.ts', 'src/exchange/client.ts')).toBe(false);
    const up = [
      'src/engine/outbox.ts',
      'src/strategy/runner.ts',
      'src/engine/outbox.ts',
      'src/daemon/bot-shell.ts',
    ];
    expect(climbsOf(up.map((file) => ({ file, asked: [] })))).toBe(1);
  });
});
