import { useEffect, useRef, useMemo } from 'preact/hooks';
import { signal, useSignal } from '@preact/signals';
import { ActionFields, OrderCost } from './action-fields.tsx';
import { failureMessage } from '../parts/panel.tsx';
import { t } from '../translate.ts';
import { refreshAll } from '../use-reply.ts';
import { openDialog, type PageAction, type OpenDialog, newKey } from './action.ts';
import type { ActionStateReply, CostReply, ActionReply } from '../../schema/action.ts';
import { Button, SentenceText, SideWord } from '../parts/words.tsx';
import { knownMarket } from '../overview.ts';
import { showBothUnits, showExact, showLength, showName } from '../shown.ts';
import { ApiFailure, getReply, postBody } from '../api.ts';

/** Dialog of the page: the cost of an action, one confirmation, and the outcome. */
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
      <h2 id="dialog-title">{t(`action.${kind}.title`)}</h2>
      {open.asks === 'nothing' && open.about !== null ? <p class="about">{open.about}</p> : null}
      <p>{t(`action.${kind}.what`)}</p>
      {action.value === null ? (
        <ActionFields open={open} onReady={(ready) => (action.value = ready)} />
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
        {now.step === 'asking' && failure === null ? <p>{t('action.asking')}</p> : null}
        {now.step === 'cost' ? <CostLines action={action} cost={now.cost} /> : null}
        {now.step === 'sending' ? <p>{t('action.sending')}</p> : null}
        {isDone ? <OutcomeLines state={now.state} isEnded={now.step === 'ended'} /> : null}
        {failure === null ? null : (
          <p class="notice bad" role="alert">
            {failureMessage(failure)}
          </p>
        )}
      </div>
      <form method="dialog" class="buttons">
        {onBack !== null && !isDone ? <Button text="action.back" onClick={onBack} /> : null}
        <button type="submit">
          {t(isDone ? 'action.close' : action.kind === 'cancel' ? 'action.back' : 'action.leave')}
        </button>
        {now.step === 'cost' ? (
          <button
            type="button"
            class="primary"
            data-confirm
            onClick={() => void posted.confirm(action, refreshAll)}
          >
            {t(`action.${action.kind}.do`)}
          </button>
        ) : null}
        {now.step === 'asking' && failure !== null ? (
          <Button text="action.again" onClick={() => void posted.askCost(action)} />
        ) : null}
      </form>
    </>
  );
}

interface OutcomeLinesProps {
  readonly state: ActionStateReply | null;
  readonly isEnded: boolean;
}

/**
 * Shows the outcome of an action: whether the bot has it, the number of orders left, and the final message.
 */
function OutcomeLines({ state, isEnded }: OutcomeLinesProps) {
  if (isEnded) {
    const isGood = state === null || state.result?.ok !== false;
    return (
      <>
        <p
          class={`notice ${isGood ? 'good' : 'bad'}`}
          role="status"
          data-outcome={isGood ? 'done' : 'failed'}
        >
          {t(isGood ? 'outcome.done' : 'outcome.failed')}
        </p>
        {state?.result === undefined || state.result === null ? null : (
          <SentenceText text={state.result.message} facts={state.result.messageFacts} />
        )}
        {(state?.result?.left ?? []).length === 0 ? null : (
          <p>{t('outcome.left', { count: state?.result?.left.length ?? 0 })}</p>
        )}
      </>
    );
  }
  return (
    <>
      <p role="status">
        {t(state === null || state.state === 'waiting' ? 'outcome.waiting' : 'outcome.taken')}
      </p>
      {state === null || state.progress === null ? null : (
        <p>{t('outcome.progress', { count: state.progress.left, closed: state.progress.closed })}</p>
      )}
      <p class="note">{t('outcome.goesOn')}</p>
    </>
  );
}

/**
 * Shows the cost of an action before it is confirmed: orders, requests, and the time it needs under the
 * budget.
 */
