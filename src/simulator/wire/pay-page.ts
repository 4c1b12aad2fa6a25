import { formatUnits } from '../../domain/money.ts';
import type { Payment } from '../core/gateway/gateway.ts';
import type { WireAnswer, WireCall } from './handler.ts';
import { textInput } from './request-fields.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

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

/**
 * Returns the address to which the payer goes back: the merchant's address with `status` and `token` added to
 * its query, before any fragment.
 */
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

/**
 * `GET /app/paygate/{token}`: the page that a payer sees. Without script; its two buttons post to its own
 * address.
 */
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

/**
 * `POST /app/paygate/{token}` with `action` `pay` or `cancel`, and `currency`: sends the payer back to the
 * merchant.
 */
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
