import { english, sentence, type Sentence } from '../../language/sentence.ts';
import type { RuleNode } from './expression.ts';

/** Writes a node of rules as a sentence: `strength crosses below 30`. */
export function ruleSentence(node: RuleNode): Sentence {
  const said = (one: RuleNode): Sentence => ruleSentence(one);
  switch (node.kind) {
    case 'number':
      return String(node.value);
    case 'bar':
      return sentence('rule-bar', { field: sentence(`rule-${node.field}`), data: node.data });
    case 'indicator':
      return node.field === null ? node.name : `${node.name}.${node.field}`;
    case 'clock':
      return sentence(node.unit === 'hour' ? 'rule-hour' : 'rule-weekday', { zone: node.zone });
    case 'moment':
      return sentence(`rule-${node.fact}`);
    case 'arithmetic':
      return sentence(`rule-${node.does}`, { left: bracketed(node.left), right: bracketed(node.right) });
    case 'compare':
      return sentence(`rule-${node.does}`, { left: said(node.left), right: said(node.right) });
    case 'window':
      return sentence(`rule-${node.does}`, { of: bracketed(node.of), bars: node.bars });
    case 'since':
      return sentence('rule-since', { of: bracketed(node.of) });
    case 'not':
      return sentence('rule-not', { of: bracketed(node.of) });
    case 'all':
    case 'any':
      return node.of
        .map(bracketed)
        .reduce((first, rest) => sentence(node.kind === 'all' ? 'rule-all' : 'rule-any', { first, rest }));
  }
}

/** Writes a node in brackets if its own words could be read together with those around it. */
function bracketed(node: RuleNode): Sentence {
  const isOne = ['number', 'bar', 'indicator', 'clock', 'moment', 'compare'].includes(node.kind);
  return isOne ? ruleSentence(node) : sentence('rule-bracketed', { of: ruleSentence(node) });
}

/** Writes a node of rules in English, for tags and errors. */
export const ruleText = (node: RuleNode): string => english(ruleSentence(node));
