import { logItemOf } from '../../../src/dashboard/readers/row-items.ts';
import { factsOfEnglish, readEnglish, reasonOf } from '../../support/facts-of-english.ts';
import { INTENT, NOW_MS, OVERVIEW, REPLIES } from './made-up-replies.ts';
import type { MadeUpServer } from './made-up-server.ts';
import type { JournalLine } from '../../../src/mirror/row-pages.ts';

/** Texts written by authors of strategies, other people and servers; they are shown unchanged. */
export const WORDS_OF_PEOPLE = [
  'BAD_GATEWAY: updateOrderStatus: expected JSON, was <html> (HTTP 502)',
  'the spread is 1.4 %, quotes wait',
  'RangeError: the book is empty',
  'moved both quotes by 3 steps',
  'expected a price above 0, was "-1"',
  'a fork',
  'payload.side: Invalid option: expected one of "buy"|"sell"',
];

/** Reasons why an intent was refused or ended, from every part of the bot that gives any. */
const REASONS = [
  'trading is halted: by ali by chat',
  'the books do not agree with the exchange: see "sarraf reconcile --explain"',
  'the books could not be compared with the exchange for 12 minutes: the wallet of btc could not be read',
  'the exchange has locked orders out, for 30 s more',
  'the exchange has refused the token of exchange.credentials.token, from the environment variable SARRAF_TOKEN (401) for 40 s: see whether it is still valid, and put a new one in its place',
  'the order of 0.06 BTC at 5000 USDT has a value of 300 USDT, above the limit of 200 USDT for one order',
  'the price of 5000 USDT is more than 50 bps above the best price of 4900 USDT',
  'the lock hand of all markets holds until it is resumed: by hand; only orders that reduce the position pass',
  'expected at most 10 RLS to be spent, was 12: the account has 20, grid has reserved 10',
  'expected a positive decimal as amount, was "-1"',
  'refused 3 times in a row: SmallOrder',
  'sold: its time was over',
  'NotSent: expired',
  'the limit is 3 orders within 60 seconds, and it is used up; the next may follow in 1500 ms',
];

const LINES: readonly (readonly [kind: JournalLine['kind'], subject: string, data: object])[] = [
  ['control', 'start', { isRestart: false, aliveUntilMs: null }],
  ['control', 'halt', { kind: 'halt', reason: 'by hand', wholeAccount: false }],
  [
    'control',
    'lock begun',
    { name: 'drawdown', reason: readEnglish('3 stop-outs within 4 h, the rule is 3') },
  ],
  ['control', 'place result', { ok: false, message: readEnglish('refused (closed): the run is ending') }],
  ['control', 'close result', { ok: true, message: 'it held nothing, and had no order' }],
  ['intent', 'grid', { refusedBy: 'order-value', amount: '1' }],
  ['reconciliation', 'break', { why: readEnglish('expected 1 btc, the exchange has 2'), rows: [] }],
  ['reconciliation', 'accepted', {}],
  ['notice', 'credential', { refused: true }],
  ['notice', 'page-1', { venueId: '7' }],
  ['finding', 'wallet btc', { field: 'held', expected: 'from 0', found: '-1', readings: 1 }],
  ['strategy', 'grid', { status: 'paused', reason: 'RangeError: the book is empty' }],
  ['transfer', 'grid-9', { strategy: 'grid', currency: 'usdt', amount: '5', status: 'done' }],
  ['universe', 'grid/members', { entered: [], left: [], members: [] }],
  ['log', 'grid', { text: 'the spread is 1.4 %, quotes wait', fields: null }],
];

/** Puts a bot on a server in which everything has gone wrong that a person reads about. */
export function giveTroubles(server: MadeUpServer): void {
  const [first] = OVERVIEW.strategies;
  if (first === undefined) throw new Error('expected a strategy of the made-up bot, was none');
  server.replies.set('overview', {
    ...OVERVIEW,
    bot: {
      ...OVERVIEW.bot,
      state: 'starting',
      ...reasonOf('no answer from the exchange yet'),
    },
    credential: {
      name: 'the token of exchange.credentials.token, from the file /run/token',
      nameFacts: factsOfEnglish('the token of exchange.credentials.token, from the file /run/token'),
      sinceMs: NOW_MS - 60_000,
      advice: '',
    },
    alertsOff: 'other speed',
    waits: reasonOf(
      'trading can begin 600 s after the exchange\'s first answer, in 718 s at the latest, by the ledger: what was sent before is not known, so the limit of orders/add counts as used up. The wait ends by 2026-04-07T11:12:00Z (1405/01/18 14:42 in Tehran). If nothing was sent to the exchange lately, stop the bot and run "sarraf ledger new"',
    ),
    haltWait: reasonOf('3 cancels wait for the answer of the exchange'),
    dataAges: ['book BTCIRT', 'candles BTCIRT 1h', 'wallets', 'orders', 'fills', 'stats'].map((feed) => ({
      feed,
      readAtMs: NOW_MS - 5_000,
    })),
    strategies: REASONS.map((reason, index) => ({
      ...first,
      name: `grid-${index}`,
      status: 'paused by hand',
      lastDecision: {
        atMs: NOW_MS - 60_000,
        kind: 'bracket',
        market: 'BTCIRT',
        status: 'refused',
        ...reasonOf(reason),
      },
    })),
  });
  server.replies.set('strategy', {
    ...(REPLIES['strategy'] as object),
    intents: REASONS.map((reason, index) => ({
      ...INTENT,
      id: `i${index}`,
      kind: 'target',
      status: 'refused',
      ...reasonOf(reason),
    })),
  });
  server.replies.set('log', {
    items: LINES.map(([kind, subject, data], index) =>
      logItemOf({ seq: index + 1, atMs: NOW_MS, kind, subject, json: JSON.stringify(data), level: 0 }),
    ),
    next: null,
  });
  server.replies.set('books', {
    ...(REPLIES['books'] as object),
    blockedBy: 'trades came while it was compared',
    blockedByFacts: factsOfEnglish('trades came while it was compared'),
    transfers: [
      {
        strategy: 'grid',
        currency: 'usdt',
        amount: '5',
        from: 'spot',
        to: 'margin',
        state: 'unknown',
        sinceMs: NOW_MS,
      },
    ],
  });
  const result = '1 order is canceled; grid trades on and may place others: "sarraf pause grid" stops that';
  server.replies.set('actionState', {
    ...(REPLIES['actionState'] as object),
    state: 'failed',
    result: { ok: false, message: result, messageFacts: factsOfEnglish(result), left: [], placed: [] },
  });
}
