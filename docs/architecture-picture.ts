import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

/** Parts of a folder that stand for themselves: they are pure, and the rest of their folder is not. */
const PARTS = ['venues/port'];

const IMPORT = /\bfrom\s+'(\.{1,2}\/[^']+)'|\bimport\(\s*'(\.{1,2}\/[^']+)'\s*\)/g;

/** Folder by folder of `src/`, the folders that its files import. */
type FolderImports = ReadonlyMap<string, ReadonlySet<string>>;

function roomOf(path: string): string | null {
  const inside = path.replace(/^src\//, '').replace(/\.ts$/, '');
  const part = PARTS.find((name) => inside === name || inside.startsWith(`${name}/`));
  if (part !== undefined) return part;
  return inside.includes('/') ? (inside.split('/', 1)[0] ?? null) : null;
}

/** Reads what imports what. Files of `src/` itself are the package's face, and left out. */
function readFolderImports(): FolderImports {
  const imports = new Map<string, Set<string>>();
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    const path = posix.join('src', name.replaceAll('\\', '/'));
    const room = path.endsWith('.ts') ? roomOf(path) : null;
    if (room === null) continue;
    const found = imports.get(room) ?? new Set<string>();
    imports.set(room, found);
    for (const [, from, dynamic] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
      const target = roomOf(posix.normalize(posix.join(dirname(path), from ?? dynamic ?? '')));
      if (target !== null && target !== room) found.add(target);
    }
  }
  return imports;
}

/**
 * Everything that a folder reaches, over any number of arrows. Throws an `Error` that names the folders of a
 * circle.
 */
function reachOf(imports: FolderImports): ReadonlyMap<string, ReadonlySet<string>> {
  const reached = new Map<string, ReadonlySet<string>>();
  const visit = (room: string, way: readonly string[]): ReadonlySet<string> => {
    if (way.includes(room))
      throw new Error(`expected no circle of imports, found ${[...way, room].join(' -> ')}`);
    const known = reached.get(room);
    if (known !== undefined) return known;
    const all = new Set<string>();
    for (const next of imports.get(room) ?? []) {
      all.add(next);
      for (const further of visit(next, [...way, room])) all.add(further);
    }
    reached.set(room, all);
    return all;
  };
  for (const room of imports.keys()) visit(room, []);
  return reached;
}

/**
 * The folders as a Mermaid flow chart, an arrow from who imports to what is imported. An arrow that a longer
 * way says as well is left out (the transitive reduction), so that a picture of a few arrows says all of
 * them.
 */
export function importPicture(imports: FolderImports = readFolderImports()): string {
  const reached = reachOf(imports);
  const lines = [...imports].flatMap(([room, targets]) =>
    [...targets]
      .filter((target) => ![...targets].some((other) => reached.get(other)?.has(target) === true))
      .map((target) => `  ${nodeOf(room)} --> ${nodeOf(target)}`),
  );
  return ['```mermaid', 'flowchart TD', ...lines.toSorted(), '```'].join('\n');
}

function nodeOf(room: string): string {
  return `${room.replace('/', '_')}["${room}/"]`.replace('["venues/port/"]', '["venues/port.ts"]');
}

const BEGIN = '<!-- imports: written by npm run docs -->';
const END = '<!-- end of imports -->';

/** The page with the picture of today's imports in the place of the one that it has. */
export function withPicture(page: string): string {
  const [head, rest] = page.split(BEGIN);
  const tail = rest?.split(END)[1];
  if (head === undefined || tail === undefined)
    throw new Error(`expected "${BEGIN}" and "${END}" in docs/imports.md`);
  return `${head}${BEGIN}\n\n${importPicture()}\n\n${END}${tail}`;
}
