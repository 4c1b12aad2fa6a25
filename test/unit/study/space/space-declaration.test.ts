import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readYaml } from '../../../../src/configuration/load-yaml.ts';
import { spaceDeclaredBy, schemaRefusals } from '../../../../src/search/params-of-point.ts';
import maCross from '../../../../strategies/ma-cross.ts';
import meanReversion from '../../../../strategies/mean-reversion.ts';
import { SpaceAxes, PointIndex } from '../../../../src/search/space-axes.ts';
import { readSpace, spaceDeclaration } from '../../../../src/search/space-declaration.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

/** Returns all points of a finite space. */
const pointsOf = (declaration: unknown): readonly unknown[] => {
  const index = new PointIndex(readSpace(declaration));
  return Array.from({ length: Number(index.count) }, (_, place) => index.pointAt(BigInt(place)));
};

test('a range of integers with a step has its ends and every step between', () => {
  expect(pointsOf({ length: { kind: 'integer', min: 5, max: 20, step: 5 } })).toEqual(
    [5, 10, 15, 20].map((length) => ({ length })),
  );
});

test('a decimal with a step is exact where floats are not', () => {
  const points = pointsOf({ share: { kind: 'decimal', min: '0.1', max: 0.7, step: '0.1' } });
  expect(points).toEqual(['0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7'].map((share) => ({ share })));
  expect(pointsOf({ share: { kind: 'decimal', min: -0.0000002, max: '1e-7', step: '0.0000001' } })).toEqual(
    ['-0.0000002', '-0.0000001', '0', '0.0000001'].map((share) => ({ share })),
  );
});

test('a parameter under a condition adds points only where it exists', () => {
  const declaration = {
    exit: { kind: 'choice', values: ['stop', 'trail', 'none'] },
    ranges: { kind: 'integer', min: 1, max: 2, when: { exit: ['stop', 'trail'] } },
    late: { kind: 'boolean', when: { exit: 'trail', ranges: 2 } },
  };
  expect(pointsOf(declaration)).toEqual([
    { exit: 'stop', ranges: 1 },
    { exit: 'stop', ranges: 2 },
    { exit: 'trail', ranges: 1 },
    { exit: 'trail', ranges: 2, late: false },
    { exit: 'trail', ranges: 2, late: true },
    { exit: 'none' },
  ]);
  const axes = new SpaceAxes(readSpace(declaration));
  for (const point of pointsOf(declaration) as { exit: string }[]) {
    expect(axes.problemOf(point)).toBeNull();
    expect(axes.pointAt(axes.coordinatesOf(point))).toEqual(point);
  }
});

test('the number of points is exact far beyond floats, and none where a decimal has no step', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`p${index}`, { kind: 'integer', min: 1, max: 1_000 }]),
  );
  expect(new PointIndex(readSpace(wide)).count).toBe(1_000n ** 40n);
  const free = { ...wide, free: { kind: 'decimal', min: 0, max: 1 } };
  expect(new PointIndex(readSpace(free)).count).toBeNull();
});

test('more combinations of conditions than can be counted are refused', () => {
  const switches = Array.from({ length: 15 }, (_, index) => [`s${index}`, { kind: 'boolean' }] as const);
  const held = Array.from({ length: 15 }, (_, index) => {
    const when = { [`s${index}`]: true };
    return [`n${index}`, { kind: 'integer', min: 1, max: 9, when }] as const;
  });
  const { count } = new PointIndex(
    readSpace(Object.fromEntries(switches.flatMap((one, i) => [one, held[i]!]))),
  );
  expect(count).toBe(10n ** 15n);
  const late = new PointIndex(readSpace(Object.fromEntries([...switches, ...held])));
  expect(() => late.count).toThrow('expected at most 10000 combinations of conditions in the space');
});

const INTEGER = { kind: 'integer', min: 1, max: 9 };

