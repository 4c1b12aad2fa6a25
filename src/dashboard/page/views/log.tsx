import { useSignal } from '@preact/signals';
import { SelectField, StrategyField } from '../actions/field.tsx';
import type { LogItem } from '../../schema/log.ts';
import { column, type DataColumn, DataTable, PagedList } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { RawData, Badge, NameWord, SentenceText } from '../parts/words.tsx';
import { t, wordFor } from '../translate.ts';
import { showTime, showName } from '../shown.ts';
import { language } from '../preferences.ts';
import { MomentButton } from './moment.tsx';

const LEVELS = ['info', 'warning', 'error'] as const;

export function LogView() {
  const level = useSignal<(typeof LEVELS)[number]>('info');
  const strategy = useSignal('');
  return (
    <>
      <header class="view-head">
        <h1>{t('view.log')}</h1>
        <SelectField
          text="log.level"
          name="level"
          chosen={level}
          options={LEVELS.map((each) => [each, t(`logLevel.${each}`)] as const)}
        />
        <StrategyField name="log-strategy" chosen={strategy} />
      </header>
      <Panel title={t('log.title')} note={t('log.note')}>
        <PagedList<LogItem>
          path="/log"
          query={{ level: level.value, strategy: strategy.value }}
          label="view.log"
          empty="log.none"
          columns={logColumns()}
          keyOf={({ seq }) => String(seq)}
          shownOf={withoutRepeats}
        />
      </Panel>
    </>
  );
}

/** A line of the log, with the number of lines in a row that say the same, and the time of the oldest. */
type ShownLine = LogItem & { readonly count?: number; readonly firstMs?: number };

/** Digits differ between two refusals for one reason, such as the age of a book. */
const sameOf = ({ level, kind, subject, text }: LogItem): string =>
  [level, kind, subject, kind === 'intent' ? text.replaceAll(/[\d.]+/g, '') : text].join(' ');

/** Joins lines in a row that say the same; the newest of them is shown. */
function withoutRepeats(lines: readonly LogItem[]): readonly ShownLine[] {
  const shown: ShownLine[] = [];
  for (const line of lines) {
    const newer = shown.at(-1);
    if (newer !== undefined && sameOf(newer) === sameOf(line))
      shown[shown.length - 1] = { ...newer, count: (newer.count ?? 1) + 1, firstMs: line.atMs };
    else shown.push(line);
  }
  return shown;
}

function logColumns(): readonly DataColumn<ShownLine>[] {
  return [
    column(
      'column.time',
      ({ atMs, count, firstMs = null }) => (
        <>
          {showTime(atMs, 'second')}
          {count === undefined ? null : (
            <span class="note line" data-repeats={count}>
              {t('log.repeated', { count, time: showTime(firstMs, 'second') })}
            </span>
          )}
        </>
      ),
      'short',
    ),
    column('log.level', ({ level }) => (
      <Badge tone={({ info: 'calm', warning: 'warn', error: 'bad' } as const)[level]}>
        {t(`logLevel.${level}`)}
      </Badge>
    )),
    column('column.subject', (line) => <LogSubject line={line} />, 'short'),
    column(
      'column.text',
      (line) => (
        <>
          <LogWords line={line} /> <DecisionOf line={line} />
        </>
      ),
      'title',
    ),
    column(
      'order.data',
      ({ text, data }) => (
        <RawData label={t('log.original')} data={`${text}\n\n${JSON.stringify(data, null, 2)}`} />
      ),
      'short',
    ),
  ];
}

export function LogTable({ lines }: { readonly lines: readonly LogItem[] }) {
  return (
    <DataTable
      label="view.log"
      columns={logColumns()}
      rows={withoutRepeats(lines)}
      keyOf={({ seq }) => String(seq)}
      empty="log.none"
    />
  );
}

/** Events that kind and subject alone describe. */
const EVENTS = [
  'control start',
  'control halt',
  'control resume',
  'control reload',
  'control promote',
  'control drain',
  'control lock',
  'control unlock',
  'control lock begun',
  'control lock extended',
  'control lock ended',
  'control lock ended early',
  'control limit begun',
  'control limit over',
  'control cancel',
  'control close',
  'control close sells',
  'control close result',
  'control place',
  'control place result',
  'control approve result',
  'control decline result',
  'control note result',
  'control accept-balances',
  'reconciliation break',
  'reconciliation accepted',
  'reconciliation put back',
] as const;

