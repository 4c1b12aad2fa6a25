import { redact } from '../../daemon/redact.ts';
import { parseJson } from '../../domain/stored-json.ts';
import type { HttpResponse } from '../../exchange/transport.ts';
import { z } from 'zod';
import type { Endpoint } from '../../exchange/request-types.ts';
import { ENDPOINTS } from '../../exchange/endpoints.ts';
import { REFUSAL_TABLE } from '../../exchange/refusals.ts';
import { madeOnce } from '../../domain/retain-newest.ts';

/** Maximum number of items of a list and fields of an object that are recorded: the rest is alike. */
const MOST_ITEMS = 20;
const MOST_FIELDS = 200;
/** Maximum number of characters of a text that is not JSON, such as a proxy's page. */
const MOST_CHARACTERS = 2_000;
const DEEPEST = 12;

/** Headers that describe the exchange or the route to it. */
const SAVED_HEADERS: ReadonlySet<string> = new Set([
  'age',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'server',
  'transfer-encoding',
  'vary',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);

/** Matches fields of a person or of something that belongs to one: their texts are never recorded. */
const PERSONAL =
  /name|mail|phone|mobile|.code$|city|address|shaba|number|owner|bank|card|account|^ip$|tag|device|description|memo|hash|url|user|secret|level/i;
const ID = /^id$|[a-z_](?:Id|ID|_id)$|_id$/;

const NUMBER = /^-?[\d_]{1,40}(?:\.\d{0,40})?(?:[eE][+-]?\d{1,3})?$/;
/** Matches a time with a time of day: a day alone may be a birthday. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const WORD = /[\p{L}\p{N}\p{M}_@.+-]+/gu;

interface AnonymousReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the reply: JSON as a value, anything else as text. */
  readonly body: unknown;
  readonly bodyBytes: number;
}

/**
 * Returns a reply reduced to what the interface itself names, and the form of the rest: the length of numbers
 * (and, if `isPublic`, three digits), and which texts are equal. Everything that is not known to be harmless
 * is removed, so that a field that nobody thought of is removed too.
 */
export function anonymousReply(
  { status, headers, body }: HttpResponse,
  of: { readonly isPublic: boolean; readonly pseudonyms: Pseudonyms },
): AnonymousReply {
  const writer = new Writer(of.pseudonyms, of.isPublic ? 3 : 0);
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => writer.header(name, value))),
    body: writer.body(body),
    bodyBytes: Buffer.byteLength(body),
  };
}

class Writer {
  private readonly pseudonyms: Pseudonyms;
  /** Number of digits of a number that stay. */
  private readonly digits: number;

  constructor(pseudonyms: Pseudonyms, digits: number) {
    this.pseudonyms = pseudonyms;
    this.digits = digits;
  }

  header(name: string, value: string): readonly [string, string] {
    if (!SAVED_HEADERS.has(name.toLowerCase()))
      return [this.pseudonyms.of('header', name), this.pseudonyms.of('value', value)];
    return [name, HTTP_DATE.test(value) ? value : this.sentence(value)];
  }

  body(text: string): unknown {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      return this.sentence(text.slice(0, MOST_CHARACTERS));
    }
    // Fields whose names are hidden in a log are hidden here too.
    return this.value(redact(value), '', 0);
  }

  private value(value: unknown, field: string, depth: number): unknown {
    if (value === null || typeof value === 'boolean') return value;
    if (depth > DEEPEST) return '[too deep]';
    if (typeof value === 'number') {
      return ID.test(field) || PERSONAL.test(field)
        ? this.pseudonyms.idOf(String(value))
        : Number(this.number(String(value)));
    }
    if (typeof value === 'string') return this.text(value, field);
    if (Array.isArray(value)) return this.list(value, field, depth);
    return typeof value === 'object' ? this.object(value, depth) : '[unknown]';
  }

  private list(items: readonly unknown[], field: string, depth: number): readonly unknown[] {
    const retained = items.slice(0, MOST_ITEMS).map((item) => this.value(item, field, depth + 1));
    return items.length > MOST_ITEMS ? [...retained, `[${items.length - MOST_ITEMS} more]`] : retained;
  }

  private object(object: object, depth: number): Readonly<Record<string, unknown>> {
    const entries = Object.entries(object);
    const retained = entries
      .slice(0, MOST_FIELDS)
      .map(([name, value]) => [this.fieldName(name), this.value(value, name, depth + 1)] as const);
    const more = entries.length - retained.length;
    return Object.fromEntries(more > 0 ? [...retained, ['[more]', more] as const] : retained);
  }

  private fieldName(name: string): string {
    if (KNOWN_FIELDS.has(name)) return name;
    const parts = name.split('.');
    if (parts.length > 1 && parts.every((part) => KNOWN_FIELDS.has(part))) return name;
    return this.pseudonyms.of('field', name);
  }

  private text(text: string, field: string): string {
    if (text === '' || text === '[secret]') return text;
    if (ID.test(field)) return this.pseudonyms.of('id', text);
    if (PERSONAL.test(field)) return this.pseudonyms.of('text', text);
    if (NUMBER.test(text)) return this.number(text);
    if (TIME.test(text) || KNOWN_VALUES.has(text)) return text;
    return this.sentence(text);
  }

  /** Replaces a number by one with the same length and place of the point; 0 stays 0. */
  private number(text: string): string {
    let seen = 0;
    const [mantissa = '', ...exponent] = text.split(/(?=[eE])/);
    const masked = mantissa.replaceAll(/\d/g, (digit) => {
      if (seen === 0 && digit === '0') return digit;
      seen += 1;
      if (seen <= this.digits) return digit;
      return seen === 1 ? '1' : '0';
    });
    return masked + exponent.join('');
  }

  private sentence(text: string): string {
    return text.replaceAll(WORD, (word) => {
      if (KNOWN_WORDS.has(word.toLowerCase()) || /^\d{1,3}$/.test(word) || !/[\p{L}\p{N}]/u.test(word))
        return word;
      return NUMBER.test(word) ? this.number(word) : this.pseudonyms.of('text', word);
    });
  }
}

