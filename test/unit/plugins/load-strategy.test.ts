import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messageOf } from '../../../src/domain/errors.ts';
import { loadStrategy } from '../../../src/plugins/load-strategy.ts';

const SDK = join(process.cwd(), 'src/strategy/sdk.ts');

const strategy = (name: string, sdk = '#sdk') => `import { z } from 'zod';
import { defineStrategy } from '${sdk}';
export default defineStrategy({
  name: '${name}',
  params: z.strictObject({}),
  state: z.strictObject({ seen: z.int().default(0) }),
  data: ({ market }) => ({ bars: market.candles('1h') }),
  on: { bars: (): void => {} },
});
`;

let folder: string;

/** Loads a file with a source; returns the name of its strategy, or why there is none, without its folder. */
async function load(name: string, source: string): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, source);
  return loadStrategy(file).then(
    ({ definition }) => definition.name,
    (error: unknown) => messageOf(error).replace(folder, ''),
  );
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-plugins-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('loading a strategy', () => {
  test('takes TypeScript from a folder outside the project, by either name of the SDK', async () => {
    expect(await load('a.ts', strategy('first'))).toBe('first');
    expect(await load('b.ts', strategy('second', 'sarraf/sdk'))).toBe('second');
  });

  test('gives every strategy the same SDK, however it spells it', async () => {
    const twin = `import { defineStrategy as one } from '#sdk';
import { defineStrategy as other } from 'sarraf/sdk';
import { defineStrategy as running } from ${JSON.stringify(SDK)};
throw new Error(one === other && one === running ? 'the same' : 'different');
`;
    expect(await load('twin.ts', twin)).toBe('/twin.ts:4: Error: the same');
  });

  test.each([
    ['syntax', `import { z } from 'zod';\n\nexport default {{ name: z };\n`, '/a.ts:3: SyntaxError: '],
    ['an enum', '\nenum Side { Buy }\nexport default Side;\n', '/a.ts:2: SyntaxError: '],
    [
      'what it throws',
      `const broken: number = 1;\n\nthrow new RangeError('at load ' + broken);\n`,
      '/a.ts:3: RangeError: at load 1',
    ],
    [
      'an import',
      `import { nothing } from '#sdk';\nexport default nothing;\n`,
      '/a.ts:1: expected a name that sarraf/sdk exports, found nothing',
    ],
    [
      'a misspelt import',
      `import { rsj } from 'sarraf/sdk';\nexport default rsj;\n`,
      '/a.ts:1: expected a name that sarraf/sdk exports, found rsj: did you mean rsi?',
    ],
    [
      'a misspelt name',
      '\nconst band = bolinger(1);\nexport default band;\n',
      '/a.ts:2: expected a name that the file declares or imports, found bolinger: did you mean bollinger of sarraf/sdk?',
    ],
    ['a name that is not imported', '\nexport default rsi(1);\n', 'found rsi: import it from sarraf/sdk'],
    [
      'a part that its rules lack',
      `import { defineRules } from '#sdk';\n\nexport default defineRules({ data: () => ({}), enter: () => {} });`,
      '/a.ts:3: size: expected a size such as { equityShare: 0.1 }, was none',
    ],
  ])('reports a mistake with its file and line: %s', async (_what, source, message) => {
    expect(await load('a.ts', source)).toContain(message);
  });

  test('says when there is nothing at the path', async () => {
    await expect(loadStrategy(join(folder, 'nowhere.ts'))).rejects.toThrow('nowhere.ts');
  });

  test.each([
    ['export default 3;', 'as the default export, was number'],
    ['export const strategy = {};', 'as the default export, was undefined'],
    ['export default { name: 7 };', 'expected name to be a text, was number'],
    [`export default { name: 'a', params: {} };`, 'expected params to be a zod schema'],
    [
      `export default { name: 'a', params: { safeParse() {} } };`,
      'expected data to be a function, was undefined',
    ],
    [strategy('a').replace(/ {2}on:.*/, ''), 'expected on to be handlers by name, was undefined'],
    [strategy('a').replace('on:', 'onBook: () => ({}),\n  on:'), 'beforeWarm, trailing, on), was "onBook"'],
    [strategy('a').replace('on: {', 'on: { fill: 5,'), 'expected on.fill to be a function, was number'],
    [strategy('a').replace('state:', 'state: 5, migrate:'), 'expected state to be a zod schema'],
    [
      strategy('a').replace('on:', "beforeWarm: 'now',\n  on:"),
      'expected beforeWarm to be "wait" or "call", was "now"',
    ],
  ])('says what is missing from %j', async (source, message) => {
    expect(await load('a.ts', source)).toContain(`/a.ts: expected`);
    expect(await load('a.ts', source)).toContain(message);
  });
});
