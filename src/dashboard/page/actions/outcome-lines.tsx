import type { ActionStateReply } from '../../schema/action.ts';
import { Said } from '../parts/words.tsx';
import { say } from '../say.ts';

interface OutcomeLinesProps {
  readonly state: ActionStateReply | null;
  readonly isEnded: boolean;
}

/**
 * Shows the outcome of an action: whether the bot has it, the number of orders left, and the final message.
 */
export function OutcomeLines({ state, isEnded }: OutcomeLinesProps) {
  if (isEnded) {
    const isGood = state === null || state.result?.ok !== false;
    return (
      <>
        <p
          class={`notice ${isGood ? 'good' : 'bad'}`}
          role="status"
          data-outcome={isGood ? 'done' : 'failed'}
        >
          {say(isGood ? 'outcome.done' : 'outcome.failed')}
        </p>
        {state?.result === undefined || state.result === null ? null : (
          <Said text={state.result.message} facts={state.result.messageFacts} />
        )}
        {(state?.result?.left ?? []).length === 0 ? null : (
          <p>{say('outcome.left', { count: state?.result?.left.length ?? 0 })}</p>
        )}
      </>
    );
  }
  return (
    <>
      <p role="status">
        {say(state === null || state.state === 'waiting' ? 'outcome.waiting' : 'outcome.taken')}
      </p>
      {state === null || state.progress === null ? null : (
        <p>{say('outcome.progress', { count: state.progress.left, closed: state.progress.closed })}</p>
      )}
      <p class="note">{say('outcome.goesOn')}</p>
    </>
  );
}
