import { RunFlags } from '../src/cli/run-flags.ts';
import { studySchema, studyShape } from '../src/study/study-settings.ts';
import { botEditorSchema, botSchema, type JsonSchema } from '../src/daemon/bot-schema.ts';

/** Parts that have a page of their own. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'embedded.exchange': 'see `config/exchange.yaml`' };

const WIDTH = 120;

function valueText(schema: JsonSchema): string {
  const { anyOf, type, pattern, minimum, maximum, additionalProperties, propertyNames } = schema;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const).replaceAll('"', '')}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.map(valueText))].join(' or ');
  if (pattern?.includes('(ms|s|m|h|d)') === true) return 'length of time';
  if (Array.isArray(type) && type.includes('number')) return 'decimal';
  if (type === 'integer' || type === 'number') {
    const kind = type === 'integer' ? 'whole number' : 'number';
    const hasBounds =
      minimum !== undefined && maximum !== undefined && Math.abs(maximum) < Number.MAX_SAFE_INTEGER;
    return hasBounds ? `${kind}, ${minimum} to ${maximum}` : kind;
  }
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'array') return `list of ${schema.items === undefined ? 'values' : valueText(schema.items)}`;
  if (type === 'object') {
    if (typeof additionalProperties !== 'object') return 'object';
    return propertyNames?.enum === undefined
      ? `${valueText(additionalProperties)} by name`
      : 'object by name';
  }
  return type === 'string' ? 'text' : String(type ?? 'any');
}

function defaultText(value: unknown): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text === '{}' ? '' : `\`${typeof value === 'string' ? value : text}\``;
}

const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`);

function rowsOf(schema: JsonSchema, path: string): readonly string[] {
  const elsewhere = ELSEWHERE[path];
  if (elsewhere !== undefined)
    return [`| \`${path}\` | object | | ${schema.description ?? ''} ${elsewhere} |`];
  const parts = schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
  const own = `| \`${path}\` | ${escaped(valueText(schema))} | ${escaped(defaultText(schema.default))} | ${escaped(schema.description ?? '')} |`;
  const { properties, items, additionalProperties } = parts;
  const isPerQuote = properties !== undefined && Object.keys(properties).join() === 'rls,usdt';
  if (properties !== undefined && !isPerQuote) {
    const inner = Object.entries(properties).flatMap(([name, one]) =>
      rowsOf(one, path === '' ? name : `${path}.${name}`),
    );
    return path === '' ? inner : [own, ...inner];
  }
  if (isPerQuote) return [own.replace('| object', '| decimals by `rls`, `usdt`')];
  if (items?.properties !== undefined) return [own, ...rowsOf(items, `${path}[]`).slice(1)];
  if (typeof additionalProperties === 'object' && additionalProperties.properties !== undefined) {
    return [own, ...rowsOf(additionalProperties, `${path}.*`).slice(1)];
  }
  return [own];
}

const INTRODUCTION = `# Keys of the configuration

This page lets you look up each key: its values, its default and its meaning. For example, \`data.folder\` is \`folder:\` under
\`data:\` in the file. [configuration.md](../configuration.md) explains how a file is read. Two more pages have the keys of
[strategies and risk](configuration-strategies.md), and of [alerts](configuration-alerts.md).

A length of time is a text such as \`250ms\`, \`30s\`, \`5m\`, \`2h\` or \`1d\`. Decimals may be quoted or bare. Quote those with more
than 15 digits. The page is generated from \`src/daemon/bot-schema.ts\`.
`;

const introductionOf = (title: string, key: string): string => `# ${title}

This page lets you look up the keys below ${key}: their values, their defaults and their meaning. All other keys are in
[configuration.md](configuration.md). The page is generated from \`src/daemon/bot-schema.ts\`.
`;

/** Parts of the configuration with a page of their own, by the page's name; the first page links to them. */
const PAGES_OF_PARTS: Readonly<Record<string, { readonly keys: readonly string[]; readonly title: string }>> =
  {
    'configuration-strategies': {
      keys: ['strategies', 'risk', 'locks'],
      title: 'Keys of strategies and risk',
    },
    'configuration-alerts': { keys: ['alerts'], title: 'Keys of alerts' },
  };

const TABLE_HEAD = '| key | value | default | meaning |\n| --- | --- | --- | --- |';

const pageOf = (introduction: string, rows: readonly string[]): string =>
  [introduction, TABLE_HEAD, ...rows, ''].join('\n');

const nameOf = (key: string): string | undefined =>
  Object.entries(PAGES_OF_PARTS).find(([, { keys }]) => keys.includes(key))?.[0];

/** The references of all keys of a bot's configuration, by the names of their pages. */
export function configurationPages(): ReadonlyMap<string, string> {
  const groups = Object.entries(botSchema().properties ?? {}).map(
    ([key, schema]) => [key, rowsOf(schema, key)] as const,
  );
  const first = groups.flatMap(([key, rows]) => {
    const name = nameOf(key);
    return name === undefined
      ? rows
      : rows.slice(0, 1).map((row) => row.replace(/ \|$/, ` [More](${name}.md). |`));
  });
  const others = Object.entries(PAGES_OF_PARTS).map(([name, { keys, title }]) => {
    const named = keys
      .map((key) => `\`${key}\``)
      .join(', ')
      .replace(/, (?=[^,]*$)/, ' and ');
    const rows = groups.flatMap(([key, own]) => (keys.includes(key) ? own : []));
    return [name, pageOf(introductionOf(title, named), rows)] as const;
  });
  return new Map([['configuration', pageOf(INTRODUCTION, first)], ...others]);
}

const STUDY_INTRODUCTION = `# Keys of a study, and options of a run

This page lets you look up what a study file may say, and which option of \`sarraf study run\` says the same. For example,
\`rules.spreadBps\` is \`--spread-bps\`. \`sarraf backtest\` takes the same options for all keys from \`markets\` to \`rules\`.
[studies.md](../studies.md) and [backtest.md](../backtest.md) explain them. The page is generated from
\`src/backtest/run-schema.ts\` and \`src/study/study-settings.ts\`.

| key | option | value | default | meaning |
| --- | --- | --- | --- | --- |`;

/** The keys of a study file, each with the option that stands for it. */
export function studyPage(): string {
  const options = new RunFlags(studyShape).byPlace();
  const rows = Object.entries(studySchema().properties ?? {}).flatMap(([key, schema]) => rowsOf(schema, key));
  const withOptions = rows.map((row) =>
    // A time is a text or a number, as a decimal is.
    row
      .replace(/^(\| `(?:from|to)` )\| decimal/, '$1| time')
      .replace(/^\| `([^`]+)` \|/, (head, key: string) => {
        const option = options.get(key);
        return `${head} ${option === undefined ? '' : `\`${option}\` `}|`;
      }),
  );
  return [STUDY_INTRODUCTION, ...withOptions, ''].join('\n');
}

/** A schema for editors, laid out as the formatter does it: short lists of values on one line. */
export function editorSchemaText(schema: JsonSchema = botEditorSchema()): string {
  const text = JSON.stringify(schema, null, 2);
  const joined = text.replaceAll(
    /^( *)(.*)\[\n([^[\]{}]*?)\n *\]/gm,
    (whole, indent: string, before: string, inner: string) => {
      const line = `${indent}${before}[${inner.trim().replaceAll(/\n\s*/g, ' ')}]`;
      return line.length < WIDTH ? line : whole;
    },
  );
  return `${joined}\n`;
}
