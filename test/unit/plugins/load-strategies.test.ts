import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { loadStrategies, type PluginProblem } from '../../../src/plugins/load-strategies.ts';

interface Loaded {
  readonly names: readonly string[];
  readonly problems: readonly PluginProblem[];
  readonly error: string | null;
}

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

async function load(path = folder): Promise<Loaded> {
  try {
    const { strategies, problems } = await loadStrategies(path);
    return { names: strategies.map(({ definition }) => definition.name), problems, error: null };
  } catch (thrown) {
    if (thrown instanceof SarrafError)
      return { names: [], problems: [], error: `${thrown.code}: ${thrown.message}` };
    throw thrown;
  }
}

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-plugins-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('loading strategies', () => {
  test('takes TypeScript from a folder outside the project, by either name of the SDK, in the order of the file names', async () => {
    write({ 'b.ts': strategy('second', 'sarraf/sdk'), 'a.ts': strategy('first'), 'notes.md': '# nothing' });
    expect(await load()).toEqual({ names: ['first', 'second'], problems: [], error: null });
  });

  test('gives every strategy the same SDK, however it spells it', async () => {
    const twin = `import { defineStrategy as one } from '#sdk';
import { defineStrategy as other } from 'sarraf/sdk';
import { defineStrategy as running } from ${JSON.stringify(SDK)};
throw new Error(one === other && one === running ? 'the same' : 'different');
`;
    write({ 'twin.ts': twin });
    expect((await load()).problems).toMatchObject([{ message: 'Error: the same' }]);
  });

  test('takes one file', async () => {
    write({ 'a.ts': strategy('first'), 'b.ts': strategy('second') });
    expect((await load(join(folder, 'b.ts'))).names).toEqual(['second']);
  });

  test('reports a mistake with its file and line, and loads the others', async () => {
    write({
      'a-syntax.ts': `import { z } from 'zod';\n\nexport default {{ name: z };\n`,
      'b-enum.ts': '\nenum Side { Buy }\nexport default Side;\n',
      'c-throws.ts': `const broken: number = 1;\n\nthrow new RangeError('at load ' + broken);\n`,
      'd-import.ts': `import { nothing } from '#sdk';\nexport default nothing;\n`,
      'e-fine.ts': strategy('fine'),
    });
    const { names, problems } = await load();
    expect(names).toEqual(['fine']);
    expect(problems).toMatchObject([
      { file: join(folder, 'a-syntax.ts'), line: 3 },
      { file: join(folder, 'b-enum.ts'), line: 2 },
      { file: join(folder, 'c-throws.ts'), line: 3, message: 'RangeError: at load 1' },
      { file: join(folder, 'd-import.ts'), line: 1 },
    ]);
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
    write({ 'a.ts': source });
    expect((await load()).problems[0]?.message).toContain(message);
  });

  test('takes a name only once', async () => {
    write({ 'a.ts': strategy('same'), 'b.ts': strategy('same') });
    const { names, problems } = await load();
    expect(names).toEqual(['same']);
    expect(problems).toMatchObject([
      { file: join(folder, 'b.ts'), message: expect.stringContaining('same is a.ts too') },
    ]);
  });

  test('says when there is nothing at the path', async () => {
    expect((await load(join(folder, 'nowhere'))).error).toMatch(
      /^INVALID_OPTIONS: expected a strategy file or a folder/,
    );
  });
});