function CostLines({ action, cost }: { readonly action: PageAction; readonly cost: CostReply | null }) {
  if (cost === null) return null;
  const { cancelCount, places, requests, limit, windowMs, seconds } = cost;
  const isFree = requests === 0;
  return (
    <div class="cost">
      <h3>{t('cost.title')}</h3>
      <ul>
        {cancelCount === 0 ? null : <li>{t('cost.cancels', { count: cancelCount })}</li>}
        {places.map((place, index) => (
          <PlaceLine key={index} place={place} />
        ))}
        <li>
          {isFree ? t('cost.free') : t('cost.requests', { count: requests })}
          {limit === null || windowMs === null || isFree
            ? null
            : ` ${t('cost.pace', { limit, window: showLength(windowMs), length: showLength(seconds * 1_000) })}`}
        </li>
      </ul>
      {action.kind === 'order' ? <OrderCost order={action.body} cost={cost} /> : null}
    </div>
  );
}

function PlaceLine({ place }: { readonly place: CostReply['places'][number] }) {
  const { market, side, amount, isReduceOnly, value, currency } = place;
  const base = knownMarket(market)?.base ?? '';
  return (
    <li>
      <SideWord side={side} /> {showExact(amount, base)} {t('cost.inMarket', { market: showName(market) })}
      {value === null || currency === null
        ? null
        : ` ${t('cost.worth', { value: showBothUnits(value, currency, true) })}`}
      {isReduceOnly ? ` ${t('cost.reduceOnly')}` : null}
    </li>
  );
}

/** Progress of an action's dialog. */
type ActionStep =
  | { readonly step: 'asking' }
  | { readonly step: 'cost'; readonly cost: CostReply | null }
  | { readonly step: 'sending' }
  | { readonly step: 'following'; readonly state: ActionStateReply | null }
  | { readonly step: 'ended'; readonly state: ActionStateReply | null };

const FOLLOW_PAUSE_MS = 500;
/** Time in ms for which the dialog follows an action; the bot continues it without the dialog. */
const LONGEST_FOLLOW_MS = 10 * 60_000;

/** Action of one dialog: its cost, its confirmation, and the outcome. */
class PostedAction {
  readonly step = signal<ActionStep>({ step: 'asking' });
  readonly failure = signal<ApiFailure | null>(null);
  /** Key that stays the same if the action is sent again, so that it is done once. */
  readonly #key = newKey();
  #isClosed = false;

  /** Requests the cost; nothing is done. */
  async askCost(action: PageAction): Promise<void> {
    await this.#try(async () => {
      const reply = await postBody<ActionReply>(`/actions/${action.kind}`, {
        ...action.body,
        key: this.#key,
        dryRun: true,
      });
      this.step.value = { step: 'cost', cost: 'dryRun' in reply ? reply : null };
    });
  }

  /** Posts the action and follows it until it is done. It may be tried again after a lost reply. */
  async confirm(action: PageAction, onDone: () => void): Promise<void> {
    const before = this.step.value;
    this.step.value = { step: 'sending' };
    const isSent = await this.#try(async () => {
      const reply = await postBody<ActionReply>(`/actions/${action.kind}`, {
        ...action.body,
        key: this.#key,
      });
      if ('dryRun' in reply) throw new ApiFailure(0, { code: 'internal', message: 'only the cost was said' });
      if (action.kind === 'acknowledge') this.step.value = { step: 'ended', state: null };
      else await this.#follow(reply.id);
    });
    if (!isSent && this.step.value.step === 'sending') this.step.value = before;
    onDone();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #follow(id: number): Promise<void> {
    const untilMs = Date.now() + LONGEST_FOLLOW_MS;
    this.step.value = { step: 'following', state: null };
    while (!this.#isClosed && Date.now() < untilMs) {
      const state = await getReply<ActionStateReply>(`/actions/${id}`);
      const isEnded = state.state === 'done' || state.state === 'failed';
      this.step.value = { step: isEnded ? 'ended' : 'following', state };
      if (isEnded) return;
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_PAUSE_MS));
    }
  }

  async #try(work: () => Promise<void>): Promise<boolean> {
    this.failure.value = null;
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.failure.value = error;
      return false;
    }
  }
}

function usePostedAction(): PostedAction {
  return useMemo(() => new PostedAction(), []);
}
