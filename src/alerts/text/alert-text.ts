import { parseMarket } from '../../exchange/market-names.ts';
import { formatLength } from '../../language/format-length.ts';
import { formatExact, formatMoney, unitName } from '../../language/format-money.ts';
import { formatDecimal, formatShare } from '../../language/format-number.ts';
import { formatTime } from '../../language/format-time.ts';
import type { Locale } from '../../language/locale.ts';
import { saidIn } from '../../language/said-in.ts';
import { translateInto, type Translate } from '../../language/translate.ts';
import type { AlertFacts, PeriodFigures } from '../core/alert-facts.ts';
import { ENGLISH_ALERTS } from './english-alerts.ts';
import { tamed } from './escape-text.ts';
import { PERSIAN_ALERTS } from './persian-alerts.ts';

/** Function that returns the texts of alerts in a language. */
export type SayAlert = Translate<typeof ENGLISH_ALERTS>;

export function alertTexts({ language }: Locale): SayAlert {
  return translateInto<typeof ENGLISH_ALERTS>(language, language === 'fa' ? PERSIAN_ALERTS : ENGLISH_ALERTS);
}

/** Returns the text of an alert: one sentence without a full stop; for a summary several lines. */
export function alertText(facts: AlertFacts, locale: Locale): string {
  return factLines(facts, alertTexts(locale), locale).join('\n');
}

function factLines(facts: AlertFacts, say: SayAlert, locale: Locale): readonly string[] {
  const { language } = locale;
  const at = (atMs: number | null): string => formatTime(atMs, locale);
  const said = (text: string): string => saidIn(tamed(text), locale);
  const share = (value: number): string => formatShare(language, value, { decimals: 1 });
  switch (facts.rule) {
    case 'lockout': {
      const { budget, endsAtMs } = facts;
      return [
        endsAtMs === null ? say('lockoutOpen', { budget }) : say('lockout', { budget, until: at(endsAtMs) }),
      ];
    }
    case 'credential':
      return [say('credential', { advice: said(facts.advice) })];
    case 'unknown-order': {
      const { order, strategy, market, sinceMs } = facts;
      return [say('unknownOrder', { order, strategy, market, since: at(sinceMs) })];
    }
    case 'break': {
      const rows = facts.rows.slice(0, MOST_ROWS).map(({ currency, expected, found }) =>
        say('breakRow', {
          currency: unitName(currency, locale),
          expected: formatDecimal(language, expected),
          found: formatDecimal(language, found),
        }),
      );
      return [say('break', { rows: rows.join(language === 'fa' ? '؛ ' : '; ') })];
    }
    case 'no-orders':
      return [say('noOrders', { reason: said(facts.reason) })];
    case 'risk-limit':
      return [say('riskLimit', { strategy: facts.strategy, reason: said(facts.reason) })];
    case 'refused': {
      const { strategy, market, code } = facts;
      return [say('refused', { strategy, market, code: said(code) })];
    }
    case 'standstill':
      return [say('standstill', { reason: said(facts.reason) })];
    case 'halted':
      return [say('halted', { reason: said(facts.reason) })];
    case 'no-data': {
      const { feed, readAtMs } = facts;
      if (feed === null) return [readAtMs === null ? say('noDataEver') : say('noData', { at: at(readAtMs) })];
      return [
        readAtMs === null
          ? say('noDataOfEver', { feed: said(feed) })
          : say('noDataOf', { feed: said(feed), at: at(readAtMs) }),
      ];
    }
    case 'drawdown':
    case 'daily-loss': {
      const key = facts.rule === 'drawdown' ? 'drawdown' : 'dailyLoss';
      const currency = unitName(facts.currency, locale);
      return [say(key, { currency, share: share(facts.share), limit: share(facts.limit) })];
    }
    case 'unprotected': {
      const { strategy, market, asset, amount, reason } = facts;
      const values = {
        strategy,
        market,
        asset: unitName(asset, locale),
        amount: formatDecimal(language, amount),
      };
      return [
        reason === null
          ? say('unprotected', values)
          : say('unprotectedWhy', { ...values, reason: said(reason) }),
      ];
    }
    case 'unclear': {
      const { of, why, asset } = facts;
      const values = { asset: unitName(asset, locale), amount: formatDecimal(language, facts.amount) };
      if (of === null) return [say('coinsMissing', values), say('coinsMissingChoice')];
      return [
        say(why === 'exit-canceled' ? 'exitCanceled' : 'coinsLeft', { ...values, ...of }),
        say('unclearChoice', { ...of }),
      ];
    }
    case 'strategy': {
      const { strategy, status, reason } = facts;
      return [
        say(status === 'paused' ? 'strategyPaused' : 'strategyStopped', { strategy, reason: said(reason) }),
      ];
    }
    case 'disk': {
      const { freeBytes, fault } = facts;
      if (fault !== null) return [say('diskFault', { fault: said(fault) })];
      return [say('diskLow', { megabytes: Math.floor((freeBytes ?? 0) / MEGABYTE) })];
    }
    case 'clock': {
      const { aheadMs } = facts;
      const length = formatLength(language, Math.abs(aheadMs));
      return [aheadMs > 0 ? say('clockAhead', { length }) : say('clockBehind', { length })];
    }
    case 'new-device':
      return [say('newDevice')];
    case 'big-fill': {
      const { market, side, amount, price, value, currency } = facts;
      const values = {
        amount: formatDecimal(language, amount),
        asset: unitName(parseMarket(market).base, locale),
        market,
        value: formatMoney(value, currency, locale),
        price: formatExact(price, currency, locale),
      };
      return [side === 'buy' ? say('bigBuy', values) : say('bigSell', values)];
    }
    case 'ended':
      return [say('endedWithError', { reason: said(facts.reason) })];
    case 'entries': {
      const count = (of: number): string => formatDecimal(language, String(of));
      const { canceled, kept, left } = facts;
      return [say('entries', { canceled: count(canceled), kept: count(kept), left: count(left) })];
    }
    case 'entries-failed':
      return [say('entriesFailed', { reason: said(facts.reason) })];
    case 'silent': {
      const { lastSignMs } = facts;
      return [lastSignMs === null ? say('silentEver') : say('silent', { at: at(lastSignMs) })];
    }
    case 'outbox':
      return [say('outbox', { reason: said(facts.reason) })];
    case 'test':
      return [say('test')];
    case 'summary':
      return [
        say(facts.period === 'day' ? 'day' : 'week', { until: at(facts.figures.toMs) }),
        ...summaryLines(facts.figures, say, locale),
      ];
  }
}

const MOST_ROWS = 5;
const MEGABYTE = 1_000_000;

function summaryLines(figures: PeriodFigures, say: SayAlert, locale: Locale): readonly string[] {
  const { language } = locale;
  const { equity, trades, fees, lockouts } = figures;
  const spent = fees.map(({ currency, amount }) => formatMoney(amount, currency, locale));
  const comma = language === 'fa' ? '، ' : ', ';
  return [
    ...(equity.length === 0 ? [say('noFigures')] : []),
    ...equity.flatMap(({ currency, now, change, drawdown }) => [
      say('summaryEquity', {
        now: formatMoney(now, currency, locale),
        change: formatMoney(change, currency, locale, { isSigned: true }),
      }),
      say('summaryFall', { share: formatShare(language, drawdown, { decimals: 1 }) }),
    ]),
    say('summaryTrades', { count: trades }),
    say('summaryFees', { fees: spent.length === 0 ? say('noFees') : spent.join(comma) }),
    say('summaryLockouts', { count: lockouts }),
  ];
}
