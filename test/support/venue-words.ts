import { ENDPOINTS } from '../../src/exchange/endpoints.ts';

/** Folders that serve any exchange: what differs between exchanges they read from a `VenueProfile`. */
export const NEUTRAL_FOLDERS = [
  'src/domain',
  'src/portfolio',
  'src/strategy',
  'src/scheduler',
  'src/budget',
  'src/engine',
] as const;

const ESCAPED = /[.*+?^${}()|[\]\\]/g;

const quoted = (words: Iterable<string>): RegExp =>
  new RegExp(`['"\`](?:${[...words].map((word) => word.replaceAll(ESCAPED, '\\$&')).join('|')})['"\`]`, 'g');

const endpoints = Object.values(ENDPOINTS);

/** Words that belong to one exchange: their kind and a pattern. */
const WORDS: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  // Some endpoints have the name of what they return, such as `wallets`.
  { what: 'endpoint', pattern: quoted(Object.keys(ENDPOINTS).filter((name) => /[A-Z]/.test(name))) },
  {
    what: 'budget',
    pattern: quoted(endpoints.map(({ budget }) => budget.name).filter((name) => name.includes('/'))),
  },
  { what: 'status', pattern: quoted(['New', 'Active', 'Inactive', 'Done', 'Canceled']) },
  {
    what: 'refusal',
    pattern: quoted(['NotFound', 'NotApplied', 'DuplicateOrder', 'DuplicateClientOrderId']),
  },
  { what: 'window for identical orders', pattern: /\b10_?500\b/g },
  {
    what: 'wire field',
    pattern: /\b(?:fromId|param1|srcCurrency|dstCurrency|created_at|totalPrice|totalOrderPrice)\b/g,
  },
  { what: 'currency', pattern: /\b(?:rls|usdt|irt|IRT|USDT|USDTIRT|rials?|tethers?|tomans?)\b/gi },
];

const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/[^\n]*/g;

/** Words of one exchange that a source contains outside of comments, such as `status 'Done'`. */
export function venueWords(source: string): string[] {
  const code = source.replaceAll(COMMENTS, '');
  return WORDS.flatMap(({ what, pattern }) => [...code.matchAll(pattern)].map(([word]) => `${what} ${word}`));
}
