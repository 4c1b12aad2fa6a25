// Plain JavaScript that any Node can read.

const FIRST = [22, 19];

/** What to tell whoever runs a Node that is too old; null for any other. */
export function missingNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > FIRST[0] || (major === FIRST[0] && minor >= FIRST[1])) return null;
  return (
    `sarraf needs Node ${FIRST.join('.')} or newer, and this is Node ${process.versions.node}. ` +
    'Install a newer one, or put one into this folder with "npm install node@24" and run it with npx.'
  );
}

/** Throws where Node is too old. */
export function requireNode() {
  const missing = missingNode();
  if (missing !== null) throw new Error(missing);
}
