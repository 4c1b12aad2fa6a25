#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one is told what it lacks, rather than shown a syntax error.
import { existsSync, readdirSync, statSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIRST = [22, 19];

/**
 * Keeps compiled code, so that no module is compiled, or stripped of its types, at every start. It is kept in the user's own folder: in
 * a shared one another user could put code into it. Threads and processes that are started from here read the variable.
 */
function keepCompiledCode() {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return;
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sarraf', 'compiled');
  module.enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] = folder;
}

const at = (place) => fileURLToPath(new URL(place, import.meta.url));

/**
 * Whether to run the bundle: the package has nothing else. A checkout runs it while nothing that it is made of was
 * changed since, and else its sources, which take twice as long to load.
 */
function isBundleFresh() {
  const sources = at('../src');
  if (!existsSync(sources)) return true;
  const bundle = statSync(at('../dist/src/cli/main.js'), { throwIfNoEntry: false });
  if (bundle === undefined) return false;
  const isOlder = (path) => statSync(path).mtimeMs <= bundle.mtimeMs;
  // Not `recursive`, which takes three times as long.
  const isOlderBelow = (folder) =>
    isOlder(folder) &&
    readdirSync(folder, { withFileTypes: true }).every((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? isOlderBelow(path) : isOlder(path);
    });
  return isOlder(at('../package.json')) && isOlderBelow(sources);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < FIRST[0] || (major === FIRST[0] && minor < FIRST[1])) {
  process.stderr.write(
    `sarraf needs Node ${FIRST.join('.')} or newer, and this is Node ${process.versions.node}. ` +
      'Install a newer one, or put one into this folder with "npm install node@24" and call sarraf with npx.\n',
  );
  process.exitCode = 2;
} else {
  keepCompiledCode();
  if (isBundleFresh()) await import('../dist/src/cli/main.js');
  else await import('../src/cli/main.ts');
}
