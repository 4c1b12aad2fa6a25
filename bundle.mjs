// Bundles the program into dist/: a start loads a few files in place of seven hundred modules, most of them of
// dependencies. `npm run build` does so for the package and the image, with types (--types). `npm ci` runs it in a
// checkout (--if-stale).
//
// dist/BUILD/ has one build, named by its content. dist/src/ has the entries, which load the newest build. So a bot
// goes on with the files of the build that it began with, whatever is built beside it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isBundleFresh } from './bin/bundle-freshness.js';

const ROOT = import.meta.dirname;
const { values: options, positionals } = parseArgs({
  options: { types: { type: 'boolean' }, 'if-stale': { type: 'boolean' } },
  allowPositionals: true,
});
const OUT = resolve(positionals[0] ?? 'dist');
/** Made here and then moved, so that an end in the middle leaves no half of a bundle to be run. */
const MADE = `${OUT}.new`;

/** Builds that are kept: a bot may still run from one of them. */
const MOST_BUILDS = 8;

/** The entries of the package, of its command and of an image. They stay at the same place in each build. */
const PUBLISHED = [
  'src/cli/main',
  'src/index',
  'src/research',
  'src/testing',
  'src/venue',
  'src/strategy/sdk',
];

/** Files that are loaded by their place: the published ones, and those that src/plugins/own-files.ts is asked for. */
const ENTRIES = [
  ...PUBLISHED,
  'src/plugins/strategy-worker',
  'src/plugins/load-watch-worker',
  'src/daemon/run/finalize-beside',
  'src/daemon/read-bot-rules',
  'src/alerts/alerts-worker',
  'src/dashboard/dashboard-worker',
  'src/dashboard/readers/replies-apart',
  'src/backtest/setup/run-apart',
  'src/backtest/replay-session',
  'src/fuzz/seed-worker',
  'src/study/trials/trial-worker',
  'src/study/code-bundle',
  'src/lab/describe-strategy',
];

/**
 * Dependencies of many small modules, which cost the most at a start. All others stay outside: they have binary
 * parts, are loaded seldom, or are shared with those who import the package. The binary part of DuckDB stays outside,
 * so it is a dependency of its own.
 */
const BUNDLED = [
  '@duckdb/node-api',
  '@oxc-project/runtime',
  'commander',
  'croner',
  'trading-signals',
  'yaml',
  'zod',
];