/** Kinds whose subject is a name: a strategy, an order, a wallet. */
const KINDS = ['strategy', 'finding', 'universe', 'transfer', 'intent'] as const;

/** Fields with the reason for something, or its result. */
const REASONS = ['reason', 'why', 'message'] as const;

type LockEvent = Extract<(typeof EVENTS)[number], `${string}lock${string}`>;

const isOfLock = (event: (typeof EVENTS)[number]): event is LockEvent => event.includes('lock');

type Fields = Readonly<Record<string, unknown>>;

const fieldsIn = (data: unknown): Fields =>
  typeof data === 'object' && data !== null ? (data as Fields) : {};

/** Shows the text of a log line in the language of the page; a strategy's text stays unchanged. */
function LogWords({ line }: { readonly line: LogItem }) {
  const { text, data, said: sentence } = line;
  const title = eventTitleOf(line) ?? (language.value === 'en' ? null : titleOf(line));
  if (title === null) return <SentenceText text={text} />;
  const fields = fieldsIn(data);
  const { refusedBy } = fields;
  const reason = REASONS.find((name) => typeof fields[name] === 'string');
  return (
    <>
      {title} {typeof refusedBy === 'string' ? <NameWord area="check" name={refusedBy} /> : null}{' '}
      {reason === undefined ? null : <SentenceText text={String(fields[reason])} facts={sentence[reason]} />}
    </>
  );
}

/** Fields with the key of an order or the id of an intent. */
const DECISIONS = ['order', 'clientOrderId', 'intentId', 'entry'] as const;

/** Opens what the bot knew when it decided the order or intent that a line names; nothing without one. */
function DecisionOf({ line: { kind, subject, data } }: { readonly line: LogItem }) {
  const fields = fieldsIn(data);
  const field = kind === 'control' ? DECISIONS.find((each) => typeof fields[each] === 'string') : undefined;
  const name = field === undefined ? null : String(fields[field]);
  // Other subjects of findings, such as `book BTCIRT`, do not look like the key of an order.
  const shown = kind === 'finding' && /^\S+-\S+-\w+-\w+$/.test(subject) ? subject : name;
  return shown === null ? null : <MomentButton name={shown} />;
}

/**
 * Returns the title of an event that kind and subject describe; its fields are only names, such as
 * `isRestart`.
 */
function eventTitleOf({ kind, subject, data }: LogItem): string | null {
  const name = `${kind} ${subject}`;
  const event = EVENTS.find((each) => each === name);
  if (event === undefined) return null;
  const fields = fieldsIn(data);
  const lock = typeof fields['name'] === 'string' ? fields['name'] : '';
  if (event === 'control reload') return t(`log.${event}`, { strategy: String(fields['strategy']) });
  if (event === 'control promote')
    return t(`log.${event}`, { strategy: String(fields['strategy']), shadow: String(fields['shadow']) });
  return isOfLock(event)
    ? t(`log.${event}`, { name: wordFor('lock-name', lock) ?? showName(lock) })
    : t(`log.${event}`);
}

/** Returns the title of a line; null if there is none: the line is then shown as it was written. */
function titleOf({ kind, subject, data }: LogItem): string | null {
  const fields = fieldsIn(data);
  if (kind === 'notice' && subject === 'credential')
    return t(fields['refused'] === true ? 'log.credential refused' : 'log.credential accepted');
  if (kind === 'notice') return t('log.foreign order', { name: showName(subject) });
  const known = KINDS.find((each) => each === kind);
  return known === undefined ? null : t(`log.${known}`, { name: showName(subject) });
}

const LOG_KINDS = [
  'log',
  'control',
  'reconciliation',
  'strategy',
  'notice',
  'finding',
  'intent',
  'universe',
  'transfer',
] as const;

function LogSubject({ line }: { readonly line: LogItem }) {
  const { kind, subject } = line;
  const known = LOG_KINDS.find((each) => each === kind);
  if (known === undefined)
    return (
      <bdi dir="ltr">
        {kind} {subject}
      </bdi>
    );
  const isWord = known === 'control' || known === 'reconciliation';
  return (
    <span>
      {t(`logKind.${known}`)} {isWord && language.value !== 'en' ? null : <bdi dir="ltr">{subject}</bdi>}
    </span>
  );
}
