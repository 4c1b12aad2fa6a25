import { IssueLog } from '../../src/engine/issue-log.ts';
import { Outbox } from '../../src/engine/outbox.ts';
import { Reconciler } from '../../src/engine/fills/reconciler.ts';
import type { Units } from '../../src/domain/money.ts';
import { venueTradeId, venueWalletId, walletTransactionId } from '../../src/domain/order.ts';
import { INTERFACE_PROFILE } from '../../src/venues/interface-profile.ts';
import type { WalletTransaction } from '../../src/venues/port.ts';
import { EMPTY_FILL } from '../../src/records/fill.ts';

const CURRENCIES = ['btc', 'usdt', 'bnb'] as const;
type Currency = (typeof CURRENCIES)[number];

const SETTINGS = { everyMs: 20_000, lagMs: 30_000, alertAfterMs: 600_000 };
const MOMENT_MS = 5_000;
const PAGE = INTERFACE_PROFILE.pageSizes.transactions;

/** Events of five seconds; each delay is how much later a list shows an event than the wallets do. */
export interface BooksMoment {
  readonly trades: readonly {
    readonly amount: number;
    readonly isBuy: boolean;
    /** Currency of the fee; null for the one received. */
    readonly feeCurrency: Currency | null;
    readonly fillMs: number;
    readonly lineMs: number;
  }[];
  readonly deposit: { readonly currency: Currency; readonly amount: number; readonly lineMs: number } | null;
  /** The reading of lines now: the age of the list, and the pages after which it ends; null for none. */
  readonly reading: { readonly oldMs: number; readonly endsAfterPages: number } | null;
  readonly isRestarted: boolean;
}

interface Listed {
  readonly line: WalletTransaction;
  readonly listedAtMs: number;
}

/** A simulated account whose lists lag behind its wallets, and a reconciler that reads them. */
export class BooksExchange {
  nowMs = 1_000_000;
  /** Error in the fee that each trade reports. */
  wrongFee = 0n;
  private readonly totals = new Map<Currency, bigint>(CURRENCIES.map((name) => [name, 10n ** 20n]));
  private readonly listed: Listed[] = [];
  private readonly waitingFills: { readonly knownAtMs: number; readonly give: () => void }[] = [];
  private lastId = 0;
  private outbox = new Outbox();
  private kept: string | undefined;
  private requested: 'fills' | 'wallets' | null = null;
  private turn = 0;
  reconciler = this.started();

  constructor() {
    for (const currency of CURRENCIES) this.write(currency, 10n ** 20n, 0);
  }

  /** Lets five seconds pass, with these events. */
  pass({ trades, deposit, reading, isRestarted }: BooksMoment): void {
    for (const trade of trades) this.trade(trade);
    if (deposit !== null) {
      this.totals.set(deposit.currency, (this.totals.get(deposit.currency) ?? 0n) + BigInt(deposit.amount));
      this.write(deposit.currency, BigInt(deposit.amount), deposit.lineMs);
    }
    this.nowMs += MOMENT_MS;
    this.outbox.nowMs = this.nowMs;
    if (isRestarted) this.reconciler = this.started();
    this.giveFills();
    if (reading !== null) this.readLines(reading);
    this.compare();
    if (this.reconciler.isChanged) this.reconciler.store();
    for (const change of this.outbox.emit(0).changes)
      if (change.kind === 'kept' && change.name === 'reconciliation') this.kept = change.json;
  }

  /** Takes one unit out of a wallet without a line in its history. */
  lose(currency: Currency): void {
    this.totals.set(currency, (this.totals.get(currency) ?? 0n) - 1n);
  }

  private started(): Reconciler {
    this.outbox = new Outbox();
    this.outbox.nowMs = this.nowMs;
    // The third currency is followed from its first fee on.
    const currencies = new Set(CURRENCIES.slice(0, 2));
    const reconciler = new Reconciler({ ...SETTINGS, currencies }, this.outbox, {
      requestNow: (feed) => {
        if (feed !== 'transactions') this.requested = feed;
      },
      unsettled: () => null,
      findings: new IssueLog(this.outbox),
      venue: INTERFACE_PROFILE,
    });
    reconciler.restore(this.kept === undefined ? {} : { reconciliation: this.kept });
    return reconciler;
  }

