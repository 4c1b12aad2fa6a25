import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A declared type, or an object of zod, with the names of its fields. */
interface Shape {
  readonly file: string;
  readonly fields: ReadonlySet<string>;
}

/** Fields by which one knows that a shape is of a record: all of the first, and one of the second. */
const KNOWN_BY = {
  order: [
    ['side', 'amount'],
    ['price', 'filled', 'matched'],
  ],
  fill: [
    ['price', 'amount'],
    ['fee', 'total', 'tradeId'],
  ],
  candle: [['open', 'high', 'low', 'close'], []],
  balance: [['currency'], ['total', 'balance', 'held']],
  lock: [['untilMs', 'reason', 'name'], []],
  book: [[], ['bids asks', 'buys sells']],
} as const satisfies Record<string, readonly [readonly string[], readonly string[]]>;

export type RecordName = keyof typeof KNOWN_BY;
const RECORD_NAMES = Object.keys(KNOWN_BY) as readonly RecordName[];

type Node = { readonly type?: string } & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const nameOf = (member: unknown): string[] => {
  const key = isNode(member) ? member['key'] : null;
  const name = isNode(key) ? (key['name'] ?? key['value']) : null;
  return typeof name === 'string' ? [name] : [];
};

/** The members of what declares fields; null for any other node. */
function membersOf(node: Node): readonly unknown[] | null {
  const inside = (key: string): Node => (isNode(node[key]) ? node[key] : {});
  switch (node.type ?? '') {
    case 'TSInterfaceDeclaration':
      return inside('body')['body'] as readonly unknown[];
    case 'TSTypeLiteral':
      return node['members'] as readonly unknown[];
    case 'CallExpression': {
      const property = inside('callee')['property'];
      const called = isNode(property) ? String(property['name']) : '';
      const [first] = node['arguments'] as readonly unknown[];
      const isObject = /^(object|strictObject|looseObject)$/.test(called);
      return isObject && isNode(first) && first.type === 'ObjectExpression'
        ? (first['properties'] as readonly unknown[])
        : null;
    }
    default:
      return null;
  }
}

function shapesOf(file: string): readonly Shape[] {
  const shapes: Shape[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isNode(value)) {
      const members = membersOf(value);
      if (members !== null) shapes.push({ file, fields: new Set(members.flatMap(nameOf)) });
      for (const key of Object.keys(value)) visit(value[key]);
    }
  };
  visit(parseAst(readFileSync(file, 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body);
  return shapes;
}

/** For `bids asks`: whether a shape has both. */
const areIn = (fields: ReadonlySet<string>) => (words: string) =>
  words.split(' ').every((word) => fields.has(word));

/** The files that declare each record, once for each declaration. The simulator's own are not counted (ADR 4). */
export function shapesOfRecords(): Readonly<Record<RecordName, readonly string[]>> {
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/^src\/simulator(?:-server)?\//.test(file));
  const shapes = files.flatMap(shapesOf);
  const declaring = (name: RecordName): readonly string[] => {
    const [all, some] = KNOWN_BY[name] as readonly [readonly string[], readonly string[]];
    return shapes
      .filter(({ fields }) => all.every(areIn(fields)) && (some.length === 0 || some.some(areIn(fields))))
      .map(({ file }) => file);
  };
  return Object.fromEntries(RECORD_NAMES.map((name) => [name, declaring(name)])) as ReturnType<
    typeof shapesOfRecords
  >;
}
