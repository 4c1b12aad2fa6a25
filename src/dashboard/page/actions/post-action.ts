import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ActionReply, ActionStateReply, CostReply } from '../../schema/action.ts';
import { ApiFailure, getReply, postBody } from '../api.ts';
import { newKey, type PageAction } from './action.ts';

/** Progress of an action's dialog. */
export type ActionStep =
  | { readonly step: 'asking' }
  | { readonly step: 'cost'; readonly cost: CostReply | null }
  | { readonly step: 'sending' }
  | { readonly step: 'following'; readonly state: ActionStateReply | null }
  | { readonly step: 'ended'; readonly state: ActionStateReply | null };

const FOLLOW_PAUSE_MS = 500;
/** An action that is not done after this goes on without the dialog: the bot has it. */
const LONGEST_FOLLOW_MS = 10 * 60_000;

/** One dialog's action: its cost, its one confirmation, and what became of it. */
export class PostedAction {
  readonly step = signal<ActionStep>({ step: 'asking' });
  readonly failure = signal<ApiFailure | null>(null);
  /** The same however often it is sent, so that it is done once. */
  readonly #key = newKey();
  #isClosed = false;

  /** Asks what it would cost; nothing is done. */
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

  /** Does it, and follows it until it is done. After a lost reply the same may be tried again. */
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

export function usePostedAction(): PostedAction {
  return useMemo(() => new PostedAction(), []);
}
