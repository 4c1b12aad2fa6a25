import type { BotItem, EquityItem } from '../../schema/overview.ts';
import { t } from '../translate.ts';
import { showTime } from '../shown.ts';
import { Badge, SentenceText, type Tone, Gain, Money } from './words.tsx';
import { NamedFigure } from './data-table.tsx';

const TONES: Readonly<Record<BotItem['state'], Tone>> = {
  starting: 'calm',
  running: 'good',
  halted: 'bad',
  draining: 'warn',
  silent: 'bad',
  ended: 'warn',
};

export function BotState({ bot }: { readonly bot: BotItem }) {
  return (
    <Badge tone={TONES[bot.state]}>
      <span data-state={bot.state}>{t(`state.${bot.state}`)}</span>
    </Badge>
  );
}

/** Shows how long a bot has been silent and when it last ordered, or why it is halted. */
export function StateDetail({ bot }: { readonly bot: BotItem }) {
  if (bot.state === 'silent' || bot.state === 'ended') {
    const since = t(bot.state === 'silent' ? 'state.silentSince' : 'state.endedAt', {
      time: showTime(bot.silentSinceMs),
    });
    const last =
      bot.lastOrderAtMs === null ? '' : ` · ${t('state.lastOrder', { time: showTime(bot.lastOrderAtMs) })}`;
    return (
      <>
        {since}
        {last}
      </>
    );
  }
  if (bot.reason !== null) return <SentenceText text={bot.reason} facts={bot.reasonFacts} />;
  return bot.sinceMs === null ? null : <>{t('state.since', { time: showTime(bot.sinceMs) })}</>;
}

/** Shows the equity, and the profit of the day and in total, as parts of a list. */
export function EquityFigures({
  equity,
}: {
  readonly equity: Pick<EquityItem, 'currency' | 'now' | 'day' | 'total'>;
}) {
  const { currency, now, day, total } = equity;
  return (
    <>
      <NamedFigure text="overview.now" class="main-figure">
        <Money amount={now} currency={currency} />
      </NamedFigure>
      <NamedFigure text="overview.today">
        <Gain amount={day} currency={currency} />
      </NamedFigure>
      <NamedFigure text="overview.total">
        <Gain amount={total} currency={currency} />
      </NamedFigure>
    </>
  );
}
