import { missingInventories, readBooks } from '../plan-of-config.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import { parseUnits, type Units } from '../../domain/money.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import {
  type EndpointName,
  type EndpointReply,
  ENDPOINTS,
  type EndpointRequest,
} from '../../exchange/endpoints.ts';
import { judgeAccount, type AccountHash, accountFieldsOf } from '../../venues/account-reader.ts';
import type { CredentialSettings } from '../../venues/client-credentials.ts';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import type { EndpointResult } from '../../exchange/reply-decoder.ts';
import { CommandError } from '../command-error.ts';

type Outcome<Name extends EndpointName> = ReadOutcome<EndpointReply<Name>>;

/** Checks that the mirror belongs to the account that the credential opens. */
export function accountFinding(
  stored: AccountHash | null,
  profile: Outcome<'profile'>,
  credentials: CredentialSettings,
): CheckFinding {
  if (profile.kind !== 'value') return unread('account', profile);
  if (stored === null) return ok('account', 'the mirror knows none yet, and takes this one');
  switch (judgeAccount(stored, accountFieldsOf(profile.value, credentials)).kind) {
    case 'same':
      return ok('account', 'the mirror is of this account');
    case 'other':
      return problem(
        'account',
        "the mirror is of another account: its orders and positions are not this one's",
        'use the credentials of that account, or begin a new data folder for this one (data.folder)',
      );
    case 'unknown':
      return notChecked('account', 'the profile and what the mirror keeps have nothing in common');
  }
}

/** Checks that the exchange has the strategies' markets, with their steps, and that they are open. */
export function marketFindings(
  markets: readonly MarketName[],
  options: Outcome<'options'>,
  stats: Outcome<'marketStats'> | null,
): readonly CheckFinding[] {
  if (options.kind !== 'value') return [unread('markets', options)];
  const { amountSteps, priceSteps } = options.value;
  const count = Object.keys(priceSteps).filter((symbol) => symbol in amountSteps).length;
  const unknown = markets.filter(({ symbol }) => !(symbol in amountSteps) || !(symbol in priceSteps));
  if (unknown.length > 0) {
    const names = unknown.map(({ symbol }) => symbol).join(', ');
    return [
      problem(
        'markets',
        `the exchange names no steps of price and amount for ${names}, but for ${count} other markets`,
        'correct the market of the strategy, or wait until the exchange has it',
      ),
    ];
  }
  const there = ok('markets', `the exchange has ${count}, and the steps of every configured one`);
  return stats === null ? [there] : [there, ...closedFindings(markets, stats)];
}

/** Checks that the book of a market arrives, without which no order is placed. */
export function bookFinding(symbol: string, book: Outcome<'orderBook'>): CheckFinding {
  if (book.kind === 'unsent') return unread('order book', book);
  if (book.kind === 'failed')
    return problem(
      'order book',
      `no book of ${symbol} came: ${failureText(book)}`,
      'see whether the exchange serves /v2/orderbook or /v3/orderbook, and set exchange.orderBook to it',
    );
  const { bids, asks, updatedAtMs } = book.value;
  const levels = `${bids.length} bids and ${asks.length} asks`;
  return updatedAtMs === null
    ? warning(
        'order book',
        `that of ${symbol} has ${levels}, and no time of its own`,
        'risk.maxStandstill can not be kept there',
      )
    : ok('order book', `that of ${symbol} has ${levels}`);
}

function closedFindings(
  markets: readonly MarketName[],
  stats: Outcome<'marketStats'>,
): readonly CheckFinding[] {
  if (stats.kind !== 'value') return [unread('open markets', stats)];
  const ours = new Set(markets.map(({ symbol }) => symbol));
  const closed = stats.value.filter(({ market, isClosed }) => isClosed && ours.has(market.symbol));
  if (closed.length === 0) return [ok('open markets', 'every configured market is open')];
  const names = closed.map(({ market, closedReason }) =>
    closedReason === null ? market.symbol : `${market.symbol} (${closedReason})`,
  );
  return [
    warning(
      'open markets',
      `closed at the moment: ${names.join(', ')}`,
      'wait, or trade in another market: orders are refused meanwhile',
    ),
  ];
}

/** Feature that an account needs for each quote currency. */
const FEATURE_OF: Readonly<Record<string, string>> = { rls: 'rial_trade', usdt: 'crypto_trade' };

/** Checks that the exchange permits the account to trade in the markets' quote currencies. */
export function tradingFinding(
  markets: readonly MarketName[],
  limitations: Outcome<'limitations'>,
): CheckFinding {
  if (limitations.kind !== 'value') return unread('right to trade', limitations);
  const { features } = limitations.value;
  const wanted = [...new Set(markets.map(({ quote }) => quote))];
  const denied = wanted.filter((quote) => features[FEATURE_OF[quote] ?? ''] === false);
  if (denied.length === 0) return ok('right to trade', 'the exchange lets this account trade');
  const what = denied.map((quote) => FEATURE_OF[quote]).join(', ');
  return problem(
    'right to trade',
    `the exchange does not let this account trade (${what} is off)`,
    "complete the identity check on the exchange's own page, or ask its support",
  );
}

