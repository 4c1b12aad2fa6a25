import { z } from 'zod';
import * as action from './action.ts';
import * as log from './log.ts';
import * as market from './market.ts';
import * as order from './order.ts';
import * as overview from './overview.ts';
import * as trip from './trip.ts';
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
  ({
    method: 'POST',
    path: `/actions/${path}`,
    role: 'operate',
    summary,
    body,
    reply: action.actionReply,
  }) as const;

const describe = <Path extends string>(path: Path, summary: string) =>
  ({ method: 'POST', path, role: 'signal', summary, body: log.signalBody, reply: log.signalReply }) as const;

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
  overview: get('/overview', 'The bot at a glance.', overview.overviewReply),
  equity: get('/equity', 'Equity and profit over time.', market.equityReply, market.rangeQuery),
  strategy: get('/strategies/:name', 'One strategy.', overview.strategyReply),
  rules: get(
    '/strategies/:name/rules',
    'What the rules of a strategy wait for.',
    overview.rulesReply,
    overview.rulesQuery,
  ),
  shadows: get('/shadows', 'Strategies beside their shadows on paper.', overview.shadowsReply),
  markets: get('/markets', 'The markets of the bot.', market.marketsReply),
  candles: get(
    '/markets/:symbol/candles',
    'Candles as the bot has read them.',
    market.chartCandlesReply,
    market.chartQuery,
  ),
  recordings: get('/recordings', 'Candles that are recorded on the disk.', market.recordingsReply),
  recorded: get(
    '/recordings/:symbol/candles',
    'Recorded candles of a market.',
    market.chartCandlesReply,
    market.chartQuery,
  ),
  quotes: get(
    '/markets/:symbol/quotes',
    'Best prices that the bot knew, and our best orders, over time.',
    market.quotesReply,
  ),
  marks: get(
    '/markets/:symbol/marks',
    'Our orders, fills and brackets in a market.',
    market.marksReply,
    market.chartQuery,
  ),
  book: get('/markets/:symbol/book', 'The order book with our place.', market.bookReply, market.bookQuery),
  terms: get('/markets/:symbol/terms', 'What an order in a market would meet now.', overview.termsReply),
  plots: get(
    '/markets/:symbol/plots',
    'Series that strategies want to have drawn.',
    market.plotsReply,
    market.plotsQuery,
  ),
  conditions: get(
    '/markets/:symbol/conditions',
    'When the conditions of strategies made of rules were true.',
    market.conditionsReply,
    market.chartQuery,
  ),
  orders: get('/orders', 'Orders.', order.ordersReply, order.ordersQuery),
  order: get(
    '/orders/:key',
    'One order and its life; by its key or its id at the exchange.',
    order.orderReply,
  ),
  moment: get(
    '/orders/:key/moment',
    'What the bot knew when it decided an order, or the intent of that id: the recorded run is replayed to it.',
    overview.momentReply,
  ),
  fills: get('/fills', 'Fills.', order.fillsReply, order.fillsQuery),
  trips: get(
    '/trips',
    'Round trips: what was bought and sold again, or is still held.',
    trip.tripsReply,
    trip.tripsQuery,
  ),
  profits: get('/profits', 'Closed trips by day, strategy and other.', trip.profitsReply, trip.profitsQuery),
  quality: get(
    '/quality',
    'What the newest 5,000 orders cost against the price at which they were decided.',
    trip.qualityReply,
    trip.qualityQuery,
  ),
  intents: get('/intents', 'What strategies wanted.', order.intentsReply, order.intentsQuery),
  budgets: get(
    '/budgets',
    'Limits: their use now and over time, and lockouts.',
    overview.budgetsReply,
    market.rangeQuery,
  ),
  books: get('/books', 'Whether the books agree with the exchange.', overview.booksReply),
  locks: get('/locks', 'Locks that hold.', overview.locksReply),
  log: get('/log', 'Lines of the journal that people read.', log.logReply, log.logQuery),
  signals: get(
    '/signals',
    'Signals from outside, and what became of them.',
    log.signalsReply,
    log.signalsQuery,
  ),
  alerts: get('/alerts', 'Alerts.', overview.alertsReply, overview.alertsQuery),
  reports: get('/reports', 'Reports below the data folder.', log.reportsReply),
  report: get('/reports/:id', 'One report, as HTML in a sandbox.', null),
  bots: get('/bots', 'All bots of this machine.', overview.botsReply),
  events: get(
    '/events',
    'Server-sent events: one for each line of the journal, resumed by Last-Event-ID.',
    null,
    log.eventsQuery,
  ),
  openapi: get('/openapi.json', 'This API as an OpenAPI 3.1 page.', null),
  actionState: get('/actions/:id', 'How far an action has come.', action.actionStateReply),
  halt: act('halt', 'Stops trading and cancels the orders of the bot.', action.haltBody),
  resume: act('resume', 'Ends a halt, or the pause of one strategy.', action.resumeBody),
  pause: act('pause', 'Pauses one strategy.', action.pauseBody),
  reload: act(
    'reload',
    'Loads the code and params of one strategy anew, while the bot goes on.',
    action.reloadBody,
  ),
  promote: act('promote', 'Exchanges the code and params of a strategy and its shadow.', action.promoteBody),
  cancel: act('cancel', 'Cancels one order, or those of a strategy, of a market or all.', action.cancelBody),
  close: act('close', 'Closes the position of one strategy, reduce-only.', action.closeBody),
  position: act(
    'position',
    'Says what became of coins that somebody has closed or moved by hand: in the books alone.',
    action.positionBody,
  ),
  lock: act('lock', 'Places no new risk for a while.', action.lockBody),
  unlock: act('unlock', 'Ends locks before their time.', action.unlockBody),
  placeOrder: act('order', 'Places an order in the book of a strategy.', action.orderBody),
  approve: act('approve', 'Approves an entry that waits for a person: it begins.', action.approvalBody),
  decline: act('decline', 'Declines an entry that waits for a person: nothing is sent.', action.approvalBody),
  note: act('note', 'Replaces the note and tags on a trade; without any they are removed.', action.noteBody),
  acknowledge: act('acknowledge', 'Acknowledges an alert.', action.acknowledgeBody),
  signal: describe('/signals/:strategy', 'Tells a strategy a signal, whose name is in the body.'),
  namedSignal: describe('/signals/:strategy/:name', 'Tells a strategy a signal.'),
} as const satisfies Readonly<Record<string, EndpointShape>>;

export type DashboardEndpoint = keyof typeof DASHBOARD_ENDPOINTS;

/** Names of the actions, each at an address of its own. */
export type ActionName = {
  [Name in DashboardEndpoint]: (typeof DASHBOARD_ENDPOINTS)[Name] extends { reply: typeof action.actionReply }
    ? Name
    : never;
}[DashboardEndpoint];
