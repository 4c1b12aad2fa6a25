import { accept, refuse, type Refusal, type Result } from './result.ts';
import {
  GATEWAY_MESSAGES,
  type GatewayCode,
  type GatewaySettings,
  type MerchantSettings,
} from './gateway-settings.ts';

/** Fields as text, null where they did not come. */
export interface SendRequest {
  readonly api: string | null;
  readonly amount: string | null;
  readonly callbackUrl: string | null;
  readonly factorNumber: string | null;
  readonly mobile: string | null;
  readonly description: string | null;
  readonly currencies: string | null;
}

/** A request whose fields are all in order. */
export interface Invoice {
  readonly api: string;
  /** Rial. */
  readonly amount: number;
  readonly callbackUrl: string;
  readonly factorNumber: string | null;
  readonly mobile: string | null;
  readonly description: string | null;
  readonly currencies: readonly string[];
}

const LEAST_AMOUNT = 10_000;
const LONGEST_DESCRIPTION = 255;
const API = /^[A-Za-z0-9_-]{4,64}$/;
const URL_PARTS = /^(https?:\/\/[^\s/?#@]+)(?:[/?#]\S*)?$/i;

export function gatewayRefusal(code: GatewayCode): Refusal {
  return refuse(code, GATEWAY_MESSAGES[code]);
}

/** The merchant of an `api` value. Refused: -1, -4, -2, -3, in this order. */
export function merchantOf(settings: GatewaySettings, api: string | null): Result<MerchantSettings> {
  if (api === null) return gatewayRefusal('-1');
  if (!API.test(api)) return gatewayRefusal('-4');
  const merchant = settings.merchants.find((one) => one.api === api);
  if (merchant === undefined) return gatewayRefusal('-2');
  return merchant.restricted === true ? gatewayRefusal('-3') : accept(merchant);
}

/** Checks a new invoice in the order of the codes. Source: interface, "Payment gateway". */
export function readInvoice(settings: GatewaySettings, request: SendRequest): Result<Invoice> {
  const merchant = merchantOf(settings, request.api);
  if (!merchant.ok) return merchant;
  const { amount, callbackUrl, description } = request;
  if (amount === null) return gatewayRefusal('-5');
  if (!/^-?\d{1,15}$/.test(amount)) return gatewayRefusal('-6');
  if (Number(amount) < LEAST_AMOUNT) return gatewayRefusal('-7');
  if (callbackUrl === null) return gatewayRefusal('-8');
  // What is not plain ASCII can stand in no header, and so could never be gone back to.
  const origin = /^[\x21-\x7e]*$/.test(callbackUrl) ? URL_PARTS.exec(callbackUrl)?.[1] : undefined;
  if (origin === undefined) return gatewayRefusal('-10');
  if (origin.toLowerCase() !== merchant.value.callbackOrigin.replace(/\/$/, '').toLowerCase())
    return gatewayRefusal('-9');
  if (description !== null && description.length > LONGEST_DESCRIPTION) return gatewayRefusal('-11');
  const currencies = (request.currencies ?? settings.defaultCurrencies)
    .split(',')
    .map((text) => text.trim().toLowerCase());
  if (currencies.some((currency) => !settings.currencies.includes(currency))) return gatewayRefusal('-41');
  return accept({
    api: merchant.value.api,
    amount: Number(amount),
    callbackUrl,
    factorNumber: request.factorNumber,
    mobile: request.mobile,
    description,
    currencies: [...new Set(currencies)],
  });
}
