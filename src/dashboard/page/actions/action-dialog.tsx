import { useEffect, useRef } from 'preact/hooks';
import { signal, useSignal } from '@preact/signals';
import { loadPart, reasonToReload } from '../page-parts.ts';
import { sayFailure } from '../parts/say-failure.ts';
import { say } from '../say.ts';
import { refreshAll } from '../use-reply.ts';
import { openDialog, type PageAction, type OpenDialog } from './action.ts';
import type { ActionFields, ActionFieldsProps } from './action-fields.tsx';
import { CostLines } from './cost-lines.tsx';
import { OutcomeLines } from './outcome-lines.tsx';
import { usePostedAction } from './post-action.ts';

/** The one dialog of the page: what an action costs, one confirmation, and what became of it. */
export function ActionDialog() {
  const open = openDialog.value;
  return open === null ? null : <DialogFor key={JSON.stringify(open)} open={open} />;
}

function DialogFor({ open }: { readonly open: OpenDialog }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const posted = usePostedAction();
  const action = useSignal<PageAction | null>(open.asks === 'nothing' ? open.action : null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      posted.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    if (action.value !== null) void posted.askCost(action.value);
  }, [action.value]);
  const kind = action.value?.kind ?? (open.asks === 'nothing' ? open.action.kind : open.asks);
  return (
    <dialog
      ref={dialog}
      class="action"
      aria-labelledby="dialog-title"
      onClose={() => (openDialog.value = null)}
    >
      <h2 id="dialog-title">{say(`action.${kind}.title`)}</h2>
      {open.asks === 'nothing' && open.about !== null ? (
        <p class="about" dir="auto">
          {open.about}
        </p>
      ) : null}
      <p>{say(`action.${kind}.what`)}</p>
      {action.value === null ? (
        <FieldsFor open={open} onReady={(ready) => (action.value = ready)} />
      ) : (
        <Steps
          action={action.value}
          posted={posted}
          onBack={open.asks === 'nothing' ? null : () => (action.value = null)}
        />
      )}
    </dialog>
  );
}

/** The code of the fields that a person fills in before an action, such as those of an order; null until needed. */
const fields = signal<typeof ActionFields | null>(null);
async function loadFields(): Promise<void> {
  fields.value = await loadPart(async () => (await import('./action-fields.tsx')).ActionFields);
}

function FieldsFor(props: ActionFieldsProps) {
  useEffect(() => {
    if (fields.value === null) void loadFields();
  }, []);
  const Loaded = fields.value;
  if (Loaded !== null) return <Loaded {...props} />;
  return reasonToReload.value === null ? <p class="empty">{say('loading')}</p> : null;
}

interface StepsProps {
  readonly action: PageAction;
  readonly posted: ReturnType<typeof usePostedAction>;
  readonly onBack: (() => void) | null;
}

function Steps({ action, posted, onBack }: StepsProps) {
  const now = posted.step.value;
  const failure = posted.failure.value;
  const isDone = now.step === 'ended' || now.step === 'following';
  return (
    <>
      <div aria-live="polite" class="steps">
        {now.step === 'asking' && failure === null ? <p>{say('action.asking')}</p> : null}
        {now.step === 'cost' ? <CostLines action={action} cost={now.cost} /> : null}
        {now.step === 'sending' ? <p>{say('action.sending')}</p> : null}
        {isDone ? <OutcomeLines state={now.state} isEnded={now.step === 'ended'} /> : null}
        {failure === null ? null : (
          <p class="notice bad" role="alert">
            {sayFailure(failure)}
          </p>
        )}
      </div>
      <form method="dialog" class="buttons">
        {onBack !== null && !isDone ? (
          <button type="button" onClick={onBack}>
            {say('action.back')}
          </button>
        ) : null}
        <button type="submit">{say(isDone ? 'action.close' : 'action.leave')}</button>
        {now.step === 'cost' ? (
          <button
            type="button"
            class="primary"
            data-confirm
            onClick={() => void posted.confirm(action, refreshAll)}
          >
            {say(`action.${action.kind}.do`)}
          </button>
        ) : null}
        {now.step === 'asking' && failure !== null ? (
          <button type="button" onClick={() => void posted.askCost(action)}>
            {say('action.again')}
          </button>
        ) : null}
      </form>
    </>
  );
}
