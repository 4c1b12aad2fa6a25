// Plain JavaScript that any Node can read.
import { existsSync } from 'node:fs';

const FIRST = [22, 19];

/** What to tell whoever runs a Node that is too old; null for any other. */
export function missingNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > FIRST[0] || (major === FIRST[0] && minor >= FIRST[1])) return null;
  const todo = existsSync(new URL('../node_modules/node/bin/node', import.meta.url))
    ? 'Run it with "npx sarraf", which uses the Node in this folder.'
    : 'Install a newer one, or put one into this folder with "npm install node@24" and run it with npx.';
  return `sarraf needs Node ${FIRST.join('.')} or newer, and this is Node ${process.versions.node}. ${todo}`;
}

/** Throws where Node is too old. */
export function requireNode() {
  const missing = missingNode();
  if (missing !== null) throw new Error(missing);
}
