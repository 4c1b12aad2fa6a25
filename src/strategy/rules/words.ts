import { RULE_SENTENCES } from '../../language/rule-sentences.ts';
import type { RuleNode } from './expression.ts';

/** Code of the words of an operator. */
type RuleCode = Extract<keyof typeof RULE_SENTENCES, `rule-${string}`>;

/** Makes a text of words and of what stands in their places. */
type Format<Said> = (code: RuleCode, places: Readonly<Record<string, Said | string>>) => Said | string;

/** Writes a node of rules: `strength crosses below 30`. */
export function writeRule<Said>(node: RuleNode, format: Format<Said>): Said | string {
  const write = (one: RuleNode): Said | string => writeRule(one, format);
  /** Writes a node in brackets if its own words could be read together with those around it. */
  const part = (one: RuleNode): Said | string =>
    ['number', 'bar', 'indicator', 'clock', 'moment', 'compare'].includes(one.kind)
      ? write(one)
      : format('rule-bracketed', { of: write(one) });
  switch (node.kind) {
    case 'number':
      return String(node.value);
    case 'bar':
      return format('rule-bar', { field: format(`rule-${node.field}`, {}), data: node.data });
    case 'indicator':
      return node.field === null ? node.name : `${node.name}.${node.field}`;
    case 'clock':
      return format(node.unit === 'hour' ? 'rule-hour' : 'rule-weekday', { zone: node.zone });
    case 'moment':
      return format(`rule-${node.fact}`, {});
    case 'arithmetic':
      return format(`rule-${node.does}`, { left: part(node.left), right: part(node.right) });
    case 'compare':
      return format(`rule-${node.does}`, { left: write(node.left), right: write(node.right) });
    case 'window':
      return format(`rule-${node.does}`, { of: part(node.of), bars: String(node.bars) });
    case 'since':
      return format('rule-since', { of: part(node.of) });
    case 'not':
      return format('rule-not', { of: part(node.of) });
    case 'all':
    case 'any':
      return node.of
        .map(part)
        .reduce((first, rest) => format(node.kind === 'all' ? 'rule-all' : 'rule-any', { first, rest }));
  }
}

/** Writes a node of rules in English, for tags and errors, without the sentences of the bot. */
export const ruleText = (node: RuleNode): string =>
  writeRule<string>(node, (code, places) =>
    RULE_SENTENCES[code].replaceAll(/\{(\w+):\w+\}/g, (_, place: string) => places[place] ?? ''),
  );
