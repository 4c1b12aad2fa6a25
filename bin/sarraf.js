#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one is told what it lacks, rather than shown a syntax error.
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isBundleFresh } from './bundle-freshness.js';
import { missingNode } from './node-version.js';

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

const missing = missingNode();
if (missing !== null) {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 2;
} else {
  keepCompiledCode();
  if (isBundleFresh()) await import('../dist/src/cli/main.js');
  else await import('../src/cli/main.ts');
}
