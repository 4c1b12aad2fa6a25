import { ENDPOINTS } from '../../src/exchange/endpoints.ts';

/** Folders that serve any exchange: what is particular about one they read from its `VenueProfile`. */
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

/** Words of one exchange, by what they are. */
const WORDS: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  // Some endpoints are called like what they give, such as `wallets`.
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

/** What words of one exchange stand in a source, comments aside: `status 'Done'`. */
export function venueWords(source: string): string[] {
  const code = source.replaceAll(COMMENTS, '');
  return WORDS.flatMap(({ what, pattern }) => [...code.matchAll(pattern)].map(([word]) => `${what} ${word}`));
}