/** Fields and words of replies that deployments send and the declared endpoints do not name. */
const MORE_FIELDS =
  'status code message detail error errmsg non_field_errors backOff limit hasNext user isMyOrder service coins ' +
  'features minOrders amountPrecisions pricePrecisions activeCurrencies coin name stats orders trades wallets profile';

/** Values of one word that replies have and that identify nobody. */
const MORE_VALUES =
  'ok failed success error no_data yes no true false buy sell Limit Market StopLimit StopMarket Spot Margin Credit Debit ' +
  'limit market stop_limit stop_market New Active Inactive Done Canceled Rejected Sent Failed Pending Transferred ' +
  'Successful confirmed new normal paya satna rls usdt btc eth irt RLS USDT BTC ETH IRT BTCIRT BTCUSDT ETHIRT ETHUSDT ' +
  'USDTIRT BTC-RLS USDT-RLS BTC-USDT btc-rls usdt-rls btc-usdt';

/** Words that refusals, proxies' pages and headers have and that identify nobody. */
const MORE_WORDS =
  'a access accepted allowed an and any application are as at authentication bad be been blocked by cache can cannot ' +
  'captcha charset chunked clock close cloudflare connection control credentials days denied does error exceeded exist ' +
  'expired failed forbidden found from gateway gone has have hour hours html in internal invalid is it ip json keep-alive ' +
  'later limit limited limits long many match matches max-age method minute minutes missing more must nginx no no-cache ' +
  'no-store not of on openresty or order orders out over per permission permitted please provided query rate reached ' +
  'refused request requests retry scope second seconds server service signature slow status temporarily text than that ' +
  'the this throttled time timeout timestamp to token too try unauthorized unavailable unknown user utf-8 was were when ' +
  'with without wrong you your body head title doctype center hr h1 h2 p div span br';

const split = (words: string): readonly string[] => words.split(' ');

/** Collects all names in a JSON schema: properties, and the values of enumerations. */
function collect(schema: unknown, into: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value)) into.add(name);
    }
    if (key === 'enum' && Array.isArray(value)) for (const one of value) into.add(String(one));
    collect(value, into);
  }
}

function declaredNames(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { reply } of Object.values(ENDPOINTS) as readonly Endpoint[])
    collect(z.toJSONSchema(reply, { io: 'input', unrepresentable: 'any' }), names);
  return names;
}

/** Names of reply fields that identify nobody. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...declaredNames(),
  ...split(MORE_FIELDS),
  ...split(MORE_VALUES),
]);

/** Whole values of the interface, such as states and codes of refusals. */
const KNOWN_VALUES: ReadonlySet<string> = new Set([...Object.keys(REFUSAL_TABLE), ...split(MORE_VALUES)]);

/** Words that may stay in a text, in lower case. */
const KNOWN_WORDS: ReadonlySet<string> = new Set([
  ...split(MORE_WORDS),
  ...split(MORE_VALUES).map((word) => word.toLowerCase()),
  ...Object.keys(REFUSAL_TABLE).map((code) => code.toLowerCase()),
]);

/** Replacement names for what must not be shown: the same text gets the same name. */
export class Pseudonyms {
  private readonly names = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Returns a name such as `text-3`; a text keeps the kind that it got first. */
  of(kind: string, text: string): string {
    return madeOnce(this.names, text, () => {
      const count = (this.counts.get(kind) ?? 0) + 1;
      this.counts.set(kind, count);
      return `${kind}-${count}`;
    });
  }

  /** Returns a replacement for an id that is a number: 1, 2, 3. */
  idOf(text: string): number {
    return Number(this.of('id', text).replace(/^.*-/, ''));
  }
}
