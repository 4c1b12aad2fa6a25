#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one is told what it lacks, rather than shown a syntax error.
import { existsSync } from 'node:fs';

const FIRST = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < FIRST[0] || (major === FIRST[0] && minor < FIRST[1])) {
  process.stderr.write(
    `sarraf needs Node ${FIRST.join('.')} or newer, and this is Node ${process.versions.node}. ` +
      'Install a newer one, or put one into this folder with "npm install node@24" and call sarraf with npx.\n',
  );
  process.exitCode = 2;
} else {
  // A checkout runs its sources; the package has what they were built to.
  const sources = new URL('../src/cli/main.ts', import.meta.url);
  await import(existsSync(sources) ? sources.href : '../dist/src/cli/main.js');
}
