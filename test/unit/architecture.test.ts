import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LAYERS, wrongImports } from '../support/layering.ts';
import { NEUTRAL_FOLDERS, venueWords } from '../support/venue-words.ts';
import { importPicture } from '../../docs/architecture-picture.ts';

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);

describe('the layers', () => {
  test('import downwards only', () => {
    const files = [...filesOf('src'), ...filesOf('strategies')];
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((path) => wrongImports(path, readFileSync(path, 'utf8')))).toEqual([]);
  });

  test('cover every folder of src', () => {
    const folders = readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    const known = new Set(LAYERS.map(({ folder }) => folder));
    expect(folders.filter((folder) => !known.has(folder))).toEqual([]);
  });

  test.each([
    ['src/domain/market.ts', `import { Trading } from '../simulator/trading.ts';`],
    ['src/domain/market.ts', `import type {\n  ExchangeClient,\n} from '../exchange/client.ts';`],
    ['src/simulator/exchange.ts', `import { ENDPOINTS } from '../exchange/endpoints.ts';`],
    ['src/engine/engine.ts', `import { openVenue } from '../venues/live/live-venue.ts';`],
    ['src/venues/port.ts', `import type { Engine } from '../engine/engine.ts';`],
    ['src/venues/venue-caller.ts', `import type { EngineRequest } from '../engine/engine-event.ts';`],
    ['src/simulator/exchange.ts', `import { readFileSync } from 'node:fs';`],
    ['src/simulator/exchange.ts', `import { ORDER } from '../records/order.ts';`],
    ['src/strategy/sdk.ts', `export { open } from '../mirror/mirror.ts';`],
    ['src/exchange/client.ts', `import { WireAdapter } from '../simulator-server/wire/wire-adapter.ts';`],
    ['src/mirror/mirror.ts', `const daemon = await import('../daemon/run-bot.ts');`],
    ['src/binance-spot/simulator/engine.ts', `import { client } from '../../venues/binance-spot.ts';`],
    ['src/binance-spot/simulator/engine.ts', `import { createHmac } from 'node:crypto';`],
    ['src/binance-spot/simulated-exchange.ts', `import { ENDPOINTS } from '../exchange/endpoints.ts';`],
    ['src/statistics/moments.ts', `import { metrics } from '../backtest/metrics/run-metrics.ts';`],
    ['src/statistics/moments.ts', `import { readFileSync } from 'node:fs';`],
    ['src/engine/engine.ts', `import { normalCdf } from '../statistics/normal-distribution.ts';`],
    ['strategies/ma-cross.ts', `import { sma } from 'trading-signals';`],
    ['src/cli/main.ts', `import { ROW } from '../engine/orders/order-table.ts';`],
  ])('refuse a planted import in %s', (path, source) => {
    expect(wrongImports(path, source)).toHaveLength(1);
  });

  test('let a shell import what is below it', () => {
    expect(
      wrongImports('src/daemon/run-bot.ts', `import { a } from '../mirror/a.ts';\nimport b from 'node:fs';`),
    ).toEqual([]);
  });
});

describe('the folders that serve any exchange', () => {
  test('know no endpoint, budget, status word, refusal, window, wire field or currency of one', () => {
    const found = NEUTRAL_FOLDERS.flatMap(filesOf).flatMap((path) =>
      venueWords(readFileSync(path, 'utf8')).map((word) => `${path}: ${word}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    [`if (order.status === 'Done') return;`, `status 'Done'`],
    [`const { budget } = ENDPOINTS['addOrder'];`, `endpoint 'addOrder'`],
    [`const name = "orders/list"; // 'orders/list'`, `budget "orders/list"`],
    [`if (code === 'DuplicateOrder') return;`, `refusal 'DuplicateOrder'`],
    [`outbox.ask({ kind: 'orders', fromId: lastId + 1 });`, 'wire field fromId'],
    [`const HELD_MS = 10_500;`, 'window for identical orders 10_500'],
    [`/** In usdt. */ const other = 'rls';`, 'currency rls'],
    ['outbox.warn(`the price of Tether is not known`);', 'currency Tether'],
    [`const tether = held(base);`, 'currency tether'],
  ])('are caught with a planted word in %s', (source, word) => {
    expect(venueWords(source)).toEqual([word]);
  });
});

test('no comment of src is wider than 110 columns (the formatter holds the code)', () => {
  const wide = filesOf('src').flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        line.length > 110 && /^\s*(?:\*|\/\*|\/\/)/.test(line) ? [`${path}:${index + 1}`] : [],
      ),
  );
  expect(wide).toEqual([]);
});

test('no exported name of src stands for two things', () => {
  const files = new Map<string, Set<string>>();
  for (const path of filesOf('src')) {
    const declared = readFileSync(path, 'utf8').matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm,
    );
    for (const [, name = ''] of declared) files.set(name, (files.get(name) ?? new Set()).add(path));
  }
  expect(files.size).toBeGreaterThan(1_000);
  expect([...files].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])).toEqual(
    [],
  );
});

const imports = (of: Record<string, readonly string[]>) =>
  new Map(Object.entries(of).map(([folder, targets]) => [folder, new Set(targets)]));

test('the picture of imports leaves out what a longer way says', () => {
  const picture = importPicture(imports({ cli: ['engine', 'domain'], engine: ['domain'], domain: [] }));
  expect(picture.split('\n').slice(2, -1)).toEqual([
    '  cli["cli/"] --> engine["engine/"]',
    '  engine["engine/"] --> domain["domain/"]',
  ]);
});

test('the picture of imports refuses folders that import each other', () => {
  expect(() => importPicture(imports({ cli: ['engine'], engine: ['venues'], venues: ['engine'] }))).toThrow(
    'found cli -> engine -> venues -> engine',
  );
});

test('no name of src has a word that the glossary replaces', () => {
  const [, page = ''] = readFileSync('docs/glossary.md', 'utf8').split('## Words that names avoid');
  const old = new Set([...page.matchAll(/^\| ([a-z, ]+?) +\|/gm)].flatMap(([, row = '']) => row.split(', ')));
  expect(old.size).toBeGreaterThan(30);
  const found = filesOf('src').flatMap((path) => {
    const names = [path.replace(/^.*\/|\.tsx?$/g, '')];
    const source = readFileSync(path, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*|`(?:[^`\\]|\\.)*`/gm, '');
    for (const [, exported, field = ''] of source.matchAll(
      /^(?:export |abstract |async )*(?:const|function\*?|class|interface|type) (\w+)|^ {2,4}(?:(?:private|readonly|static|async|get) )*#?(\w+)\??(?:<[^>]*>)?[:(=]/gm,
    ))
      names.push(exported ?? field);
    return names
      .filter((name) => !page.includes(`\`${name}\``) && !name.endsWith('Wish'))
      .filter((name) => name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).some((word) => old.has(word.toLowerCase())))
      .map((name) => `${path}: ${name}`);
  });
  expect(found).toEqual([]);
});

test('every comment of src begins with what the thing is or does', () => {
  const found = filesOf('src').flatMap((path) => {
    const riddles = readFileSync(path, 'utf8').matchAll(
      /\/\*\*\s+(?:\* )?((?:What|Who|Whom|Whose|Whether|How|Why) .*)/g,
    );
    return [...riddles].map(([, text = '']) => `${path}: ${text}`);
  });
  expect(found).toEqual([]);
});
