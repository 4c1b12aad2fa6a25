import type { ComponentChildren } from 'preact';
import { signal, useSignal, type Signal } from '@preact/signals';
import type { FormField, JobItem, LabReply, TypedValues } from '../../../lab/lab-schema.ts';
import { LabelledField, TextField } from '../actions/field.tsx';
import { ApiFailure, postBody } from '../api.ts';
import { failureMessage } from '../parts/panel.tsx';
import { mayOperate } from '../session.ts';
import { showName } from '../shown.ts';
import { t, textOf, type TextKey } from '../translate.ts';
import { refreshAll } from '../use-reply.ts';

/** Request of a job; what is left out is as usual. */
export type DraftJob = Partial<JobItem['request']> & Pick<JobItem['request'], 'kind'>;

/** Request of a job that a person wants to change; null if a form begins empty. */
export const changedJob = signal<DraftJob | null>(null);

interface PostedJob {
  readonly failure: Signal<ApiFailure | null>;
  readonly isBusy: Signal<boolean>;
  /** Id of the job that was added last; null before the first. */
  readonly added: Signal<number | null>;
  readonly post: (draft: DraftJob) => Promise<void>;
}

/** Returns a way to add jobs, with what came of the last one. */
export function usePostedJob(): PostedJob {
  const failure = useSignal<ApiFailure | null>(null);
  const isBusy = useSignal(false);
  const added = useSignal<number | null>(null);
  const post = async (draft: DraftJob): Promise<void> => {
    isBusy.value = true;
    failure.value = null;
    try {
      added.value = (await postBody<LabReply<'addJob'>>('/jobs', draft)).id;
      refreshAll();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return { failure, isBusy, added, post };
}

/** Shows what came of a job that was added. */
export function PostedLine({ posted }: { readonly posted: PostedJob }) {
  const failure = posted.failure.value;
  const added = posted.added.value;
  if (failure !== null)
    return (
      <p class="notice bad" role="alert" data-field={failure.field}>
        {failureMessage(failure)}
      </p>
    );
  return (
    <p role="status" data-added={added}>
      {added === null ? '' : t('lab.jobs.queued', { id: added })}
    </p>
  );
}

/** Button that runs what a form has. */
export function RunButton({
  posted,
  text = 'lab.form.run',
}: {
  readonly posted: PostedJob;
  readonly text?: TextKey;
}) {
  return (
    <button type="submit" class="primary" disabled={posted.isBusy.value || !mayOperate()}>
      {textOf(text)}
    </button>
  );
}

/** Examples of values whose form nobody can guess, by the field or its kind. */
const EXAMPLES: Readonly<Record<string, string>> = {
  markets: 'BTCUSDT, ETHUSDT',
  market: 'BTCUSDT',
  from: '2024-01-31T12:00Z',
  to: '2024-07-01',
  fee: '0.1%',
  holdout: '20%',
  'rules.latency': '50ms',
  'budget.time': '10m',
  'validation.walkForward.train': '180d',
  'validation.walkForward.test': '30d',
  pairs: 'usdt=10000, btc=0.1',
  universe: '{"quote": "rls", "rankBy": "volume24h", "take": 10}',
  space: '{"length": {"kind": "integer", "min": 10, "max": 80}}',
  constraints: '[{"metric": "trades", "least": 30}]',
};

function hintOf({ path, kind, usual, isNeeded }: FormField): string | undefined {
  const example = EXAMPLES[path] ?? EXAMPLES[kind];
  const parts = [
    ...(isNeeded ? [t('lab.form.needed')] : []),
    ...(usual === '' ? [] : [t('lab.form.usual', { value: showName(usual) })]),
    ...(kind === 'list' ? [t('lab.form.listHint')] : []),
    ...(example === undefined ? [] : [t('lab.form.example', { example: showName(example) })]),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

interface FieldsProps {
  readonly fields: readonly FormField[];
  readonly typed: Signal<TypedValues>;
  /** Begin of the ids of the inputs: two forms may have fields of one name. */
  readonly prefix: string;
  readonly failure: ApiFailure | null;
  /** Returns the label of a field; its path without it. */
  readonly labelOf?: (field: FormField) => ComponentChildren;
}

/** Shows the inputs of a form. */
export function FormFields({ fields, prefix, ...rest }: FieldsProps) {
  return (
    <div class="form-fields">
      {fields.map((field) => (
        <Input key={field.path} field={field} name={`${prefix}-${field.path}`} {...rest} />
      ))}
    </div>
  );
}

/** Returns the label of a setting of a run. */
export const settingLabel = ({ path }: FormField): string => textOf(`lab.field.${path}` as TextKey);

/** Shows the name of a param as the code has it. */
const nameOf = ({ path }: FormField): ComponentChildren => <code dir="ltr">{path}</code>;

type InputProps = Omit<FieldsProps, 'fields' | 'prefix'> & {
  readonly field: FormField;
  readonly name: string;
};

function Input({ field, name, typed, failure, labelOf = nameOf }: InputProps) {
  const { path, kind, choices } = field;
  const label = labelOf(field);
  const problem = failure?.field === path ? failureMessage(failure) : null;
  const hint = hintOf(field);
  const set = (text: string): void => {
    typed.value = { ...typed.value, [path]: text };
  };
  const value = typed.value[path] ?? '';
  if (kind !== 'choice' && kind !== 'switch' && kind !== 'json') {
    const cell = {
      get value() {
        return value;
      },
      set value(text: string) {
        set(text);
      },
    };
    const isNumber = kind === 'whole' || kind === 'number';
    return <TextField {...{ label, name, hint, problem, isNumber }} typed={cell} />;
  }
  const options = kind === 'switch' ? ['true', 'false'] : choices;
  return (
    <LabelledField {...{ label, name, hint, problem }}>
      {kind === 'json' ? (
        <textarea
          id={`field-${name}`}
          dir="ltr"
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      ) : (
        <select
          id={`field-${name}`}
          dir="ltr"
          value={value}
          onChange={(event) => set(event.currentTarget.value)}
        >
          <option value="">{t('lab.form.none')}</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}
