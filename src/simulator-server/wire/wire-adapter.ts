import type { EndpointName } from '../../exchange/endpoints.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { GateCaller } from '../../simulator/credentials.ts';
import {
  notFoundAnswer,
  type Distortion,
  type WireAnswer,
  type WireCall,
  type WireHandlers,
  DEFAULT_FORMS,
  type WireForms,
} from './handler.ts';
import { readInput, textInput } from './request-fields.ts';
import { RequestLog, RequestRouter, type Routing } from '../request-log.ts';
import {
  gatewayHandlers,
  marginHandlers,
  rialWithdrawalHandlers,
  walletHandlers,
} from './handlers/wallets.ts';
import { marketDataHandlers } from './handlers/market-data.ts';
import { sessionHandlers, userHandlers } from './handlers/user.ts';
import { spotHandlers } from './handlers/spot.ts';
import { formatUnits } from '../../domain/money.ts';
import type { Payment } from '../../simulator/gateway.ts';

/** Handler of each endpoint of the interface; the compiler checks that none is missing. */
const ALL_HANDLERS: WireHandlers = {
  ...marketDataHandlers,
  ...sessionHandlers,
  ...userHandlers,
  ...walletHandlers,
  ...spotHandlers,
  ...marginHandlers,
  ...rialWithdrawalHandlers,
  ...gatewayHandlers,
};

/** A request as it arrived. */
export interface WireRequest {
  /** In upper case. */
  readonly method: string;
  /** Path as it was sent, from the first slash, with its query. */
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Body; empty if there is none. */
  readonly body: string;
  readonly ip: string;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface WireAdapterOptions {
  readonly exchange: SimulatedExchange;
  readonly forms?: Partial<WireForms>;
  /** True if POST on reads, form bodies and stray slashes are accepted. On by default. */
  readonly isLenient?: boolean;
  readonly requestsKept?: number;
  /** Called with a mistake in the exchange itself, before the 500 is sent; by default it is thrown. */
  readonly onMistake?: (error: unknown) => void;
}

const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json; charset=utf-8' };
const NO_DISTORTION: Distortion = {};
const PAY_PAGE = /^\/app\/paygate\/([^/]+)\/?$/;

/** Facts about a request for the log. */
interface Trace {
  readonly path: string;
  endpoint: string | null;
  budget: string | null;
  caller: GateCaller | null;
}

/**
 * The exchange's adapter for HTTP requests: it finds the endpoint, lets the gate decide, reads the fields and
 * replies in JSON. A bad request gets the interface's own error and changes nothing. Every request is logged.
 */
export class WireAdapter {
  readonly exchange: SimulatedExchange;
  readonly log: RequestLog;
  readonly forms: WireForms;
  private readonly router: RequestRouter;
  private readonly isLenient: boolean;
  private readonly onMistake: ((error: unknown) => void) | null;

  constructor(options: WireAdapterOptions) {
    this.exchange = options.exchange;
    this.forms = { ...DEFAULT_FORMS, ...options.forms };
    this.isLenient = options.isLenient ?? true;
    this.router = new RequestRouter(this.isLenient);
    this.log = new RequestLog(options.requestsKept);
    this.onMistake = options.onMistake ?? null;
  }

  /** Returns the endpoint of a request; null if it is for none. */
  endpointOf(request: Pick<WireRequest, 'method' | 'path'>): EndpointName | null {
    const [path = ''] = request.path.split('?', 1);
    const routing = this.router.find(request.method, path);
    return routing.kind === 'found' ? routing.route.name : null;
  }

  /** Handles a request at a time not before the last one's. `distortion`: a fault's change of the reply. */
  handle(request: WireRequest, timeMs: number, distortion: Distortion = NO_DISTORTION): WireReply {
    const question = request.path.indexOf('?');
    const trace: Trace = {
      path: question === -1 ? request.path : request.path.slice(0, question),
      endpoint: null,
      budget: null,
      caller: null,
    };
    let answer: WireAnswer;
    try {
      answer = this.answer(request, { trace, timeMs, distortion });
    } catch (error) {
      if (this.onMistake === null) throw error;
      this.onMistake(error);
      answer = {
        status: 500,
        body: { status: 'failed', code: 'InternalError', message: 'Temporary server error' },
      };
    }
    this.log.add({
      timeMs,
      ip: request.ip,
      credentialId: trace.caller?.credentialId ?? null,
      method: request.method,
      path: trace.path,
      endpoint: trace.endpoint,
      budget: trace.budget,
      status: answer.status,
    });
    return write(answer, distortion.addsFields === true || this.forms.unknownFields);
  }

