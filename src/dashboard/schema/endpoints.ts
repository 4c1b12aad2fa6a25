import { z } from 'zod';
import {
  acknowledgeBody,
  actionReply,
  actionStateReply,
  cancelBody,
  closeBody,
  positionBody,
  haltBody,
  lockBody,
  orderBody,
  pauseBody,
  resumeBody,
  unlockBody,
} from './action.ts';
import { alertsQuery, alertsReply } from './alert.ts';
import { booksReply } from './books.ts';
import { botsReply, overviewReply } from './overview.ts';
import { budgetsReply } from './budget.ts';
import { locksReply } from './lock.ts';
import { logQuery, logReply } from './log.ts';
import { bookReply, marketsReply, marksReply } from './market.ts';
import {
  fillsQuery,
  fillsReply,
  intentsQuery,
  intentsReply,
  orderReply,
  ordersQuery,
  ordersReply,
} from './order.ts';
import { reportsReply } from './report.ts';
import { candlesQuery, chartCandlesReply, equityReply, plotsReply, rangeQuery } from './series.ts';
import { doneReply, sessionBody, sessionReply, type Role } from './session.ts';
import { signalBody, signalReply, signalsQuery, signalsReply } from './signal.ts';
import { strategyReply } from './strategy.ts';

/** Input and output of one address of the API. */
export interface EndpointShape {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/v1`; `:name` stands for one part of a path. */
  readonly path: string;
  /** Null: without a token. `signal`: with one that may tell the strategy of the path signals. */
  readonly role: Role | 'signal' | null;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Null: not JSON, as the summary says. */
  readonly reply: z.ZodType | null;
}

const get = <Shape extends Omit<EndpointShape, 'method' | 'role'>>(shape: Shape) =>
  ({ ...shape, method: 'GET', role: 'read' }) as const;

const act = <Body extends z.ZodType>(path: string, summary: string, body: Body) =>
  ({ method: 'POST', path: `/actions/${path}`, role: 'operate', summary, body, reply: actionReply }) as const;

const tell = <Path extends string>(path: Path, summary: string) =>
  ({ method: 'POST', path, role: 'signal', summary, body: signalBody, reply: signalReply }) as const;

/** Every address below `/api/v1`. The routes of the server and the OpenAPI page are made of it. */
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
  session: get({ path: '/session', summary: 'Who is signed in.', reply: sessionReply }),
  overview: get({ path: '/overview', summary: 'The bot at a glance.', reply: overviewReply }),
  equity: get({
    path: '/equity',
    summary: 'Equity and profit over time.',
    query: rangeQuery,
    reply: equityReply,
  }),
  strategy: get({ path: '/strategies/:name', summary: 'One strategy.', reply: strategyReply }),
  markets: get({ path: '/markets', summary: 'The markets of the bot.', reply: marketsReply }),
  candles: get({
    path: '/markets/:symbol/candles',
    summary: 'Candles as the bot has read them.',
    query: candlesQuery,
    reply: chartCandlesReply,
  }),
  marks: get({
    path: '/markets/:symbol/marks',
    summary: 'Our orders, fills and brackets in a market.',
    reply: marksReply,
  }),
  book: get({ path: '/markets/:symbol/book', summary: 'The order book with our place.', reply: bookReply }),
  plots: get({
    path: '/markets/:symbol/plots',
    summary: 'Series that strategies want to have drawn.',
    query: rangeQuery,
    reply: plotsReply,
  }),
  orders: get({ path: '/orders', summary: 'Orders.', query: ordersQuery, reply: ordersReply }),
  order: get({
    path: '/orders/:key',
    summary: 'One order and its life; by its key or its id at the exchange.',
    reply: orderReply,
  }),
  fills: get({ path: '/fills', summary: 'Fills.', query: fillsQuery, reply: fillsReply }),
  intents: get({
    path: '/intents',
    summary: 'What strategies wanted.',
    query: intentsQuery,
    reply: intentsReply,
  }),
  budgets: get({
    path: '/budgets',
    summary: 'Limits: their use now and over time, and lockouts.',
    query: rangeQuery,
    reply: budgetsReply,
  }),
  books: get({ path: '/books', summary: 'Whether the books agree with the exchange.', reply: booksReply }),
  locks: get({ path: '/locks', summary: 'Locks that hold.', reply: locksReply }),
  log: get({
    path: '/log',
    summary: 'Lines of the journal that people read.',
    query: logQuery,
    reply: logReply,
  }),
  signals: get({
    path: '/signals',
    summary: 'Signals from outside, and what became of them.',
    query: signalsQuery,
    reply: signalsReply,
  }),
  alerts: get({ path: '/alerts', summary: 'Alerts.', query: alertsQuery, reply: alertsReply }),
  reports: get({ path: '/reports', summary: 'Reports below the data folder.', reply: reportsReply }),
  report: get({ path: '/reports/:id', summary: 'One report, as HTML in a sandbox.', reply: null }),
  bots: get({ path: '/bots', summary: 'All bots of this machine.', reply: botsReply }),
  events: get({
    path: '/events',
    summary: 'Server-sent events: one for each line of the journal, resumed by Last-Event-ID.',
    reply: null,
  }),
  openapi: get({ path: '/openapi.json', summary: 'This API as an OpenAPI 3.1 page.', reply: null }),
  actionState: get({ path: '/actions/:id', summary: 'How far an action has come.', reply: actionStateReply }),
  halt: act('halt', 'Stops trading and cancels the orders of the bot.', haltBody),
  resume: act('resume', 'Ends a halt, or the pause of one strategy.', resumeBody),
  pause: act('pause', 'Pauses one strategy.', pauseBody),
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
  acknowledge: act('acknowledge', 'Acknowledges an alert.', acknowledgeBody),
  signal: tell('/signals/:strategy', 'Tells a strategy a signal, whose name is in the body.'),
  namedSignal: tell('/signals/:strategy/:name', 'Tells a strategy a signal.'),
} as const satisfies Readonly<Record<string, EndpointShape>>;

export type DashboardEndpoint = keyof typeof DASHBOARD_ENDPOINTS;
