import { z } from 'zod';
import {
  acknowledgeBody,
  approvalBody,
  actionReply,
  actionStateReply,
  cancelBody,
  closeBody,
  positionBody,
  haltBody,
  lockBody,
  noteBody,
  orderBody,
  pauseBody,
  promoteBody,
  reloadBody,
  resumeBody,
  unlockBody,
} from './action.ts';
import {
  alertsQuery,
  alertsReply,
  botsReply,
  overviewReply,
  strategyReply,
  rulesQuery,
  rulesReply,
  shadowsReply,
  locksReply,
  budgetsReply,
  booksReply,
} from './overview.ts';
import {
  logQuery,
  logReply,
  reportsReply,
  signalBody,
  signalReply,
  signalsQuery,
  signalsReply,
} from './log.ts';
import {
  bookQuery,
  bookReply,
  marketsReply,
  marksReply,
  chartQuery,
  chartCandlesReply,
  equityReply,
  plotsReply,
  rangeQuery,
} from './market.ts';
import {
  fillsQuery,
  fillsReply,
  intentsQuery,
  intentsReply,
  orderReply,
  ordersQuery,
  ordersReply,
} from './order.ts';
import { profitsQuery, profitsReply, qualityQuery, qualityReply, tripsQuery, tripsReply } from './trip.ts';
import { doneReply, sessionBody, sessionReply, type Role } from './session.ts';

/** Input and output of one endpoint of the API. */
export interface EndpointShape {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below `/api/v1`; `:name` stands for one part of it. */
  readonly path: string;
  /** Required role; null if no token is needed. `signal`: a token for signals to the strategy in the path. */
  readonly role: Role | 'signal' | null;
  readonly summary: string;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType;
  /** Schema of the reply; null if it is not JSON, as the summary says. */
  readonly reply: z.ZodType | null;
}

const get = <Reply extends z.ZodType | null, Query extends z.ZodObject | undefined = undefined>(
  path: string,
  summary: string,
  reply: Reply,
  query?: Query,
) => ({ method: 'GET', role: 'read', path, summary, reply, query: query as Query }) as const;

const act = <Body extends z.ZodType>(path: string, summary: string, body: Body) =>
  ({ method: 'POST', path: `/actions/${path}`, role: 'operate', summary, body, reply: actionReply }) as const;

const describe = <Path extends string>(path: Path, summary: string) =>
  ({ method: 'POST', path, role: 'signal', summary, body: signalBody, reply: signalReply }) as const;

/** All endpoints below `/api/v1`. The routes of the server and the OpenAPI page are generated from them. */
export const DASHBOARD_ENDPOINTS = {
  signIn: {
    method: 'POST',
    path: '/session',
    role: null,
    summary: 'Signs in with a token or the code of a one-time link, and sets a cookie.',
    body: sessionBody,
    reply: sessionReply,
  },
  signOut: {
    method: 'DELETE',
    path: '/session',
    role: 'read',
    summary: 'Ends the session.',
    reply: doneReply,
  },
  session: get('/session', 'Who is signed in.', sessionReply),
  overview: get('/overview', 'The bot at a glance.', overviewReply),
  equity: get('/equity', 'Equity and profit over time.', equityReply, rangeQuery),
  strategy: get('/strategies/:name', 'One strategy.', strategyReply),
  rules: get('/strategies/:name/rules', 'What the rules of a strategy wait for.', rulesReply, rulesQuery),
  shadows: get('/shadows', 'Strategies beside their shadows on paper.', shadowsReply),
  markets: get('/markets', 'The markets of the bot.', marketsReply),
  candles: get(
    '/markets/:symbol/candles',
    'Candles as the bot has read them.',
    chartCandlesReply,
    chartQuery,
  ),
  marks: get('/markets/:symbol/marks', 'Our orders, fills and brackets in a market.', marksReply, chartQuery),
  book: get('/markets/:symbol/book', 'The order book with our place.', bookReply, bookQuery),
  plots: get('/markets/:symbol/plots', 'Series that strategies want to have drawn.', plotsReply, rangeQuery),
  orders: get('/orders', 'Orders.', ordersReply, ordersQuery),
  order: get('/orders/:key', 'One order and its life; by its key or its id at the exchange.', orderReply),
  fills: get('/fills', 'Fills.', fillsReply, fillsQuery),
  trips: get(
    '/trips',
    'Round trips: what was bought and sold again, or is still held.',
    tripsReply,
    tripsQuery,
  ),
  profits: get('/profits', 'Closed trips by day, strategy and other.', profitsReply, profitsQuery),
  quality: get(
    '/quality',
    'What the newest 5,000 orders cost against the price at which they were decided.',
    qualityReply,
    qualityQuery,
  ),
  intents: get('/intents', 'What strategies wanted.', intentsReply, intentsQuery),
  budgets: get('/budgets', 'Limits: their use now and over time, and lockouts.', budgetsReply, rangeQuery),
  books: get('/books', 'Whether the books agree with the exchange.', booksReply),
  locks: get('/locks', 'Locks that hold.', locksReply),
  log: get('/log', 'Lines of the journal that people read.', logReply, logQuery),
  signals: get('/signals', 'Signals from outside, and what became of them.', signalsReply, signalsQuery),
  alerts: get('/alerts', 'Alerts.', alertsReply, alertsQuery),
  reports: get('/reports', 'Reports below the data folder.', reportsReply),
  report: get('/reports/:id', 'One report, as HTML in a sandbox.', null),
  bots: get('/bots', 'All bots of this machine.', botsReply),
  events: get(
    '/events',
    'Server-sent events: one for each line of the journal, resumed by Last-Event-ID.',
    null,
  ),
  openapi: get('/openapi.json', 'This API as an OpenAPI 3.1 page.', null),
  actionState: get('/actions/:id', 'How far an action has come.', actionStateReply),
  halt: act('halt', 'Stops trading and cancels the orders of the bot.', haltBody),
  resume: act('resume', 'Ends a halt, or the pause of one strategy.', resumeBody),
  pause: act('pause', 'Pauses one strategy.', pauseBody),
  reload: act('reload', 'Loads the code and params of one strategy anew, while the bot goes on.', reloadBody),
  promote: act('promote', 'Exchanges the code and params of a strategy and its shadow.', promoteBody),
  cancel: act('cancel', 'Cancels one order, or those of a strategy, of a market or all.', cancelBody),
  close: act('close', 'Closes the position of one strategy, reduce-only.', closeBody),
  position: act(
    'position',
    'Says what became of coins that somebody has closed or moved by hand: in the books alone.',
    positionBody,
  ),
  lock: act('lock', 'Places no new risk for a while.', lockBody),
  unlock: act('unlock', 'Ends locks before their time.', unlockBody),
  placeOrder: act('order', 'Places an order in the book of a strategy.', orderBody),
  approve: act('approve', 'Approves an entry that waits for a person: it begins.', approvalBody),
  decline: act('decline', 'Declines an entry that waits for a person: nothing is sent.', approvalBody),
  note: act('note', 'Replaces the note and tags on a trade; without any they are removed.', noteBody),
  acknowledge: act('acknowledge', 'Acknowledges an alert.', acknowledgeBody),
  signal: describe('/signals/:strategy', 'Tells a strategy a signal, whose name is in the body.'),
  namedSignal: describe('/signals/:strategy/:name', 'Tells a strategy a signal.'),
} as const satisfies Readonly<Record<string, EndpointShape>>;

export type DashboardEndpoint = keyof typeof DASHBOARD_ENDPOINTS;
