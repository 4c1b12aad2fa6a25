import { createHash, timingSafeEqual } from 'node:crypto';
import { SarrafError } from '../domain/errors.ts';
import type { EndpointReply, EndpointRequest } from './endpoints.ts';
import type { Caller } from './paging.ts';
import { REFUSAL_TABLE } from './refusals.ts';
import type { EndpointResult } from './reply-decoder.ts';

/** A merchant's two keys. The secret is never sent. */
export interface Merchant {
  readonly api: string;
  readonly apiSecret: string;
}

/** Data that the payer's browser brings back. */
export interface PaymentReturn {
  readonly token: string;
  /** Claim of the redirect; only `verify` proves it. */
  readonly claimsSuccess: boolean;
}

/**
 * The hash that an answer must carry: MD5 of token, amount in decimal and secret, one after another ("Payment
 * gateway credentials").
 */
function paymentHash(parts: {
  readonly token: string;
  readonly amount: string;
  readonly apiSecret: string;
}): string {
  return createHash('md5').update(`${parts.token}${parts.amount}${parts.apiSecret}`, 'utf8').digest('hex');
}

function sameHash(expected: string, found: string): boolean {
  const left = Buffer.from(expected);
  const right = Buffer.from(found.toLowerCase());
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * The payment gateway for one merchant: make an invoice, send the payer to its page, read the return, verify.
 */
export class PaymentGateway {
  private readonly client: Caller;
  private readonly merchant: Merchant;
  private readonly siteUrl: string | null;

  constructor(options: {
    readonly client: Caller;
    readonly merchant: Merchant;
    readonly siteUrl: string | null;
  }) {
    this.client = options.client;
    this.merchant = options.merchant;
    this.siteUrl = options.siteUrl;
  }

  send(invoice: Omit<EndpointRequest<'gatewaySend'>, 'api'>): Promise<EndpointResult<'gatewaySend'>> {
    return this.client.call('gatewaySend', { ...invoice, api: this.merchant.api });
  }

  /** Returns the address to send the payer to. */
  payPageUrl(token: string): string {
    if (this.siteUrl === null) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        'expected siteUrl among the options of the client, was missing',
      );
    }
    return new URL(`/app/paygate/${encodeURIComponent(token)}`, this.siteUrl).href;
  }

  /** Parses the address that the payer came back to; null if it holds no token. */
  parseCallback(address: string | URL): PaymentReturn | null {
    const url = URL.parse(String(address), 'http://localhost');
    const token = url?.searchParams.get('token') ?? '';
    return token === '' ? null : { token, claimsSuccess: url?.searchParams.get('status') === '1' };
  }

  /**
   * Confirms a payment, and that the answer is the exchange's own: refused with `HashMismatch` where it is
   * not.
   */
  async verify(token: string): Promise<EndpointResult<'gatewayVerify'>> {
    const result = await this.client.call('gatewayVerify', { api: this.merchant.api, token });
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

  private isGenuine(token: string, payment: EndpointReply<'gatewayVerify'>): boolean {
    const expected = paymentHash({ token, amount: payment.amount, apiSecret: this.merchant.apiSecret });
    return sameHash(expected, payment.transactionHash);
  }
}
