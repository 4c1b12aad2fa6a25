import { signal } from '@preact/signals';
import type { OverviewReply } from '../schema/overview.ts';
import type { ShownReply } from './use-reply.ts';

/** The strategies of the bot, to choose from. */
export function strategyOptions(data: OverviewReply | null): readonly (readonly [string, string])[] {
  return (data?.strategies ?? []).map(({ name }) => [name, name] as const);
}

/** The bot at a glance, which the header and the dialogs know in every view. The app follows it. */
export const overview = signal<ShownReply<OverviewReply>>({
  data: null,
  failure: null,
  readAtMs: null,
  refresh: () => {},
});
