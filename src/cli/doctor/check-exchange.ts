import { credentialAdvice } from '../../daemon/credential-texts.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import { present } from '../../domain/invariant.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { OrderBookVersion } from '../../exchange/order-book-version.ts';
import type { EndpointName } from '../../exchange/endpoints.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { KeptAccount } from '../../venues/account-identity.ts';
import { CallSender } from '../api/call-sender.ts';
import { ExchangeReader, type ReadOutcome, type ReadSender } from './ask-exchange.ts';
import {
  accountFinding,
  bookFinding,
  inventoryFindings,
  marketFindings,
  moneyFinding,
  tradingFinding,
} from './judge-account.ts';
import { addressFinding, clockFinding, credentialFinding, permissionFindings } from './judge-replies.ts';
import { problem, type CheckFinding } from './check-finding.ts';
import { readOnlyTap, type SeenReply } from './read-only-tap.ts';

interface ExchangeCheckOptions {
  readonly config: BotConfig;
  readonly baseUrl: string;
  readonly longestWaitMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** The account that the mirror is of; null where it does not know one. */
  readonly kept: KeptAccount | null;
  /** Reason nothing may be requested with the credential; null if allowed. */
  readonly privateSilence: string | null;
  /** Gets what came back. */
  readonly seen: SeenReply[];
  readonly nowMs?: () => number;
}

/** The markets that a configuration names; those of a universe are chosen later. */
function marketsOf({ strategies }: BotConfig): readonly string[] {
  return [
    ...new Set(strategies.flatMap(({ market }) => (market === null || market === undefined ? [] : [market]))),
  ];
}

/** The book of one market; a bot that may choose asks the third version where the second is gone. */
const BOOKS = {
  v2: ['orderBook'],
  v3: ['orderBookV3'],
  auto: ['orderBook', 'orderBookV3'],
} as const satisfies Record<OrderBookVersion, readonly EndpointName[]>;

/** Returns doctor's reads of an exchange, in their order: few, each in a budget of its own. */
export function plannedReads(config: BotConfig): readonly EndpointName[] {
  if (config.mode === 'embedded') return [];
  const open: readonly EndpointName[] =
    marketsOf(config).length === 0
      ? ['options']
      : ['options', 'marketStats', ...BOOKS[config.exchange.orderBook]];
  if (config.exchange.credentials === null || config.mode === 'paper') return open;
  return [...open, 'profile', 'limitations', 'wallets', 'ordersList', 'tradesList'];
}

/** Asks the exchange, under the bot's own ledger and limits, and judges what came. */
export async function checkExchange(options: ExchangeCheckOptions): Promise<readonly CheckFinding[]> {
  let sender: CallSender;
  try {
    sender = await openSender(options);
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    // Such as a disk that became full since the ledger was looked at.
    return [problem('ledger', error.message, 'see that it can be written to, and has room')];
  }
  try {
    return await ask(sender, options);
  } finally {
    await sender.close();
  }
}

async function openSender({ config, baseUrl, ...of }: ExchangeCheckOptions): Promise<CallSender> {
  const { longestWaitMs, signal, say, seen, nowMs = Date.now } = of;
  const { exchange, execution } = config;
  const credentials = config.mode === 'live' ? exchange.credentials : null;
  return CallSender.open({
    target: { baseUrl, exchange, execution, credentials, isPaper: false, account: 'the credential' },
    longestWaitMs,
    signal,
    say,
    wrap: readOnlyTap(seen, nowMs),
  });
}

async function readBook(
  reader: ExchangeReader,
  symbol: string,
  version: OrderBookVersion,
): Promise<ReadOutcome<OrderBook>> {
  const [first, second = null] = BOOKS[version];
  const book = await reader.read(first, { symbol });
  const isGone = book.kind === 'failed' && book.code === 'NotFound';
  return isGone && second !== null ? reader.read(second, { symbol }) : book;
}

async function ask(sender: ReadSender, of: ExchangeCheckOptions): Promise<readonly CheckFinding[]> {
  const { config, baseUrl, seen } = of;
  const reader = new ExchangeReader(sender, of.privateSilence);
  const reads = new Set(plannedReads(config));
  const markets = marketsOf(config).map((market) => parseMarket(market));
  const given = config.strategies.flatMap(({ inventory }) => Object.keys(inventory));
  const currencies = [...new Set([...markets.flatMap(({ base, quote }) => [base, quote]), ...given])];
  const joined = (of: 'base' | 'quote'): string =>
    [...new Set(markets.map((market) => market[of]))].join(',');

  const options = await reader.read('options', {});
  const stats = reads.has('marketStats')
    ? await reader.read('marketStats', { srcCurrency: joined('base'), dstCurrency: joined('quote') })
    : null;
  const [market] = markets;
  const book = market === undefined ? null : await readBook(reader, market.symbol, config.exchange.orderBook);
  const marketLines = [
    ...marketFindings(markets, options, stats),
    ...(market === undefined || book === null ? [] : [bookFinding(market.symbol, book)]),
  ];
  if (!reads.has('profile'))
    return [addressFinding(baseUrl, options, seen), clockFinding(seen), ...marketLines];

  const credentials = present(config.exchange.credentials, 'credentials');
  const profile = await reader.read('profile', {});
  const limitations = await reader.read('limitations', {});
  const wallets = await reader.read(
    'wallets',
    currencies.length === 0 ? {} : { currencies: currencies.join(',') },
  );
  const orders = await reader.read('ordersList', { pageSize: 1, details: 2 });
  const trades = await reader.read('tradesList', { pageSize: 1 });
  const outcomes = { profile, limitations, wallets, orders, trades };
  return [
    // Judged by all replies, those to private calls too.
    addressFinding(baseUrl, options, seen),
    clockFinding(seen),
    credentialFinding(outcomes, credentialAdvice(credentials, config.credentialPlace)),
    ...permissionFindings(outcomes, credentials.kind),
    accountFinding(of.kept, profile, credentials),
    ...marketLines,
    tradingFinding(markets, limitations),
    moneyFinding(markets, wallets),
    ...inventoryFindings(config, wallets),
  ];
}
