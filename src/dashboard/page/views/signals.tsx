import { useSignal } from '@preact/signals';
import type { SignalItem } from '../../schema/log.ts';
import { StrategyField } from '../actions/field.tsx';
import { column, type DataColumn, DataTable, PagedList } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { RawData, Badge, NameLink, SentenceText, type Tone } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { showTime } from '../shown.ts';

const TONES: Readonly<Record<SignalItem['outcome'], Tone>> = {
  waiting: 'calm',
  told: 'good',
  dropped: 'warn',
  refused: 'bad',
};

/** Codes of reasons that have a translation; a newer bot may send others. */
const CODES = [
  'no-bot',
  'starting',
  'not-taken',
  'repeated',
  'invalid',
  'unknown',
  'too-large',
  'too-old',
  'too-many',
  'not-ready',
  'paused',
  'failed',
  'ending',
] as const;

/** Codes whose translation says everything that the bot's text says. */
const WHOLE: ReadonlySet<string> = new Set([
  'no-bot',
  'starting',
  'not-taken',
  'too-many',
  'not-ready',
  'paused',
  'ending',
]);

/** Shows the signals from outside, and their outcomes. */
export function SignalsView() {
  const strategy = useSignal('');
  return (
    <>
      <header class="view-head">
        <h1>{t('view.signals')}</h1>
        <StrategyField name="signals-strategy" chosen={strategy} />
      </header>
      <Panel title={t('signals.title')} note={t('log.note')}>
        <PagedList<SignalItem>
          path="/signals"
          query={{ strategy: strategy.value }}
          label="view.signals"
          empty="signals.none"
          columns={signalColumns()}
          keyOf={keyOf}
        />
      </Panel>
    </>
  );
}

export function SignalsTable({ signals }: { readonly signals: readonly SignalItem[] }) {
  return (
    <DataTable
      label="view.signals"
      columns={signalColumns(true)}
      rows={signals}
      keyOf={keyOf}
      empty="signals.none"
    />
  );
}

const keyOf = ({ seq, strategy, name, id }: SignalItem): string => `${seq} ${strategy} ${name} ${id}`;

function signalColumns(isOfOne = false): readonly DataColumn<SignalItem>[] {
  return [
    column('column.time', ({ atMs }) => showTime(atMs, 'second'), 'short'),
    column('signals.one', ({ name }) => <bdi dir="ltr">{name}</bdi>, 'title'),
    ...(isOfOne
      ? []
      : [
          column<SignalItem>('column.strategy', ({ strategy }) => (
            <NameLink view="strategy" name={strategy} />
          )),
        ]),
    column('column.state', ({ outcome }) => (
      <Badge tone={TONES[outcome]}>{t(`signalOutcome.${outcome}`)}</Badge>
    )),
    column('column.reason', (signal) => <Why signal={signal} />),
    column('signals.sender', (signal) => <Sender signal={signal} />),
    column('signals.id', ({ id }) => (
      <bdi class="id" dir="ltr">
        {id}
      </bdi>
    )),
    column(
      'signals.payload',
      ({ payload }) => <RawData label={t('signals.payload')} data={payload} />,
      'short',
    ),
  ];
}

/** Shows the reason in the page's language, with details about this signal in the bot's own words. */
function Why({ signal: { code, reason } }: { readonly signal: SignalItem }) {
  const known = CODES.find((each) => each === code);
  if (known === undefined) return <SentenceText text={reason} />;
  return (
    <span>
      {t(`signalCode.${known}`)} {WHOLE.has(known) ? null : <SentenceText text={reason} />}
    </span>
  );
}

function Sender({ signal: { source, sentAtMs } }: { readonly signal: SignalItem }) {
  return (
    <span title={sentAtMs === null ? undefined : showTime(sentAtMs, 'second')}>
      {source === 'command' ? t('signals.byCommand') : <bdi dir="ltr">{source}</bdi>}{' '}
      {sentAtMs === null ? null : (
        <span class="note">{t('signals.sent', { time: showTime(sentAtMs, 'clock-seconds') })}</span>
      )}
    </span>
  );
}
