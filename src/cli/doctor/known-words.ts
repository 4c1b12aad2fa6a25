import { z } from 'zod';
import type { Endpoint } from '../../exchange/endpoint.ts';
import { ENDPOINTS } from '../../exchange/endpoints/index.ts';
import { REFUSAL_TABLE } from '../../exchange/refusals.ts';

/** Fields and words of replies that the declared endpoints do not name, and deployments have. */
const MORE_FIELDS =
  'status code message detail error errmsg non_field_errors backOff limit hasNext user isMyOrder service coins ' +
  'features minOrders amountPrecisions pricePrecisions activeCurrencies coin name stats orders trades wallets profile';

/** One-word values in replies. */
const MORE_VALUES =
  'ok failed success error no_data yes no true false buy sell Limit Market StopLimit StopMarket Spot Margin Credit Debit ' +
  'limit market stop_limit stop_market New Active Inactive Done Canceled Rejected Sent Failed Pending Transferred ' +
  'Successful confirmed new normal paya satna rls usdt btc eth irt RLS USDT BTC ETH IRT BTCIRT BTCUSDT ETHIRT ETHUSDT ' +
  'USDTIRT BTC-RLS USDT-RLS BTC-USDT btc-rls usdt-rls btc-usdt';

/** Words of refusals, of proxies' pages and of headers. */
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

/** Whatever a JSON schema names: properties, and the values of enumerations. */
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
  for (const { reply } of Object.values(ENDPOINTS) as readonly Endpoint[]) {
    collect(z.toJSONSchema(reply, { io: 'input', unrepresentable: 'any' }), names);
  }
  return names;
}

/** Names that fields of replies may have and that say nothing of anybody. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...declaredNames(),
  ...split(MORE_FIELDS),
  ...split(MORE_VALUES),
]);

/** Whole values of the interface, such as states and codes of refusals. */
export const KNOWN_VALUES: ReadonlySet<string> = new Set([
  ...Object.keys(REFUSAL_TABLE),
  ...split(MORE_VALUES),
]);

/** Words within a text, in lower case. */
export const KNOWN_WORDS: ReadonlySet<string> = new Set([
  ...split(MORE_WORDS),
  ...split(MORE_VALUES).map((word) => word.toLowerCase()),
  ...Object.keys(REFUSAL_TABLE).map((code) => code.toLowerCase()),
]);