async function loadRolldown() {
  try {
    return await import('rolldown');
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** What the pages are made of. Browsers load it from dist/, so none of it is a dependency of the package. */
const IN_PAGE = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'uplot',
  'lightweight-charts',
  '@fontsource-variable/vazirmatn',
];

function licences() {
  return [...BUNDLED, ...IN_PAGE]
    .map((name) => {
      const { version, license } = JSON.parse(
        readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      );
      const file = ['LICENSE', 'LICENSE.md', 'LICENCE']
        .map((each) => join(ROOT, 'node_modules', name, each))
        .find(existsSync);
      if (file === undefined) throw new Error(`expected a licence file of ${name}, was none`);
      return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
    })
    .join('\n----\n\n');
}

/**
 * Messages of zod in other languages: half of its size, which would be read at each start. They are loaded from the
 * package when one of them is asked for.
 */
async function lateLocales() {
  const others = Object.keys(await import('zod/locales')).filter((name) => name !== 'en');
  const code = [
    `import { createRequire } from 'node:module';`,
    `export { default as en } from './en.js';`,
    `const late = (name) => () => createRequire(import.meta.url)('zod/locales')[name]();`,
    ...others.map((name) => `export const ${name} = late('${name}');`),
  ];
  return {
    name: 'late-locales',
    load: (id) => (/zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(id) ? code.join('\n') : null),
  };
}

/** A name for the files in a folder: other content has another name. */
function nameOf(folder) {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  for (const file of files) hash.update(file.slice(folder.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

/** Replaces a file at once: whoever reads it meanwhile gets the one before. */
function replaceFile(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/**
 * The text of an entry. An older Node than is needed would end at the first syntax that it does not know, so the
 * entry checks the version before it loads anything else.
 */
async function entryText(entry, build) {
  const up = posix.relative(posix.dirname(entry), '.');
  const names = Object.keys(await import(pathToFileURL(join(OUT, build, `${entry}.js`)).href));
  const [others, main] = [names.filter((name) => name !== 'default'), names.includes('default')];
  return [
    `import { requireNode } from '${up}/../bin/node-version.js';`,
    'requireNode();',
    `const build = await import('${up}/${build}/${entry}.js');`,
    ...(others.length > 0 ? [`export const { ${others.join(', ')} } = build;`] : []),
    ...(main ? ['export default build.default;'] : []),
    '',
  ].join('\n');
}

/** Moves what was made into `OUT`, lets the entries load it, and removes the oldest builds. */
async function publish() {
  // Before builds had folders of their own, all of one lay there.
  if (existsSync(join(OUT, 'engine-version'))) rmSync(OUT, { recursive: true });
  const types = join(MADE, 'types');
  if (options.types) {
    const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', types];
    execFileSync(join('node_modules', '.bin', 'tsc'), args, { cwd: ROOT, stdio: 'inherit' });
    rmSync(join(OUT, 'types'), { recursive: true, force: true });
    mkdirSync(OUT, { recursive: true });
    renameSync(types, join(OUT, 'types'));
  }
  const build = nameOf(MADE);
  mkdirSync(OUT, { recursive: true });
  if (existsSync(join(OUT, build))) rmSync(MADE, { recursive: true });
  else renameSync(MADE, join(OUT, build));
  for (const entry of PUBLISHED)
    replaceFile(
      join(OUT, `${entry}.js`),
      // The command is a program: to import it is to run it.
      entry === 'src/cli/main'
        ? `await import('../../${build}/${entry}.js');\n`
        : await entryText(entry, build),
    );
  // A checkout that runs from its sources serves it.
  const page = join(OUT, 'src/dashboard/page');
  rmSync(page, { recursive: true, force: true });
  cpSync(join(OUT, build, 'src/dashboard/page'), page, { recursive: true });
  const older = readdirSync(OUT)
    .filter((name) => /^[0-9a-f]{12}$/.test(name) && name !== build)
    .map((name) => ({ name, madeMs: statSync(join(OUT, name)).mtimeMs }))
    .toSorted((one, other) => other.madeMs - one.madeMs);
  for (const { name } of older.slice(MOST_BUILDS - 1)) rmSync(join(OUT, name), { recursive: true });
  // The package has the newest build alone, with its page.
  replaceFile(
    join(OUT, '.npmignore'),
    ['src/dashboard', ...older.slice(0, MOST_BUILDS - 1).map(({ name }) => name)]
      .map((path) => `/${path}\n`)
      .join(''),
  );
}

const isWanted = !options['if-stale'] || (process.env['npm_command'] !== 'exec' && !isBundleFresh());
const rolldown = isWanted && existsSync(join(ROOT, 'src')) ? await loadRolldown() : null;
if (rolldown === null) {
  if (isWanted) process.stdout.write('not bundled: the sources or the bundler are not installed\n');
} else {
  rmSync(MADE, { recursive: true, force: true });
  const isBundled = new RegExp(`^(?:${BUNDLED.join('|')})(?:/|$)`);
  const bundle = await rolldown.rolldown({
    cwd: ROOT,
    platform: 'node',
    // The oldest Node that the package names.
    transform: { target: 'node22.19' },
    plugins: [await lateLocales()],
    input: {
      ...Object.fromEntries(ENTRIES.map((entry) => [entry, join(ROOT, `${entry}.ts`)])),
      'src/zod': 'zod',
    },
    external: (name, importer) =>
      /^(?:node:|[^./#])/.test(name) &&
      importer !== undefined &&
      !isBundled.test(name) &&
      !name.startsWith(ROOT),
  });
  await bundle.write({
    dir: MADE,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/chunks/[name]-[hash].js',
  });
  await bundle.close();
  // Node strips no types below node_modules, so that the package has its strategies built, one file each.
  const strategies = await rolldown.rolldown({
    input: Object.fromEntries(
      readdirSync(join(ROOT, 'strategies'))
        .filter((file) => file.endsWith('.ts'))
        .map((file) => [`strategies/${file.slice(0, -3)}`, join(ROOT, 'strategies', file)]),
    ),
    external: /^[^./]/,
    transform: { target: 'node22.19' },
  });
  await strategies.write({ dir: MADE, format: 'esm', entryFileNames: '[name].js' });
  await strategies.close();
  const { buildReports } = await import('./src/page/build-reports.mjs');
  mkdirSync(join(MADE, 'src/page'), { recursive: true });
  for (const [name, script] of Object.entries(await buildReports()))
    writeFileSync(join(MADE, `src/page/${name}.js`), script);
  for (const style of ['palette.css', 'report.css', 'study.css'])
    cpSync(join(ROOT, 'src/page', style), join(MADE, 'src/page', style));
  const { buildPage } = await import('./src/dashboard/page/build-page.mjs');
  await buildPage(join(MADE, 'src/dashboard/page'));
  writeFileSync(join(MADE, 'THIRD-PARTY-LICENCES.txt'), licences());
  // The package has no sources that it could be worked out from.
  const engine = await import(pathToFileURL(join(MADE, 'src/study/code-bundle.js')).href);
  writeFileSync(join(MADE, 'src/engine-version'), `${engine.versionOfSources(ROOT)}\n`);
  await publish();
}