  private answer(
    request: WireRequest,
    at: { readonly trace: Trace; readonly timeMs: number; readonly distortion: Distortion },
  ): WireAnswer {
    const { trace, timeMs } = at;
    const routing = this.router.find(request.method, trace.path);
    if (routing.kind !== 'found') return this.answerElsewhere(request, routing, at);
    const { endpoint, name } = routing.route;
    trace.endpoint = name;
    trace.budget = endpoint.budget.name;
    const decision = this.exchange.services.gate.check({
      headers: request.headers,
      ip: request.ip,
      method: request.method,
      pathWithQuery: request.path,
      body: request.body,
      access: endpoint.access,
      budget: endpoint.budget,
      timeMs,
    });
    if (!decision.ok) {
      trace.caller = this.refusedCaller(request, timeMs);
      return { status: decision.status, body: decision.body, headers: decision.headers };
    }
    trace.caller = decision.caller;
    const call = this.callFor(request, { ...at, path: routing.path, caller: decision.caller });
    return call === null ? this.unreadable() : ALL_HANDLERS[name](call);
  }

  /** Handles paths outside the interface: the site's pay page, or else an unknown path or method. */
  private answerElsewhere(
    request: WireRequest,
    routing: Routing,
    at: { readonly trace: Trace; readonly timeMs: number; readonly distortion: Distortion },
  ): WireAnswer {
    if (routing.kind === 'other-method') {
      const allow = routing.allowed.join(', ');
      const message = `Expected ${allow}, was ${request.method}`;
      return {
        status: 405,
        headers: { allow },
        body: { status: 'failed', code: 'MethodNotAllowed', message },
      };
    }
    const token = PAY_PAGE.exec(at.trace.path)?.[1];
    if (token === undefined || (request.method !== 'GET' && request.method !== 'POST'))
      return notFoundAnswer('address');
    const call = this.callFor(request, { ...at, path: { token }, caller: null, acceptsForms: true });
    if (call === null) return this.unreadable();
    return request.method === 'GET' ? payPage(call) : payAction(call);
  }

  private callFor(
    request: WireRequest,
    at: {
      readonly trace: Trace;
      readonly timeMs: number;
      readonly distortion: Distortion;
      readonly path: Readonly<Record<string, string>>;
      readonly caller: GateCaller | null;
      readonly acceptsForms?: boolean;
    },
  ): WireCall | null {
    const { path: sent, headers } = request;
    const { trace, distortion } = at;
    const input = readInput({
      method: request.method,
      query: sent.length === trace.path.length ? '' : sent.slice(trace.path.length + 1),
      body: request.body,
      contentType: textOf(headers['content-type']),
      acceptsForms: at.acceptsForms ?? this.isLenient,
    });
    if (input === null) return null;
    const forms = distortion === NO_DISTORTION ? this.forms : distorted(this.forms, distortion);
    return {
      exchange: this.exchange,
      caller: at.caller,
      ip: request.ip,
      userAgent: textOf(headers['user-agent']),
      headers: headers as WireCall['headers'],
      path: at.path,
      input,
      timeMs: at.timeMs,
      forms,
      distortion,
    };
  }

  private unreadable(): WireAnswer {
    const message = 'Expected the body as a JSON object';
    return { status: 400, body: { status: 'failed', [this.forms.failureField]: 'ParseError', message } };
  }

