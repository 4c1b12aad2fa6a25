import { useSignal } from '@preact/signals';
import { SelectField } from '../actions/field.tsx';
import { strategyOptions } from '../actions/lock-fields.tsx';
import type { LogItem } from '../../schema/log.ts';
import { overview } from '../overview.ts';
import { type DataColumn, DataTable, column } from '../parts/data-table.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Panel } from '../parts/panel.tsx';
import { RawData } from '../parts/raw-data.tsx';
import { Badge } from '../parts/words.tsx';
import { say } from '../say.ts';
import { showTime } from '../shown.ts';
import { LogSubject, LogWords } from './log-words.tsx';

const LEVELS = ['info', 'warning', 'error'] as const;

export function LogView() {
  const level = useSignal<(typeof LEVELS)[number]>('info');
  const strategy = useSignal('');
  return (
    <>
      <header class="view-head">
        <h1>{say('view.log')}</h1>
        <SelectField
          label={say('log.level')}
          name="level"
          value={level.value}
          options={LEVELS.map((each) => [each, say(`logLevel.${each}`)] as const)}
          onChange={(wanted) => (level.value = LEVELS.find((each) => each === wanted) ?? 'info')}
        />
        <SelectField
          label={say('field.strategy')}
          name="log-strategy"
          value={strategy.value}
          options={[['', say('field.allStrategies')], ...strategyOptions(overview.value.data)]}
          onChange={(wanted) => (strategy.value = wanted)}
        />
      </header>
      <Panel title={say('log.title')} note={say('log.note')}>
        <PagedList<LogItem>
          path="/log"
          query={{ level: level.value, strategy: strategy.value }}
          label={say('view.log')}
          empty={say('log.none')}
          columns={logColumns()}
          keyOf={({ seq }) => String(seq)}
        />
      </Panel>
    </>
  );
}

function logColumns(): readonly DataColumn<LogItem>[] {
  return [
    column('column.time', ({ atMs }) => showTime(atMs, 'second'), 'short'),
    column('log.level', ({ level }) => (
      <Badge tone={({ info: 'calm', warning: 'warn', error: 'bad' } as const)[level]}>
        {say(`logLevel.${level}`)}
      </Badge>
    )),
    column('column.subject', (line) => <LogSubject line={line} />, 'short'),
    column('column.text', (line) => <LogWords line={line} />, 'title'),
    column(
      'order.data',
      ({ text, data }) => (
        <RawData label={say('log.original')} data={`${text}\n\n${JSON.stringify(data, null, 2)}`} />
      ),
      'short',
    ),
  ];
}

export function LogTable({ lines }: { readonly lines: readonly LogItem[] }) {
  return (
    <DataTable
      label={say('view.log')}
      columns={logColumns()}
      rows={lines}
      keyOf={({ seq }) => String(seq)}
      empty={say('log.none')}
    />
  );
}