  private trade({ amount, isBuy, feeCurrency, fillMs, lineMs }: BooksMoment['trades'][number]): void {
    const [coins, money] = [BigInt(amount), BigInt(amount) * 60_000n];
    const paysIn = feeCurrency ?? (isBuy ? 'btc' : 'usdt');
    const fee = (paysIn === 'btc' ? coins : money) / 400n;
    const moved = { btc: isBuy ? coins : -coins, usdt: isBuy ? -money : money, bnb: 0n };
    moved[paysIn] -= fee;
    for (const currency of CURRENCIES) {
      if (moved[currency] === 0n) continue;
      this.totals.set(currency, (this.totals.get(currency) ?? 0n) + moved[currency]);
      this.write(currency, moved[currency], lineMs);
    }
    const atMs = this.nowMs;
    const id = venueTradeId(String(this.lastId));
    const told = (fee + this.wrongFee) as Units;
    this.waitingFills.push({
      knownAtMs: atMs + fillMs,
      give: () =>
        this.reconciler.onFill({
          ...EMPTY_FILL,
          tradeId: id,
          cursor: 0,
          market: 'BTCUSDT',
          side: isBuy ? 'buy' : 'sell',
          atMs,
          price: 60_000n as Units,
          amount: coins as Units,
          total: money as Units,
          fee: told,
          feeCurrency: feeCurrency === (isBuy ? 'btc' : 'usdt') ? null : feeCurrency,
        }),
    });
  }

  private write(currency: Currency, amount: bigint, lineMs: number): void {
    this.lastId += 1;
    const id = walletTransactionId(String(this.lastId));
    const line = { id, currency, atMs: this.nowMs, amount: amount as Units, description: '', tooFine: null };
    this.listed.push({ line, listedAtMs: this.nowMs + lineMs });
  }

  /** Delivers the trades that are due; returns how many were new. */
  private giveFills(): number {
    const known = this.waitingFills.filter(({ knownAtMs }) => knownAtMs <= this.nowMs);
    for (const fill of known) {
      fill.give();
      this.waitingFills.splice(this.waitingFills.indexOf(fill), 1);
    }
    return known.length;
  }

  private readLines({ oldMs, endsAfterPages }: NonNullable<BooksMoment['reading']>): void {
    const wanted = [...this.reconciler.wantedLines(this.nowMs)];
    this.turn += 1;
    const from = wanted.length > 0 ? wanted : CURRENCIES;
    const currency = from[this.turn % from.length] ?? 'btc';
    const shown = this.listed
      .filter(({ line, listedAtMs }) => line.currency === currency && listedAtMs <= this.nowMs - oldMs)
      .map(({ line }) => line)
      .toReversed();
    for (let page = 1; page <= endsAfterPages; page += 1) {
      const lines = shown.slice((page - 1) * PAGE, page * PAGE);
      const hasNext = shown.length > page * PAGE;
      const { history } = this.reconciler;
      if (history.applyPage(currency, lines, { page, askedAtMs: this.nowMs, hasNext })) continue;
      this.reconciler.linesEnd(currency);
      return;
    }
  }

  /** Answers at once every request that the reconciler makes. */
  private compare(): void {
    const { reconciler, nowMs } = this;
    if (reconciler.dueAtMs <= nowMs) reconciler.pump(nowMs);
    for (let asked = this.requested; asked !== null; asked = this.requested) {
      this.requested = null;
      if (asked === 'fills') reconciler.onFillsRead(nowMs, this.giveFills(), nowMs);
      else {
        const wallets = [...this.totals].map(([currency, total]) => ({
          currency,
          walletId: venueWalletId(currency),
          total: total as Units,
          held: 0n as Units,
          tooFine: null,
        }));
        reconciler.onWallets(wallets, { askedAtMs: nowMs, nowMs, unread: new Set() });
      }
    }
  }
}