test.each([
  [{}, 'expected at least one parameter to search, found none'],
  [{ a: { ...INTEGER, max: 0 } }, 'a.max: expected more than min, which is 1, found 0'],
  [
    { a: { ...INTEGER, max: 1 } },
    'a.max: expected more than min, found the same; a single value belongs to the params',
  ],
  [{ a: { ...INTEGER, step: 0 } }, 'a.step: expected more than 0, found 0'],
  [{ a: { ...INTEGER, step: -2 } }, 'a.step: expected more than 0, found -2'],
  [{ a: { ...INTEGER, step: 3 } }, 'a.step: expected a step that leads from 1 to 9, found 3'],
  [{ a: { ...INTEGER, min: 0.5 } }, 'a.min: expected a whole number, found 0.5'],
  [{ a: { ...INTEGER, min: 'x' } }, 'a.min: expected a decimal number such as 0.5, found "x"'],
  [{ a: { ...INTEGER, min: Number.NaN } }, 'a.min: '],
  [
    { a: { ...INTEGER, min: 0, scale: 'log' } },
    'a.min: expected more than half a step on a log scale, found 0',
  ],
  [
    { a: { kind: 'decimal', min: 0, max: 1, scale: 'log' } },
    'a.min: expected more than 0 on a log scale, found 0',
  ],
  [
    { a: { kind: 'decimal', min: 0, max: '1.0000000000000001' } },
    'a.max: expected at most 15 digits, found 1.0000000000000001',
  ],
  [
    { a: { kind: 'decimal', min: 0, max: 100_000_000, step: '0.00000001' } },
    'a.max: expected at most 15 digits, found 100000000',
  ],
  [
    { a: { kind: 'choice', values: ['fast'] } },
    'a.values: expected two values or more, found one: "fast"; a single value belongs to the params',
  ],
  [{ a: { kind: 'choice', values: ['x', 'y', 'x'] } }, 'a.values: expected each value once, found one twice'],
  [{ a: { ...INTEGER, stpe: 2 } }, 'a: Unrecognized key: "stpe"'],
  [{ 'a b': INTEGER }, 'a b: expected the name of a param, found "a b"'],
  [{ a: INTEGER, 'a.b': INTEGER }, 'a.b: expected one of a and a.b, found both'],
  [
    { a: { ...INTEGER, when: { b: 1 } }, b: INTEGER },
    'a.when.b: expected a parameter that is declared before',
  ],
  [
    { b: INTEGER, a: { ...INTEGER, when: { b: 10 } } },
    'a.when.b: expected values of that parameter, found 10',
  ],
  [
    { b: { kind: 'boolean' }, a: { ...INTEGER, when: { b: [true, false] } } },
    'a.when.b: expected some of the values of that parameter, found all of them',
  ],
  [
    { b: { kind: 'decimal', min: 0, max: 1, step: 0.5 }, a: { ...INTEGER, when: { b: '0.5' } } },
    'a.when.b: expected a choice, a boolean or an integer, found a decimal',
  ],
])('%j is refused', (declaration, problem) => {
  expect(() => readSpace(declaration)).toThrow(problem);
});

test('all problems of a space come at once', () => {
  expect(() => readSpace({ a: { ...INTEGER, max: 0 }, b: { kind: 'choice', values: [] } })).toThrow(
    'the space can not be searched: a.max: expected more than min, which is 1, found 0; ' +
      'b.values: expected two values or more, found none; a single value belongs to the params',
  );
});

test('values outside a space are named', () => {
  const axes = new SpaceAxes(
    readSpace({
      length: { kind: 'integer', min: 5, max: 20, step: 5 },
      share: { kind: 'decimal', min: 0.1, max: 1, scale: 'log' },
      stop: { kind: 'boolean' },
      far: { kind: 'integer', min: 1, max: 3, when: { stop: true } },
    }),
  );
  const point = { length: 5, share: '0.123', stop: false };
  expect(axes.problemOf(point)).toBeNull();
  expect(axes.problemOf({ ...point, length: 6 })).toBe(
    'length: expected integer 5 to 20 in 3 steps, found 6',
  );
  expect(axes.problemOf({ ...point, share: '2' })).toBe('share: expected decimal 0.1 to 1, found "2"');
  expect(axes.problemOf({ ...point, far: 1 })).toBe('far: expected nothing under the others, found 1');
  expect(axes.problemOf({ ...point, stop: true })).toBe(
    'far: expected integer 1 to 3 in 2 steps, found nothing',
  );
  expect(axes.problemOf({ ...point, fra: 1 })).toBe('expected parameters of the space, found fra');
});

describe('the page about samplers', () => {
  const page = readFileSync('docs/samplers.md', 'utf8');
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)![1]!;
  const study = z.strictObject({ space: spaceDeclaration });

  test('shows a space that is one, of as many points as it says', () => {
    const read = readYaml(yaml, study);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    expect(page).toContain(`this space has ${new PointIndex(read.value.space).count} points`);
  });

  test('a problem of it has its line', () => {
    expect(readYaml(yaml.replace('step: 10', 'step: 7'), study)).toEqual({
      ok: false,
      problems: [
        {
          path: 'space.length.step',
          line: 2,
          column: 52,
          message: 'expected a step that leads from 10 to 40, found 7',
        },
      ],
    });
  });

  test('shows params that declare what it says', async () => {
    const source = /```ts\n([\s\S]*?)```/.exec(page)![1]!;
    const file = join(folderOfThisTest(), 'params.ts');
    const root = pathToFileURL(`${process.cwd()}/`).href;
    writeFileSync(
      file,
      source
        .replace(`'sarraf/sdk'`, `'${root}src/strategy/sdk.ts'`)
        .replace(`'zod'`, `'${root}node_modules/zod/index.js'`),
    );
    const { params } = (await import(pathToFileURL(file).href)) as { params: z.ZodType };
    expect(spaceDeclaredBy(params)).toEqual({
      length: { kind: 'integer', min: 10, max: 80, step: 5 },
      levels: { kind: 'integer', min: 2, max: 50 },
    });
  });
});

test.each([
  [maCross, ['fast', 'slow']],
  [meanReversion, ['length', 'deviations', 'stopRanges', 'hours']],
])('the strategies that come along declare spaces: %#', ({ params }, names) => {
  const space = readSpace(spaceDeclaredBy(params!));
  expect(space.parameters.map(({ name }) => name)).toEqual(names);
  expect(schemaRefusals(space, params!)).toEqual([]);
});