  /** Returns the caller of a refused request for the log: only refusals need this second look-up. */
  private refusedCaller(request: WireRequest, timeMs: number): GateCaller | null {
    const { credentials } = this.exchange.services;
    const authorization = textOf(request.headers['authorization']);
    if (authorization.startsWith('Token '))
      return credentials.callerOfToken(authorization.slice(6).trim(), timeMs);
    const key = textOf(request.headers[`${this.forms.serviceName.toLowerCase()}-key`]);
    return credentials.keyOf(key)?.caller ?? credentials.keyOf(key.replace(/=+$/, ''))?.caller ?? null;
  }
}

function textOf(header: string | string[] | undefined): string {
  if (typeof header === 'string') return header;
  return header?.[0] ?? '';
}

function distorted(forms: WireForms, { omitsFields, addsFields }: Distortion): WireForms {
  if (omitsFields !== true && addsFields !== true) return forms;
  return {
    ...forms,
    omitOptionalFields: forms.omitOptionalFields || omitsFields === true,
    unknownFields: forms.unknownFields || addsFields === true,
  };
}

function write({ status, body, headers }: WireAnswer, addsFields: boolean): WireReply {
  if (typeof body === 'string') return { status, headers: headers ?? {}, body };
  const shown =
    addsFields && typeof body === 'object' && body !== null ? { ...body, servedBy: 'node-7' } : body;
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(shown),
  };
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
main { max-width: 24rem; margin: 10vh auto; padding: 1.5rem 2rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .75rem }
h1 { font-size: 1.4rem; margin: 0 0 .5rem }
button { font: inherit; padding: .4rem 1.2rem; margin-inline-end: .5rem }
`;

function page(status: number, title: string, body: string): WireAnswer {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style>`;
  return {
    status,
    headers: HTML,
    body: `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>\n`,
  };
}

/** Returns the merchant's address for the payer, with `status` and `token` before any fragment. */
function callbackAddress(payment: Payment, status: 0 | 1): string {
  const [address = '', ...fragment] = payment.callbackUrl.split('#');
  const separator = address.includes('?') ? '&' : '?';
  const anchor = fragment.length === 0 ? '' : `#${fragment.join('#')}`;
  return `${address}${separator}status=${status}&token=${payment.token}${anchor}`;
}

function choices(payment: Payment, call: WireCall): string {
  const { gateway } = call.exchange.services;
  const rialValue = call.exchange.rialValue.bind(call.exchange);
  return payment.currencies
    .map((currency, index) => {
      const owed = gateway.quote(payment, currency, rialValue);
      const label = `${owed === null ? 'no price' : formatUnits(owed)} ${currency.toUpperCase()}`;
      return `<p><label><input type="radio" name="currency" value="${currency}"${index === 0 ? ' checked' : ''}> ${label}</label>`;
    })
    .join('');
}

/** Returns the page of `GET /app/paygate/{token}` for the payer: two buttons that post, and no script. */
export function payPage(call: WireCall): WireAnswer {
  const { gateway } = call.exchange.services;
  const payment = gateway.find(call.path['token'] ?? '');
  if (payment === undefined) return page(404, 'No such payment', '<p>This payment is not known.');
  if (!gateway.isPayable(payment, call.timeMs))
    return page(410, 'Payment closed', '<p>This payment is closed.');
  const network = gateway.settings.testNetwork ? '<p>Test network: no real coins.' : '';
  const factor = payment.factorNumber === null ? '' : `<p>Invoice ${escapeHtml(payment.factorNumber)}`;
  const description = payment.description === null ? '' : `<p>${escapeHtml(payment.description)}`;
  const buttons =
    '<p><button name="action" value="pay">Pay</button> <button name="action" value="cancel">Cancel</button>';
  const form = `<form method="post">${choices(payment, call)}${buttons}</form>`;
  return page(
    200,
    `Pay ${payment.amount.toLocaleString('en')} rial`,
    `${network}${factor}${description}${form}`,
  );
}

/** Handles `POST /app/paygate/{token}` (`action`, `currency`): sends the payer back to the merchant. */
export function payAction(call: WireCall): WireAnswer {
  const { gateway } = call.exchange.services;
  const token = call.path['token'] ?? '';
  const action = textInput(call.input, 'action');
  if (gateway.find(token) === undefined) return page(404, 'No such payment', '<p>This payment is not known.');
  if (action !== 'pay' && action !== 'cancel')
    return page(400, 'Bad request', '<p>Expected action pay or cancel.');
  const rialValue = call.exchange.rialValue.bind(call.exchange);
  const moved =
    action === 'cancel'
      ? gateway.cancel(token)
      : gateway.pay(token, { currency: textInput(call.input, 'currency'), timeMs: call.timeMs, rialValue });
  if (moved === null) return page(410, 'Payment closed', '<p>This payment can not be changed any more.');
  const location = callbackAddress(moved, action === 'pay' ? 1 : 0);
  return { status: 302, headers: { ...HTML, location }, body: '' };
}
