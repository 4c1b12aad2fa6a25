#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one is told what it lacks, rather than shown a syntax error.
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

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

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < FIRST[0] || (major === FIRST[0] && minor < FIRST[1])) {
  process.stderr.write(
    `sarraf needs Node ${FIRST.join('.')} or newer, and this is Node ${process.versions.node}. ` +
      'Install a newer one, or put one into this folder with "npm install node@24" and call sarraf with npx.\n',
  );
  process.exitCode = 2;
} else {
  keepCompiledCode();
  // A checkout runs its sources; the package has what they were built to.
  const sources = new URL('../src/cli/main.ts', import.meta.url);
  await import(existsSync(sources) ? sources.href : '../dist/src/cli/main.js');
}
