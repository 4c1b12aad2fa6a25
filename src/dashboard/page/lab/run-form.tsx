import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LabReply, TypedValues } from '../../../lab/lab-schema.ts';
import { LabelledField } from '../actions/field.tsx';
import { withQuery } from '../api.ts';
import { Panel, WithReply } from '../parts/panel.tsx';
import { showName } from '../shown.ts';
import { t } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import { changedJob, FormFields, PostedLine, RunButton, settingLabel, usePostedJob } from './form.tsx';

export const RUN_KINDS = ['backtest', 'study', 'walk-forward'] as const;

export type RunKind = (typeof RUN_KINDS)[number];

/** Settings that most runs need; the others are folded. */
const MAIN: ReadonlySet<string> = new Set([
  'markets',
  'timeframe',
  'from',
  'to',
  'balances',
  'fee',
  'holdout',
  'objectives',
  'budget.trials',
  'validation.walkForward.train',
  'validation.walkForward.test',
]);

interface RunFormProps {
  readonly kind: RunKind;
  readonly desk: LabReply<'desk'>;
}

/** Form of a backtest, a study or a walk-forward. */
export function RunForm({ kind, desk }: RunFormProps) {
  const before = changedJob.value?.kind === kind ? changedJob.value : null;
  const posted = usePostedJob();
  const strategy = useSignal(before?.strategy ?? desk.strategies[0]?.id ?? '');
  const typed = useSignal<TypedValues>(before?.typed ?? {});
  const params = useSignal<TypedValues>(before?.params ?? {});
  const again = useSignal(before?.again ?? false);
  useEffect(() => {
    changedJob.value = null;
  }, []);
  const fields = desk.forms[kind];
  const shared = { typed, failure: posted.failure.value, labelOf: settingLabel, prefix: kind };
  const chosen = desk.strategies.find(({ id }) => id === strategy.value);
  const choose = (id: string): void => {
    strategy.value = id;
    params.value = {};
  };
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        void posted.post({
          kind,
          strategy: strategy.value,
          typed: typed.value,
          params: params.value,
          again: again.value && chosen?.isOwn === true,
        });
      }}
    >
      <Panel title={t(`lab.kind.${kind}`)}>
        <div class="form-fields">
          <LabelledField label={t('lab.form.strategy')} name="strategy">
            <select
              id="field-strategy"
              dir="ltr"
              value={strategy.value}
              onChange={(event) => choose(event.currentTarget.value)}
            >
              {desk.strategies.map(({ id, isOwn }) => (
                <option key={id} value={id}>
                  {isOwn ? t('lab.form.own', { name: id }) : id}
                </option>
              ))}
            </select>
          </LabelledField>
        </div>
        <FormFields fields={fields.filter(({ path }) => MAIN.has(path))} {...shared} />
        <details class="unused">
          <summary>{t('lab.form.more')}</summary>
          <FormFields fields={fields.filter(({ path }) => !MAIN.has(path))} {...shared} />
        </details>
      </Panel>
      <ParamsPanel key={strategy.value} {...{ kind, params, posted }} strategy={strategy.value} />
      {chosen?.isOwn === true ? (
        <label class="tick">
          <input
            type="checkbox"
            checked={again.value}
            onChange={(event) => (again.value = event.currentTarget.checked)}
          />
          {t('lab.form.again')}
        </label>
      ) : null}
      <PostedLine posted={posted} />
      <div class="buttons">
        <RunButton posted={posted} />
      </div>
    </form>
  );
}

interface ParamsProps {
  readonly kind: RunKind;
  readonly strategy: string;
  readonly params: Signal<TypedValues>;
  readonly posted: ReturnType<typeof usePostedJob>;
}

function ParamsPanel({ kind, strategy, params, posted }: ParamsProps) {
  const reply = useReply<LabReply<'params'>>(withQuery('/params', { strategy }));
  return (
    <Panel
      title={t('lab.form.params', { strategy: showName(strategy) })}
      note={kind === 'backtest' ? undefined : t('lab.form.searched')}
    >
      <WithReply reply={reply.value}>
        {({ fields, problem }) =>
          problem === null ? (
            fields.length === 0 ? (
              <p class="empty">{t('lab.form.noParams')}</p>
            ) : (
              <FormFields fields={fields} typed={params} prefix="param" failure={posted.failure.value} />
            )
          ) : (
            <p class="notice bad" role="alert" lang="en" dir="ltr">
              {problem}
            </p>
          )
        }
      </WithReply>
    </Panel>
  );
}