/** Checks that the wallet has the coins that strategies are given to sell; no finding if none are given. */
export function inventoryFindings(config: BotConfig, wallets: Outcome<'wallets'>): readonly CheckFinding[] {
  if (config.strategies.every(({ inventory }) => Object.keys(inventory).length === 0)) return [];
  if (wallets.kind !== 'value') return [unread('inventory', wallets)];
  const totalOf = (asset: string): Units =>
    parseUnits(wallets.value.find(({ currency }) => currency === asset)?.balance ?? '0');
  try {
    const missing = missingInventories(config, totalOf, readBooks(config));
    if (missing.length === 0) return [ok('inventory', 'the wallet has what strategies are given to sell')];
    return missing.map((text) => problem('inventory', text, 'the bot does not start before that'));
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return [notChecked('inventory', error.message)];
  }
}

export function moneyFinding(markets: readonly MarketName[], wallets: Outcome<'wallets'>): CheckFinding {
  if (wallets.kind !== 'value') return unread('money', wallets);
  const filled = new Set(
    wallets.value.filter(({ balance }) => /[1-9]/.test(balance)).map(({ currency }) => currency),
  );
  const empty = markets.filter(({ base, quote }) => !filled.has(base) && !filled.has(quote));
  if (empty.length === 0) return ok('money', 'there is money for every configured market');
  const names = empty.map(({ symbol }) => symbol).join(', ');
  return warning(
    'money',
    `there is none to trade with in ${names}: both wallets are empty`,
    'deposit some, or leave the market out',
  );
}

export type ReadOutcome<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  /** The exchange refused, or no readable answer came. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** Nothing was sent. */
  | { readonly kind: 'unsent'; readonly why: string };

/** Returns the finding on a check whose read failed or was not sent. */
export function unread(check: string, outcome: ReadOutcome<unknown>): CheckFinding {
  switch (outcome.kind) {
    case 'unsent':
      return notChecked(check, outcome.why, 'see what keeps doctor from asking, and run it again after that');
    case 'failed':
      return notChecked(
        check,
        failureText(outcome),
        'run doctor again; docs/reference/errors.md has the codes',
      );
    case 'value':
      return notChecked(check, 'it was answered');
  }
}

/** Describes the failure in place of an answer. */
export const failureText = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  `${code}: ${message}`;

/** Sends reads under the ledger's limits. */
export interface ReadSender {
  call<Name extends EndpointName>(name: Name, request: EndpointRequest<Name>): Promise<EndpointResult<Name>>;
}

/** Errors after which nothing more is asked: no answer, or one that requests a pause, with their texts. */
const ENDS_ALL: ReadonlyMap<string, string> = new Map([
  ['RATE_LIMITED', 'the exchange said that a limit is exceeded'],
  ['HOST_NOT_FOUND', 'the exchange can not be reached'],
  ['CONNECTION_REFUSED', 'the exchange can not be reached'],
  ['CONNECTION_FAILED', 'the exchange can not be reached'],
  ['CONNECTION_LOST', 'the exchange did not answer'],
  ['TIMED_OUT', 'the exchange did not answer in time'],
  ['HTML_REPLY', 'what answers is no exchange'],
]);

/**
 * Reads one thing after the other, and stops by itself: all reads after a limit or a lost connection, and
 * those with the credential after a 401, since bad tokens get an address blocked.
 */
export class ExchangeReader {
  private readonly sender: ReadSender;
  private silence: string | null = null;
  private privateSilence: string | null;

  /** `privateSilence`: why nothing may be requested with the credential; null if allowed. */
  constructor(sender: ReadSender, privateSilence: string | null) {
    this.sender = sender;
    this.privateSilence = privateSilence;
  }

  async read<Name extends EndpointName>(
    name: Name,
    request: EndpointRequest<Name>,
  ): Promise<ReadOutcome<EndpointReply<Name>>> {
    const isPrivate = !isAnonymous(ENDPOINTS[name].access);
    const why = this.silence ?? (isPrivate ? this.privateSilence : null);
    if (why !== null) return { kind: 'unsent', why };
    try {
      const result = await this.sender.call(name, request);
      if (result.ok) return { kind: 'value', value: result.value };
      return { kind: 'failed', code: result.code, message: result.message };
    } catch (error) {
      if (error instanceof CommandError) return { kind: 'unsent', why: error.message };
      if (!(error instanceof SarrafError)) throw error;
      const { code, message } = error;
      this.silence ??= ENDS_ALL.get(code) ?? null;
      if (code === 'UNAUTHORIZED') this.privateSilence ??= 'the exchange refused the credential';
      return { kind: 'failed', code, message };
    }
  }
}
