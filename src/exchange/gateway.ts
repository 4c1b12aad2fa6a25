import { createHash, timingSafeEqual } from 'node:crypto';
import { invalidOptions } from '../domain/errors.ts';
import type { EndpointReply, EndpointRequest } from './endpoints.ts';
import type { Caller } from './paging.ts';
import { REFUSAL_TABLE } from './refusals.ts';
import type { EndpointResult } from './reply-decoder.ts';

/** A merchant's two keys. The secret is never sent. */
export interface Merchant {
  readonly api: string;
  readonly apiSecret: string;
}

/** Data in the address to which the payer's browser returns. */
export interface PaymentReturn {
  readonly token: string;
  /** True if the redirect claims success; only `verify` proves it. */
  readonly claimsSuccess: boolean;
}

interface PaymentGatewayOptions {
  readonly client: Caller;
  readonly merchant: Merchant;
  readonly siteUrl: string | null;
}

/** Payment gateway for one merchant: make an invoice, send the payer to its page, read the return, verify. */
export class PaymentGateway {
  private readonly options: PaymentGatewayOptions;

  constructor(options: PaymentGatewayOptions) {
    this.options = options;
  }

  send(invoice: Omit<EndpointRequest<'gatewaySend'>, 'api'>): Promise<EndpointResult<'gatewaySend'>> {
    const { client, merchant } = this.options;
    return client.call('gatewaySend', { ...invoice, api: merchant.api });
  }

  /** Returns the address of the payment page. */
  payPageUrl(token: string): string {
    const { siteUrl } = this.options;
    if (siteUrl === null)
      throw invalidOptions('expected siteUrl among the options of the client, was missing');
    return new URL(`/app/paygate/${encodeURIComponent(token)}`, siteUrl).href;
  }

  /** Parses the address to which the payer returned; null if it has no token. */
  parseCallback(address: string | URL): PaymentReturn | null {
    const url = URL.parse(String(address), 'http://localhost');
    const token = url?.searchParams.get('token') ?? '';
    return token === '' ? null : { token, claimsSuccess: url?.searchParams.get('status') === '1' };
  }

  /** Confirms a payment. A reply that is not from the exchange is refused with `HashMismatch`. */
  async verify(token: string): Promise<EndpointResult<'gatewayVerify'>> {
    const { client, merchant } = this.options;
    const result = await client.call('gatewayVerify', { api: merchant.api, token });
    if (!result.ok || this.isGenuine(token, result.value)) return result;
    const { retry, outcome, meaning } = REFUSAL_TABLE.HashMismatch;
    return {
      ok: false,
      code: 'HashMismatch',
      message: meaning,
      httpStatus: 200,
      retry,
      outcome,
      clientOrderId: null,
    };
  }

  /** Checks the hash of an answer: MD5 of token, amount and secret ("Payment gateway credentials"). */
  private isGenuine(token: string, { amount, transactionHash }: EndpointReply<'gatewayVerify'>): boolean {
    const text = `${token}${amount}${this.options.merchant.apiSecret}`;
    const expected = Buffer.from(createHash('md5').update(text, 'utf8').digest('hex'));
    const found = Buffer.from(transactionHash.toLowerCase());
    return expected.length === found.length && timingSafeEqual(expected, found);
  }
}
